#define SKINPROOF_SET x86_64_v4
#define SKINPROOF_SET_NAME "x86-64-v4"
#define SKINPROOF_VECTOR_BYTES 64
#include "table.inl"
