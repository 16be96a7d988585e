//===- Program.h - An ipu program for execution -----------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The program is read from the IR into plain structs. The structs have numbers
// instead of values, and regions instead of tile mappings. readProgram()
// checks all properties that a run requires.
//
//===----------------------------------------------------------------------===//

#ifndef IPU_MLIR_EXECUTOR_PROGRAM_PROGRAM_H
#define IPU_MLIR_EXECUTOR_PROGRAM_PROGRAM_H

#include "ipu-mlir/Analysis/TileMemory/TileMemory.h"
#include "ipu-mlir/Dialect/IPU/IR/IPUControl.h"
#include "ipu-mlir/Executor/Support/RandomBits.h"
#include "ipu-mlir/Host/HostTensor.h"
#include "ipu-mlir/Host/InputSpec.h"
#include "ipu-mlir/Interfaces/TileInterfaces.h"
#include "ipu-mlir/Replica/ReplicaGroups.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/OwningOpRef.h"
#include <memory>
#include <optional>
#include <string>
#include <variant>
#include <vector>

namespace mlir::ipu {

struct Collective;

/// The time during which a variable keeps its elements.
enum class VariableLiveRange {
  /// The variable is live from a LiveRangeBeginNode to a LiveRangeEndNode.
  Scoped,
  /// The variable is undefined at the start of a run.
  Run,
  /// The variable keeps its elements as long as the program is loaded.
  Device,
};

/// A variable, whose elements are stored in row-major order. It takes `bytes`
/// on each replica. It is an `ipu.var`, or an `ipu.storage` together with all
/// handles on it.
struct ProgramVariable {
  Operation *op = nullptr;
  std::string name;
  MemRefType type;
  TileMappingAttr mapping;
  int64_t elementBytes = 0;
  int64_t bytes = 0;
  ElementsAttr init;
  VariableLiveRange liveRange = VariableLiveRange::Scoped;
};

/// A remote buffer, with `rows` rows of `bytes` each on each replica.
struct ProgramRemoteBuffer {
  RemoteBufferOp op;
  std::string name;
  int64_t rows = 0;
  int64_t elementBytes = 0;
  int64_t bytes = 0;
};

/// A tensor that the host initialises, reads and writes.
struct HostState {
  /// An `ipu.state` or an `ipu.rng_state`.
  Operation *op = nullptr;
  std::string name;
  /// The type on one replica, before sharding.
  RankedTensorType type;
  /// The groups of replicas; the replicas of a group have the same initial
  /// value.
  ReplicaGroups groups = ReplicaGroups::getAll(1);
  /// Whether the host reads the values of all replicas, instead of one value
  /// for each group.
  bool readsReplicas = false;
  std::optional<ReplicaGroups> sharding;
  bool isRemote = false;
  /// The index of a variable or, if `isRemote` is set, the index of a remote
  /// buffer and the row in it.
  unsigned storageIndex = 0;
  int64_t row = 0;
};

struct ProgramStream {
  StreamOp op;
  std::string name;
  /// The type on one replica, and the type for the host.
  RankedTensorType type;
  RankedTensorType hostType;
  /// The result of getHostTransfers().
  int64_t transfers = 1;
  /// Whether there are several replicas, each with its own tensor.
  bool replicated = false;

  int64_t getNumHostDims() const { return hostType.getRank() - type.getRank(); }
};

/// A group of vertices of one codelet, one on each of several tiles. `table`
/// has one row for each vertex. A row first contains the region of each operand
/// in the operand's variable, and then the region of `rng`. A region is an
/// offset, sizes and strides, all in elements. Other values that the codelet
/// needs follow, in the order of RandomArguments (EngineCodelets.h).
struct VertexGroup {
  VerticesOp op;
  /// The index of the codelet in Program::codelets.
  unsigned codelet = 0;
  SmallVector<unsigned> variables;
  unsigned numInputs = 0;
  /// The variable of the RNG state from which the vertices draw random bits.
  std::optional<unsigned> rng;
  /// For each operand, and then for `rng`, the number of an operand. If a
  /// vertex also writes the elements of an operand through another operand,
  /// this is the number of that other operand. Otherwise, it is the number of
  /// the operand itself.
  SmallVector<unsigned> alias;
  std::vector<int64_t> table;
  int64_t rowSize = 0;
  std::vector<int32_t> tiles;
  /// Whether the regions of the vertices together contain all elements of all
  /// outputs.
  bool writesAll = true;
  /// Whether the vertices always write all elements of their regions, and do
  /// not read them before.
  bool definesAll = false;
  /// If the codelet is a loop over blocks of addends: the same vertices without
  /// the loop (BlockLoops.h), for engines that join the rows of several
  /// vertices into one row (JoinedRows.h). Null otherwise.
  std::shared_ptr<const VertexGroup> inBlocks;

