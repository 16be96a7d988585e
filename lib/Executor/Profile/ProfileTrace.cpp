//===- ProfileTrace.cpp - Traces of runs ----------------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// In: a profile. Out: events of the Chrome trace event format, one per line,
// for viewers such as Perfetto. docs/profile.md describes the trace.
//
// The first execution of a step is a slice. Executions without times of their
// own are one slice: other iterations of a loop, other calls of a function.
// Slices of a lane are nested, with the outer one first.
//
//===----------------------------------------------------------------------===//

#include "ProfileBuilder.h"

#include "llvm/ADT/BitVector.h"
#include "llvm/Support/FormatVariadic.h"

// Debian's header throws unless told not to.
#define JSON_NOEXCEPTION
#include <nlohmann/json.hpp>

using namespace mlir;
using namespace mlir::ipu;
using llvm::formatv;

/// Keys in the order in which they are added.
using Json = nlohmann::ordered_json;

/// Bytes of a name.
static constexpr size_t kNameSize = 200;

namespace {
/// Of one IPU, top to bottom. Steps are in that of their kind; those on I/O
/// tiles go on at the same time.
enum Lane { Program, FirstKind, Wait = FirstKind + kNumStepKinds, IOTiles };
constexpr unsigned kNumLanes = IOTiles + 1;

/// Cycles [start, end).
struct Span {
  int64_t start = 0, end = 0;
};

class TraceWriter {
public:
  TraceWriter(const Profile &profile, llvm::raw_ostream &os)
      : profile(profile), os(os) {
    int64_t ipu = profile.clocks[profile.slowestClock].ipu;
    for (const ProfileStep &step : profile.steps)
      opOfStep.push_back(getMainOp(step, ipu));
  }

  void write();

private:
  void writeProcess();
  void writeIPU();
  void writeSequence(ArrayRef<ProfileNode> nodes, Span span, bool isOnce);
  void writeControl(const ProfileNode &node, Span span, bool isOnce);
  void writeStep(int64_t step);
  void writeOp(ArrayRef<ProfileNode> nodes);
  void writeFlows(int64_t step);
  void writeCounters();
  void writePeak();

  /// When `step` ran first, if it ran.
  std::optional<Span> getSpan(int64_t step) const;
  /// Whether `node` is a step that takes time of the computing tiles within
  /// `span`.
  bool isLeafIn(const ProfileNode &node, Span span) const;
  /// When the first of `nodes` began that ran, or else `otherwise`.
  int64_t getStart(ArrayRef<ProfileNode> nodes, int64_t otherwise) const;
  /// When `node` and its bodies ended last.
  int64_t getLastEnd(const ProfileNode &node) const;
  unsigned getLane(int64_t step) const;
  void findFirstCalls(ArrayRef<ProfileNode> nodes);
  bool isFirstCall(const ProfileNode &node) const {
    return node.function && firstCall[*node.function] == node.step;
  }

  /// `cycles` after the start of the run, in nanoseconds.
  int64_t toNanoseconds(int64_t cycles) const {
    return getRatio(cycles, 1000000000, profile.target.clock_hz);
  }
  void writeEvent(const Json &event);
  /// An event of `phase` at `cycles` on a lane.
  Json makeEvent(StringRef phase, StringRef name, unsigned lane,
                 int64_t cycles) const;
  void writeSlice(StringRef name, unsigned lane, Span span, Json args);
  void writeName(StringRef what, StringRef name, std::optional<unsigned> lane,
                 int64_t order);

  const Profile &profile;
  llvm::raw_ostream &os;
  /// For each step, the op that has the greatest share.
  std::vector<int64_t> opOfStep;
  bool isFirstEvent = true;
  int64_t numFlows = 0;

