//===- ProfileAdvice.cpp - Performance advice -------------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ipu-mlir/Executor/Profile/ProfileAdvice.h"

#include "ProfileBuilder.h"
#include "ipu-mlir/Analysis/TileMemory/TileMemory.h"

#include "llvm/Support/FormatVariadic.h"

using namespace mlir;
using namespace mlir::ipu;
using llvm::formatv;

/// Of an exchange: from which share on it is its set-up that takes long, and up
/// to which one of an even exchange's time it is uneven, in thousandths.
static constexpr int64_t kSetupPermille = 300, kEvenPermille = 500;
/// A compute set of fewer cycles is short.
static constexpr int64_t kShortCycles = 500;
/// Memory of tiles that are fuller than this, in thousandths, is looked at.
static constexpr int64_t kHalfFullPermille = 500;

// Options are those of ipu-run. Options of other tools name their tool, and
// options of passes name their pass.
static constexpr llvm::StringLiteral kShareOption =
    "--available-memory-proportion 0.3, available-memory-proportion of "
    "pop-to-ipu-pipeline";
static constexpr llvm::StringLiteral kWeightsOption =
    "--ipus 2, --off-chip weights, --precision f16";
static constexpr llvm::StringLiteral kCodeOption =
    "--outline, pop.call, pop.code_load";

static std::string formatPercent(int64_t permille) {
  return formatv("{0}.{1} %", permille / 10, permille % 10).str();
}

namespace {
class Adviser {
public:
  explicit Adviser(const Profile &profile)
      : profile(profile), memory(profile.memory), target(profile.target),
        clock(profile.clocks[profile.slowestClock]),
        isHalfFull(getRatio(memory.maxTileBytes, 1000, target.tile_memory) >
                   kHalfFullPermille) {}

  ProfileFindings run();

private:
  using Describe = function_ref<void(ProfileAdvice &)>;

  void checkFit();
  void checkCode();
  void checkSpread();
  void checkVariables();
  void checkTransfers();
  void checkExchange();
  void checkCompute();
  void checkShortSteps();
  void checkSyncs();

  /// Notes a rule; lets `describe` say what to do where it speaks.
  void check(const ProfileRule &rule, Describe describe) {
    findings.rules.push_back(rule);
    if (!rule.speaks())
      return;
    ProfileAdvice &advice = findings.advice.emplace_back();
    advice.rule = rule;
    describe(advice);
  }
  /// As check(), of a share of the cycles of the run.
  void checkShare(llvm::StringLiteral name, llvm::StringLiteral measure,
                  int64_t cycles, int64_t limit, bool applies,
                  Describe describe) {
    check({name, measure, "permille", getRatio(cycles, 1000, clock.now), limit,
           applies},
          describe);
  }
  /// As check(), of a share of what the fullest tile needs.
  void checkBytes(llvm::StringLiteral name, llvm::StringLiteral measure,
                  int64_t bytes, int64_t limit, bool applies,
                  Describe describe) {
    check({name, measure, "permille",
           getRatio(bytes, 1000, memory.maxTileBytes), limit,
           isHalfFull && applies},
          describe);
  }

  int64_t getCycles(StepKind kind) const {
    return clock.cyclesOfKind[static_cast<unsigned>(kind)];
  }
  /// What of `cycles` the rest of the run could hide at best.
  int64_t getHidden(int64_t cycles) const {
    return std::min(cycles, clock.now - cycles);
  }

  int64_t getBytes(MemoryCategory category) const {
    size_t i = static_cast<size_t>(category);
    return i < memory.categories.size() ? memory.categories[i].tileBytes : 0;
  }
  /// Bytes of the fullest tile's categories that `holds` is true of.
  int64_t getBytes(function_ref<bool(const CategoryBytes &)> holds) const {
    int64_t sum = 0;
    for (const CategoryBytes &category : memory.categories)
      if (holds(category))
        sum = addSaturating(sum, category.tileBytes);
    return sum;
  }

