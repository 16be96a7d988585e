//===- ProfileProgram.cpp - Profile without values --------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The steps of a run do not depend on values, except for branches, of which the
// costlier body is executed. The time that a function or an iteration takes
// depends only on the leads of clocks over each other. So each function and
// iteration is executed once for each combination of leads with which it
// starts. This result is used for all other executions.
//
//===----------------------------------------------------------------------===//

#include "ExecutionRecord.h"
#include "ProfileBuilder.h"
#include <map>

using namespace mlir;
using namespace mlir::ipu;

namespace {
/// The clocks that wait for each other in an execution.
struct Meetings {
  /// Compute tiles of different IPUs, and I/O tiles of different IPUs.
  bool compute = false, io = false;
  /// The compute tiles and the I/O tiles of an IPU.
  bool own = false;

  void add(const Meetings &other) {
    compute |= other.compute;
    io |= other.io;
    own |= other.own;
  }
};

/// Executes the steps of a program on clocks.
class Accountant {
public:
  Accountant(const Program &program, const Profile &description)
      : program(program), description(description),
        timer(program, description.steps), clocks(timer.getStart()),
        frame(makeFrame()) {}

  FailureOr<Profile> run() {
    if (failed(run(program.body)))
      return failure();
    ReplicaPath path =
        ReplicaPath::getStart(timer, program.target, description.steps.size());
    addExecutions(frame.record, records, timer, path);
    path.clocks = std::move(clocks);
    path.calls = std::move(frame.calls);
    std::vector<ReplicaPath> paths;
    paths.push_back(std::move(path));
    return finishProfile(program, description, timer, paths);
  }

private:
  /// An execution that is in progress.
  struct Frame {
    ReplicaClocks start;
    ExecutionRecord record;
    Meetings meetings;
    /// The calls, unless the execution is a part of a call, and the times of
    /// all steps.
    std::vector<ProfileCall> calls;
    BusyTimes busy;
  };
  /// An execution that is done.
  struct Outcome {
    ReplicaClocks start, end;
    unsigned record = 0;
    std::vector<ProfileCall> calls;
    BusyTimes busy;
  };
  /// All that is known of the executions of a sequence.
  struct Memo {
    /// Has a value after the first execution.
    std::optional<Meetings> meetings;
    /// By the leads of the clocks at the start.
    std::map<SmallVector<int64_t>, Outcome> outcomes;
    std::optional<unsigned> lastRecord;
  };
  /// Streams with buffers may lead to a new combination of leads in each
  /// iteration of a long loop.
  static constexpr size_t kMaxOutcomes = 1024;

  Frame makeFrame() const {
    return {clocks, {}, {}, {}, BusyTimes(program.target.ipus)};
  }

  LogicalResult run(const ProgramSequence &sequence) {
    for (const ProgramNode &node : sequence.nodes)
      if (failed(std::visit([&](const auto &n) { return visit(n); }, node)))
        return failure();
    return success();
  }

  // Steps.
  void runStep(unsigned step);
  void runSync(unsigned step, SyncKind kind);

  // Executions of functions and iterations.
  SmallVector<int64_t> getLeads(const ReplicaClocks &state,
                                const Meetings &meetings) const;
  void apply(const Outcome &outcome, const Meetings &meetings);
  unsigned addRecord(Memo &memo, ExecutionRecord record);
  FailureOr<unsigned> execute(const ProgramSequence &body,
                              std::optional<unsigned> lastStep);
  LogicalResult runBody(const ProgramSequence &body,
                        std::optional<unsigned> lastStep);
  void extend(const ReplicaClocks &before, size_t firstCall,
              ArrayRef<std::pair<unsigned, int64_t>> rounds, int64_t times);
  void addCalls(ArrayRef<ProfileCall> calls, ArrayRef<int64_t> shifts);
  SmallVector<int64_t> getTimesSince(const ReplicaClocks &before) const;

