// The kernels for x86-64-v2 (SSE4.2): 128-bit vectors, no fused operations.
#define SKINPROOF_SET x86_64_v2
#define SKINPROOF_SET_NAME "x86-64-v2"
#define SKINPROOF_VECTOR_BYTES 16
#include "table.inl"