  /// Whether the only tiles that a single IPU can wait for are those that
  /// transfer data.
  bool waitsForTransfers() const {
    return target.ipus == 1 && target.replicas == 1 &&
           llvm::any_of(profile.steps, [](const ProfileStep &step) {
             return step.tiles == StepTiles::IO && step.kind == StepKind::Host;
           });
  }

  static int64_t getTime(const ProfileStep &step) {
    return mulSaturating(step.count, step.maxCycles);
  }
  /// Cycles that a mean tile waits for the slowest one.
  static int64_t getImbalance(const ProfileStep &step) {
    return mulSaturating(step.count, step.maxCycles - step.meanCycles);
  }
  /// Of steps of one kind, which a rule has found some of, the sum of `get`,
  /// and the step of which it is most.
  struct Steps {
    int64_t sum = 0;
    int64_t worst = -1;
  };
  Steps sumSteps(StepKind kind,
                 function_ref<int64_t(const ProfileStep &)> get) const;
  /// The step in which `op` takes most cycles, of `kind` if it is given.
  int64_t getLongestStep(const ProfileOp &op,
                         std::optional<StepKind> kind = std::nullopt) const;
  StringRef getName(int64_t step) const {
    return step < 0 ? StringRef() : StringRef(profile.steps[step].name);
  }

  const Profile &profile;
  const MemoryProfile &memory;
  const TargetModel &target;
  const IPUClock &clock;
  bool isHalfFull;
  ProfileFindings findings;
};
} // namespace

Adviser::Steps
Adviser::sumSteps(StepKind kind,
                  function_ref<int64_t(const ProfileStep &)> get) const {
  Steps steps;
  int64_t most = 0;
  for (auto [number, step] : llvm::enumerate(profile.steps)) {
    if (step.kind != kind)
      continue;
    int64_t value = get(step);
    steps.sum = addSaturating(steps.sum, value);
    if (steps.worst >= 0 && value <= most)
      continue;
    most = value;
    steps.worst = number;
  }
  return steps;
}

int64_t Adviser::getLongestStep(const ProfileOp &op,
                                std::optional<StepKind> kind) const {
  int64_t number = &op - profile.ops.data();
  int64_t longest = op.steps.front(), most = -1;
  for (int64_t index : op.steps) {
    const ProfileStep &step = profile.steps[index];
    if (step.tiles == StepTiles::IO || (kind && step.kind != *kind))
      continue;
    const ProfileShare &share =
        *llvm::find_if(step.shares, [&](const ProfileShare &share) {
          return share.op == number;
        });
    int64_t cycles = mulSaturating(step.count, share.cycles[clock.ipu]);
    if (cycles <= most)
      continue;
    longest = index;
    most = cycles;
  }
  return longest;
}

/// Has `advice` point to `step`.
static void pointTo(ProfileAdvice &advice, int64_t step, StringRef subject) {
  advice.step = step;
  advice.subject = subject.str();
}

//===----------------------------------------------------------------------===//
// Memory
//===----------------------------------------------------------------------===//

