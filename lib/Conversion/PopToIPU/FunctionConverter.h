//===- FunctionConverter.h - Conversion of one pop function -----*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef IPU_MLIR_LIB_CONVERSION_POPTOIPU_FUNCTIONCONVERTER_H
#define IPU_MLIR_LIB_CONVERSION_POPTOIPU_FUNCTIONCONVERTER_H

#include "CodeletTable.h"
#include "ipu-mlir/Dialect/IPU/IR/IPUControl.h"
#include "ipu-mlir/Dialect/IPU/IR/Origins.h"
#include "ipu-mlir/Dialect/Pop/IR/PopGraph.h"
#include "ipu-mlir/Planner/Model/TensorStorage.h"
#include "ipu-mlir/Planner/Partition/TileSpace.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/SCF/IR/SCF.h"

namespace mlir::ipu {

/// The state that the functions of a module share.
struct ProgramState {
  explicit ProgramState(ModuleOp module);

  /// Returns the storage of the RNG state for a replica partition. The replicas
  /// of each class of the partition have equal states.
  StorageOp getRngState(Location loc, pop::ReplicaPartitionAttr partition);

  ModuleOp module;
  TargetModel target;
  SymbolTable symbols;
  CodeletTable codelets;
  /// The storage of each variable, by its symbol.
  llvm::MapVector<StringAttr, StorageOp> storages;
  /// The stochastic rounding of results; null if they are rounded to nearest.
  pop::StochasticRoundingAttr rounding;
  llvm::MapVector<pop::ReplicaPartitionAttr, StorageOp> rngStates;
  int64_t numGroupRngStates = 0;
  /// The `pop.advance_draws` ops in converted functions. They are replaced when
  /// all RNG states are known.
  SmallVector<pop::AdvanceDrawsOp> advances;
};

/// Replaces the variables, streams and remote buffers of a module by those of
/// the ipu dialect.
LogicalResult convertSymbols(ProgramState &state);

/// Replaces the `pop.advance_draws` ops in converted functions.
void convertAdvances(ProgramState &state);

/// The RNG state from which random bits are drawn, and the number of the draw.
struct RandomDraw {
  Value rng;
  /// The number of the draw; null if the bits depend on earlier draws.
  DrawAttr draw;
};

/// Converts the ops of one function in program order. Tensors become variables
/// or views of variables.
class FunctionConverter : OpBuilder::Listener {
public:
  FunctionConverter(ProgramState &state, func::FuncOp function)
      : state(state), function(function), target(state.target),
        builder(function.getContext(), /*listener=*/this) {}

  /// Converts the function. The arguments and results of the entry become
  /// streams. Other functions have no arguments and results.
  LogicalResult run(bool isEntry);

private:
  LogicalResult checkTypes();
  LogicalResult convertOp(Operation *op);
  /// Converts an op, after convertOp() has set `origins`.
  LogicalResult convertInScope(Operation *op);
  /// Gives a new step the `origins`.
  void notifyOperationInserted(Operation *op, OpBuilder::InsertPoint) override;
  LogicalResult convertExpect(Operation *op, Value input, ElementsAttr expected,
                              FloatAttr rtol, FloatAttr atol);
  LogicalResult convertReturn(func::ReturnOp op);

  // Creates the streams of the entry.
  void createStreams();
  LogicalResult convertArguments();
  StreamOp createStream(Location loc, Attribute attribute,
                        const Twine &fallback, StreamDirection direction,
                        Type type);

  // Ops with interfaces, and constants (ConvertTileOps.cpp).
  LogicalResult convertConstant(Operation *op, ElementsAttr value);
  LogicalResult convertCodelet(CodeletOpInterface op);
  LogicalResult convertView(TileViewOpInterface op);
  LogicalResult convertMove(TileMoveOpInterface op);
  FailureOr<TileMappingAttr> getTileMappingOf(Operation *op);
  Value getForwardTarget(CodeletOpInterface op, const TileForm &form,
                         TileMappingAttr own, ArrayRef<Attribute> access);