  // Branches.
  FailureOr<int64_t> getCycles(const ProgramSequence &body);
  FailureOr<bool> takesThen(const IfNode &node);

  LogicalResult visit(const SyncNode &node) {
    runSync(node.step, node.kind);
    return success();
  }
  LogicalResult visit(const CodeNode &node) {
    runSync(node.step, getSyncKind(node));
    return success();
  }
  LogicalResult visit(const CallNode &node) {
    ++callDepth;
    if (failed(runBody(program.functions[node.function].body, std::nullopt)))
      return failure();
    if (--callDepth == 0 && program.target.ipus > 1)
      lastBusy.addCall(node.function, frame.calls);
    runStep(node.step);
    return success();
  }
  LogicalResult visit(const std::unique_ptr<RepeatNode> &node);
  LogicalResult visit(const std::unique_ptr<IfNode> &node) {
    FailureOr<bool> isThen = takesThen(*node);
    if (failed(isThen))
      return failure();
    runSync(node->step, SyncKind::IPUs);
    return run(*isThen ? node->thenBody : node->elseBody);
  }
  LogicalResult visit(const std::unique_ptr<WhileNode> &node) {
    return refuse(node->op);
  }
  LogicalResult visit(const AdvanceRngNode &) { return success(); }
  LogicalResult visit(const ExpectNode &) { return success(); }
  LogicalResult visit(const LiveRangeBeginNode &) { return success(); }
  LogicalResult visit(const LiveRangeEndNode &) { return success(); }
  /// Whatever the host or other replicas take part in.
  template <typename NodeTy>
  LogicalResult visit(const NodeTy &node) {
    constexpr bool isLocal = std::is_same_v<NodeTy, ComputeNode> ||
                             std::is_same_v<NodeTy, ExchangeNode> ||
                             std::is_same_v<NodeTy, ReplicaIndexNode>;
    if (isLocal)
      runStep(node.step);
    else
      runSync(node.step, SyncKind::External);
    return success();
  }

  LogicalResult refuse(Operation *op) {
    return op->emitOpError("depends on values, which engine 'none' does not "
                           "compute: use another engine for the profile");
  }

  const Program &program;
  const Profile &description;
  StepTimer timer;
  ReplicaClocks clocks;
  Frame frame;
  /// The number of calls that are in progress, and the times of the last
  /// execution that is done.
  unsigned callDepth = 0;
  BusyTimes lastBusy;
  std::vector<ExecutionRecord> records;
  DenseMap<const ProgramSequence *, Memo> memos;
  DenseMap<const IfNode *, bool> takesThenOf;
};
} // namespace

//===----------------------------------------------------------------------===//
// Steps
//===----------------------------------------------------------------------===//

void Accountant::runStep(unsigned step) {
  StepTiles tiles = description.steps[step].tiles;
  frame.meetings.own |= tiles == StepTiles::Both;
  ExecutionEntry entry;
  entry.number = step;
  for (int64_t ipu = 0; ipu < program.target.ipus; ++ipu) {
    StepExecution ran = timer.run(clocks, step, ipu);
    const IPUClock &start = frame.start.clocks[ipu];
    ExecutionEntry::OnIPU &on = entry.onIPUs.emplace_back();
    if (tiles == StepTiles::IO) {
      on.first.io = ran.start - start.io;
      on.last.io = ran.end - start.io;
    } else {
      on.first.now = ran.start - start.now;
      on.last.now = ran.end - start.now;
      frame.busy.add(ipu, ran.start, ran.end);
    }
    on.hidden = ran.hidden;
  }
  frame.record.push_back(std::move(entry));
}

void Accountant::runSync(unsigned step, SyncKind kind) {
  const ProfileStep &profiled = description.steps[step];
  if (kind == SyncKind::External ||
      (kind == SyncKind::IPUs && profiled.ipus.size() > 1)) {
    (profiled.tiles == StepTiles::IO ? frame.meetings.io
                                     : frame.meetings.compute) = true;
    SmallVector<IPUClock *> waiting;
    for (int64_t ipu : profiled.ipus)
      waiting.push_back(&clocks.clocks[ipu]);
    waitForLast(waiting, profiled.tiles);
  }
  runStep(step);
}