void Adviser::checkFit() {
  const NamedBytes *largest = nullptr;
  for (const NamedBytes &function : profile.code.functions)
    if (!largest || function.bytes > largest->bytes)
      largest = &function;
  int64_t codelets = 0;
  for (const NamedBytes &codelet : profile.code.codelets)
    codelets = addSaturating(codelets, codelet.bytes);
  check({"code", "bytes of code on a tile", "bytes", memory.maxCodeBytes,
         target.code_memory},
        [&](ProfileAdvice &advice) {
          advice.savingBytes = memory.maxCodeBytes - target.code_memory;
          advice.isError = true;
          advice.tile = profile.code.tile;
          // Calls do not reduce the code of codelets, which is on a tile once.
          bool callsHelp = codelets <= target.code_memory;
          if (callsHelp)
            advice.option = kCodeOption;
          advice.text = formatv(
              "{0}: a tile has {1} bytes of code too many",
              callsHelp ? "call functions instead of repeating ops, or load "
                          "code"
                        : "use fewer codelets, that is, fewer different ops, "
                          "types and sizes",
              formatNumber(advice.savingBytes));
        });
  check({"memory", "bytes of the fullest tile", "bytes", memory.maxTileBytes,
         target.tile_memory},
        [&](ProfileAdvice &advice) {
          advice.savingBytes = memory.maxTileBytes - target.tile_memory;
          advice.isError = true;
          pointTo(advice, memory.peakStep, "");
          advice.tile = memory.fullestTile;
          advice.option = kShareOption;
          advice.text = formatv("tile {0} lacks {1} bytes", memory.fullestTile,
                                formatNumber(advice.savingBytes));
          if (memory.tilesOverMemory > 1)
            advice.text += formatv("; {0} tiles lack memory",
                                   formatNumber(memory.tilesOverMemory))
                               .str();
          if (memory.largest.empty())
            return;
          auto [number, bytes] = memory.largest.front();
          advice.subject = profile.variables[number].name;
          advice.text += formatv("; {1} takes {0} bytes", formatNumber(bytes),
                                 advice.subject);
        });
  check({"nearly-full", "bytes of the fullest tile as a share of its memory",
         "permille", getRatio(memory.maxTileBytes, 1000, target.tile_memory),
         900, memory.maxTileBytes <= target.tile_memory},
        [&](ProfileAdvice &advice) {
          advice.tile = memory.fullestTile;
          const CategoryBytes *most = nullptr;
          for (const CategoryBytes &category : memory.categories)
            if (!most || category.tileBytes > most->tileBytes)
              most = &category;
          if (!most)
            return;
          advice.subject = most->name;
          advice.savingBytes = most->tileBytes;
          advice.option = kShareOption;
          advice.text = formatv(
              "leave room on tile {0}, because it is nearly full: "
              "{1} of its bytes are {2}",
              memory.fullestTile, formatNumber(most->tileBytes), most->name);
        });
  check({"code-region", "code of a tile as a share of the memory for code",
         "permille", getRatio(memory.maxCodeBytes, 1000, target.code_memory),
         800, memory.maxCodeBytes <= target.code_memory},
        [&](ProfileAdvice &advice) {
          advice.tile = profile.code.tile;
          advice.option = kCodeOption;
          advice.text = "load code, or call functions instead of repeating ops";
          if (!largest || largest->bytes == 0)
            return;
          advice.subject = largest->name;
          advice.savingBytes = largest->bytes;
          advice.text += formatv(", first in {0}", largest->name);
        });
}

void Adviser::checkCode() {
  auto addCode = [&](llvm::StringLiteral name, llvm::StringLiteral measure,
                     int64_t bytes, int64_t limit, StringRef text,
                     llvm::StringLiteral option, StepKind kind) {
    checkBytes(name, measure, bytes, limit, /*applies=*/true,
               [&](ProfileAdvice &advice) {
                 Steps steps = sumSteps(kind, [](const ProfileStep &step) {
                   return step.codeBytes;
                 });
                 advice.savingBytes = bytes;
                 advice.tile = memory.fullestTile;
                 advice.option = option;
                 pointTo(advice, steps.worst, getName(steps.worst));
                 advice.text = text.str();
                 if (steps.worst >= 0)
                   advice.text += formatv(", first in {0}", advice.subject);
               });
  };
  // A codelet is on a tile once, however many steps use it.
  int64_t code = addSaturating(getBytes(MemoryCategory::ExchangeCode),
                               getBytes(MemoryCategory::ControlCode));
  addCode("code-share",
          "code of steps as a share of the bytes of the fullest tile", code,
          300, "call functions instead of repeating ops", "--outline, pop.call",
          StepKind::Compute);
  addCode("exchange-code",
          "code of exchanges as a share of the bytes of the fullest tile",
          getBytes(MemoryCategory::ExchangeCode), 200,
          "move fewer and longer runs: choose tile mappings that agree", "",
          StepKind::Exchange);
  int64_t estimated = getBytes(
      [](const CategoryBytes &category) { return category.isEstimated; });
  checkBytes(
      "estimates", "estimates as a share of the bytes of the fullest tile",
      estimated, 500, /*applies=*/true, [&](ProfileAdvice &advice) {
        advice.tile = memory.fullestTile;
        advice.text = formatv("do not rely on the last bytes of tile {0}: {1} "
                              "of the bytes that it needs are estimates",
                              memory.fullestTile, formatNumber(estimated));
      });
}

