// The weight kernels for 64-bit ARM: 128-bit vectors.
#define SKINPROOF_SET neon
#define SKINPROOF_VECTOR_BYTES 16
#include "table.inl"