//===----------------------------------------------------------------------===//
// Functions and iterations
//===----------------------------------------------------------------------===//

/// Returns all data on which the times of an execution with `meetings` depend.
SmallVector<int64_t> Accountant::getLeads(const ReplicaClocks &state,
                                          const Meetings &meetings) const {
  SmallVector<int64_t> leads;
  const IPUClock &first = state.clocks.front();
  for (auto [clock, link] : llvm::zip_equal(state.clocks, state.links)) {
    if (meetings.own)
      leads.push_back(clock.io - clock.now);
    if (meetings.compute || (meetings.io && meetings.own))
      leads.push_back(clock.now - first.now);
    else if (meetings.io)
      leads.push_back(clock.io - first.io);
    if (meetings.compute && meetings.io && !meetings.own)
      leads.push_back(clock.io - first.io);
    if (meetings.compute)
      link.appendLeads(clock.now, timer.getHorizon(), leads);
  }
  return leads;
}

/// Calls `visit` with each time of `clock` that an execution changes, and with
/// the same times of two other clocks.
static void forEachTime(IPUClock &clock, const IPUClock &a, const IPUClock &b,
                        function_ref<void(int64_t &, int64_t, int64_t)> visit) {
  for (unsigned kind = 0; kind < kNumStepKinds; ++kind)
    visit(clock.cyclesOfKind[kind], a.cyclesOfKind[kind], b.cyclesOfKind[kind]);
  visit(clock.wait, a.wait, b.wait);
  visit(clock.now, a.now, b.now);
  visit(clock.io, a.io, b.io);
  visit(clock.ioCycles, a.ioCycles, b.ioCycles);
  visit(clock.hostHidden, a.hostHidden, b.hostHidden);
}

/// Advances the clocks as in an earlier execution with the same leads.
void Accountant::apply(const Outcome &outcome, const Meetings &meetings) {
  for (size_t ipu = 0; ipu < clocks.clocks.size(); ++ipu) {
    // Copies with the host let compute tiles meet.
    if (meetings.compute) {
      HostLink link = outcome.end.links[ipu];
      link.rebase(outcome.start.links[ipu], clocks.links[ipu],
                  clocks.clocks[ipu].now - outcome.start.clocks[ipu].now);
      clocks.links[ipu] = std::move(link);
    }
    forEachTime(clocks.clocks[ipu], outcome.start.clocks[ipu],
                outcome.end.clocks[ipu],
                [](int64_t &time, int64_t start, int64_t end) {
                  time = addSaturating(time, end - start);
                });
  }
}

unsigned Accountant::addRecord(Memo &memo, ExecutionRecord record) {
  if (!memo.lastRecord || records[*memo.lastRecord] != record) {
    memo.lastRecord = records.size();
    records.push_back(std::move(record));
  }
  return *memo.lastRecord;
}

/// Returns the time of each clock since it had the value in `before`.
SmallVector<int64_t>
Accountant::getTimesSince(const ReplicaClocks &before) const {
  SmallVector<int64_t> times;
  for (auto [now, then] : llvm::zip_equal(clocks.clocks, before.clocks))
    times.push_back(now.now - then.now);
  return times;
}

/// Adds `calls`, each with a time of `shifts` later on its IPU.
void Accountant::addCalls(ArrayRef<ProfileCall> calls,
                          ArrayRef<int64_t> shifts) {
  for (ProfileCall call : calls) {
    if (frame.calls.size() == ReplicaTimeline::kMaxCalls)
      return;
    call.start = addSaturating(call.start, shifts[call.ipu]);
    call.end = addSaturating(call.end, shifts[call.ipu]);
    frame.calls.push_back(call);
  }
}