  // The replicas and the IPU that are being written.
  const ReplicaTimeline *timeline = nullptr;
  int64_t process = 0, ipu = 0;
  /// Up to when the computing tiles are known.
  int64_t cursor = 0;
  /// Steps that have been written.
  llvm::BitVector isWritten;
  /// For each function the step of the call that ran first, in which its steps
  /// ran first, or -1; and how often all of its calls ran.
  std::vector<int64_t> firstCall, callCount;
  /// The last step that was written and writes each variable, or -1.
  std::vector<int64_t> lastWriter;
};
} // namespace

//===----------------------------------------------------------------------===//
// Events
//===----------------------------------------------------------------------===//

void TraceWriter::writeEvent(const Json &event) {
  os << (isFirstEvent ? "\n" : ",\n")
     << event.dump(-1, ' ', false, Json::error_handler_t::replace);
  isFirstEvent = false;
}

/// Microseconds, as the format wants them.
static double toMicroseconds(int64_t nanoseconds) {
  return static_cast<double>(nanoseconds) / 1000;
}

Json TraceWriter::makeEvent(StringRef phase, StringRef name, unsigned lane,
                            int64_t cycles) const {
  return {{"ph", phase.str()},
          {"name", shorten(name, kNameSize)},
          {"pid", process},
          {"tid", ipu * kNumLanes + lane + 1},
          {"ts", toMicroseconds(toNanoseconds(cycles))}};
}

void TraceWriter::writeSlice(StringRef name, unsigned lane, Span span,
                             Json args) {
  Json event = makeEvent("X", name, lane, span.start);
  // The difference of rounded times, so that slices meet and nest.
  event["dur"] =
      toMicroseconds(toNanoseconds(span.end) - toNanoseconds(span.start));
  args["cycles"] = span.end - span.start;
  event["args"] = std::move(args);
  writeEvent(event);
}

void TraceWriter::writeName(StringRef what, StringRef name,
                            std::optional<unsigned> lane, int64_t order) {
  for (bool isOrder : {false, true}) {
    Json event = {{"ph", "M"},
                  {"name", (what + (isOrder ? "_sort_index" : "_name")).str()},
                  {"pid", process}};
    if (lane)
      event["tid"] = ipu * kNumLanes + *lane + 1;
    if (isOrder)
      event["args"] = {{"sort_index", order}};
    else
      event["args"] = {{"name", name.str()}};
    writeEvent(event);
  }
}

//===----------------------------------------------------------------------===//
// Steps
//===----------------------------------------------------------------------===//

std::optional<Span> TraceWriter::getSpan(int64_t step) const {
  const StepTimes &times = timeline->times[ipu][step];
  if (times.start < 0)
    return std::nullopt;
  return Span{times.start, times.end};
}

unsigned TraceWriter::getLane(int64_t step) const {
  const ProfileStep &profiled = profile.steps[step];
  if (profiled.tiles == StepTiles::IO)
    return IOTiles;
  return FirstKind + static_cast<unsigned>(profiled.kind);
}

void TraceWriter::findFirstCalls(ArrayRef<ProfileNode> nodes) {
  for (const ProfileNode &node : nodes) {
    for (ArrayRef<ProfileNode> body : node.bodies)
      findFirstCalls(body);
    std::optional<Span> span = getSpan(node.step);
    if (!node.function || !span)
      continue;
    int64_t &count = callCount[*node.function];
    count = addSaturating(count, timeline->counts[node.step]);
    int64_t &first = firstCall[*node.function];
    if (first < 0 || span->start < getSpan(first)->start)
      first = node.step;
  }
}

int64_t TraceWriter::getStart(ArrayRef<ProfileNode> nodes,
                              int64_t otherwise) const {
  for (const ProfileNode &node : nodes) {
    std::optional<Span> span = getSpan(node.step);
    if (!span || getLane(node.step) == IOTiles)
      continue;
    int64_t start = span->start;
    for (ArrayRef<ProfileNode> body : node.bodies)
      start = std::min(start, getStart(body, start));
    if (isFirstCall(node))
      start = std::min(start,
                       getStart(profile.functions[*node.function].body, start));
    return start;
  }
  return otherwise;
}

