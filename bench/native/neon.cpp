#define SKINPROOF_SET neon
#define SKINPROOF_SET_NAME "neon"
#define SKINPROOF_VECTOR_BYTES 16
#include "table.inl"
