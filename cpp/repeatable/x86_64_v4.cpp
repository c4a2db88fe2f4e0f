// The weight kernels for x86-64-v4 (AVX-512): 512-bit vectors.
#define SKINPROOF_SET x86_64_v4
#define SKINPROOF_VECTOR_BYTES 64
#include "table.inl"