int64_t TraceWriter::getLastEnd(const ProfileNode &node) const {
  int64_t end = getLane(node.step) == IOTiles
                    ? -1
                    : timeline->times[ipu][node.step].lastEnd;
  for (const std::vector<ProfileNode> &body : node.bodies)
    for (const ProfileNode &inner : body)
      end = std::max(end, getLastEnd(inner));
  return end;
}

/// A variable goes from the step that wrote it last to this one, where one of
/// both moves data.
void TraceWriter::writeFlows(int64_t step) {
  const ProfileStep &profiled = profile.steps[step];
  std::optional<Span> to = getSpan(step);
  std::map<int64_t, int64_t> variableFrom;
  for (int64_t variable : profiled.reads)
    if (lastWriter[variable] >= 0)
      variableFrom.try_emplace(lastWriter[variable], variable);
  for (auto [writer, variable] : variableFrom) {
    std::optional<Span> from = getSpan(writer);
    bool moves = profiled.kind != StepKind::Compute ||
                 profile.steps[writer].kind != StepKind::Compute;
    // A flow has its ends in slices, which one cycle may be too short for.
    auto isSeen = [&](Span span) {
      return toNanoseconds(span.start) < toNanoseconds(span.end);
    };
    if (!moves || !isSeen(*from) || !isSeen(*to) || from->start > to->start)
      continue;
    StringRef name = profile.variables[variable].name;
    Json start = makeEvent("s", name, getLane(writer), from->start);
    Json end = makeEvent("f", name, getLane(step), to->start);
    end["bp"] = "e";
    for (Json *event : {&start, &end}) {
      (*event)["cat"] = "variable";
      (*event)["id"] = numFlows;
    }
    ++numFlows;
    writeEvent(start);
    writeEvent(end);
  }
  for (int64_t variable : profiled.writes)
    lastWriter[variable] = step;
}

void TraceWriter::writeStep(int64_t step) {
  const ProfileStep &profiled = profile.steps[step];
  Span span = *getSpan(step);
  unsigned lane = getLane(step);
  if (lane != IOTiles) {
    if (span.start > cursor)
      writeSlice("wait", Wait, {cursor, span.start}, {{"before", step}});
    cursor = span.end;
  }
  Json args = {{"step", step},
               {"op", shorten(profile.ops[opOfStep[step]].name, kNameSize)},
               {"location", shorten(profiled.location, kNameSize)},
               {"count", timeline->counts[step]}};
  if (profiled.shares.size() > 1)
    args["ops"] = profiled.shares.size();
  if (profiled.kind == StepKind::Compute)
    args.update({{"balance_permille", profiled.balancePermille},
                 {"busiest_tile", profiled.busiestTile},
                 {"flops", profiled.flops}});
  if (profiled.bytes > 0)
    args["bytes"] = profiled.bytes;
  writeSlice(profiled.name, lane, span, std::move(args));
  isWritten.set(step);
  writeFlows(step);
}

/// Steps of one op that follow each other.
void TraceWriter::writeOp(ArrayRef<ProfileNode> nodes) {
  int64_t first = nodes.front().step, last = nodes.back().step;
  const ProfileOp &op = profile.ops[opOfStep[first]];
  writeSlice(op.name, Program, {getSpan(first)->start, getSpan(last)->end},
             {{"first_step", first}, {"last_step", last}});
  for (const ProfileNode &node : nodes)
    writeStep(node.step);
}

//===----------------------------------------------------------------------===//
// The program
//===----------------------------------------------------------------------===//

bool TraceWriter::isLeafIn(const ProfileNode &node, Span span) const {
  std::optional<Span> ran = getSpan(node.step);
  return ran && node.bodies.empty() && !node.function &&
         getLane(node.step) != IOTiles && ran->start >= span.start &&
         ran->end <= span.end;
}

