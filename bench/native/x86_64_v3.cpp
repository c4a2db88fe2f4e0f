#define SKINPROOF_SET x86_64_v3
#define SKINPROOF_SET_NAME "x86-64-v3"
#define SKINPROOF_VECTOR_BYTES 32
#include "table.inl"
