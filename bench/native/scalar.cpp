#define SKINPROOF_SET scalar
#define SKINPROOF_SET_NAME "scalar"
#define SKINPROOF_VECTOR_BYTES 0
#include "table.inl"
