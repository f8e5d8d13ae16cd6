// What the driver says of a GPU's memory.
//   FAKE_NVML_FREE_MB   so much is free; default: 80,000
#include <cstdlib>

extern "C" int nvmlInit_v2();
extern "C" int nvmlInit_v2() { return 0; }
extern "C" int nvmlDeviceGetHandleByPciBusId_v2(const char* bus, void** gpu);
extern "C" int nvmlDeviceGetHandleByPciBusId_v2(const char* bus, void** gpu) {
  *gpu = const_cast<char*>(bus);
  return 0;
}
extern "C" int nvmlDeviceGetMemoryInfo(void* gpu, unsigned long long* total_free_used);
extern "C" int nvmlDeviceGetMemoryInfo(void*, unsigned long long* total_free_used) {
  const char* megabytes = std::getenv("FAKE_NVML_FREE_MB");
  total_free_used[1] = (megabytes ? std::strtoull(megabytes, nullptr, 10) : 80'000ULL) << 20;
  return 0;
}
