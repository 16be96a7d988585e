//===- ExecutionRecord.cpp - Executions of sequences ----------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ExecutionRecord.h"

using namespace mlir;
using namespace mlir::ipu;

namespace {
/// All executions that a record describes: their number, and, for each IPU, the
/// starts of the first and of the last one.
struct Placement {
  int64_t count = 0;
  SmallVector<TileTimes, 1> first, last;
};

class Adder {
public:
  Adder(ArrayRef<ExecutionRecord> records, const StepTimer &timer,
        ReplicaPath &path)
      : records(records), timer(timer), path(path), placements(records.size()) {
  }

  void run(const ExecutionRecord &program) {
    Placement whole;
    whole.count = 1;
    whole.first.resize(path.stepTimes.size());
    whole.last.resize(path.stepTimes.size());
    add(program, whole);
    // All that refer to a record come after it.
    for (size_t number = records.size(); number-- > 0;)
      if (placements[number].count > 0)
        add(records[number], placements[number]);
  }

private:
  void add(const ExecutionRecord &record, const Placement &placement) {
    for (const ExecutionEntry &entry : record)
      if (entry.isStep)
        addStep(entry, placement);
      else
        place(entry, placement);
  }

  void addStep(const ExecutionEntry &entry, const Placement &placement) {
    int64_t &count = path.counts[entry.number];
    count = addSaturating(count, placement.count);
    std::optional<unsigned> copy = timer.findCopy(entry.number);
    for (auto [ipu, on] : llvm::enumerate(entry.onIPUs)) {
      bool isIO = timer.isOnIOTiles(entry.number);
      auto get = [isIO](const TileTimes &base, const TileTimes &time) {
        TileTimes sum = base + time;
        return isIO ? sum.io : sum.now;
      };
      int64_t start = get(placement.first[ipu], on.first);
      int64_t end = get(placement.first[ipu], on.last);
      StepTimes &times = path.stepTimes[ipu][entry.number];
      if (times.start < 0 ||
          std::tie(start, end) < std::tie(times.start, times.end)) {
        times.start = start;
        times.end = end;
      }
      times.lastEnd =
          std::max(times.lastEnd, get(placement.last[ipu], on.last));
      if (!copy)
        continue;
      int64_t &hidden = path.hiddenOfCopy[*copy][ipu];
      hidden = addSaturating(hidden, mulSaturating(on.hidden, placement.count));
    }
  }

  void place(const ExecutionEntry &entry, const Placement &placement) {
    Placement &inner = placements[entry.number];
    bool isNew = inner.count == 0;
    inner.count =
        addSaturating(inner.count, mulSaturating(entry.count, placement.count));
    inner.first.resize(entry.onIPUs.size());
    inner.last.resize(entry.onIPUs.size());
    for (auto [ipu, on] : llvm::enumerate(entry.onIPUs)) {
      TileTimes first = placement.first[ipu] + on.first;
      TileTimes last = placement.last[ipu] + on.last;
      TileTimes &least = inner.first[ipu], &most = inner.last[ipu];
      // Executions follow each other on compute tiles and on I/O tiles.
      least = isNew ? first
                    : TileTimes{std::min(least.now, first.now),
                                std::min(least.io, first.io)};
      most = {std::max(most.now, last.now), std::max(most.io, last.io)};
    }
  }

  ArrayRef<ExecutionRecord> records;
  const StepTimer &timer;
  ReplicaPath &path;
  std::vector<Placement> placements;
};
} // namespace

void mlir::ipu::addExecutions(const ExecutionRecord &program,
                              ArrayRef<ExecutionRecord> records,
                              const StepTimer &timer, ReplicaPath &path) {
  Adder(records, timer, path).run(program);
}