/// What `nodes` did first, if that was in `span`. `isOnce` says that they ran
/// no more than once.
void TraceWriter::writeSequence(ArrayRef<ProfileNode> nodes, Span span,
                                bool isOnce) {
  while (!nodes.empty()) {
    const ProfileNode &node = nodes.front();
    auto isSameOp = [&](const ProfileNode &other) {
      return isLeafIn(other, {cursor, span.end}) &&
             opOfStep[other.step] == opOfStep[node.step];
    };
    if (isLeafIn(node, {cursor, span.end})) {
      ArrayRef<ProfileNode> same = nodes.take_while(isSameOp);
      writeOp(same);
      nodes = nodes.drop_front(same.size());
      continue;
    }
    nodes = nodes.drop_front();
    std::optional<Span> ran = getSpan(node.step);
    if (!ran)
      continue;
    if (getLane(node.step) == IOTiles) {
      writeStep(node.step);
      continue;
    }
    if (node.bodies.empty() && !node.function)
      continue;
    // What comes next may have run first in a later iteration.
    int64_t end = std::min(span.end, isOnce ? getLastEnd(node)
                                            : getStart(nodes, span.end));
    if (ran->start >= cursor && ran->end <= end)
      writeControl(node, {cursor, end}, isOnce);
  }
}

void TraceWriter::writeControl(const ProfileNode &node, Span span,
                               bool isOnce) {
  const ProfileStep &step = profile.steps[node.step];
  Span ran = *getSpan(node.step);
  if (node.function) {
    span.end = ran.end;
    ArrayRef<ProfileNode> body = profile.functions[*node.function].body;
    bool isFirst = isFirstCall(node);
    writeSlice("call " + profile.functions[*node.function].name, Program, span,
               {{"step", node.step}, {"shown", isFirst}});
    // A function is called in turn by all others.
    if (isFirst)
      writeSequence(body, {span.start, ran.start},
                    isOnce && callCount[*node.function] == 1);
    else
      cursor = ran.start;
    writeStep(node.step);
    return;
  }
  int64_t count = timeline->counts[node.step];
  // A loop that is not itself in a loop ends where it ended last; else where
  // what follows began.
  writeSlice(step.name, Program, span, {{"step", node.step}, {"count", count}});
  bool isOnly = isOnce && count == 1;
  for (ArrayRef<ProfileNode> body : node.bodies)
    if (getStart(body, ran.end) < ran.end)
      writeSequence(body, {cursor, ran.start}, isOnly);
  writeStep(node.step);
  // A branch, or the body of a loop that looks at its condition first.
  for (ArrayRef<ProfileNode> body : node.bodies)
    if (int64_t start = getStart(body, -1); start >= ran.end)
      writeSequence(body, {cursor, span.end}, isOnly);
  if (cursor >= span.end)
    return;
  if (count > 1)
    writeSlice("other iterations", Program, {cursor, span.end},
               {{"step", node.step}, {"count", count - 1}});
  cursor = span.end;
}

//===----------------------------------------------------------------------===//
// Counters and the whole
//===----------------------------------------------------------------------===//

void TraceWriter::writeCounters() {
  struct Sample {
    int64_t cycles;
    std::string name, unit;
    int64_t value;
  };
  std::vector<Sample> samples;
  auto getRate = [&](const ProfileStep &step) {
    return getRatio(step.bytes, profile.target.clock_hz,
                    mulSaturating(step.maxCycles, 1000000));
  };
  auto sampleCurve = [&](const BytesOverSteps &curve, StringRef name) {
    for (auto [step, bytes] : curve)
      // A program without steps has a number for the first.
      if (static_cast<size_t>(step) < isWritten.size() && isWritten[step])
        samples.push_back(
            {timeline->times[ipu][step].start, name.str(), "bytes", bytes});
  };
  const MemoryProfile &memory = profile.memory;
  sampleCurve(memory.live, "live on the fullest tile");
  sampleCurve(memory.notAlwaysLive, "not always live, all tiles");
  for (auto [number, step] : llvm::enumerate(profile.steps)) {
    if (!isWritten[number] || step.bytes == 0 || step.maxCycles == 0)
      continue;
    const StepTimes &times = timeline->times[ipu][number];
    // I/O tiles move data at the same time as other tiles.
    StringRef tiles = step.tiles == StepTiles::IO ? "I/O tiles " : "";
    std::string name = (tiles + stringifyStepKind(step.kind) + " bytes").str();
    samples.push_back({times.start, name, "MB/s", getRate(step)});
    samples.push_back({times.end, name, "MB/s", 0});
  }
  // A transfer ends before the next one begins: its 0 is first.
  llvm::sort(samples, [](const Sample &a, const Sample &b) {
    return std::tie(a.cycles, a.name, a.value) <
           std::tie(b.cycles, b.name, b.value);
  });
  for (const Sample &sample : samples) {
    Json event = makeEvent("C", sample.name, Program, sample.cycles);
    event["args"] = {{sample.unit, sample.value}};
    writeEvent(event);
  }
}

