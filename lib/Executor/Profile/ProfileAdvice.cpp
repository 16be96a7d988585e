//===- ProfileAdvice.cpp - Performance advice -------------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ipu-mlir/Executor/Profile/ProfileAdvice.h"

#include "ProfileBuilder.h"

#include "llvm/Support/FormatVariadic.h"

using namespace mlir;
using namespace mlir::ipu;
using llvm::formatv;

/// Shares of the cycles of a run from which on rules speak, in thousandths.
static constexpr int64_t kHostPermille = 200, kExchangePermille = 150,
                         kImbalancePermille = 100, kSyncPermille = 100;

namespace {
class Adviser {
public:
  explicit Adviser(const Profile &profile)
      : profile(profile), clock(profile.clocks[profile.slowestClock]) {}

  std::vector<ProfileAdvice> run() {
    checkMemory();
    checkHost();
    checkExchange();
    checkBalance();
    checkSync();
    llvm::sort(advice, [](const auto &a, const auto &b) {
      return std::make_tuple(a.saving != 0, -a.saving, a.rule) <
             std::make_tuple(b.saving != 0, -b.saving, b.rule);
    });
    return std::move(advice);
  }

private:
  void checkMemory() {
    const MemoryProfile &memory = profile.memory;
    int64_t code = memory.maxCodeBytes - profile.target.code_memory;
    if (code > 0)
      advice.push_back(
          {"code", formatv("call functions instead of repeating ops, or load "
                           "code: a tile has {0:N} bytes too much",
                           code)});
    if (memory.tilesOverMemory == 0)
      return;
    std::string text =
        formatv("tile {0} lacks {1:N} bytes", memory.fullestTile,
                memory.maxTileBytes - profile.target.tile_memory);
    if (memory.tilesOverMemory > 1)
      text += formatv(", {0:N} tiles lack some", memory.tilesOverMemory).str();
    if (!memory.largest.empty()) {
      auto [number, bytes] = memory.largest.front();
      text += formatv("; {0:N} are {1}", bytes, profile.variables[number].name)
                  .str();
    }
    advice.push_back({"memory", text});
  }

  void checkHost() {
    int64_t host = getCycles(StepKind::Host);
    // At best, transfers take place while everything else does.
    int64_t hidden = std::min(host, clock.now - host);
    if (isAbove(host, kHostPermille) && hidden > 0)
      add("host", hidden,
          "overlap host copies with compute: I/O tiles or stream buffers");
  }

  void checkExchange() {
    if (!isAbove(getCycles(StepKind::Exchange), kExchangePermille))
      return;
    const ProfileStep &step = getWorst(StepKind::Exchange, getTime);
    add("exchange", getCycles(StepKind::Exchange),
        "move less between tiles, first in " + step.name);
  }

  void checkBalance() {
    int64_t lost = 0;
    for (const ProfileStep &step : profile.steps)
      if (step.kind == StepKind::Compute)
        lost = addSaturating(lost, getImbalance(step));
    // Steps of several IPUs may take place at once.
    lost = std::min(lost, getCycles(StepKind::Compute));
    if (!isAbove(lost, kImbalancePermille))
      return;
    const ProfileStep &step = getWorst(StepKind::Compute, getImbalance);
    add("imbalance", lost,
        formatv("give tiles equal work, first in {0} (balance {1}.{2} %)",
                step.name, step.balancePermille / 10,
                step.balancePermille % 10));
  }

  void checkSync() {
    if (isAbove(getCycles(StepKind::Sync), kSyncPermille))
      add("sync", getCycles(StepKind::Sync),
          "fuse ops, so that there are fewer steps to sync between");
  }

  void add(llvm::StringLiteral rule, int64_t saving, const Twine &text) {
    advice.push_back({rule, text.str(), saving});
  }

  int64_t getCycles(StepKind kind) const {
    return clock.cyclesOfKind[static_cast<unsigned>(kind)];
  }

  bool isAbove(int64_t cycles, int64_t permille) const {
    return getRatio(cycles, 1000, clock.now) > permille;
  }

  static int64_t getTime(const ProfileStep &step) {
    return mulSaturating(step.count, step.maxCycles);
  }

  /// Cycles that a mean tile waits for the slowest one.
  static int64_t getImbalance(const ProfileStep &step) {
    return mulSaturating(step.count, step.maxCycles - step.meanCycles);
  }

  /// The step of `kind` of which `get` is most; there is one.
  const ProfileStep &
  getWorst(StepKind kind,
           llvm::function_ref<int64_t(const ProfileStep &)> get) {
    const ProfileStep *worst = nullptr;
    for (const ProfileStep &step : profile.steps)
      if (step.kind == kind && (!worst || get(step) > get(*worst)))
        worst = &step;
    return *worst;
  }

  const Profile &profile;
  const IPUClock &clock;
  std::vector<ProfileAdvice> advice;
};
} // namespace

std::vector<ProfileAdvice> mlir::ipu::getAdvice(const Profile &profile) {
  return Adviser(profile).run();
}
