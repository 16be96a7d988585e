//===- ProfileOps.cpp - Costs of source ops ---------------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ProfileBuilder.h"

#include "llvm/ADT/StringSet.h"
#include <map>

using namespace mlir;
using namespace mlir::ipu;

int64_t Profile::getUtilisationPpm(const FlopCounts &flops,
                                   int64_t cycles) const {
  int64_t sum = 0;
  for (unsigned unit = 0; unit < kNumFlopUnits; ++unit) {
    int64_t peak =
        mulSaturating(getPeakFlops(target, static_cast<FlopUnit>(unit)),
                      target.getTilesPerReplica());
    sum = addSaturating(
        sum, getRatio(flops[unit], 1000000, mulSaturating(cycles, peak)));
  }
  return sum;
}

/// What tells ops apart: the name in the source and the line, or the number of
/// a step that has neither.
static std::tuple<StringRef, StringRef, int64_t> getKey(const ProfileStep &step,
                                                        int64_t index) {
  bool isUnknown = step.sourceName.empty() && step.place.empty();
  return {step.sourceName, step.place, isUnknown ? index : -1};
}

/// The name of the step that takes longest, syncs last: what an op computes.
static StringRef getMainName(ArrayRef<ProfileStep> steps, const ProfileOp &op) {
  auto getRank = [&](int64_t i) {
    return std::make_pair(steps[i].kind != StepKind::Sync,
                          mulSaturating(steps[i].count, steps[i].maxCycles));
  };
  int64_t main = op.steps.front();
  for (int64_t i : op.steps)
    if (getRank(i) > getRank(main))
      main = i;
  return steps[main].name;
}

/// Gives each op a name that no other has.
static void nameOps(Profile &profile) {
  llvm::StringSet<> taken;
  for (ProfileOp &op : profile.ops) {
    int64_t first = op.steps.front();
    op.name = profile.steps[first].sourceName;
    op.place = profile.steps[first].place;
    op.type = getMainName(profile.steps, op).str();
    if (op.name.empty()) {
      op.name = op.type;
      if (!op.place.empty())
        op.name += " " + op.place;
    } else if (taken.contains(op.name)) {
      op.name += " (" + op.place + ")";
    }
    // Not the number of a step: names stay as they are where others change.
    std::string name = op.name;
    for (int64_t number = 2; !taken.insert(op.name).second; ++number)
      op.name = name + " #" + std::to_string(number);
  }
}

void mlir::ipu::profileOps(Profile &profile) {
  std::map<std::tuple<StringRef, StringRef, int64_t>, size_t> numbers;
  const IPUClock &clock = profile.clocks[profile.slowestClock];
  for (auto [index, step] : llvm::enumerate(profile.steps)) {
    auto [it, isNew] =
        numbers.try_emplace(getKey(step, index), profile.ops.size());
    if (isNew)
      profile.ops.emplace_back();
    ProfileOp &op = profile.ops[it->second];
    op.steps.push_back(index);
    // What I/O tiles do takes no time of the others.
    int64_t &cycles = op.cyclesOfKind[static_cast<unsigned>(step.kind)];
    if (step.tiles != StepTiles::IO)
      cycles = addSaturating(
          cycles,
          addSaturating(mulSaturating(step.count, step.cycles[clock.ipu]),
                        -step.hiddenCycles));
    int64_t flops = mulSaturating(step.count, step.flops);
    for (FlopCounts *counts : {&op.flops, &profile.flops}) {
      int64_t &count = (*counts)[static_cast<unsigned>(step.unit)];
      count = addSaturating(count, flops);
    }
    op.bytes = addSaturating(op.bytes, mulSaturating(step.count, step.bytes));
  }
  for (ProfileOp &op : profile.ops) {
    for (int64_t cycles : op.cyclesOfKind)
      op.cycles = addSaturating(op.cycles, cycles);
    op.utilisationPpm = profile.getUtilisationPpm(op.flops, op.cycles);
    op.sharePermille = getRatio(op.cycles, 1000, profile.cycles);
  }
  nameOps(profile);
}
