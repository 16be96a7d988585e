//===- MemoryProblemReader.h - Reader of memory problems --------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef IPU_MLIR_LIB_ANALYSIS_TILEMEMORY_MEMORYPROBLEMREADER_H
#define IPU_MLIR_LIB_ANALYSIS_TILEMEMORY_MEMORYPROBLEMREADER_H

#include "SharedLiveRanges.h"
#include "ipu-mlir/Analysis/CodeLiveness/CodeLiveness.h"
#include "ipu-mlir/Analysis/Effects/FunctionCalls.h"
#include "ipu-mlir/Analysis/TileCounts/Count.h"
#include "ipu-mlir/Dialect/IPU/IR/IPUControl.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "llvm/ADT/MapVector.h"
#include "llvm/ADT/SetVector.h"
#include <map>

namespace mlir::ipu {

/// Returns the counts that result from applying `combine` to the number of each
/// tile.
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

/// Returns whether each execution of the function of `op` executes `op`.
inline bool isAlwaysExecuted(Operation *op) {
  return isa<FunctionOpInterface>(op->getParentOp());
}

/// The number of bytes on each tile, for each category.
using BytesPerTile = std::array<TileCounts, kNumMemoryCategories>;

/// Creates the MemoryProblem of a function and of its callees.
class ProblemReader {
public:
  /// Creates a reader for `function`. If `parts` is not null, the reader
  /// appends the parts of the code on `tile` to it.
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

  // The following functions are for models of StepMemoryOpInterface.

  const TargetModel &getTarget() const { return target; }
  int64_t getNumTiles() const { return numTiles; }
  template <typename OpTy>
  OpTy lookup(Operation *user, SymbolRefAttr name) {
    return symbols.lookupNearestSymbolFrom<OpTy>(user, name);
  }
  const TileCounts &getElements(TileMappingAttr mapping);

  /// Returns the number of the next step.
  int64_t getStep() const { return problem.steps.size(); }
  /// Adds a step that has no code, or whose code is counted elsewhere.
  void addStep(Operation *op) {
    use(op, getStep());
    problem.steps.push_back(op);
  }
  /// Adds a step whose only code is its part of the code that controls the
  /// sequence of steps.
  void addControlStep(Operation *op);
  /// Adds a step that calls a function. The first call of a function also reads
  /// the function.
  LogicalResult addCall(CallOp op);
  LogicalResult readRegions(Operation *op);
  /// Reads the regions of `op`, which may be executed several times. Then adds
  /// `op` as a step.
  LogicalResult readLoop(Operation *op);

  void addVariable(VarOp op);
  /// Returns the variable that `value` is or of which it is a view, or null if
  /// the variable is not known.
  MemoryVariable *findVariable(Value value);
  /// Records that `step` may use the storage that `op` uses, and the storage
  /// that nested ops use if they are not steps.
  void use(Operation *op, int64_t step);

  /// Returns the bytes of a category that are always on the tiles.
  TileCounts &get(MemoryCategory category) {
    return problem.fixed[static_cast<unsigned>(category)];
  }
  /// Adds the code that `op` needs, which has `bytes` on each tile, to the code
  /// of the current function.
  void addCodeOf(Operation *op, MemoryCategory category,
                 const TileCounts &bytes);
  /// Counts the code of `codelet` on each tile that has at least one of
  /// `vertices`.
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
  bool isPrivate(unsigned storage, Operation *function);
  llvm::SmallDenseSet<unsigned> getOverwritten(ExchangeOp op) const;
  unsigned getLayout(MemRefType type);

  func::FuncOp entry;
  TargetModel target;
  int64_t numTiles;
  std::vector<CodePart> *parts;
  int64_t tile;
  MemoryProblem problem;
  SymbolTableCollection symbols;
  SharedLiveRanges liveRanges;
  /// The function that the reader reads, the depth of its call, and all
  /// functions that were read.
  Operation *function = nullptr;
  unsigned callDepth = 0;
  bool isRecursionChecked = false;
  /// The functions with an `ipu.var` of a storage, by the name of the storage,
  /// and the calls of the module. They are read when they are first needed.
  llvm::DenseMap<StringAttr, llvm::SmallSetVector<Operation *, 2>>
      usersOfStorage;
  std::optional<FunctionCalls> calls;
  llvm::MapVector<Operation *, BytesPerTile> codeOfFunction;
  llvm::DenseSet<Operation *> functionsRead;
  bool loadsCode = false;
  /// The number of the variable of each `ipu.var`. All handles on one storage
  /// have the number of the `ipu.storage`.
  llvm::DenseMap<Operation *, unsigned> numberOfVar;
  llvm::DenseMap<TileMappingAttr, TileCounts> elementsOfTileMapping;
  /// The code of exchanges. The key contains the types of the moves of an
  /// exchange and the number of sources of each move.
  std::map<std::vector<std::pair<const void *, size_t>>, TileCounts>
      codeOfMoves;
  llvm::DenseMap<std::pair<TileMappingAttr, int64_t>, unsigned> layouts;
  /// The number of vertices of a codelet on each tile, and the functions that
  /// use the codelet.
  struct CodeletUse {
    TileCounts vertices;
    llvm::SetVector<Operation *> functions;
  };
  llvm::MapVector<Operation *, CodeletUse> codelets;
  /// The code of codelets that several functions use and that are not always on
  /// the tiles. The key contains the numbers of these functions.
  std::map<std::vector<unsigned>, BytesPerTile> sharedCode;
  /// The code of functions that are loaded but never called.
  llvm::MapVector<Operation *, BytesPerTile> codeOfUncalled;
};

} // namespace mlir::ipu

#endif // IPU_MLIR_LIB_ANALYSIS_TILEMEMORY_MEMORYPROBLEMREADER_H