void TraceWriter::writePeak() {
  const MemoryProfile &memory = profile.memory;
  if (profile.steps.empty() || !isWritten[memory.peakStep])
    return;
  Json event =
      makeEvent("i", memory.tilesOverMemory > 0 ? "out of memory" : "peak",
                Program, timeline->times[ipu][memory.peakStep].start);
  event["s"] = "p";
  event["args"] = {{"tile", memory.fullestTile},
                   {"bytes", memory.maxTileBytes},
                   {"tile_memory", profile.target.tile_memory}};
  writeEvent(event);
}

void TraceWriter::writeIPU() {
  cursor = 0;
  isWritten.reset();
  isWritten.resize(profile.steps.size());
  firstCall.assign(profile.functions.size(), -1);
  callCount.assign(profile.functions.size(), 0);
  findFirstCalls(profile.program);
  for (const ProfileFunction &function : profile.functions)
    findFirstCalls(function.body);
  lastWriter.assign(profile.variables.size(), -1);
  llvm::BitVector isUsed(kNumLanes);
  isUsed.set(Program);
  isUsed.set(Wait);
  for (size_t step = 0; step < profile.steps.size(); ++step)
    if (getSpan(step))
      isUsed.set(getLane(step));
  for (unsigned lane : isUsed.set_bits()) {
    std::string name =
        lane == Program ? "program"
        : lane == Wait  ? "wait"
        : lane == IOTiles
            ? "I/O tiles"
            : stringifyStepKind(static_cast<StepKind>(lane - FirstKind)).str();
    writeName("thread", formatv("IPU {0} {1}", ipu, name).str(), lane,
              ipu * kNumLanes + lane);
  }
  int64_t end =
      profile.clocks[timeline->replicas.front() * profile.target.ipus + ipu]
          .now;
  writeSequence(profile.program, {0, end}, /*isOnce=*/true);
  if (cursor < end)
    writeSlice("wait", Wait, {cursor, end}, Json::object());
}

void TraceWriter::writeProcess() {
  ArrayRef<int64_t> replicas = timeline->replicas;
  std::string name = "replica " + std::to_string(replicas.front());
  if (replicas.size() > 1)
    name +=
        formatv(" and {0} others that ran the same steps", replicas.size() - 1)
            .str();
  writeName("process", name, std::nullopt, process);
  for (ipu = 0; ipu < profile.target.ipus; ++ipu)
    writeIPU();
  // Bytes of a step are those of all IPUs, which go together where they move
  // data.
  ipu = profile.target.ipus - 1;
  writeCounters();
  writePeak();
}

void TraceWriter::write() {
  os << R"({"displayTimeUnit":"ns","otherData":)"
     << Json({{"target", profile.preset},
              {"clock_hz", profile.target.clock_hz},
              {"cycles", profile.cycles},
              {"profile_version", Profile::kVersion}})
            .dump()
     << R"(,"traceEvents":[)";
  for (const ReplicaTimeline &ran : profile.timelines) {
    timeline = &ran;
    ++process;
    writeProcess();
  }
  os << "\n]}\n";
}

void mlir::ipu::writeTrace(const Profile &profile, llvm::raw_ostream &os) {
  TraceWriter(profile, os).write();
}
