// Copies of every kind and size, and fills.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <random>
#include <vector>

#include "gpu/rig.h"

namespace lanescope::gpu_test {
namespace {

class MemoryOnGpu : public Gpu {
 protected:
  using Bytes = std::vector<std::byte>;
  static Bytes random_bytes(std::size_t count) {
    std::mt19937_64 random(count);
    Bytes bytes(count);
    for (std::byte& b : bytes) b = static_cast<std::byte>(random());
    return bytes;
  }
  static bool equal(std::span<const std::byte> a, std::span<const std::byte> b) {
    return std::equal(a.begin(), a.end(), b.begin(), b.end());
  }
  // Around the 64 KB up to which a copy of pageable memory goes into the command queue, and odd sizes.
  const std::vector<std::size_t> sizes{1, 3, 4096, 65'535, 65'536, 65'537, 1'000'003, std::size_t{64} << 20};
};

TEST_F(MemoryOnGpu, PageableGoesThereAndBack) {
  for (const std::size_t size : sizes) {
    const Bytes sent = random_bytes(size);
    const Memory device(api(), size);
    Bytes back(size);
    OK(api().memcpy(device.data(), sent.data(), size));
    OK(api().memcpy(back.data(), device.data(), size));
    EXPECT_TRUE(sent == back) << size;

    std::fill(back.begin(), back.end(), std::byte{0});
    const StreamHandle stream = new_stream();
    OK(api().memcpy_async(device.data(), sent.data(), size, stream));
    OK(api().memcpy_async(back.data(), device.data(), size, stream));
    OK(api().stream_synchronize(stream));
    EXPECT_TRUE(sent == back) << size << ", asynchronous";
  }
}

TEST_F(MemoryOnGpu, PinnedGoesThereAndBack) {
  for (const std::size_t size : sizes) {
    const Bytes sent = random_bytes(size);
    const Memory device(api(), size), other(api(), size);
    const Memory from(api(), size, Memory::Kind::Pinned), to(api(), size, Memory::Kind::Pinned);
    std::copy(sent.begin(), sent.end(), from.bytes().begin());
    const StreamHandle stream = new_stream();
    OK(api().memcpy_async(device.data(), from.data(), size, stream));
    OK(api().memcpy_async(other.data(), device.data(), size, stream));
    OK(api().memcpy_async(to.data(), other.data(), size, stream));
    OK(api().stream_synchronize(stream));
    EXPECT_TRUE(equal(to.bytes(), sent)) << size;
  }
}

// Behind a running kernel, an asynchronous copy of pinned memory returns at once; a blocking one does not.
TEST_F(MemoryOnGpu, OnlyBlockingCopiesWait) {
  const std::size_t size = 1 << 20;
  const Memory device(api(), size), pinned(api(), size, Memory::Kind::Pinned);
  OK(api().memcpy_async(device.data(), pinned.data(), size, nullptr));
  spin(1, nullptr);
  OK(api().device_synchronize());

  std::int64_t before = now_ns();
  spin(50'000, nullptr);
  OK(api().memcpy_async(device.data(), pinned.data(), size, nullptr));
  EXPECT_LT(now_ns() - before, 40'000'000);
  OK(api().device_synchronize());

  before = now_ns();
  spin(50'000, nullptr);
  OK(api().memcpy(device.data(), pinned.data(), size));
  EXPECT_GE(now_ns() - before, 50'000'000);
}

TEST_F(MemoryOnGpu, IsSetByteByByte) {
  for (const std::size_t size : {std::size_t{1}, std::size_t{7}, std::size_t{4096}, std::size_t{1'000'003}}) {
    const Memory device(api(), size + 1);
    OK(api().memset_async(device.data(), 0x11, size + 1, nullptr));
    OK(api().memset_async(device.data(), 0xa5, size, nullptr));
    Bytes back(size + 1);
    OK(api().memcpy(back.data(), device.data(), size + 1));
    Bytes expected(size, std::byte{0xa5});
    expected.push_back(std::byte{0x11});
    EXPECT_TRUE(back == expected) << size;
  }
}

TEST_F(MemoryOnGpu, RunsOutWithAnError) {
  void* memory = nullptr;
  const Status status = api().malloc(&memory, std::size_t{1} << 50);
  EXPECT_EQ(status, 2);
  EXPECT_STREQ(api().error_name(status), "cudaErrorMemoryAllocation");
  EXPECT_STREQ(api().error_text(status), "out of memory");
  EXPECT_EQ(api().take_last_error(), 2);
  EXPECT_EQ(api().take_last_error(), 0);
  EXPECT_EQ(result_of(api(), make_case({ops::OpKind::ReluForward, 10}, 1)), "") << "the next calls work";
}

}  // namespace
}  // namespace lanescope::gpu_test
