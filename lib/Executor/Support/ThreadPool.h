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

/// Threads that divide a range into equal consecutive parts. The part of a
/// thread depends only on the range and on the number of threads.
class ThreadPool {
public:
  explicit ThreadPool(unsigned numThreads);
  ~ThreadPool();

  unsigned getNumThreads() const { return workers.size() + 1; }

  /// If the work is smaller than this number of elements, the caller does it
  /// alone: waking a thread would take longer.
  static constexpr double kLeastElements = 1 << 16;

  /// Divides [0, size) into getNumThreads() parts, and calls `work(part, begin,
  /// end)` for each part in parallel. The calling thread does part 0.
  /// `elements` is the number of elements that the work computes or copies. If
  /// it is less than kLeastElements, the calling thread does all of the work.
  using Work = llvm::function_ref<void(unsigned, int64_t, int64_t)>;
  void run(int64_t size, Work work, double elements = kLeastElements);

private:
  void runPart(unsigned part) const;
  void serve(unsigned part);

  /// Waits until `isTrue` returns true. The thread polls for a short time
  /// before it sleeps, because steps follow each other closely and waking a
  /// thread takes as long as a small step.
  void waitUntil(function_ref<bool()> isTrue);

  std::vector<std::thread> workers;
  /// Protects the conditions that threads wait for. They change only while the
  /// mutex is held.
  std::mutex mutex;
  std::condition_variable changed;
  /// Incremented for each run, after `size` and `work` are set. Workers that
  /// have finished all previous runs are waiting.
  std::atomic<uint64_t> runs = 0;
  std::atomic<unsigned> numBusy = 0;
  std::atomic<bool> isEnding = false;
  int64_t size = 0;
  const Work *work = nullptr;
};

} // namespace mlir::ipu

#endif // IPU_MLIR_LIB_EXECUTOR_SUPPORT_THREADPOOL_H
