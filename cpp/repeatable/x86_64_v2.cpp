// The weight kernels for x86-64-v2 (SSE4.2): 128-bit vectors.
#define SKINPROOF_SET x86_64_v2
#define SKINPROOF_VECTOR_BYTES 16
#include "table.inl"
