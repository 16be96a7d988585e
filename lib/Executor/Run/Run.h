//===- Run.h - One run of a program on a device -----------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// In: a device, and the inputs that the host provides.
// Out: the outputs of the program, the profile, and the state of the device
// after the run.
//
//===----------------------------------------------------------------------===//

#ifndef IPU_MLIR_LIB_EXECUTOR_RUN_RUN_H
#define IPU_MLIR_LIB_EXECUTOR_RUN_RUN_H

#include "../Memory/RemoteMemory.h"
#include "../Profile/ProfileBuilder.h"
#include "../Program/StreamUses.h"
#include "CodeResidency.h"
#include "ProgressMeter.h"
#include "ipu-mlir/Executor/Run/Executor.h"
#include "llvm/ADT/SmallPtrSet.h"

namespace mlir::ipu {
class ReplicaCheck;
struct SynchronizingOp;

/// The parts of a device that a run uses.
struct RunTarget {
  const Program &program;
  DeviceMemory &memory;
  RemoteMemory &remote;
  CodeResidency &code;
  ThreadPool &pool;
  /// Null if replica-equal annotations are neither checked nor reported.
  ReplicaCheck *replicaCheck;
  StreamUses &streamUses;
  /// The part that the profiles of all runs of the program have in common.
  const Profile &description;
};

class Run {
public:
  Run(RunTarget target, const RunOptions &options);

  FailureOr<ExecuteResult> run();

private:
  LogicalResult runSequence(const ProgramSequence &sequence);
  FailureOr<size_t> runFused(ArrayRef<ProgramNode> nodes);
  LogicalResult runNode(const ProgramNode &node);
  LogicalResult visit(const ComputeNode &node);
  LogicalResult visit(const ExchangeNode &node);
  LogicalResult visit(const SyncNode &node);
  LogicalResult visit(const AdvanceRngNode &node);
  LogicalResult visit(const HostCopyNode &node);
  LogicalResult visit(const ExpectNode &node);
  LogicalResult visit(const LiveRangeBeginNode &node);
  LogicalResult visit(const LiveRangeEndNode &node);
  LogicalResult visit(const std::unique_ptr<RepeatNode> &node);
  LogicalResult visit(const std::unique_ptr<IfNode> &node);
  LogicalResult visit(const std::unique_ptr<WhileNode> &node);
  LogicalResult visit(const CallNode &node);
  LogicalResult visit(const CodeNode &node);
  LogicalResult visit(const CollectiveNode &node);
  LogicalResult visit(const ReplicaIndexNode &node);
  LogicalResult visit(const RemoteNode &node);

  // Values that decide control flow.
  //
  // Returns the integer in `variable`, which has one element. A value of type
  // i1 is returned as 0 or 1.
  FailureOr<int64_t> readScalar(Operation *user, unsigned variable,
                                int64_t replica);
  /// A value that decides control flow, and the active replicas that hold it.
  struct Decision {
    int64_t value;
    SmallVector<int64_t> replicas;
  };
  /// Returns the values of `variable` on the active replicas. The values are
  /// ordered by the least replica that holds them. `bodies` are the bodies of
  /// the branch or loop `user`. Emits an error if the replicas hold different
  /// values and one of the bodies contains an op that all replicas must execute
  /// together.
  FailureOr<SmallVector<Decision>>
  decide(Operation *user, unsigned variable,
         ArrayRef<const ProgramSequence *> bodies);
  /// Emits the error of decide() about the op `found`. All replicas are active
  /// at this point: decide() would have failed earlier for an enclosing branch
  /// or loop that only some replicas execute.
  LogicalResult refuse(Operation *user, unsigned variable,
                       ArrayRef<Decision> decisions,
                       const SynchronizingOp &found);
  /// Lets only `replicas` execute the following nodes.
  LogicalResult setActive(const ActiveReplicas &replicas);
  LogicalResult runRounds(const RepeatNode &node, int64_t count);
  LogicalResult runArms(const IfNode &node, ArrayRef<Decision> decisions);

  // Collectives.
  void drawBits(const CollectiveNode &node, ArrayRef<char *> states,
                std::vector<std::vector<uint32_t>> &bits);

  // Streaming memory.
  FailureOr<SmallVector<int64_t>> getRows(const ProgramRemoteCopy &copy);
  LogicalResult loadRows(const ProgramRemoteCopy &copy, ArrayRef<int64_t> rows,
                         SmallVectorImpl<ReplicaData> &loaded);

  // Host.
  LogicalResult getInput(const HostCopyNode &node);
  LogicalResult load(const HostCopyNode &node);
  LogicalResult store(const HostCopyNode &node);
  bool shareOutput(const HostCopyNode &node);
  /// Must be called before each load or store of a stream. Warns once if the
  /// run is known to load or store more than `tensors` tensors, because the
  /// stream then starts again from its first tensor.
  void checkUses(const HostCopyNode &node, int64_t tensors);

  const Program &program;
  DeviceMemory &memory;
  RemoteMemory &remote;
  CodeResidency &code;
  ThreadPool &pool;
  ReplicaCheck *replicaCheck;
  StreamUses &streamUses;
  const RunOptions &options;
  int64_t replicas;
  ProfileBuilder profile;
  ProgressMeter progress;

  struct StreamState {
    std::optional<HostTensor> input;
    int64_t output = -1;
    /// The number of loads or stores of the stream in this run.
    int64_t count = 0;
  };
  std::vector<StreamState> streams;
  std::vector<NamedTensor> outputs;
  bool expectationFailed = false;
  /// The branches and loops whose bodies some replicas may execute without the
  /// others.
  llvm::SmallPtrSet<Operation *, 8> divisible;
};

} // namespace mlir::ipu

#endif // IPU_MLIR_LIB_EXECUTOR_RUN_RUN_H
