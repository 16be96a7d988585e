//===- ProfileSummary.cpp - Summaries of profiles -------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ProfileBuilder.h"
#include "ipu-mlir/Executor/Profile/ProfileAdvice.h"

#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/Unicode.h"

using namespace mlir;
using namespace mlir::ipu;
using llvm::formatv;

// What is printed fits a terminal of 40 lines and 100 columns.
static constexpr size_t kTopOps = 5, kTopVariables = 3, kTopCategories = 7;
static constexpr size_t kNameWidth = 44, kBarWidth = 40, kColumns = 100;
static constexpr size_t kLines = 40;
// A table with one line for each IPU of a replica is not part of these lines.
static constexpr size_t kMaxIPUs = 16;

/// `permille` as a percentage.
static std::string formatPercent(int64_t permille) {
  return formatv("{0}.{1} %", permille / 10, permille % 10).str();
}

/// `cycles` without separators, so that scripts can read it.
static std::string formatCycles(int64_t cycles) {
  return mayBeSaturated(cycles) ? formatNumber(cycles) : std::to_string(cycles);
}

size_t mlir::ipu::getColumns(StringRef text) {
  int columns = llvm::sys::unicode::columnWidthUTF8(text);
  return columns < 0 ? text.size() : columns;
}

std::string mlir::ipu::shorten(StringRef text, size_t width) {
  std::string line = text.str();
  for (char &c : line)
    if (llvm::isASCII(c) && !llvm::isPrint(c))
      c = ' ';
  if (getColumns(line) <= width)
    return line;
  // Characters are added from the front, because names may be very long.
  size_t end = 0, columns = 3;
  while (end < line.size()) {
    size_t next = end + 1;
    while (next < line.size() && (line[next] & 0xC0) == 0x80)
      ++next;
    columns += getColumns(StringRef(line).slice(end, next));
    if (columns > width)
      break;
    end = next;
  }
  return line.substr(0, end) + "...";
}

/// Appends spaces to `text` up to `width` columns.
static std::string pad(std::string text, size_t width) {
  size_t columns = getColumns(text);
  if (columns < width)
    text.append(width - columns, ' ');
  return text;
}

/// Prints both texts on one line if they fit it, otherwise the second on a line
/// of its own.
static void printParts(llvm::raw_ostream &os, StringRef first,
                       StringRef second) {
  os << first << ',';
  if (first.size() + 1 + second.size() > kColumns)
    os << "\n ";
  os << second << '\n';
}

/// Numbers below `size` of those with the greatest values above 0, the greatest
/// first.
static std::vector<size_t> getTop(size_t size, size_t most,
                                  function_ref<int64_t(size_t)> getValue) {
  std::vector<size_t> order;
  for (size_t i = 0; i < size; ++i)
    if (getValue(i) > 0)
      order.push_back(i);
  llvm::sort(order, [&](size_t a, size_t b) {
    return std::make_pair(-getValue(a), a) < std::make_pair(-getValue(b), b);
  });
  order.resize(std::min(order.size(), most));
  return order;
}

static void printVerdict(const Profile &profile, llvm::raw_ostream &os) {
  const MemoryProfile &memory = profile.memory;
  int64_t limit = profile.target.tile_memory;
  bool codeFits = memory.maxCodeBytes <= profile.target.code_memory;
  std::string needs =
      formatv("{0}: the fullest tile needs {1} of {2:N} bytes ({3})",
              memory.tilesOverMemory > 0 || !codeFits ? "does not fit" : "fits",
              formatNumber(memory.maxTileBytes), limit,
              formatShare(memory.maxTileBytes, limit));
  if (codeFits)
    os << needs << "\n";
  else
    printParts(os, needs,
               formatv(" {0} of {1:N} for code",
                       formatNumber(memory.maxCodeBytes),
                       profile.target.code_memory)
                   .str());
  const TargetModel &target = profile.target;
  printParts(os,
             formatv("time: {0} cycles, {1}{2}.{3,0+3} us",
                     formatCycles(profile.cycles),
                     mayBeSaturated(profile.cycles) ? "at least " : "",
                     profile.nanoseconds / 1000, profile.nanoseconds % 1000)
                 .str(),
             formatv(" on {0} at {1}.{2,0+3} GHz: {3} replica(s) x {4} IPU(s) "
                     "x {5} tiles",
                     profile.preset, target.clock_hz / 1000000000,
                     target.clock_hz / 1000000 % 1000, target.replicas,
                     target.ipus, target.tiles)
                 .str());
}

