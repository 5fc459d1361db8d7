#pragma once
// LCN_HD marks code that compiles for the host and, under nvcc, for the device too.
#ifdef __CUDACC__
#define LCN_HD __host__ __device__
#else
#define LCN_HD
#endif
