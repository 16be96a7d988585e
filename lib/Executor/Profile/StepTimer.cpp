//===- StepTimer.cpp - Times of executed steps ----------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "StepTimer.h"

#include "ProfileBuilder.h"

using namespace mlir;
using namespace mlir::ipu;

void BusyTimes::add(const BusyTimes &other, ArrayRef<int64_t> shifts) {
  for (auto [ipu, range] : llvm::enumerate(other.ranges))
    if (range.start >= 0)
      add(ipu, addSaturating(range.start, shifts[ipu]),
          addSaturating(range.end, shifts[ipu]));
}

StepTimer::StepTimer(const Program &program, ArrayRef<ProfileStep> steps)
    : numIPUs(program.target.ipus), steps(steps),
      copies(getBufferedCopies(program, steps)) {
  for (auto [number, copy] : llvm::enumerate(copies)) {
    copyOfStep[copy.step] = number;
    int64_t link = *llvm::max_element(copy.linkCycles);
    horizon = addSaturating(
        horizon, addSaturating(copy.latency, mulSaturating(link, copy.depth)));
  }
}

ReplicaClocks StepTimer::getStart() const {
  ReplicaClocks start;
  start.clocks.resize(numIPUs);
  start.links.resize(numIPUs);
  for (int64_t ipu = 0; ipu < numIPUs; ++ipu)
    start.clocks[ipu].ipu = ipu;
  return start;
}

std::optional<unsigned> StepTimer::findCopy(unsigned step) const {
  auto found = copyOfStep.find(step);
  if (found == copyOfStep.end())
    return std::nullopt;
  return found->second;
}

void mlir::ipu::waitUntil(IPUClock &clock, int64_t time) {
  if (time <= clock.now)
    return;
  clock.wait = addSaturating(clock.wait, time - clock.now);
  clock.now = time;
}

void mlir::ipu::waitForLast(ArrayRef<IPUClock *> clocks, StepTiles tiles) {
  int64_t last = 0;
  for (const IPUClock *clock : clocks)
    last = std::max(last, tiles == StepTiles::IO ? clock->io : clock->now);
  for (IPUClock *clock : clocks)
    if (tiles == StepTiles::IO)
      clock->io = last;
    else
      waitUntil(*clock, last);
}

StepExecution StepTimer::run(ReplicaClocks &clocks, unsigned step,
                             int64_t ipu) const {
  const ProfileStep &profiled = steps[step];
  int64_t cycles = profiled.cycles[ipu];
  IPUClock &clock = clocks.clocks[ipu];
  StepExecution result;
  if (profiled.tiles == StepTiles::IO) {
    result.start = clock.io;
    clock.io = addSaturating(clock.io, cycles);
    clock.ioCycles = addSaturating(clock.ioCycles, cycles);
    result.end = clock.io;
    return result;
  }
  if (profiled.tiles == StepTiles::Both)
    waitUntil(clock, clock.io);
  if (std::optional<unsigned> copy = findCopy(step)) {
    int64_t visible = clocks.links[ipu].copy(copies[*copy], ipu, clock.now);
    result.hidden = cycles - visible;
    clock.hostHidden = addSaturating(clock.hostHidden, result.hidden);
    cycles = visible;
  } else if (profiled.kind == StepKind::Host) {
    clocks.links[ipu].pause(cycles);
  }
  int64_t &booked = clock.cyclesOfKind[static_cast<unsigned>(profiled.kind)];
  booked = addSaturating(booked, cycles);
  result.start = clock.now;
  clock.now = addSaturating(clock.now, cycles);
  result.end = clock.now;
  if (profiled.tiles == StepTiles::Both)
    clock.io = clock.now;
  return result;
}