static void printRow(llvm::raw_ostream &os, StringRef name, int64_t cycles,
                     int64_t total, int64_t steps) {
  os << formatv("  {0,-16} {1,18} {2,9}", name, formatNumber(cycles),
                formatShare(cycles, total));
  if (steps >= 0)
    os << formatv(" {0,7}", formatNumber(steps));
  os << "\n";
}

static void printKinds(const Profile &profile, llvm::raw_ostream &os) {
  const IPUClock &clock = profile.clocks[profile.slowestClock];
  if (clock.now == 0)
    return;
  os << formatv("\n{0,-18} {1,18} {2,9} {3,7}\n", "time by kind", "cycles",
                "share", "steps");
  auto getCycles = [&](size_t kind) { return clock.cyclesOfKind[kind]; };
  for (size_t kind : getTop(kNumStepKinds, kNumStepKinds, getCycles))
    printRow(os, stringifyStepKind(static_cast<StepKind>(kind)),
             getCycles(kind), clock.now, profile.totals[kind].steps);
  if (clock.wait > 0)
    printRow(os, "sync wait", clock.wait, clock.now, -1);
  if (profile.clocks.size() > 1)
    os << formatv("  (of replica {0}, IPU {1}, the slowest of {2})\n",
                  clock.replica, clock.ipu, profile.clocks.size());
  if (clock.ioCycles > 0)
    os << formatv("  (I/O tiles, at the same time: {0})\n",
                  formatNumber(clock.ioCycles));
  if (clock.hostHidden != 0)
    os << formatv("  (host copies, hidden by buffers: {0})\n",
                  mayBeSaturated(std::abs(clock.hostHidden))
                      ? "unknown"
                      : formatNumber(clock.hostHidden));
}

static void printCompute(const Profile &profile, llvm::raw_ostream &os) {
  int64_t busiest = 0, flops = 0;
  for (const ProfileStep &step : profile.steps)
    if (step.kind == StepKind::Compute)
      busiest =
          addSaturating(busiest, mulSaturating(step.count, step.maxCycles));
  for (const KindTotals &totals : profile.totals)
    flops = addSaturating(flops, totals.flops);
  int64_t total = profile.getTotals(StepKind::Compute).totalCycles;
  int64_t tiles = profile.target.getTilesPerReplica();
  if (busiest > 0)
    os << formatv(
        "compute: balance {0}; {1} flops of a replica; utilisation of units "
        "{2}\n",
        formatShare(total, mulSaturating(busiest, tiles)), formatNumber(flops),
        formatPercent(profile.getUtilisationPpm(profile.flops, profile.cycles) /
                      1000));
}

/// Whether op `number` computes most of the operations of `step`.
static bool isMainOf(const ProfileStep &step, int64_t number) {
  auto most = llvm::max_element(
      step.shares, [](const ProfileShare &a, const ProfileShare &b) {
        return a.flops < b.flops;
      });
  return most->op == number;
}

