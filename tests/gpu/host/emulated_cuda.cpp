#include "gpu/host/emulated_cuda.h"

#include <ucontext.h>

#include <algorithm>
#include <cstddef>
#include <memory>
#include <random>
#include <span>
#include <vector>

namespace lanescope::emulated {
namespace {

constexpr std::size_t kStackBytes = 64 * 1024;
constexpr std::size_t kWarp = 32;

enum class State { Ready, AtBarrier, AtShuffle, Done };

struct Thread {
  ucontext_t context{};
  std::unique_ptr<std::byte[]> stack = std::make_unique<std::byte[]>(kStackBytes);
  Dimensions index;
  State state = State::Ready;
  std::uint64_t offered = 0, received = 0;
  unsigned distance = 0;
};

ucontext_t scheduler;
Thread* current = nullptr;
const std::function<void()>* body = nullptr;

void run_body() {
  (*body)();
  current->state = State::Done;  // and on to the scheduler, by uc_link
}

void give_way(State state) {
  current->state = state;
  swapcontext(&current->context, &scheduler);
}

class Block {
 public:
  void start(Dimensions size) {
    const std::size_t count = std::size_t{size.x} * size.y;
    threads_.resize(std::max(threads_.size(), count));
    active_.clear();
    for (std::size_t i = 0; i < count; ++i) {
      if (!threads_[i]) threads_[i] = std::make_unique<Thread>();
      Thread& thread = *threads_[i];
      thread.state = State::Ready;
      thread.index = {static_cast<unsigned>(i % size.x), static_cast<unsigned>(i / size.x)};
      getcontext(&thread.context);
      thread.context.uc_stack.ss_sp = thread.stack.get();
      thread.context.uc_stack.ss_size = kStackBytes;
      thread.context.uc_link = &scheduler;
      makecontext(&thread.context, run_body, 0);
      active_.push_back(&thread);
    }
  }

  /// Runs one thread after another until all are done or none can continue. Forward and backward, a warp runs as far
  /// ahead of the others as it can; shuffled, all threads take turns.
  bool run(Order order, std::mt19937& random) {
    std::vector<Thread*> turn = active_;
    if (order == Order::Backward) std::reverse(turn.begin(), turn.end());
    for (;;) {
      if (order == Order::Shuffled) std::shuffle(turn.begin(), turn.end(), random);
      const std::size_t together = order == Order::Shuffled ? turn.size() : kWarp;
      for (std::size_t i = 0; i < turn.size(); i += together) {
        const auto some = std::span(turn).subspan(i, std::min(together, turn.size() - i));
        do {
          for (Thread* thread : some) go_on(*thread);
        } while (release_shuffles());
      }
      if (all(active_, State::Done)) return true;
      if (!all(active_, State::AtBarrier)) return false;
      for (Thread* thread : active_) thread->state = State::Ready;
    }
  }

 private:
  static bool all(std::span<Thread* const> threads, State state) {
    return std::all_of(threads.begin(), threads.end(), [state](const Thread* t) { return t->state == state; });
  }

  static void go_on(Thread& thread) {
    if (thread.state != State::Ready) return;
    current = &thread;
    thread_index = thread.index;
    swapcontext(&scheduler, &thread.context);
  }

  /// For warps whose threads have all reached a shuffle.
  bool release_shuffles() {
    bool released = false;
    for (std::size_t first = 0; first + kWarp <= active_.size(); first += kWarp) {
      const auto warp = std::span<Thread* const>(active_).subspan(first, kWarp);
      if (!all(warp, State::AtShuffle)) continue;
      for (std::size_t lane = 0; lane < kWarp; ++lane) {
        warp[lane]->received = warp[lane ^ warp[lane]->distance]->offered;
        warp[lane]->state = State::Ready;
      }
      released = true;
    }
    return released;
  }

  std::vector<std::unique_ptr<Thread>> threads_;
  std::vector<Thread*> active_;
};

}  // namespace

void wait_for_block() { give_way(State::AtBarrier); }

std::uint64_t exchange_in_warp(std::uint64_t bits, unsigned distance) {
  current->offered = bits;
  current->distance = distance;
  give_way(State::AtShuffle);
  return current->received;
}

bool run(Dimensions grid, Dimensions block, Order order, const std::function<void()>& kernel) {
  static Block threads;  // keeps their stacks
  std::mt19937 random(1);
  std::vector<unsigned> blocks(grid.x);
  for (unsigned i = 0; i < grid.x; ++i) blocks[i] = order == Order::Backward ? grid.x - 1 - i : i;
  if (order == Order::Shuffled) std::shuffle(blocks.begin(), blocks.end(), random);
  body = &kernel;
  grid_size = grid;
  block_size = block;
  for (const unsigned number : blocks) {
    block_index = {number, 0};
    threads.start(block);
    if (!threads.run(order, random)) return false;
  }
  return true;
}

}  // namespace lanescope::emulated