  int64_t getNumRows() const { return tiles.size(); }
  const int64_t *getRow(int64_t row) const {
    return table.data() + row * rowSize;
  }
};

/// A copy of elements from a view of one variable to a view of another
/// variable.
struct ProgramMove {
  MoveOp op;
  unsigned source = 0, target = 0;
  StridedView from, to;
  int64_t elementBytes = 0;
};

/// A compute set. In all nodes, `step` is the index of the step in
/// Program::steps.
struct ComputeNode {
  unsigned step = 0;
  std::vector<VertexGroup> groups;
};
struct ExchangeNode {
  unsigned step = 0;
  std::vector<ProgramMove> moves;
};
struct SyncNode {
  unsigned step = 0;
  SyncKind kind = SyncKind::Internal;
};
/// Advances the RNG state `rng`.
struct AdvanceRngNode {
  unsigned rng = 0;
  CounterAdvance advance;
};
struct HostCopyNode {
  unsigned step = 0;
  unsigned stream = 0;
  unsigned variable = 0;
  bool isLoad = false;
};
struct ExpectNode {
  ExpectOp op;
  unsigned variable = 0;
};
struct LiveRangeBeginNode {
  unsigned variable = 0;
};
struct LiveRangeEndNode {
  unsigned variable = 0;
};

struct CallNode {
  unsigned step = 0;
  Operation *op = nullptr;
  unsigned function = 0;
  /// Whether the code of the function may be overwritten after the call.
  bool isLastUse = false;
};
struct CollectiveNode {
  unsigned step = 0;
  Operation *op = nullptr;
  std::shared_ptr<const Collective> collective;
  unsigned source = 0, target = 0;
  /// The variable of the RNG state whose random bits round the results.
  std::optional<unsigned> rng;
};
struct ReplicaIndexNode {
  unsigned step = 0;
  unsigned variable = 0;
};
/// A copy of a whole variable to or from a row of a remote buffer.
struct ProgramRemoteCopy {
  Operation *op = nullptr;
  unsigned buffer = 0;
  int64_t row = 0;
  /// The variable that holds the row, if the row is not constant.
  std::optional<unsigned> rowVariable;
  unsigned variable = 0;
  bool isLoad = false;
};
struct RemoteNode {
  unsigned step = 0;
  std::vector<ProgramRemoteCopy> copies;
};
/// Copies the code of functions to a memory of the tiles. The source is another
/// memory of the tiles or, for a load, streaming memory.
struct CodeNode {
  unsigned step = 0;
  Operation *op = nullptr;
  SmallVector<unsigned> functions;
  bool isLoad = false;
  CodeLocation source = CodeLocation::Executable;
  CodeLocation destination = CodeLocation::Executable;
};

struct RepeatNode;
struct IfNode;
struct WhileNode;
using ProgramNode =
    std::variant<ComputeNode, ExchangeNode, SyncNode, AdvanceRngNode,
                 HostCopyNode, ExpectNode, LiveRangeBeginNode, LiveRangeEndNode,
                 CallNode, CollectiveNode, ReplicaIndexNode, RemoteNode,
                 CodeNode, std::unique_ptr<RepeatNode>, std::unique_ptr<IfNode>,
                 std::unique_ptr<WhileNode>>;
struct ProgramSequence {
  std::vector<ProgramNode> nodes;
};
struct RepeatNode {
  /// The index of the step that jumps to the start of the loop. It follows the
  /// steps of the body.
  unsigned step = 0;
  Operation *op = nullptr;
  int64_t count = 0;
  /// The variable that holds the count, if the count is not constant.
  std::optional<unsigned> countVariable;
  ProgramSequence body;
};
/// A branch. The steps of both bodies come before the step of the branch.
struct IfNode {
  unsigned step = 0;
  Operation *op = nullptr;
  unsigned condition = 0;
  ProgramSequence thenBody, elseBody;
};
struct WhileNode {
  unsigned step = 0;
  Operation *op = nullptr;
  unsigned condition = 0;
  ProgramSequence before, body;
};

/// A function that the program calls, or whose code it loads. The steps of the
/// function are numbered at its first call, before the step of this call.
struct ProgramFunction {
  func::FuncOp op;
  std::string name;
  ProgramSequence body;
  /// Whether a code load names the function, and whether the code of the
  /// function is on the tiles from the start.
  bool isLoaded = false;
  bool isInImage = true;
};

struct Program {
  ModuleOp module;
  func::FuncOp function;
  TargetModel target;
  std::string preset;
  RngGenerator rngGenerator = RngGenerator::Counter;
  std::vector<ProgramVariable> variables;
  std::vector<ProgramRemoteBuffer> remoteBuffers;
  std::vector<HostState> states;
  /// The `internal` states, which the host does not see.
  std::vector<HostState> internalStates;
  std::vector<ProgramFunction> functions;
  std::vector<ProgramStream> streams;
  /// All steps. Each step has a cost for the IPUs of the target.
  std::vector<StepOpInterface> steps;
  ProgramSequence body;
  /// The codelets. Codelets that differ only in their names and costs are one
  /// codelet here. Named linalg ops are written as linalg.generic. All codelets
  /// are in `codeletModule`.
  std::vector<CodeletOp> codelets;
  /// The text of each codelet in MLIR's generic form. All have the name
  /// @codelet.
  std::vector<std::string> codeletTexts;
  OwningOpRef<ModuleOp> codeletModule;
  /// The tile memory that the program needs. The steps have the same numbers as
  /// in the program.
  MemoryProblem memory;
  MemoryPlan memoryPlan;
};

/// Returns the number of tensors that `stream` moves in a run. This is the
/// stream's own `transfers` or, if there is none, the `ipu.host_transfers` of
/// the module. It is 1 if there is neither.
int64_t getHostTransfers(StreamOp stream);

/// Returns the type of the tensor that the host gives to `stream`, or gets from
/// `stream`, in a run. The shape of the tensor is `[d, r, *shape]`. Dimension d
/// exists if there are several host transfers. Dimension r exists if there are
/// several replicas and the stream is replicated. The nth load or store of a
/// run accesses part n modulo d. With one transfer, all loads get the same
/// tensor, and the last store determines the result.
RankedTensorType getStreamType(StreamOp stream);

/// Returns the description of `stream` as an input or output of a program.
ProgramInput getProgramInput(StreamOp stream);

/// Returns whether the host may omit the tensor of `stream`: the stream has a
/// default value, or it is a stream of seeds.
bool hasDefaultInput(StreamOp stream);

/// The numbers that determine the seeds that the host gives to a run.
struct RunSeed {
  /// The seed of the session (LoadOptions::seed).
  uint64_t seed = 0;
  /// The number of the run in the session, from 0.
  uint64_t run = 0;
};

/// Returns the tensor of a stream for which hasDefaultInput() holds: its
/// default value, repeated for each host transfer and replica, or the seeds of
/// a run. The first seed of run 0 is the seed of the session. Emits an error
/// and fails if the host cannot store the tensor.
FailureOr<HostTensor> getDefaultInput(StreamOp stream, RunSeed seed);

/// Returns the value of the input `name`: its tensor in `inputs` or, if there
/// is none, the result of getDefaultInput(). Emits an error and fails if there
/// is neither.
FailureOr<HostTensor> getInput(ModuleOp module, const TensorMap &inputs,
                               StringRef name, RunSeed seed);

/// Returns the seeds of run `run`, if `seeds` are the seeds of run 0.
HostTensor advanceSeeds(const HostTensor &seeds, uint64_t run);

/// Calls `visit` for the ops of a program in the order of their steps. The ops
/// of a function are visited at its first call.
void walkProgram(func::FuncOp entry, function_ref<void(Operation *)> visit);

/// The inputs and outputs of a program, in the order of first use, with the
/// types of the host's tensors.
struct ProgramSignature {
  std::vector<ProgramInput> inputs;
  std::vector<ProgramInput> outputs;
};
ProgramSignature getProgramSignature(func::FuncOp entry);

/// Reads the program `entry` of `module`. If some ops are not executable, emits
/// an error at each of them and fails.
FailureOr<Program> readProgram(ModuleOp module, StringRef entry);

} // namespace mlir::ipu

#endif // IPU_MLIR_EXECUTOR_PROGRAM_PROGRAM_H