/// The kind of step that takes most of op `number`, and how it is computed.
static std::string describeMost(const Profile &profile, size_t number) {
  const ProfileOp &op = profile.ops[number];
  size_t most = 0;
  for (size_t kind = 1; kind < kNumStepKinds; ++kind)
    if (op.cyclesOfKind[kind] > op.cyclesOfKind[most])
      most = kind;
  std::string text = stringifyStepKind(static_cast<StepKind>(most)).str();
  int64_t cycles = 0;
  StringRef method;
  for (int64_t i : op.steps) {
    const ProfileStep &step = profile.steps[i];
    int64_t taken = mulSaturating(step.count, step.maxCycles);
    if (step.kind != static_cast<StepKind>(most) || !step.method ||
        !isMainOf(step, number) || taken <= cycles)
      continue;
    cycles = taken;
    method = stringifyContractionMethod(*step.method);
  }
  if (!method.empty())
    text += (" (" + method + ")").str();
  return text;
}

static void printOps(const Profile &profile, llvm::raw_ostream &os) {
  std::vector<size_t> top = getTop(profile.ops.size(), kTopOps, [&](size_t i) {
    return profile.ops[i].cycles;
  });
  if (top.empty())
    return;
  os << formatv("\n{0,-46} {1,-23} {2,18} {3,9}\n", "ops with most cycles",
                "mostly", "cycles", "share");
  for (size_t i : top) {
    const ProfileOp &op = profile.ops[i];
    os << formatv("  {0} {1,-23} {2,18} {3,9}\n",
                  pad(shorten(op.name, kNameWidth), kNameWidth),
                  describeMost(profile, i), formatNumber(op.cycles),
                  formatShare(op.cycles, profile.cycles));
  }
}

/// Describes the IPU of `tile`. Returns an empty string if there is one IPU.
static std::string describeIPU(const Profile &profile, int64_t tile) {
  const TargetModel &target = profile.target;
  return target.ipus == 1 ? ""
                          : (" of IPU " + Twine(tile / target.tiles)).str();
}

/// Prints at most `maxCategories` categories.
static void printMemory(const Profile &profile, size_t maxCategories,
                        llvm::raw_ostream &os) {
  const MemoryProfile &memory = profile.memory;
  int64_t limit = profile.target.tile_memory;
  int64_t filled = std::min<int64_t>(
      getRatio(memory.maxTileBytes, kBarWidth, limit), kBarWidth);
  os << formatv("\nmemory of tile {0}{1} [{2}{3}] {4} at step {5}\n",
                memory.fullestTile, describeIPU(profile, memory.fullestTile),
                std::string(filled, '#'), std::string(kBarWidth - filled, '.'),
                formatShare(memory.maxTileBytes, limit), memory.peakStep);
  os << formatv("  {0,-44} {1,17} {2,18} {3,9}\n", "", "bytes", "of all tiles",
                "share");
  const std::vector<CategoryBytes> &categories = memory.categories;
  for (size_t i : getTop(categories.size(), maxCategories,
                         [&](size_t i) { return categories[i].tileBytes; }))
    os << formatv("  {0,-44} {1,17} {2,18} {3,9}\n",
                  categories[i].name +
                      (categories[i].isEstimated ? " (estimated)" : ""),
                  formatNumber(categories[i].tileBytes),
                  formatNumber(categories[i].totalBytes),
                  formatShare(categories[i].tileBytes, memory.maxTileBytes));
  os << formatv("most code on a tile: {0} of {1:N} bytes\n",
                formatNumber(memory.maxCodeBytes), profile.target.code_memory);
  const StreamingMemoryProfile &streaming = profile.streamingMemory;
  if (!streaming.buffers.empty())
    os << formatv("streaming memory of a replica: {0} of {1} bytes ({2})\n",
                  formatNumber(streaming.bytes),
                  formatNumber(streaming.capacity),
                  formatShare(streaming.bytes, streaming.capacity));
  size_t count = std::min(memory.largest.size(), kTopVariables);
  if (count == 0)
    return;
  os << formatv("{0,-46} {1,17}\n",
                "largest variables of the tile at this step", "bytes");
  for (size_t i = 0; i < count; ++i) {
    auto [number, bytes] = memory.largest[i];
    os << formatv(
        "  {0} {1,17}\n",
        pad(shorten(profile.variables[number].name, kNameWidth), kNameWidth),
        formatNumber(bytes));
  }
}

