// The weight kernels for x86-64-v3 (AVX2): 256-bit vectors.
#define SKINPROOF_SET x86_64_v3
#define SKINPROOF_VECTOR_BYTES 32
#include "table.inl"
