// A library that is not cuBLAS.
extern "C" int no_cublas_version();
int no_cublas_version() { return 0; }
