//===- Program.h - An ipu program as the executor runs it -------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The IR of a program, read once into plain structs: numbers in place of
// values, boxes in place of maps. Everything that a run needs has been checked.
//
//===----------------------------------------------------------------------===//

#ifndef IPU_MLIR_EXECUTOR_PROGRAM_H
#define IPU_MLIR_EXECUTOR_PROGRAM_H

#include "ipu-mlir/Analysis/TileMemory.h"
#include "ipu-mlir/Dialect/IPU/IR/IPU.h"
#include "ipu-mlir/Executor/Profile.h"
#include "ipu-mlir/Interfaces/TileInterfaces.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/OwningOpRef.h"
#include <memory>
#include <variant>
#include <vector>

namespace mlir::ipu {

/// A variable; its storage is row-major, one buffer of `bytes` for each
/// replica, behind one another.
struct ProgramVariable {
  VarOp op;
  MemRefType type;
  MapAttr map;
  int64_t elementBytes = 0;
  int64_t bytes = 0;
  ElementsAttr init;
};

struct ProgramStream {
  std::string name;
  /// What one replica sees, and what the host sees.
  RankedTensorType type;
  RankedTensorType hostType;
  bool replicated = false;
};

/// One vertex on each of several tiles. A row of `table` holds, for each
/// operand, the box that the vertex sees of its variable: offset, sizes, and
/// strides, all in elements.
struct VertexGroup {
  VerticesOp op;
  /// Of Program::codelets.
  unsigned codelet = 0;
  SmallVector<unsigned> variables;
  unsigned numInputs = 0;
  /// For each operand that a vertex reads where it writes, the operand that
  /// writes; its own number for all others.
  SmallVector<unsigned> alias;
  std::vector<int64_t> table;
  int64_t rowSize = 0;
  std::vector<int32_t> tiles;

  int64_t getNumRows() const { return tiles.size(); }
  const int64_t *getRow(int64_t row) const {
    return table.data() + row * rowSize;
  }
};

/// A copy of elements from one view of a variable to one of another.
struct ProgramMove {
  MoveOp op;
  unsigned source = 0, target = 0;
  StridedView from, to;
  int64_t elementBytes = 0;
};

/// A step's place in Program::steps.
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
struct BirthNode {
  unsigned variable = 0;
};
struct DeathNode {
  unsigned variable = 0;
};

struct RepeatNode;
using ProgramNode =
    std::variant<ComputeNode, ExchangeNode, SyncNode, HostCopyNode, ExpectNode,
                 BirthNode, DeathNode, std::unique_ptr<RepeatNode>>;
struct ProgramSequence {
  std::vector<ProgramNode> nodes;
};
struct RepeatNode {
  /// Going back to the start; after the steps of the body.
  unsigned step = 0;
  int64_t count = 0;
  ProgramSequence body;
};

struct ProgramStep {
  StepKind kind = StepKind::Compute;
  Operation *op = nullptr;
  std::string name;
  StepCostAttr cost;
};

struct Program {
  ModuleOp module;
  func::FuncOp function;
  TargetModel target;
  std::string preset;
  std::vector<ProgramVariable> variables;
  std::vector<ProgramStream> streams;
  std::vector<ProgramStep> steps;
  ProgramSequence body;
  /// Distinct codelets, without regard to names and costs, with their named
  /// linalg ops written as linalg.generic; all in `codeletModule`.
  std::vector<CodeletOp> codelets;
  OwningOpRef<ModuleOp> codeletModule;
  /// What it needs of the memory of tiles; variables and steps are numbered as
  /// here.
  MemoryProblem memory;
  MemoryPlan memoryPlan;
};

/// Reads the program `entry` of `module`. Emits a diagnostic at whatever is not
/// executable.
FailureOr<Program> readProgram(ModuleOp module, StringRef entry);

} // namespace mlir::ipu

#endif // IPU_MLIR_EXECUTOR_PROGRAM_H
