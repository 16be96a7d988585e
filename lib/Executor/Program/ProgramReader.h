//===- ProgramReader.h - Reads the IR of a program --------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// In: a module of ipu ops. Out: a Program, all of whose numbers exist; or a
// diagnostic at what is not executable.
//
//===----------------------------------------------------------------------===//

#ifndef IPU_MLIR_LIB_EXECUTOR_PROGRAM_PROGRAMREADER_H
#define IPU_MLIR_LIB_EXECUTOR_PROGRAM_PROGRAMREADER_H

#include "EngineCodelets.h"
#include "ipu-mlir/Executor/Program/Program.h"

namespace mlir::ipu {

class ProgramReader {
public:
  ProgramReader(ModuleOp module, Program &program);

  LogicalResult read(func::FuncOp entry);

private:
  LogicalResult readSequence(Block &block, ProgramSequence &into);
  LogicalResult readOp(Operation *op);

  // Variables.
  FailureOr<ProgramVariable> makeVariable(Operation *op, StringRef name,
                                          MemRefType type);
  LogicalResult readVar(VarOp op);
  LogicalResult readUndef(WriteUndefOp op);

  // Steps of tiles and the host.
  LogicalResult readComputeSet(ComputeSetOp op);
  FailureOr<VertexGroup> readVertices(VerticesOp op);
  void readTable(VertexGroup &group, const RandomArguments &random);
  LogicalResult readExchange(ExchangeOp op);
  LogicalResult readSync(SyncOp op);
  LogicalResult readHostCopy(Operation *op, FlatSymbolRefAttr stream,
                             Value variable, bool isLoad);
  LogicalResult readExpect(ExpectOp op);

  // Control.
  LogicalResult readBody(Operation *op, Region &region, ProgramSequence &into);
  LogicalResult readRepeat(RepeatOp op);
  LogicalResult readIf(IfOp op);
  LogicalResult readWhile(WhileOp op);
  LogicalResult readCall(CallOp op);
  LogicalResult readFunction(CallOp op, unsigned function);
  LogicalResult readCodeLoad(CodeLoadOp op);
  LogicalResult readCodeCopy(CodeCopyOp op);
  FailureOr<unsigned> getFunction(Operation *user, FlatSymbolRefAttr name);
  LogicalResult readResidency();

  // State, replicas and streaming memory.
  LogicalResult readDeclarations();
  LogicalResult readStorage(StorageOp op);
  LogicalResult readRemoteBuffer(RemoteBufferOp op);
  LogicalResult readState(StateOp op);
  LogicalResult readRngState(RngStateOp op);
  LogicalResult readRounding(CollectiveOp op, Collective &collective);
  LogicalResult readRemoteExchange(RemoteExchangeOp op);
  FailureOr<ProgramRemoteCopy> readRemoteCopy(Operation *op,
                                              FlatSymbolRefAttr buffer,
                                              std::optional<uint64_t> row,
                                              Value rowVariable,
                                              Value variable);
  LogicalResult readCollective(CollectiveOp op);
  LogicalResult readReplicaIndex(ReplicaIndexOp op);

  /// The number of the variable that `value` is or shows.
  FailureOr<unsigned> getUsedVariable(Operation *user, Value value);
  FailureOr<unsigned> addStep(Operation *op, StepKind kind, StringRef name,
                              std::optional<StepCostAttr> cost);
  FailureOr<unsigned> getStream(Operation *user, FlatSymbolRefAttr name);

  template <typename NodeTy>
  void add(NodeTy node) {
    sequence->nodes.push_back(std::move(node));
  }

  Program &program;
  /// Where nodes are added.
  ProgramSequence *sequence = nullptr;
  EngineCodelets codelets;
  SymbolTableCollection symbols;
  /// Of an `ipu.var` or `ipu.storage`.
  llvm::DenseMap<Operation *, unsigned> numberOfVar;
  llvm::DenseMap<unsigned, Operation *> deaths;
  llvm::DenseMap<Operation *, unsigned> numberOfStream;
  llvm::DenseMap<Operation *, unsigned> numberOfBuffer;
  llvm::DenseMap<Operation *, unsigned> numberOfFunction;
  /// Functions that have been read; calls of those that are being read,
  /// outermost first.
  llvm::DenseSet<unsigned> readFunctions;
  SmallVector<CallOp> callStack;
};

} // namespace mlir::ipu

#endif // IPU_MLIR_LIB_EXECUTOR_PROGRAM_PROGRAMREADER_H
