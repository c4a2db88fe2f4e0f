#define SKINPROOF_SET x86_64_v2
#define SKINPROOF_SET_NAME "x86-64-v2"
#define SKINPROOF_VECTOR_BYTES 16
#include "table.inl"
