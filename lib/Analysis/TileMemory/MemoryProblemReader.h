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

/// `combine` of the numbers of each tile.
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

/// Makes a MemoryProblem of a function and of all that it calls.
class ProblemReader {
public:
  /// With `parts`, notes there what code lies on `tile`.
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

  /// The number of the step that comes next.
  int64_t getStep() const { return problem.steps.size(); }
  /// A step without code that is counted elsewhere.
  void addStep(Operation *op) {
    use(op, getStep());
    problem.steps.push_back(op);
  }
  /// A step of no more code than that of going on together.
  void addControlStep(Operation *op);
  /// Adds a call of a function, which is read if it is the first.
  LogicalResult addCall(CallOp op);
  LogicalResult readRegions(Operation *op);
  /// Reads regions that may run several times, and adds `op` as the step after
  /// them.
  LogicalResult readLoop(Operation *op);

  void addVariable(VarOp op);
  /// The variable that `value` is or shows; null if it is not known.
  MemoryVariable *findVariable(Value value);
  /// `op`, and those in it that are no steps, may use storage in `step`.
  void use(Operation *op, int64_t step);

  /// What is there all the time.
  TileCounts &get(MemoryCategory category) {
    return problem.fixed[static_cast<unsigned>(category)];
  }
  /// Adds `bytes` of each tile, which `op` makes, to the code of the function
  /// that is being read.
  void addCodeOf(Operation *op, MemoryCategory category,
                 const TileCounts &bytes);
  /// Counts the code of `codelet` on tiles that have any of `vertices`.
  void addVertexCode(CodeletOp codelet, const TileCounts &vertices);
  void addExchangeCode(ExchangeOp op);
  /// Code of functions is not on the tiles all the time.
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
  /// The function that is being read, how deep in calls, and all that were.
  Operation *function = nullptr;
  unsigned callDepth = 0;
  llvm::MapVector<Operation *, BytesPerTile> codeOfFunction;
  llvm::DenseSet<Operation *> functionsRead;
  bool loadsCode = false;
  /// Of `ipu.var`s; handles on one storage have one number, which is also that
  /// of the `ipu.storage`.
  llvm::DenseMap<Operation *, unsigned> numberOfVar;
  llvm::DenseMap<TileMappingAttr, TileCounts> elementsOfTileMapping;
  /// Of exchanges, by their moves' types and numbers of sources.
  std::map<std::vector<std::pair<const void *, size_t>>, TileCounts>
      codeOfMoves;
  llvm::DenseMap<std::pair<TileMappingAttr, int64_t>, unsigned> layouts;
  /// For each codelet, its vertices on each tile, and the functions that have
  /// them.
  struct CodeletUse {
    TileCounts vertices;
    llvm::SetVector<Operation *> functions;
  };
  llvm::MapVector<Operation *, CodeletUse> codelets;
  /// Codelets of several functions that are not always there.
  std::map<std::vector<unsigned>, BytesPerTile> sharedCode;
  /// All code of functions that are loaded but never called.
  llvm::MapVector<Operation *, BytesPerTile> codeOfUncalled;
};

} // namespace mlir::ipu

#endif // IPU_MLIR_LIB_ANALYSIS_TILEMEMORY_MEMORYPROBLEMREADER_H
