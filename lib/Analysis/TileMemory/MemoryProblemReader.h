//===- MemoryProblemReader.h - Reader of memory problems --------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef IPU_MLIR_LIB_ANALYSIS_TILEMEMORY_MEMORYPROBLEMREADER_H
#define IPU_MLIR_LIB_ANALYSIS_TILEMEMORY_MEMORYPROBLEMREADER_H

#include "SharedLiveRanges.h"
#include "ipu-mlir/Analysis/CodeLiveness/CodeLiveness.h"
#include "ipu-mlir/Analysis/TileCounts/Count.h"
#include "ipu-mlir/Dialect/IPU/IR/IPUControl.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "llvm/ADT/MapVector.h"
#include "llvm/ADT/SetVector.h"
#include <map>

namespace mlir::ipu {

/// Applies `combine` to the number of each tile.
inline TileCounts transform(const TileCounts &counts,
                            function_ref<int64_t(int64_t)> combine) {
  return TileCounts::combine(
      {&counts}, [&](ArrayRef<int64_t> values) { return combine(values[0]); });
}

inline bool usesMatrixUnit(CodeletCostAttr cost) {
  return (cost.getKind() == CostKind::Matmul ||
          cost.getKind() == CostKind::Conv) &&
         cost.getPer() == 0;
}

/// Bytes on each tile by category.
using BytesPerTile = std::array<TileCounts, kNumMemoryCategories>;

/// Creates the MemoryProblem of a function and of its callees.
class ProblemReader {
public:
  /// If `parts` is not null, appends the parts of the code on `tile` to it.
  ProblemReader(func::FuncOp function, std::vector<CodePart> *parts = nullptr,
                int64_t tile = 0)
      : entry(function), target(getTargetModel(function)),
        numTiles(target.getTilesPerReplica()), parts(parts), tile(tile) {
    problem.numTiles = numTiles;
    problem.tileMemory = target.tile_memory;
    problem.codeMemory = std::min(target.code_memory, target.tile_memory);
    problem.fixed = getNoBytes();
    get(MemoryCategory::Stack)
        .add(0, numTiles,
             (Count(target.stack_bytes) + target.runtime_bytes).get());
  }

  FailureOr<MemoryProblem> read();

  // For models of StepMemoryOpInterface.

  const TargetModel &getTarget() const { return target; }
  int64_t getNumTiles() const { return numTiles; }
  template <typename OpTy>
  OpTy lookup(Operation *user, SymbolRefAttr name) {
    return symbols.lookupNearestSymbolFrom<OpTy>(user, name);
  }
  const TileCounts &getElements(TileMappingAttr mapping);

  /// The number of the next step.
  int64_t getStep() const { return problem.steps.size(); }
  /// Adds a step without code, or whose code is counted elsewhere.
  void addStep(Operation *op) {
    use(op, getStep());
    problem.steps.push_back(op);
  }
  /// Adds a step whose only code is the sequence of steps.
  void addControlStep(Operation *op);
  /// Adds a call of a function. The first call also reads the function.
  LogicalResult addCall(CallOp op);
  LogicalResult readRegions(Operation *op);
  /// Reads regions that may be executed several times, and adds `op` as the
  /// step after them.
  LogicalResult readLoop(Operation *op);

  void addVariable(VarOp op);
  /// The variable that `value` is or views; null if it is not known.
  MemoryVariable *findVariable(Value value);
  /// Records that `op`, and the ops in it that are not steps, may use storage
  /// in `step`.
  void use(Operation *op, int64_t step);

  /// Bytes that are always on the tiles.
  TileCounts &get(MemoryCategory category) {
    return problem.fixed[static_cast<unsigned>(category)];
  }
  /// Adds `bytes` on each tile, which `op` needs, to the code of the current
  /// function.
  void addCodeOf(Operation *op, MemoryCategory category,
                 const TileCounts &bytes);
  /// Counts the code of `codelet` on tiles with any of `vertices`.
  void addVertexCode(CodeletOp codelet, const TileCounts &vertices);
  void addExchangeCode(ExchangeOp op);
  /// Records that the code of functions is not always on the tiles.
  void setLoadsCode() { loadsCode = true; }

private:
  TileCounts &getCode(MemoryCategory category) {
    return codeOfFunction[function][static_cast<unsigned>(category)];
  }
  void notePart(Operation *op, MemoryCategory category, int64_t bytes) {
    if (parts && bytes > 0)
      parts->push_back({op, category, bytes});
  }
  LogicalResult readFunction(func::FuncOp function);
  LogicalResult readBlock(Block &block);
  LogicalResult readOp(Operation &op);
  void readStates();
  using IsLoaded = function_ref<bool(Operation *function)>;
  LogicalResult addCode();
  LogicalResult addLoadedCode(ModuleOp module);
  void addCodelets(IsLoaded isLoaded);
  LogicalResult addUncalled(const CodeLiveness &liveness);
  void addBuffer(const CodeLiveness &liveness, CodeLocation buffer);
  void addExecutable(const CodeLiveness &liveness);
  SmallVector<StepRange> getSteps(const CodeLiveness &liveness,
                                  FunctionOpInterface callee) const;
  BytesPerTile getNoBytes() const {
    BytesPerTile bytes;
    bytes.fill(TileCounts(numTiles));
    return bytes;
  }
  unsigned getStorage(StorageOp op);
  unsigned getLayout(MemRefType type);

  func::FuncOp entry;
  TargetModel target;
  int64_t numTiles;
  std::vector<CodePart> *parts;
  int64_t tile;
  MemoryProblem problem;
  SymbolTableCollection symbols;
  SharedLiveRanges liveRanges;
  /// The function that is being read, its call depth, and all functions that
  /// were read.
  Operation *function = nullptr;
  unsigned callDepth = 0;
  llvm::MapVector<Operation *, BytesPerTile> codeOfFunction;
  llvm::DenseSet<Operation *> functionsRead;
  bool loadsCode = false;
  /// For `ipu.var` ops. All handles on one storage have the number of the
  /// `ipu.storage`.
  llvm::DenseMap<Operation *, unsigned> numberOfVar;
  llvm::DenseMap<TileMappingAttr, TileCounts> elementsOfTileMapping;
  /// For exchanges, by the types and the numbers of sources of their moves.
  std::map<std::vector<std::pair<const void *, size_t>>, TileCounts>
      codeOfMoves;
  llvm::DenseMap<std::pair<TileMappingAttr, int64_t>, unsigned> layouts;
  /// For each codelet, its vertices on each tile, and the functions that use
  /// it.
  struct CodeletUse {
    TileCounts vertices;
    llvm::SetVector<Operation *> functions;
  };
  llvm::MapVector<Operation *, CodeletUse> codelets;
  /// Codelets of several functions that are not always on the tiles.
  std::map<std::vector<unsigned>, BytesPerTile> sharedCode;
  /// The code of functions that are loaded but never called.
  llvm::MapVector<Operation *, BytesPerTile> codeOfUncalled;
};

} // namespace mlir::ipu

#endif // IPU_MLIR_LIB_ANALYSIS_TILEMEMORY_MEMORYPROBLEMREADER_H