void Adviser::checkSpread() {
  check({"uneven-memory",
         "bytes of the fullest tile relative to those of the mean tile",
         "permille", getRatio(memory.maxTileBytes, 1000, memory.meanTileBytes),
         1500, isHalfFull},
        [&](ProfileAdvice &advice) {
          advice.savingBytes = memory.maxTileBytes - memory.meanTileBytes;
          advice.tile = memory.fullestTile;
          advice.text = "spread variables over more tiles";
          if (memory.largest.empty())
            return;
          auto [number, bytes] = memory.largest.front();
          advice.subject = profile.variables[number].name;
          advice.text +=
              formatv(", first {0}: {1} bytes on tile {2}", advice.subject,
                      formatNumber(bytes), memory.fullestTile);
        });
  int64_t gaps = getBytes(MemoryCategory::Gaps);
  int64_t saving = memory.maxTileBytes - memory.leastTileBytes;
  checkBytes("gaps", "gaps as a share of the bytes of the fullest tile", gaps,
             50, getRatio(saving, 1000, memory.maxTileBytes) > 30,
             [&](ProfileAdvice &advice) {
               advice.savingBytes = saving;
               advice.subject = "gaps";
               advice.tile = memory.fullestTile;
               advice.step = memory.peakStep;
               advice.text =
                   formatv("give variables equal live ranges or equal sizes: "
                           "{0} bytes of tile {1} are gaps",
                           formatNumber(gaps), memory.fullestTile);
             });
  // How long how much is live.
  std::vector<std::pair<int64_t, int64_t>> stepsOfBytes;
  int64_t numSteps = profile.steps.size(), peak = 0, peakStep = -1;
  for (auto [i, entry] : llvm::enumerate(memory.live)) {
    auto [begin, bytes] = entry;
    int64_t end =
        i + 1 < memory.live.size() ? memory.live[i + 1].first : numSteps;
    stepsOfBytes.emplace_back(bytes, end - begin);
    if (bytes > peak) {
      peak = bytes;
      peakStep = begin;
    }
  }
  llvm::sort(stepsOfBytes);
  int64_t median = 0, seen = 0;
  for (auto [bytes, steps] : stepsOfBytes) {
    if (seen * 2 >= numSteps)
      break;
    median = bytes;
    seen += steps;
  }
  check({"spike",
         "bytes live at the peak step relative to those at the median step",
         "permille", getRatio(peak, 1000, median), 1400, isHalfFull},
        [&](ProfileAdvice &advice) {
          advice.savingBytes = peak - median;
          pointTo(advice, peakStep, getName(peakStep));
          advice.text = formatv(
              "split {0}, or recompute the tensors that it keeps: {1} bytes "
              "are live at this step but {2} at the median step",
              advice.subject, formatNumber(peak), formatNumber(median));
        });
}

