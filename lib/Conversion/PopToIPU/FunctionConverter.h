//===- FunctionConverter.h - Conversion of one pop function -----*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef IPU_MLIR_LIB_CONVERSION_POPTOIPU_FUNCTIONCONVERTER_H
#define IPU_MLIR_LIB_CONVERSION_POPTOIPU_FUNCTIONCONVERTER_H

#include "CodeletTable.h"
#include "ipu-mlir/Dialect/IPU/IR/IPUControl.h"
#include "ipu-mlir/Dialect/Pop/IR/PopGraph.h"
#include "ipu-mlir/Planner/TensorStorage.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/SCF/IR/SCF.h"

namespace mlir::ipu {

/// What the functions of a module share.
struct ProgramState {
  explicit ProgramState(ModuleOp module);

  /// The storage of the RNG state that the replicas of each class
  /// share.
  StorageOp getRngState(Location loc, pop::ReplicaPartitionAttr partition);

  ModuleOp module;
  TargetModel target;
  SymbolTable symbols;
  CodeletTable codelets;
  /// The storage of each variable, by the variable's symbol.
  llvm::MapVector<StringAttr, StorageOp> storages;
  /// How results are rounded; null if to nearest.
  pop::StochasticRoundingAttr rounding;
  llvm::MapVector<pop::ReplicaPartitionAttr, StorageOp> rngStates;
  int64_t numGroupRngStates = 0;
  /// In functions that are converted, until all states are known.
  SmallVector<pop::AdvanceDrawsOp> advances;
};

/// Replaces the variables, streams and remote buffers of a module by those of
/// the ipu dialect.
LogicalResult convertSymbols(ProgramState &state);

/// Replaces the advances of converted functions.
void convertAdvances(ProgramState &state);

/// The state that random bits are drawn from, and which of them.
struct RandomDraw {
  Value rng;
  /// Null if that depends on what was drawn before.
  DrawAttr draw;
};

/// Converts the ops of one function, in program order; tensors become variables
/// or views of variables.
class FunctionConverter {
public:
  FunctionConverter(ProgramState &state, func::FuncOp function)
      : state(state), function(function), target(state.target),
        builder(function.getContext()) {}

  /// The entry's arguments and results become streams; other functions have
  /// none.
  LogicalResult run(bool isEntry);

private:
  LogicalResult checkTypes();
  LogicalResult convertOp(Operation *op);
  LogicalResult convertExpect(Operation *op, Value input, ElementsAttr expected,
                              FloatAttr rtol, FloatAttr atol);
  LogicalResult convertReturn(func::ReturnOp op);

  // The host's side of the entry.
  void createStreams();
  LogicalResult convertArguments();
  StreamOp createStream(Location loc, Attribute attribute,
                        const Twine &fallback, StreamDirection direction,
                        Type type);

  // Ops that interfaces describe, and constants (ConvertTileOps.cpp).
  LogicalResult convertConstant(Operation *op, ElementsAttr value);
  LogicalResult convertCodelet(CodeletOpInterface op);
  LogicalResult convertView(TileViewOpInterface op);
  LogicalResult convertMove(TileMoveOpInterface op);
  FailureOr<TileMappingAttr> getTileMappingOf(Operation *op);
  Value getForwardTarget(CodeletOpInterface op, TileMappingAttr own,
                         ArrayRef<Attribute> access);

  // Refs, replicas and code (ConvertGraphOps.cpp). Nothing if the op is not of
  // graphs.
  std::optional<LogicalResult> convertGraphOp(Operation *op);
  LogicalResult convertGetVariable(pop::GetVariableOp op);
  LogicalResult convertAlloc(pop::AllocOp op);
  LogicalResult convertFromTensor(pop::FromTensorOp op);
  LogicalResult convertCopyInto(pop::CopyInPlaceOp op);
  LogicalResult convertCollective(Operation *op);
  LogicalResult convertReplicaIndex(pop::ReplicaIndexOp op);
  LogicalResult convertCodeLoad(pop::RemoteCodeLoadOp op);
  LogicalResult convertCodeCopy(pop::CodeCopyOp op);
  /// A variable for the op's one result, which from now on stands for it.
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
  LogicalResult convertRemote(Operation *exchange, ArrayRef<Operation *> ops);
  LogicalResult convertRemoteExchange(pop::RemoteExchangeOp op);

  // Random bits of rounding (ConvertDraws.cpp).
  /// What `op` draws.
  FailureOr<RandomDraw> getDraw(Operation *op);
  LogicalResult convertAdvanceDraws(pop::AdvanceDrawsOp op);

  // Variables and steps that bring values to them (ConvertStorage.cpp).
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
  TileMappingAttr getDefaultTileMapping(ShapedType type);

  ProgramState &state;
  func::FuncOp function;
  const TargetModel &target;
  OpBuilder builder;
  /// Variables with initial values and handles are created before it.
  Operation *firstOp = nullptr;
  DenseMap<Value, TensorStorage> storage;
  /// Handles on storage, by the storage's symbol.
  llvm::DenseMap<StringAttr, Value> handles;
  SmallVector<StreamOp> inputStreams, outputStreams;
};

/// On which replicas a tensor is equal, or all of several are; null if that is
/// not known.
pop::ReplicaPartitionAttr getReplicaEqual(Value tensor);
pop::ReplicaPartitionAttr getReplicaEqual(ValueRange tensors);
/// On which replicas the one result is equal when `op` makes it: that of a
/// tensor, or of what a ref shows.
pop::ReplicaPartitionAttr getReplicaEqualMade(Operation *op);
/// On which replicas what `op` writes is equal.
pop::ReplicaPartitionAttr getReplicaEqualModified(pop::CopyInPlaceOp op);
/// Annotates `writer` with the replicas on which what it writes is equal; null
/// is no annotation.
void setReplicaEqualAnnotation(Operation *writer,
                               pop::ReplicaPartitionAttr annotation);

/// What to call the steps of an op: its name in the source, else its own.
std::string getStepName(Operation *op);

} // namespace mlir::ipu

#endif // IPU_MLIR_LIB_CONVERSION_POPTOIPU_FUNCTIONCONVERTER_H