/// Prints the cycles, the memory and the bytes over links of each IPU of the
/// slowest replica.
static void printIPUs(const Profile &profile, llvm::raw_ostream &os) {
  const MemoryProfile &memory = profile.memory;
  size_t numIPUs = memory.ipus.size();
  if (numIPUs < 2)
    return;
  constexpr StringLiteral row =
      "{0,-4} {1,12} {2,12} {3,12} {4,12} {5,12} {6,15} {7,12}\n";
  os << "\n"
     << formatv(row.data(), "IPU", "compute", "exchange", "other", "wait",
                "fullest tile", "bytes of tiles", "bytes sent");
  std::vector<int64_t> sent(numIPUs);
  for (const IPUTransfer &link : profile.traffic.links)
    sent[link.from] = addSaturating(sent[link.from], link.bytes);
  const IPUClock &slowest = profile.clocks[profile.slowestClock];
  size_t first = profile.slowestClock - slowest.ipu;
  for (size_t ipu = 0; ipu < std::min(numIPUs, kMaxIPUs); ++ipu) {
    const IPUClock &clock = profile.clocks[first + ipu];
    auto getCycles = [&](StepKind kind) {
      return clock.cyclesOfKind[static_cast<unsigned>(kind)];
    };
    int64_t compute = getCycles(StepKind::Compute);
    int64_t exchange = getCycles(StepKind::Exchange);
    int64_t other = clock.now - clock.wait - compute - exchange;
    os << formatv(
        row.data(), ipu, formatNumber(compute), formatNumber(exchange),
        formatNumber(other), formatNumber(clock.wait),
        formatNumber(memory.ipus[ipu].maxTileBytes),
        formatNumber(memory.ipus[ipu].totalBytes), formatNumber(sent[ipu]));
  }
  if (numIPUs > kMaxIPUs)
    os << formatv("  (and {0} other IPUs)\n", numIPUs - kMaxIPUs);
}

/// The options to set, without those of other tools than ipu-run, whose summary
/// this is.
static std::string getOwnOptions(const ProfileAdvice &advice) {
  SmallVector<StringRef> options;
  StringRef(advice.option)
      .split(options, ", ", /*MaxSplit=*/-1,
             /*KeepEmpty=*/false);
  llvm::erase_if(options, [](StringRef option) {
    return option.starts_with("ipu-train ");
  });
  return llvm::join(options, " or ");
}

static void printAdvice(const Profile &profile, llvm::raw_ostream &os) {
  std::vector<ProfileAdvice> advice = getAdvice(profile);
  if (advice.empty())
    return;
  const ProfileAdvice &first = advice.front();
  std::string saving;
  if (first.saving > 0)
    saving = formatv(" (at most {0} of time)",
                     formatShare(first.saving, profile.cycles));
  StringRef start = "\nadvice: ";
  size_t room = kColumns + 1 - start.size() - saving.size();
  // Options that do not fit after the text are on a line of their own.
  std::string options = getOwnOptions(first);
  std::string end = options.empty() ? "" : ": " + options;
  bool fits = first.text.size() + end.size() <= room;
  os << start << shorten(first.text, room) << (fits ? end : "") << saving
     << "\n";
  if (!fits && !options.empty())
    os << "  options: " << options << "\n";
}

void mlir::ipu::printSummary(const Profile &profile, llvm::raw_ostream &os) {
  std::string text;
  llvm::raw_string_ostream stream(text);
  printVerdict(profile, stream);
  printKinds(profile, stream);
  printCompute(profile, stream);
  printOps(profile, stream);
  // The lines of the memory without categories, and those of the advice.
  constexpr size_t kLinesOfOthers = 8 + 2;
  size_t lines = StringRef(text).count('\n') + kLinesOfOthers +
                 !profile.streamingMemory.buffers.empty();
  printMemory(profile, std::min(kTopCategories, kLines - lines), stream);
  printIPUs(profile, stream);
  printAdvice(profile, stream);
  os << text;
}