  // Refs, replicas and code (ConvertGraphOps.cpp). convertGraphOp() returns
  // std::nullopt if the op is none of these ops.
  std::optional<LogicalResult> convertGraphOp(Operation *op);
  LogicalResult convertGetVariable(pop::GetVariableOp op);
  LogicalResult convertAlloc(pop::AllocOp op);
  LogicalResult convertFromTensor(pop::FromTensorOp op);
  LogicalResult convertCopyInto(pop::CopyInPlaceOp op);
  LogicalResult convertCollective(Operation *op);
  LogicalResult convertReplicaIndex(pop::ReplicaIndexOp op);
  LogicalResult convertCodeLoad(pop::RemoteCodeLoadOp op);
  LogicalResult convertCodeCopy(pop::CodeCopyOp op);
  /// Creates a variable that replaces the single result of the op.
  FailureOr<VarOp> createResult(Operation *op);

  // Loops, branches and calls (ConvertControlFlow.cpp).
  LogicalResult convertBody(Block &from, Region &into);
  LogicalResult convertFor(scf::ForOp op);
  LogicalResult convertWhile(scf::WhileOp op);
  LogicalResult convertIf(scf::IfOp op);
  LogicalResult convertCall(func::CallOp op);
  LogicalResult convertInSequence(pop::InSequenceOp op);
  FailureOr<Value> getScalarVariable(Operation *user, Value scalar);

  // Host and streaming memory (ConvertTransfers.cpp).
  LogicalResult convertHostLoad(pop::HostLoadOp op);
  LogicalResult convertHostStore(pop::HostStoreOp op);
  FailureOr<Value> getTransferred(Operation *op, Value tensor, StringRef name);
  void createHostSync(Operation *op);
  OriginAttr getHostOrigin(StringRef op, StringRef stream, Location loc);
  LogicalResult convertRemote(Operation *exchange, ArrayRef<Operation *> ops);
  LogicalResult convertRemoteExchange(pop::RemoteExchangeOp op);

  // Random bits of rounding (ConvertDraws.cpp). getDraw() returns the draw of
  // `op`.
  FailureOr<RandomDraw> getDraw(Operation *op);
  LogicalResult convertAdvanceDraws(pop::AdvanceDrawsOp op);

  // Variables, and steps that write them (ConvertStorage.cpp).
  VarOp createVariable(Location loc, const Twine &name, ShapedType type,
                       TileMappingAttr mapping);
  VarOp createInitialised(Location loc, const Twine &name,
                          RankedTensorType type, TileMappingAttr mapping,
                          ElementsAttr value);
  Value getHandle(Location loc, StringRef name, StorageOp storage);
  Value createView(Location loc, const TensorStorage &tensor);
  Value createView(Location loc, Value variable, const StridedView &view);
  void createSync(Location loc);
  void createFill(Location loc, StringRef name, VarOp variable, TypedAttr value,
                  pop::ReplicaPartitionAttr annotation);
  void createCopy(Location loc, StringRef name, const TensorStorage &from,
                  Value to, pop::ReplicaPartitionAttr annotation);
  Value getWhole(Value tensor, StringRef name, Location loc,
                 TileMappingAttr mapping = nullptr);

  ProgramState &state;
  func::FuncOp function;
  const TargetModel &target;
  OpBuilder builder;
  /// The origins of new steps; empty if these are the defaults.
  SmallVector<OriginAttr> origins;
  /// Handles and variables with initial values are created before this op.
  Operation *firstOp = nullptr;
  DenseMap<Value, TensorStorage> storage;
  /// The handles on storage, by the symbol of the storage.
  llvm::DenseMap<StringAttr, Value> handles;
  SmallVector<StreamOp> inputStreams, outputStreams;
};

/// Returns the replica partition of a tensor, or the meet for several tensors.
/// Returns null if it is not known.
pop::ReplicaPartitionAttr getReplicaEqual(Value tensor);
pop::ReplicaPartitionAttr getReplicaEqual(ValueRange tensors);
/// Returns the replica partition of the single result of `op` after `op`
/// creates it: the partition of a tensor, or of the elements to which a ref
/// refers.
pop::ReplicaPartitionAttr getReplicaEqualMade(Operation *op);
/// Returns the replica partition of the elements that `op` writes.
pop::ReplicaPartitionAttr getReplicaEqualModified(pop::CopyInPlaceOp op);
/// Annotates `writer` with the replica partition of the elements that it
/// writes. Does nothing if `annotation` is null.
void setReplicaEqualAnnotation(Operation *writer,
                               pop::ReplicaPartitionAttr annotation);

/// Returns the name of the steps of an op: the name in its location or, if
/// there is none, the name of the op.
std::string getStepName(Operation *op);

} // namespace mlir::ipu

#endif // IPU_MLIR_LIB_CONVERSION_POPTOIPU_FUNCTIONCONVERTER_H
