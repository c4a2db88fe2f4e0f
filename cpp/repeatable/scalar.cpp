// The weight kernels for every compiler and processor: one number at a time.
#define SKINPROOF_SET scalar
#define SKINPROOF_VECTOR_BYTES 0
#include "table.inl"
