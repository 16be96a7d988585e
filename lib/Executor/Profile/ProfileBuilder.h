//===- ProfileBuilder.h - Builder of profiles -------------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef IPU_MLIR_LIB_EXECUTOR_PROFILE_PROFILEBUILDER_H
#define IPU_MLIR_LIB_EXECUTOR_PROFILE_PROFILEBUILDER_H

#include "StepTimer.h"

namespace mlir::ipu {

/// Returns the part that the profiles of all runs of `program` have in common:
/// its steps, and the memory of its variables. With `inDetail`, the result also
/// contains the details of the exchanges and of the code.
Profile describeProgram(const Program &program, bool inDetail);

/// The executed steps of replicas that executed the same steps. The times are
/// those of one replica, because all have the same times.
struct ReplicaPath {
  SmallVector<int64_t> replicas;
  ReplicaClocks clocks;
  /// For each buffered copy and each IPU, the cycles that buffers hid.
  std::vector<SmallVector<int64_t>> hiddenOfCopy;
  /// For each step, the number of its executions.
  std::vector<int64_t> counts;
  /// For each IPU and each step, the times of the step.
  std::vector<std::vector<StepTimes>> stepTimes;
  /// The calls, and the times of the call that is in progress.
  std::vector<ProfileCall> calls;
  BusyTimes inCall;

  /// Returns the path of all replicas at the start of a run.
  static ReplicaPath getStart(const StepTimer &timer, const TargetModel &target,
                              size_t numSteps);
};

/// Returns the profile of a run in which replicas executed the steps of
/// `paths`, whose timelines are moved. `description` is the result of
/// describeProgram() for `program`.
Profile finishProfile(const Program &program, const Profile &description,
                      const StepTimer &timer,
                      MutableArrayRef<ReplicaPath> paths);

/// Builds a profile from the sequence of executed steps. The builder needs
/// neither an engine nor the values of variables.
class ProfileBuilder {
public:
  /// `description` is the result of describeProgram() for `program`.
  ProfileBuilder(const Program &program, const Profile &description);

  /// Executes a step that every IPU starts at its own time.
  void runStep(unsigned step);
  /// Executes a step before which IPUs wait for each other.
  void runSync(unsigned step, SyncKind kind);
  /// Begin and end a call of `function`, whose steps are executed in between.
  void beginCall();
  void endCall(unsigned function);
  /// Lets only `replicas`, in ascending order, execute the following steps.
  void setActive(ArrayRef<int64_t> replicas);

  Profile finish();

private:
  /// Lets the clocks of the active replicas wait for each other.
  void meet(SyncKind kind, const ProfileStep &step);

  const Program &program;
  const Profile &description;
  StepTimer timer;
  std::vector<ReplicaPath> paths;
  /// The indices in `paths` of the paths that execute the following steps.
  SmallVector<unsigned> active;
  /// The number of calls that are in progress.
  unsigned callDepth = 0;
};

/// Returns the profile of a run of `program` without running it. Of the bodies
/// of a branch, the one that takes more cycles is executed. Emits an error at a
/// loop without a fixed number of iterations.
FailureOr<Profile> profileProgram(const Program &program,
                                  const Profile &description);

/// Returns which IPUs wait for each other before code is moved.
SyncKind getSyncKind(const CodeNode &node);

/// Returns the outermost name in `loc`, which is the name of a node of the
/// model. If `loc` contains no name, returns the position in a file.
std::string describeLocation(Location loc);

/// Returns the number of the op that has the greatest share of `step` on IPU
/// `ipu`; if there are several, the first one.
int64_t getMainOp(const ProfileStep &step, int64_t ipu);

/// Adds up the shares of each op of the source program.
void profileOps(Profile &profile);

/// Sets the nesting of the steps of the program, and the variables that they
/// use.
void profileTree(const Program &program, Profile &profile);

/// profileCompute() sets the balance of tiles in steps. profileExchanges() sets
/// the data of exchanges. profileCode() sets the parts of the code.
void profileCompute(const Program &program, Profile &profile);
void profileExchanges(const Program &program, Profile &profile);
void profileCode(const Program &program, Profile &profile);
/// Adds up the data that tiles and IPUs exchanged in the run.
void sumTraffic(Profile &profile);

/// Sets the memory and the live ranges of the program's variables.
void profileMemory(const Program &program, Profile &profile);

/// Returns a name of the model as UTF-8 text. If `text` is not UTF-8, each of
/// its bytes that is not ASCII is written as `\\` and two hexadecimal digits,
/// so that different names stay different.
std::string toUTF8(StringRef text);

/// Returns the number of columns that `text`, which is UTF-8, takes on a
/// terminal.
size_t getColumns(StringRef text);

/// Returns `text` on one line, shortened to `width` columns if necessary. The
/// text may be a name from the model, and may therefore contain control
/// characters. A UTF-8 character is not split.
std::string shorten(StringRef text, size_t width);

/// Return a + b and a * b, saturated to [-INT64_MAX, INT64_MAX].
int64_t addSaturating(int64_t a, int64_t b);
int64_t mulSaturating(int64_t a, int64_t b);

/// Returns whether `value` may be the result of a saturated sum or product:
/// costs of steps saturate at 2^53, and sums in the profile at INT64_MAX. The
/// exact value is then at least `value`.
bool mayBeSaturated(int64_t value);

/// Returns `value` with separators of thousands. A value that may be saturated
/// is printed as `at least 9.00e15`.
std::string formatNumber(int64_t value);

/// Returns a share of `permille` thousandths as a percentage. Returns `unknown`
/// if `whole` may be saturated.
std::string formatShare(int64_t part, int64_t whole);

/// Returns a * factor / b, rounded down, or 0 if b is 0.
int64_t getRatio(int64_t a, int64_t factor, int64_t b);

} // namespace mlir::ipu

#endif // IPU_MLIR_LIB_EXECUTOR_PROFILE_PROFILEBUILDER_H
