//===- ProfileBuilder.h - Builder of profiles -------------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef IPU_MLIR_LIB_EXECUTOR_PROFILE_PROFILEBUILDER_H
#define IPU_MLIR_LIB_EXECUTOR_PROFILE_PROFILEBUILDER_H

#include "HostLink.h"
#include "ipu-mlir/Executor/Profile/Profile.h"
#include "ipu-mlir/Executor/Program/Program.h"

namespace mlir::ipu {

/// The common part of the profiles of all runs of `program`: its steps, and the
/// memory of its variables. With `inDetail`, also the details of its exchanges
/// and its code.
Profile describeProgram(const Program &program, bool inDetail);

/// Builds a profile from the sequence of executed steps. It uses no values and
/// no engine.
class ProfileBuilder {
public:
  /// `description` describes the program.
  ProfileBuilder(const Program &program, const Profile &description);

  /// Executes a step that every IPU starts at its own time.
  void runStep(unsigned step);
  /// Executes a step before which IPUs wait for each other.
  void runSync(unsigned step, SyncKind kind);
  /// The following steps are only executed by `replicas`, in ascending order.
  void setActive(ArrayRef<int64_t> replicas);
  /// Repeats the steps of `runBody` `count` times. All replicas must be on one
  /// path. `runBody` must execute the same steps each time. It is only called
  /// until further calls would only change sums.
  void runRepeatedly(int64_t count, function_ref<void()> runBody);

  Profile finish();

private:
  /// Replicas that executed the same steps, and the time of one of them.
  struct Path {
    SmallVector<int64_t> replicas;
    std::vector<IPUClock> clocks;
    /// One for each clock.
    std::vector<HostLink> links;
    /// For each IPU, the cycles of `copies` that buffers hide.
    std::vector<SmallVector<int64_t>> hiddenOfCopy;
    /// The number of executions of each step.
    std::vector<int64_t> counts;
    /// The times of the steps, for each IPU and step.
    std::vector<std::vector<StepTimes>> stepTimes;
    KindTotals totals[kNumStepKinds];

    void addDifference(const Path &before, int64_t times,
                       ArrayRef<ProfileStep> steps);
  };

  void count(Path &path, unsigned step);
  void advance(Path &path, unsigned step, int64_t ipu);
  /// The cycles of a step on IPU `ipu`, without the cycles that buffers of
  /// streams hide.
  int64_t getVisibleCycles(Path &path, unsigned step, int64_t ipu);
  /// All data on which future times depend: the lead of each clock of a replica
  /// over the first clock, and the contents of buffers. If compute tiles and
  /// I/O tiles do not wait for each other (`meetsIO`), their distance is not
  /// included.
  SmallVector<int64_t> getLeads(const Path &path, bool meetsIO) const;
  /// Lets the clocks of active replicas wait for each other.
  void meet(SyncKind kind, StepTiles tiles);
  void addClocks(Profile &profile);
  void addTimelines(Profile &profile);

  const Program &program;
  const Profile &description;
  /// Copies of streams with buffers, and the number of each by its step.
  std::vector<BufferedCopy> copies;
  DenseMap<unsigned, unsigned> copyOfStep;
  /// The time for which the contents of a buffer may matter.
  int64_t horizon = 0;
  std::vector<Path> paths;
  /// The numbers of the paths that execute the following steps.
  SmallVector<unsigned> active;
  /// The number of syncs of several IPUs until now, and of syncs of the compute
  /// tiles of an IPU with its I/O tiles.
  int64_t numMeetings = 0;
  int64_t numIOMeetings = 0;
};

/// The cost of a run of `program`, without running it. Fails, with a
/// diagnostic, at steps that depend on values: branches, and loops without a
/// fixed number of iterations.
FailureOr<Profile> profileProgram(const Program &program,
                                  const Profile &description);

/// The IPUs that wait for each other before code is moved.
SyncKind getSyncKind(const CodeNode &node);

/// The outermost name of `loc`, which is the name of a node of the model;
/// otherwise, the position in a file.
std::string describeLocation(Location loc);

/// Sums up the steps of each op of the source.
void profileOps(Profile &profile);

/// Sets the nesting of the steps of the program, and the variables that they
/// use.
void profileTree(const Program &program, Profile &profile);

/// Sets the balance of tiles in steps, the data of exchanges, and the parts of
/// the code.
void profileCompute(const Program &program, Profile &profile);
void profileExchanges(const Program &program, Profile &profile);
void profileCode(const Program &program, Profile &profile);
/// Sums up the data that tiles and IPUs exchanged in the run.
void sumTraffic(Profile &profile);

/// Sets the memory and the live ranges of the program's variables.
void profileMemory(const Program &program, Profile &profile);

/// `text` on one line, shortened to `width` if necessary. Names come from the
/// model: they may contain control characters, and characters of UTF-8 are not
/// split.
std::string shorten(StringRef text, size_t width);

/// a + b and a * b, saturated to [-INT64_MAX, INT64_MAX].
int64_t addSaturating(int64_t a, int64_t b);
int64_t mulSaturating(int64_t a, int64_t b);

/// a * factor / b, rounded down; 0 if b is 0.
int64_t getRatio(int64_t a, int64_t factor, int64_t b);

} // namespace mlir::ipu

#endif // IPU_MLIR_LIB_EXECUTOR_PROFILE_PROFILEBUILDER_H