/// Executes `body` and then `lastStep`. Returns the number of the record.
FailureOr<unsigned> Accountant::execute(const ProgramSequence &body,
                                        std::optional<unsigned> lastStep) {
  if (Memo &memo = memos[&body]; memo.meetings) {
    auto found = memo.outcomes.find(getLeads(clocks, *memo.meetings));
    if (found != memo.outcomes.end()) {
      SmallVector<int64_t> shifts = getTimesSince(found->second.start);
      addCalls(found->second.calls, shifts);
      lastBusy = BusyTimes(program.target.ipus);
      lastBusy.add(found->second.busy, shifts);
      frame.busy.add(found->second.busy, shifts);
      apply(found->second, *memo.meetings);
      frame.meetings.add(*memo.meetings);
      return found->second.record;
    }
  }
  Frame outer = std::exchange(frame, makeFrame());
  LogicalResult result = run(body);
  if (lastStep)
    runStep(*lastStep);
  Frame inner = std::exchange(frame, std::move(outer));
  if (failed(result))
    return failure();
  frame.meetings.add(inner.meetings);
  SmallVector<int64_t> noShifts(program.target.ipus, 0);
  addCalls(inner.calls, noShifts);
  frame.busy.add(inner.busy, noShifts);
  lastBusy = inner.busy;
  Memo &memo = memos[&body];
  memo.meetings = inner.meetings;
  if (memo.outcomes.size() == kMaxOutcomes)
    memo.outcomes.clear();
  unsigned record = addRecord(memo, std::move(inner.record));
  SmallVector<int64_t> leads = getLeads(inner.start, inner.meetings);
  memo.outcomes[leads] = {std::move(inner.start), clocks, record,
                          std::move(inner.calls), std::move(inner.busy)};
  return record;
}

/// Executes `body` and then `lastStep`, and adds this to the record of the
/// execution that is in progress.
LogicalResult Accountant::runBody(const ProgramSequence &body,
                                  std::optional<unsigned> lastStep) {
  ExecutionEntry entry;
  entry.isStep = false;
  for (auto [clock, start] :
       llvm::zip_equal(clocks.clocks, frame.start.clocks)) {
    TileTimes at = {clock.now - start.now, clock.io - start.io};
    entry.onIPUs.push_back({at, at, 0});
  }
  FailureOr<unsigned> record = execute(body, lastStep);
  if (failed(record))
    return failure();
  entry.number = *record;
  if (frame.record.empty() || frame.record.back().isStep ||
      frame.record.back().number != *record) {
    frame.record.push_back(std::move(entry));
    return success();
  }
  ExecutionEntry &last = frame.record.back();
  last.count = addSaturating(last.count, 1);
  for (auto [on, again] : llvm::zip_equal(last.onIPUs, entry.onIPUs))
    on.last = again.last;
  return success();
}

/// Adds what has changed since `before` another `times` times. `rounds` are the
/// entries of the iterations since then, with the number of iterations of each,
/// and `firstCall` is the number of calls before them.
void Accountant::extend(const ReplicaClocks &before, size_t firstCall,
                        ArrayRef<std::pair<unsigned, int64_t>> rounds,
                        int64_t times) {
  SmallVector<int64_t> period = getTimesSince(before);
  frame.busy.add(lastBusy, llvm::map_to_vector(period, [&](int64_t time) {
                   return mulSaturating(time, times);
                 }));
  std::vector<ProfileCall> calls(frame.calls.begin() + firstCall,
                                 frame.calls.end());
  SmallVector<int64_t> shifts = period;
  for (int64_t i = 0; i < times && !calls.empty() &&
                      frame.calls.size() < ReplicaTimeline::kMaxCalls;
       ++i) {
    addCalls(calls, shifts);
    for (auto [shift, more] : llvm::zip_equal(shifts, period))
      shift = addSaturating(shift, more);
  }
  auto add = [times](int64_t &time, int64_t period) {
    time = addSaturating(time, mulSaturating(period, times));
  };
  for (auto [index, count] : rounds) {
    ExecutionEntry &entry = frame.record[index];
    add(entry.count, count);
    for (size_t ipu = 0; ipu < entry.onIPUs.size(); ++ipu) {
      const IPUClock &now = clocks.clocks[ipu], &then = before.clocks[ipu];
      add(entry.onIPUs[ipu].last.now, now.now - then.now);
      add(entry.onIPUs[ipu].last.io, now.io - then.io);
    }
  }
  for (size_t ipu = 0; ipu < clocks.clocks.size(); ++ipu) {
    clocks.links[ipu].extend(
        before.links[ipu],
        [&](int64_t &time, int64_t then) { add(time, time - then); });
    const IPUClock now = clocks.clocks[ipu];
    forEachTime(clocks.clocks[ipu], before.clocks[ipu], now,
                [&](int64_t &time, int64_t start, int64_t end) {
                  add(time, end - start);
                });
  }
}

