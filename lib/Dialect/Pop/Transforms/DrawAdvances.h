//===- DrawAdvances.h - Advances of random bits -----------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Counts the advances (`pop.advance_draws`) that a part of a program executes,
// and lets copies of ops draw the bits of an earlier position. A transform that
// computes a value again needs both, so that the value has the same bits.
//
//===----------------------------------------------------------------------===//

#ifndef IPU_MLIR_LIB_DIALECT_POP_TRANSFORMS_DRAWADVANCES_H
#define IPU_MLIR_LIB_DIALECT_POP_TRANSFORMS_DRAWADVANCES_H

#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/SymbolTable.h"
#include "mlir/Interfaces/CallInterfaces.h"
#include "mlir/Interfaces/FunctionInterfaces.h"
#include "llvm/ADT/DenseMap.h"
#include <map>
#include <optional>

namespace mlir::pop {

/// Returns whether `module` rounds stochastically with generator `counter`.
/// Only then, numbers of draws and advances have an effect.
bool usesDrawNumbers(ModuleOp module);

/// Adds an advance at the end of the body of each function and loop in `root`,
/// and of `root`, if the body draws and has no advance.
void addAdvances(Operation *root);

/// Returns the first op that has a number of a draw, in `root`, which may be
/// this op, or in a function that `root` calls. Returns null if there is none.
Operation *findNumberedDraw(Operation *root);

/// Returns whether `op` or an op in its regions has a number of a draw. Called
/// functions are not examined; calls of functions that draw have effects.
bool containsDraw(Operation *op);

/// Counts advances. The object must not outlive a change of a function that it
/// has counted.
class AdvanceCounts {
public:
  /// Returns the number of advances that an execution of `op` executes, or
  /// std::nullopt if this number is not a constant of 32 bits.
  std::optional<int64_t> get(Operation *op);
  /// Returns the same for the ops from `first` to the one before `last`, which
  /// are in one block.
  std::optional<int64_t> get(Block::iterator first, Block::iterator last);

private:
  std::optional<int64_t> getOfCall(CallOpInterface call);
  std::optional<int64_t> getOfRegion(Region &region);
  std::optional<int64_t> getOfRegions(Operation *op);

  /// The numbers of functions.
  llvm::DenseMap<Operation *, std::optional<int64_t>> ofFunctions;
};

/// Lets ops draw the bits of another position of the program.
class DrawShifter {
public:
  /// `symbols` is the table of the module.
  explicit DrawShifter(SymbolTable &symbols) : symbols(symbols) {}

  /// Lets `op`, the ops in its regions and the functions that it calls draw the
  /// bits that they would draw after `count` more advances, or before -`count`
  /// advances. A function that draws is replaced by a copy. Fails, with an
  /// error, if the offset of a draw then does not fit 32 bits.
  LogicalResult shift(Operation *op, int64_t count);

private:
  LogicalResult shiftOp(Operation *op, int64_t count);
  FailureOr<FunctionOpInterface> getShifted(FunctionOpInterface function,
                                            int64_t count);

  SymbolTable &symbols;
  /// The copies of functions.
  std::map<std::pair<Operation *, int64_t>, FunctionOpInterface> copies;
};

} // namespace mlir::pop

#endif // IPU_MLIR_LIB_DIALECT_POP_TRANSFORMS_DRAWADVANCES_H
