//===- ProgramReader.h - Reader of programs ---------------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// In: a module of ipu ops.
// Out: a Program that contains all data as numbers, or an error at an op that
// is not executable.
//
//===----------------------------------------------------------------------===//

#ifndef IPU_MLIR_LIB_EXECUTOR_PROGRAM_PROGRAMREADER_H
#define IPU_MLIR_LIB_EXECUTOR_PROGRAM_PROGRAMREADER_H

#include "EngineCodelets.h"
#include "ipu-mlir/Executor/Program/ExecutableInterface.h"
#include "ipu-mlir/Executor/Program/Program.h"

namespace mlir::ipu {

class ProgramReader {
public:
  ProgramReader(ModuleOp module, Program &program);

  LogicalResult read(func::FuncOp entry);

  // The following functions are for models of ExecutableOpInterface.

  const Program &getProgram() const { return program; }
  template <typename OpTy>
  OpTy lookup(Operation *user, SymbolRefAttr name) {
    return symbols.lookupNearestSymbolFrom<OpTy>(user, name);
  }

  /// Adds a step to the profile, and returns its number. Emits an error if the
  /// cost is missing or wrong.
  FailureOr<unsigned> addStep(StepOpInterface op);
  template <typename NodeTy>
  void addNode(NodeTy node) {
    sequence->nodes.push_back(std::move(node));
  }
  /// Reads `region`, a body of `op`, into the sequence `into`.
  LogicalResult readBody(Operation *op, Region &region, ProgramSequence &into);
  /// Reads the function that `op` calls if no earlier call has read it. Returns
  /// the number of the function.
  FailureOr<unsigned> readCallee(CallOp op);

  LogicalResult addVariable(VarOp op);
  LogicalResult endVariable(WriteUndefOp op);
  /// Returns the number of the variable that `value` is or of which it is a
  /// view.
  FailureOr<unsigned> getUsedVariable(Operation *user, Value value);
  FailureOr<unsigned> getStream(Operation *user, FlatSymbolRefAttr name);
  unsigned getRemoteBuffer(Operation *user, FlatSymbolRefAttr name);
  unsigned getFunction(Operation *user, FlatSymbolRefAttr name);
  FailureOr<EngineCodelet> addCodelet(CodeletOp codelet) {
    return codelets.add(codelet);
  }

private:
  LogicalResult readSequence(Block &block, ProgramSequence &into);
  LogicalResult readOp(Operation *op);
  FailureOr<ProgramVariable> makeVariable(Operation *op, StringRef name,
                                          MemRefType type);
  LogicalResult readFunction(CallOp op, unsigned function);
  LogicalResult readResidency();

  // Reads the declarations of the module.
  LogicalResult readDeclarations();
  LogicalResult readStorage(StorageOp op);
  LogicalResult readRemoteBuffer(RemoteBufferOp op);
  LogicalResult readState(StateOp op);
  LogicalResult readRngState(RngStateOp op);

  Program &program;
  /// The sequence to which addNode() adds nodes.
  ProgramSequence *sequence = nullptr;
  EngineCodelets codelets;
  SymbolTableCollection symbols;
  /// The number of the variable of each `ipu.var` and `ipu.storage`.
  llvm::DenseMap<Operation *, unsigned> numberOfVar;
  llvm::DenseMap<unsigned, Operation *> liveRangeEnds;
  llvm::DenseMap<Operation *, unsigned> numberOfStream;
  llvm::DenseMap<Operation *, unsigned> numberOfBuffer;
  llvm::DenseMap<Operation *, unsigned> numberOfFunction;
  /// The functions that were read; and the calls of the functions that are
  /// being read, outermost first.
  llvm::DenseSet<unsigned> readFunctions;
  SmallVector<CallOp> callStack;
};

/// A model of ExecutableOpInterface that calls the function `read` with an op
/// and a reader.
template <typename OpTy, auto read>
struct ExecutableModel
    : ExecutableOpInterface::ExternalModel<ExecutableModel<OpTy, read>, OpTy> {
  LogicalResult addToProgram(Operation *op, ProgramReader &reader) const {
    return read(cast<OpTy>(op), reader);
  }
};

template <typename OpTy, auto read>
void attachExecutable(MLIRContext &context) {
  OpTy::template attachInterface<ExecutableModel<OpTy, read>>(context);
}

// Each of these functions attaches the models of the ops that one source file
// reads.
void attachControlModels(MLIRContext &context);
void attachReplicaModels(MLIRContext &context);
void attachStepModels(MLIRContext &context);

} // namespace mlir::ipu

#endif // IPU_MLIR_LIB_EXECUTOR_PROGRAM_PROGRAMREADER_H
