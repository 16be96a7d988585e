//===- ThreadPool.cpp - Host threads of a run -----------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ThreadPool.h"

using namespace mlir;
using namespace mlir::ipu;

ThreadPool::ThreadPool(unsigned numThreads) {
  for (unsigned part = 1; part < numThreads; ++part)
    workers.emplace_back([this, part] { serve(part); });
}

ThreadPool::~ThreadPool() {
  {
    std::lock_guard<std::mutex> lock(mutex);
    isEnding = true;
  }
  changed.notify_all();
  for (std::thread &worker : workers)
    worker.join();
}

void ThreadPool::runPart(unsigned part) const {
  int64_t parts = getNumThreads();
  // size * parts may not fit.
  int64_t each = size / parts, more = size % parts;
  int64_t begin = part * each + std::min<int64_t>(part, more);
  int64_t end = begin + each + (part < more);
  if (begin < end)
    (*work)(part, begin, end);
}

void ThreadPool::waitUntil(function_ref<bool()> isTrue) {
  // Some 50 microseconds; another thread that is ready runs in between.
  for (int i = 0; i < 100; ++i) {
    if (isTrue())
      return;
    std::this_thread::yield();
  }
  std::unique_lock<std::mutex> lock(mutex);
  changed.wait(lock, isTrue);
}

void ThreadPool::serve(unsigned part) {
  uint64_t done = 0;
  while (true) {
    waitUntil([&] { return isEnding || runs != done; });
    if (isEnding)
      return;
    ++done;
    runPart(part);
    bool isLast;
    {
      std::lock_guard<std::mutex> lock(mutex);
      isLast = --numBusy == 0;
    }
    if (isLast)
      changed.notify_all();
  }
}

void ThreadPool::run(int64_t newSize, Work newWork, double elements) {
  if (workers.empty() || newSize <= 1 || elements < kLeastElements) {
    if (newSize > 0)
      newWork(0, 0, newSize);
    return;
  }
  {
    std::lock_guard<std::mutex> lock(mutex);
    size = newSize;
    work = &newWork;
    numBusy = workers.size();
    ++runs;
  }
  changed.notify_all();
  runPart(0);
  waitUntil([&] { return numBusy == 0; });
}
