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

/// What the profiles of all runs of `program` have in common: its steps, and
/// the memory of its variables; if `inDetail`, what its exchanges and its code
/// are made of as well.
Profile describeProgram(const Program &program, bool inDetail);

/// Told what runs, in order; sees no values and no engine.
class ProfileBuilder {
public:
  /// `description` is that of the program.
  ProfileBuilder(const Program &program, const Profile &description);

  /// A step that every IPU takes at its own time.
  void runStep(unsigned step);
  /// A step before which IPUs wait for each other.
  void runSync(unsigned step, SyncKind kind);
  /// What comes is run by `replicas`, in ascending order, alone.
  void setActive(ArrayRef<int64_t> replicas);
  /// What `runBody` tells, `count` times over, where all replicas are on one
  /// path. `runBody` says the same each time and is called only until more
  /// calls would change nothing but sums.
  void runRepeatedly(int64_t count, function_ref<void()> runBody);

  Profile finish();

private:
  /// Replicas that have run the same steps, and what one of them spent.
  struct Path {
    SmallVector<int64_t> replicas;
    std::vector<IPUClock> clocks;
    /// One for each clock.
    std::vector<HostLink> links;
    /// Cycles of `copies` that buffers hide, for each IPU.
    std::vector<SmallVector<int64_t>> hiddenOfCopy;
    /// How often each step ran.
    std::vector<int64_t> counts;
    /// When: for each IPU and step.
    std::vector<std::vector<StepTimes>> stepTimes;
    KindTotals totals[kNumStepKinds];

    void addDifference(const Path &before, int64_t times,
                       ArrayRef<ProfileStep> steps);
  };

  void count(Path &path, unsigned step);
  void advance(Path &path, unsigned step, int64_t ipu);
  /// What a step takes IPU `ipu`, less what buffers of streams hide.
  int64_t getVisibleCycles(Path &path, unsigned step, int64_t ipu);
  /// How far each clock of a replica is ahead of the first, and what buffers
  /// hold: all that time to come depends on. Where computing and I/O tiles do
  /// not wait for each other (`meetsIO`), how far these are apart is not in it.
  SmallVector<int64_t> getLeads(const Path &path, bool meetsIO) const;
  /// Lets clocks of active replicas wait for each other.
  void meet(SyncKind kind, StepTiles tiles);
  void addClocks(Profile &profile);
  void addTimelines(Profile &profile);

  const Program &program;
  const Profile &description;
  /// Copies of streams with buffers, and the number of each by its step.
  std::vector<BufferedCopy> copies;
  DenseMap<unsigned, unsigned> copyOfStep;
  /// How long what a buffer holds may matter.
  int64_t horizon = 0;
  std::vector<Path> paths;
  /// Numbers of the paths that run what comes.
  SmallVector<unsigned> active;
  /// Syncs of several IPUs so far, and those of an IPU's computing tiles with
  /// its I/O tiles.
  int64_t numMeetings = 0;
  int64_t numIOMeetings = 0;
};

/// What a run of `program` costs, found without running it. Fails, with a
/// diagnostic, at what depends on values: branches, and loops without a fixed
/// number of rounds.
FailureOr<Profile> profileProgram(const Program &program,
                                  const Profile &description);

/// Who waits for each other before code comes.
SyncKind getSyncKind(const CodeNode &node);

/// The outermost name of `loc`, which is that of the model's node; the position
/// in a file if there is none.
std::string describeLocation(Location loc);

/// Sums the steps up by the ops of the source.
void profileOps(Profile &profile);

/// How the steps of the program are nested, and what variables they use.
void profileTree(const Program &program, Profile &profile);

/// How evenly tiles work in steps, what exchanges move, and what code is made
/// of.
void profileCompute(const Program &program, Profile &profile);
void profileExchanges(const Program &program, Profile &profile);
void profileCode(const Program &program, Profile &profile);
/// Sums up what tiles and IPUs exchanged in the run.
void sumTraffic(Profile &profile);

/// Memory and lives of the program's variables.
void profileMemory(const Program &program, Profile &profile);

/// `text` on one line, or what of it fits `width`. Names are the model's: they
/// may have control characters, and are not split within a character of UTF-8.
std::string shorten(StringRef text, size_t width);

/// a + b and a * b; the number nearest to it in [-INT64_MAX, INT64_MAX] where
/// it is not in there.
int64_t addSaturating(int64_t a, int64_t b);
int64_t mulSaturating(int64_t a, int64_t b);

/// a * factor / b, rounded down; 0 if b is 0.
int64_t getRatio(int64_t a, int64_t factor, int64_t b);

} // namespace mlir::ipu

#endif // IPU_MLIR_LIB_EXECUTOR_PROFILE_PROFILEBUILDER_H
