//===- ThreadPool.h - Host threads of a run ---------------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef IPU_MLIR_LIB_EXECUTOR_SUPPORT_THREADPOOL_H
#define IPU_MLIR_LIB_EXECUTOR_SUPPORT_THREADPOOL_H

#include "mlir/Support/LLVM.h"
#include "llvm/ADT/STLFunctionalExtras.h"
#include <atomic>
#include <condition_variable>
#include <mutex>
#include <thread>
#include <vector>

namespace mlir::ipu {

/// Threads that share out ranges in equal parts, in order: which thread does
/// what depends on nothing but their number.
class ThreadPool {
public:
  explicit ThreadPool(unsigned numThreads);
  ~ThreadPool();

  unsigned getNumThreads() const { return workers.size() + 1; }

  /// Less elements that are computed or copied than this take less time than
  /// to wake a thread.
  static constexpr double kLeastElements = 1 << 16;

  /// Calls `work(part, begin, end)` for getNumThreads() parts of [0, size), at
  /// once; the caller does part 0. It does all of it if that computes or copies
  /// few `elements`.
  using Work = llvm::function_ref<void(unsigned, int64_t, int64_t)>;
  void run(int64_t size, Work work, double elements = kLeastElements);

private:
  void runPart(unsigned part) const;
  void serve(unsigned part);

  /// Steps follow each other closely: a thread looks for a while before it
  /// sleeps, as waking takes as long as a small step.
  void waitUntil(function_ref<bool()> isTrue);

  std::vector<std::thread> workers;
  /// What is waited for changes while the mutex is held.
  std::mutex mutex;
  std::condition_variable changed;
  /// Grows with each run, after `size` and `work` are set; workers that have
  /// done all but the last are waiting.
  std::atomic<uint64_t> runs = 0;
  std::atomic<unsigned> numBusy = 0;
  std::atomic<bool> isEnding = false;
  int64_t size = 0;
  const Work *work = nullptr;
};

} // namespace mlir::ipu

#endif // IPU_MLIR_LIB_EXECUTOR_SUPPORT_THREADPOOL_H
