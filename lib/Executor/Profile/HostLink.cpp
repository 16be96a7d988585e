//===- HostLink.cpp - Buffered copies between host and IPU ----------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "HostLink.h"

#include "ProfileBuilder.h"
#include "ipu-mlir/Analysis/Cost/CostModel.h"

using namespace mlir;
using namespace mlir::ipu;

/// More tensors in a buffer count as so many.
static constexpr uint64_t kMaxDepth = 16;

template <typename HostCopyOp>
static void addBufferedCopy(const Program &program, HostCopyOp op,
                            unsigned step, std::vector<BufferedCopy> &copies) {
  auto stream =
      llvm::find_if(program.streams, [&](const ProgramStream &stream) {
        return stream.name == op.getStream();
      });
  BufferedCopy copy;
  StreamOp streamOp = stream->op;
  copy.depth = std::min(streamOp.getDepth().value_or(1), kMaxDepth);
  if (copy.depth == 1)
    return;
  copy.step = step;
  copy.stream = std::distance(program.streams.begin(), stream);
  copy.isLoad = std::is_same_v<HostCopyOp, HostLoadOp>;
  copy.latency =
      program.target.getLatencyCycles(program.target.host_latency_ns);
  HostCopyCycles cycles =
      getHostCopyCycles(program.target, op.getVariable().getType());
  copy.linkCycles = std::move(cycles.link);
  copy.tileCycles = std::move(cycles.tile);
  copies.push_back(std::move(copy));
}

std::vector<BufferedCopy>
mlir::ipu::getBufferedCopies(const Program &program,
                             ArrayRef<ProfileStep> steps) {
  std::vector<BufferedCopy> copies;
  for (unsigned number = 0; number < steps.size(); ++number) {
    StepOpInterface step = program.steps[number];
    // What I/O tiles do overlaps in any case.
    if (steps[number].tiles == StepTiles::IO)
      continue;
    if (auto load = dyn_cast<HostLoadOp>(*step))
      addBufferedCopy(program, load, number, copies);
    else if (auto store = dyn_cast<HostStoreOp>(*step))
      addBufferedCopy(program, store, number, copies);
  }
  return copies;
}

void HostLink::pause(int64_t cycles) { paused = addSaturating(paused, cycles); }

/// Adds `time` to the last `depth` ones; returns the first of these, or 0 if
/// there are fewer.
static int64_t push(SmallVectorImpl<int64_t> &times, int64_t depth,
                    int64_t time) {
  times.push_back(time);
  if (static_cast<int64_t>(times.size()) > depth)
    times.erase(times.begin());
  return static_cast<int64_t>(times.size()) == depth ? times.front() : 0;
}

int64_t HostLink::copy(const BufferedCopy &copy, int64_t ipu, int64_t now) {
  int64_t link = copy.linkCycles[ipu], tile = copy.tileCycles[ipu];
  if (link == 0 && tile == 0)
    return 0;
  now -= paused;
  Direction &way = copy.isLoad ? loads : stores;
  SmallVector<int64_t> &times = way.times[copy.stream];
  // When the buffer has room for what is to be loaded, or there is something.
  int64_t start = copy.isLoad ? push(times, copy.depth, now) : now;
  start = std::max(way.free, start);
  way.free = addSaturating(start, link);
  int64_t first = addSaturating(start, copy.latency);
  if (!copy.isLoad) {
    int64_t done = addSaturating(first, std::max(link, tile));
    int64_t room = push(times, copy.depth, done);
    return std::max(tile, room - now);
  }
  // Tiles take what comes, and the last of it when it is there.
  return std::max(addSaturating(std::max(first, now), tile),
                  addSaturating(first, link)) -
         now;
}

int64_t HostLink::getEnd() const {
  int64_t end = 0;
  for (const auto &[stream, times] : stores.times)
    end = std::max(end, times.back());
  return end == 0 ? 0 : addSaturating(end, paused);
}

void HostLink::appendLeads(int64_t now, int64_t horizon,
                           SmallVectorImpl<int64_t> &leads) const {
  auto append = [&](int64_t time) {
    leads.push_back(std::max(time - (now - paused), -horizon));
  };
  for (const Direction *way : {&loads, &stores}) {
    append(way->free);
    for (const auto &[stream, times] : way->times) {
      leads.append({stream, static_cast<int64_t>(times.size())});
      llvm::for_each(times, append);
    }
  }
}

void HostLink::extend(const HostLink &before,
                      function_ref<void(int64_t &, int64_t)> extend) {
  extend(paused, before.paused);
  auto extendAll = [&](Direction &way, const Direction &old) {
    extend(way.free, old.free);
    for (auto &[stream, times] : way.times)
      for (auto [now, then] : llvm::zip_equal(times, old.times.at(stream)))
        extend(now, then);
  };
  extendAll(loads, before.loads);
  extendAll(stores, before.stores);
}

void HostLink::rebase(const HostLink &from, const HostLink &to, int64_t delay) {
  int64_t pauses = to.paused - from.paused;
  paused = addSaturating(paused, pauses);
  // The clock of the link stops in pauses.
  int64_t shift = delay - pauses;
  for (Direction *way : {&loads, &stores}) {
    way->free = addSaturating(way->free, shift);
    for (auto &[stream, times] : way->times)
      for (int64_t &time : times)
        time = addSaturating(time, shift);
  }
}