/// Executes iterations until further ones would all do the same.
LogicalResult Accountant::visit(const std::unique_ptr<RepeatNode> &node) {
  if (node->countVariable)
    return refuse(node->op);
  ReplicaClocks before = clocks;
  size_t firstCall = frame.calls.size();
  SmallVector<std::pair<unsigned, int64_t>> rounds;
  // Copies of a buffered stream may take turns of several rounds to be the same
  // again: looks that many rounds back, twice as many each time.
  int64_t numRounds = 0, maxRounds = 1;
  bool isExtended = false;
  for (int64_t left = node->count; left > 0;) {
    if (failed(runBody(node->body, node->step)))
      return failure();
    --left;
    if (isExtended)
      continue;
    unsigned entry = frame.record.size() - 1;
    if (rounds.empty() || rounds.back().first != entry)
      rounds.emplace_back(entry, 0);
    ++rounds.back().second;
    ++numRounds;
    Meetings meetings = *memos[&node->body].meetings;
    if (getLeads(clocks, meetings) == getLeads(before, meetings)) {
      extend(before, firstCall, rounds, left / numRounds);
      left %= numRounds;
      isExtended = true;
    } else if (numRounds == maxRounds) {
      before = clocks;
      firstCall = frame.calls.size();
      rounds.clear();
      numRounds = 0;
      maxRounds *= 2;
    }
  }
  return success();
}

//===----------------------------------------------------------------------===//
// Branches
//===----------------------------------------------------------------------===//

/// Returns the cycles until all tiles have executed `body`, which all of them
/// start at the same time.
FailureOr<int64_t> Accountant::getCycles(const ProgramSequence &body) {
  ReplicaClocks outerClocks = std::exchange(clocks, timer.getStart());
  Frame outer = std::exchange(frame, makeFrame());
  LogicalResult result = run(body);
  int64_t cycles = 0;
  for (const IPUClock &clock : clocks.clocks)
    cycles = std::max({cycles, clock.now, clock.io});
  frame = std::move(outer);
  clocks = std::move(outerClocks);
  if (failed(result))
    return failure();
  return cycles;
}

/// The choice depends on the program alone, so that all executions of a
/// function or an iteration take the same bodies.
FailureOr<bool> Accountant::takesThen(const IfNode &node) {
  auto found = takesThenOf.find(&node);
  if (found != takesThenOf.end())
    return found->second;
  FailureOr<int64_t> thenCycles = getCycles(node.thenBody);
  if (failed(thenCycles))
    return failure();
  FailureOr<int64_t> elseCycles = getCycles(node.elseBody);
  if (failed(elseCycles))
    return failure();
  return takesThenOf[&node] = *thenCycles >= *elseCycles;
}

SyncKind mlir::ipu::getSyncKind(const CodeNode &node) {
  return node.isLoad ? SyncKind::External : SyncKind::Internal;
}

FailureOr<Profile> mlir::ipu::profileProgram(const Program &program,
                                             const Profile &description) {
  return Accountant(program, description).run();
}