void Adviser::checkVariables() {
  const ProfileVariable *largest = nullptr;
  int64_t live = 0, copies = 0, most = 0;
  const ProfileVariable *mostCopied = nullptr;
  for (const ProfileVariable &variable : profile.variables) {
    if (variable.alwaysLive &&
        (!largest || variable.fullestTileBytes > largest->fullestTileBytes))
      largest = &variable;
    bool isLive = llvm::any_of(variable.ranges, [&](auto range) {
      return range.first <= memory.peakStep && memory.peakStep <= range.second;
    });
    if (!isLive || variable.bytes == 0)
      continue;
    live = addSaturating(live, variable.fullestTileBytes);
    int64_t copied =
        getRatio(variable.fullestTileBytes,
                 variable.bytes - variable.uniqueBytes, variable.bytes);
    copies = addSaturating(copies, copied);
    if (copied > most) {
      most = copied;
      mostCopied = &variable;
    }
  }
  checkBytes(
      "always-live",
      "always-live variables as a share of the bytes of the fullest tile",
      getBytes(MemoryCategory::AlwaysLive), 600, /*applies=*/true,
      [&](ProfileAdvice &advice) {
        advice.savingBytes = getBytes(MemoryCategory::AlwaysLive);
        advice.tile = memory.fullestTile;
        advice.option = kWeightsOption;
        advice.text = "shard weights over more IPUs or replicas, or "
                      "keep them in streaming memory or in f16";
      });
  int64_t ofLargest = largest ? largest->fullestTileBytes : 0;
  check({"large-variable",
         "the largest always-live variable as a share of a tile's "
         "memory",
         "permille", getRatio(ofLargest, 1000, target.tile_memory), 100,
         isHalfFull},
        [&](ProfileAdvice &advice) {
          advice.savingBytes = ofLargest;
          advice.tile = memory.fullestTile;
          advice.subject = largest->name;
          advice.option = kWeightsOption;
          advice.text = formatv(
              "shard {0}, or keep it in streaming memory or in f16: it "
              "always takes {1} bytes of tile {2}",
              largest->name, formatNumber(ofLargest), memory.fullestTile);
        });
  check({"copies", "copies as a share of the variables live at the peak step",
         "permille", getRatio(copies, 1000, live), 500, isHalfFull},
        [&](ProfileAdvice &advice) {
          advice.savingBytes = copies;
          pointTo(advice, memory.peakStep, mostCopied->name);
          advice.tile = memory.fullestTile;
          advice.option = kShareOption;
          advice.text =
              formatv("broadcast later or in parts, first {0}: {1} bytes of "
                      "tile {2} are copies of elements on other tiles",
                      advice.subject, formatNumber(copies), memory.fullestTile);
        });
}

//===----------------------------------------------------------------------===//
// Time
//===----------------------------------------------------------------------===//

void Adviser::checkTransfers() {
  auto add = [&](llvm::StringLiteral name, llvm::StringLiteral measure,
                 StepKind kind, int64_t limit, StringRef text,
                 llvm::StringLiteral option) {
    int64_t cycles = getCycles(kind), hidden = getHidden(cycles);
    checkShare(name, measure, cycles, limit, hidden > 0,
               [&](ProfileAdvice &advice) {
                 Steps steps = sumSteps(kind, getTime);
                 pointTo(advice, steps.worst, getName(steps.worst));
                 advice.saving = hidden;
                 advice.option = option;
                 advice.text = text.str();
               });
  };
  // At best, transfers take place while everything else does.
  add("host", "host copies as a share of the cycles", StepKind::Host, 200,
      "overlap host copies with compute",
      "--micro-batches 4 --overlap-io, ipu-train --accumulate 4 --overlap-io");
  add("collective", "collectives as a share of the cycles",
      StepKind::Collective, 150,
      "accumulate gradients over more samples, or join collectives into fewer "
      "collectives of larger tensors",
      "ipu-train --accumulate, ipu-train --merge-collectives");
  add("remote", "transfers with streaming memory as a share of the cycles",
      StepKind::Remote, 150,
      "transfer to and from streaming memory during compute, or keep more data "
      "on tiles",
      "--target io_tiles= with pop.tile_set");
  add("code-loads", "loads of code as a share of the cycles", StepKind::Code,
      50, "overlap loads of code with compute, or keep code on tiles",
      "--target io_tiles= with pop.tile_set");
}

