//===- ProfileOps.cpp - Costs of source ops ---------------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ProfileBuilder.h"

#include "ipu-mlir/Support/SplitExactly.h"
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
using OpKey = std::tuple<std::string, std::string, int64_t>;

static OpKey getKey(const ProfileShare &share, int64_t step) {
  bool isUnknown = share.sourceName.empty() && share.place.empty();
  return {share.sourceName, share.place, isUnknown ? step : -1};
}

int64_t mlir::ipu::getMainOp(const ProfileStep &step, int64_t ipu) {
  const ProfileShare *main = &step.shares.front();
  for (const ProfileShare &share : step.shares)
    if (share.cycles[ipu] > main->cycles[ipu])
      main = &share;
  return main->op;
}

namespace {
/// Adds up the shares of ops.
class OpShares {
public:
  explicit OpShares(Profile &profile)
      : profile(profile), ipu(profile.clocks[profile.slowestClock].ipu) {}

  void run();

private:
  void findOps();
  void addStep(const ProfileStep &step);
  void nameOps();

  Profile &profile;
  int64_t ipu;
  /// For each op, its name in the source.
  std::vector<std::string> sourceNames;
};
} // namespace

/// Finds the op and the type of each share, and combines the shares of each op
/// in a step.
void OpShares::findOps() {
  std::map<OpKey, int64_t> numbers;
  // For each op, whether the share that gave it its type is not one of a sync,
  // and the cycles of this share.
  std::vector<std::pair<bool, int64_t>> ranks;
  for (auto [number, step] : llvm::enumerate(profile.steps)) {
    std::vector<ProfileShare> combined;
    for (ProfileShare &share : step.shares) {
      auto [it, isNew] =
          numbers.try_emplace(getKey(share, number), profile.ops.size());
      share.op = it->second;
      if (isNew) {
        profile.ops.emplace_back().place = share.place;
        sourceNames.push_back(share.sourceName);
        ranks.emplace_back(false, -1);
      }
      ProfileOp &op = profile.ops[share.op];
      if (op.steps.empty() || op.steps.back() != int64_t(number))
        op.steps.push_back(number);
      std::pair<bool, int64_t> rank = {
          step.kind != StepKind::Sync,
          mulSaturating(step.count, share.cycles[ipu])};
      if (rank > ranks[share.op]) {
        ranks[share.op] = rank;
        op.type = share.sourceOp;
      }
      auto same = llvm::find_if(combined, [&](const ProfileShare &other) {
        return other.op == share.op;
      });
      if (same == combined.end()) {
        combined.push_back(std::move(share));
        continue;
      }
      for (auto [sum, cycles] : llvm::zip_equal(same->cycles, share.cycles))
        sum = addSaturating(sum, cycles);
      same->flops = addSaturating(same->flops, share.flops);
      same->bytes = addSaturating(same->bytes, share.bytes);
    }
    step.shares = std::move(combined);
  }
}

/// Divides what all executions of `step` took among its ops.
void OpShares::addStep(const ProfileStep &step) {
  auto divide = [&](int64_t total,
                    function_ref<int64_t(const ProfileShare &)> getWeight,
                    function_ref<int64_t &(ProfileOp &)> getSum) {
    SmallVector<int64_t> weights;
    for (const ProfileShare &share : step.shares)
      weights.push_back(getWeight(share));
    for (auto [share, part] :
         llvm::zip_equal(step.shares, splitExactly(total, weights))) {
      int64_t &sum = getSum(profile.ops[share.op]);
      sum = addSaturating(sum, part);
    }
  };
  // What I/O tiles do takes no time of the others.
  if (step.tiles != StepTiles::IO)
    divide(
        addSaturating(mulSaturating(step.count, step.cycles[ipu]),
                      -step.hiddenCycles),
        [&](const ProfileShare &share) { return share.cycles[ipu]; },
        [&](ProfileOp &op) -> int64_t & {
          return op.cyclesOfKind[static_cast<unsigned>(step.kind)];
        });
  int64_t flops = mulSaturating(step.count, step.flops);
  int64_t &ofUnit = profile.flops[static_cast<unsigned>(step.unit)];
  ofUnit = addSaturating(ofUnit, flops);
  divide(
      flops, [](const ProfileShare &share) { return share.flops; },
      [&](ProfileOp &op) -> int64_t & {
        return op.flops[static_cast<unsigned>(step.unit)];
      });
  divide(
      mulSaturating(step.count, step.bytes),
      [](const ProfileShare &share) { return share.bytes; },
      [](ProfileOp &op) -> int64_t & { return op.bytes; });
}

/// Gives each op a name that no other has.
void OpShares::nameOps() {
  llvm::StringSet<> taken;
  for (auto [op, sourceName] : llvm::zip_equal(profile.ops, sourceNames)) {
    op.name = sourceName;
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

void OpShares::run() {
  findOps();
  for (const ProfileStep &step : profile.steps)
    addStep(step);
  for (ProfileOp &op : profile.ops) {
    for (int64_t cycles : op.cyclesOfKind)
      op.cycles = addSaturating(op.cycles, cycles);
    op.utilisationPpm = profile.getUtilisationPpm(op.flops, op.cycles);
    op.sharePermille = getRatio(op.cycles, 1000, profile.cycles);
  }
  nameOps();
}

void mlir::ipu::profileOps(Profile &profile) { ::OpShares(profile).run(); }
