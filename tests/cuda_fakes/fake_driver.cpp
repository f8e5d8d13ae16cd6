// The tests' libcuda.so.1: answers according to LANESCOPE_FAKE_DRIVER.
#ifndef FAKE_NO_DRIVER
#include <cstdlib>
#include <cstring>

namespace {

int told(const char* key, int otherwise) {
  const char* all = std::getenv("LANESCOPE_FAKE_DRIVER");
  const char* found = all != nullptr ? std::strstr(all, key) : nullptr;
  return found != nullptr ? std::atoi(found + std::strlen(key)) : otherwise;
}

int say(const char* text, const char** out) {
  *out = text;
  return 0;
}

}  // namespace

extern "C" {
int cuInit(unsigned);
int cuDeviceGetCount(int*);
int cuDriverGetVersion(int*);
int cuGetErrorName(int, const char**);
int cuGetErrorString(int, const char**);

int cuInit(unsigned) { return told("init=", 0); }
int cuDeviceGetCount(int* count) {
  *count = told("count=", 1);
  return told("count_status=", 0);
}
int cuDriverGetVersion(int* version) {
  *version = told("version=", 13000);
  return told("version_status=", 0);
}
int cuGetErrorName(int code, const char** name) {
  return code == 803 ? say("CUDA_ERROR_SYSTEM_DRIVER_MISMATCH", name) : 1;
}
int cuGetErrorString(int code, const char** text) {
  return code == 803 ? say("system has unsupported display driver / cuda driver combination", text) : 1;
}
}
#endif