void Adviser::checkExchange() {
  int64_t cycles = getCycles(StepKind::Exchange);
  checkShare(
      "exchange", "exchanges as a share of the cycles", cycles, 150,
      /*applies=*/true, [&](ProfileAdvice &advice) {
        Steps steps = sumSteps(StepKind::Exchange, getTime);
        pointTo(advice, steps.worst, getName(steps.worst));
        int64_t setup = profile.traffic.setupCycles;
        // What the bytes take if all tiles receive as many.
        int64_t bytes = profile.getTotals(StepKind::Exchange).bytes;
        int64_t even = getRatio(
            bytes, 1,
            mulSaturating(target.exchange_bytes_per_cycle,
                          std::max<int64_t>(target.getTilesPerReplica(), 1)));
        if (getRatio(setup, 1000, cycles) > kSetupPermille) {
          advice.saving = std::min(setup, cycles);
          advice.text = formatv("merge exchanges, first {0}: set-up takes "
                                "{1} of the time of exchanges",
                                advice.subject,
                                formatPercent(getRatio(setup, 1000, cycles)));
          return;
        }
        if (bytes > 0 && getRatio(even, 1000, cycles) < kEvenPermille) {
          advice.saving = cycles - even;
          advice.text = formatv(
              "balance the bytes that tiles send and receive, first in {0}: "
              "exchanges then take {1} of their present time",
              advice.subject, formatPercent(getRatio(even, 1000, cycles)));
          return;
        }
        advice.saving = cycles;
        advice.text = "move less between tiles, first in " + advice.subject;
      });
}

void Adviser::checkCompute() {
  int64_t cycles = getCycles(StepKind::Compute);
  Steps lost = sumSteps(StepKind::Compute, getImbalance);
  // Steps of several IPUs may take place at once.
  lost.sum = std::min(lost.sum, cycles);
  checkShare("imbalance",
             "waits of the mean tile in compute sets as a share of the cycles",
             lost.sum, 100, /*applies=*/true, [&](ProfileAdvice &advice) {
               const ProfileStep &step = profile.steps[lost.worst];
               pointTo(advice, lost.worst, step.name);
               advice.tile = step.busiestTile;
               advice.saving = lost.sum;
               advice.text =
                   formatv("give tiles equal work, first in {0} (balance {1})",
                           step.name, formatPercent(step.balancePermille));
             });
  // The op that loses most by not using its units.
  const ProfileOp *worst = nullptr, *dearest = nullptr;
  auto getCyclesOfOp = [](const ProfileOp &op) {
    return op.cyclesOfKind[static_cast<unsigned>(StepKind::Compute)];
  };
  auto getLoss = [&](const ProfileOp &op) {
    return getRatio(getCyclesOfOp(op),
                    std::max<int64_t>(1000000 - op.utilisationPpm, 0), 1000000);
  };
  int64_t flops = 0;
  for (const ProfileOp &op : profile.ops) {
    if (!worst || getLoss(op) > getLoss(*worst))
      worst = &op;
    if (!dearest || op.cycles > dearest->cycles)
      dearest = &op;
  }
  for (int64_t ofUnit : profile.flops)
    flops = addSaturating(flops, ofUnit);
  int64_t used = profile.getUtilisationPpm(profile.flops, profile.cycles);
  check({"utilisation", "unused share of the peaks of the units", "permille",
         1000 - std::min<int64_t>(used / 1000, 1000), 800,
         flops > 0 && worst && getRatio(cycles, 1000, clock.now) > 500},
        [&](ProfileAdvice &advice) {
          advice.saving = getLoss(*worst);
          pointTo(advice, getLongestStep(*worst, StepKind::Compute),
                  worst->name);
          advice.text =
              formatv("compute {0} in larger pieces: it uses "
                      "{1} of the peaks of its units",
                      worst->name, formatPercent(worst->utilisationPpm / 1000));
        });
  auto isF32 = [](const ProfileStep &step) {
    return step.unit == FlopUnit::MatrixF32 && step.flops > 0;
  };
  Steps inF32 = sumSteps(StepKind::Compute, [&](const ProfileStep &step) {
    return isF32(step) ? getTime(step) : 0;
  });
  int64_t slow = getPeakFlops(target, FlopUnit::MatrixF32);
  int64_t fast = getPeakFlops(target, FlopUnit::MatrixF16);
  int64_t flopsF32 = profile.flops[static_cast<unsigned>(FlopUnit::MatrixF32)];
  check({"f32", "matrix products in f32 as a share of the operations",
         "permille", getRatio(flopsF32, 1000, flops), 500,
         fast > slow && inF32.sum > 0},
        [&](ProfileAdvice &advice) {
          advice.saving =
              getRatio(std::min(inF32.sum, cycles), fast - slow, fast);
          pointTo(advice, inF32.worst, getName(inF32.worst));
          advice.option = "--precision mixed, pop-narrow-floats";
          advice.text = formatv(
              "multiply in f16, first in {0}: the matrix unit is {1} times as "
              "fast as in f32, and tensors take half the bytes",
              advice.subject, fast / slow);
        });
  checkShare("one-op", "the op with most cycles as a share of all cycles",
             dearest ? dearest->cycles : 0, 400, /*applies=*/true,
             [&](ProfileAdvice &advice) {
               pointTo(advice, getLongestStep(*dearest), dearest->name);
               advice.text =
                   formatv("look into {0} first; if this name stands for "
                           "several ops, give their locations different names",
                           dearest->name);
             });
}

void Adviser::checkShortSteps() {
  int64_t count = 0;
  auto isShort = [](const ProfileStep &step) {
    // Control has no codelets.
    return !step.codelets.empty() && step.maxCycles < kShortCycles;
  };
  for (const ProfileStep &step : profile.steps)
    if (step.kind == StepKind::Compute && isShort(step))
      count = addSaturating(count, step.count);
  Steps steps = sumSteps(StepKind::Compute, [&](const ProfileStep &step) {
    return isShort(step) ? step.count : 0;
  });
  int64_t sync = std::min(
      mulSaturating(count, target.ipus > 1 ? target.sync_ipus_cycles
                                           : target.sync_internal_cycles),
      getCycles(StepKind::Sync));
  int64_t launch = std::min(mulSaturating(count, target.compute_set_cycles),
                            getCycles(StepKind::Compute));
  checkShare("short-steps",
             "starts and syncs of compute sets below 500 cycles as a share of "
             "all cycles",
             addSaturating(sync, launch), 50, /*applies=*/true,
             [&](ProfileAdvice &advice) {
               advice.saving = addSaturating(sync, launch);
               pointTo(advice, steps.worst, getName(steps.worst));
               advice.text = formatv(
                   "fuse the {0} short compute sets of the run, first {1}",
                   formatNumber(count), advice.subject);
             });
}

void Adviser::checkSyncs() {
  int64_t cycles = getCycles(StepKind::Sync);
  checkShare("sync", "syncs as a share of the cycles", cycles, 100,
             /*applies=*/true, [&](ProfileAdvice &advice) {
               Steps steps = sumSteps(StepKind::Sync, getTime);
               pointTo(advice, steps.worst, getName(steps.worst));
               advice.saving = cycles;
               advice.text = "fuse ops, so that fewer steps need a sync";
             });
  checkShare("wait",
             "waits of the slowest IPU for others as a share of the cycles",
             clock.wait, 50, /*applies=*/true, [&](ProfileAdvice &advice) {
               advice.saving = clock.wait;
               advice.subject =
                   formatv("replica {0}, IPU {1}", clock.replica, clock.ipu);
               advice.text =
                   waitsForTransfers()
                       ? "use a larger batch, because compute waits for host "
                         "transfers, which take a minimal time"
                       : formatv("give IPUs, replicas and I/O tiles equal "
                                 "work: {0} waits for others",
                                 advice.subject)
                             .str();
             });
}

ProfileFindings Adviser::run() {
  checkFit();
  checkCode();
  checkSpread();
  checkVariables();
  checkTransfers();
  checkExchange();
  checkCompute();
  checkShortSteps();
  checkSyncs();
  auto getRank = [](const ProfileAdvice &advice) {
    return std::make_tuple(!advice.isError, -advice.saving, -advice.savingBytes,
                           StringRef(advice.rule.name));
  };
  llvm::sort(findings.advice, [&](const auto &a, const auto &b) {
    return getRank(a) < getRank(b);
  });
  return std::move(findings);
}

ProfileFindings mlir::ipu::checkRules(const Profile &profile) {
  return Adviser(profile).run();
}

std::vector<ProfileAdvice> mlir::ipu::getAdvice(const Profile &profile) {
  return checkRules(profile).advice;
}
