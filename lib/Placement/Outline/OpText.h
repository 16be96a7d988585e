//===- OpText.h - The ops of a module as a text -----------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef IPU_MLIR_LIB_PLACEMENT_OUTLINE_OPTEXT_H
#define IPU_MLIR_LIB_PLACEMENT_OUTLINE_OPTEXT_H

#include "ipu-mlir/Analysis/Effects/FunctionCalls.h"
#include "ipu-mlir/Dialect/Pop/IR/PopGraph.h"
#include "mlir/IR/BuiltinOps.h"

namespace mlir::ipu {

/// The ops of the blocks of a module, one block after the other. Two ops have
/// equal tokens if they are equal except for their operands, the numbers of
/// their draws, and the times when they are executed (pipeline stage, execution
/// phase, batch phase and execution context). Leaves are left out.
///
/// A token that occurs only once is a boundary between sequences: between two
/// blocks, between ops with different placements, and in place of an op that
/// must not be in a sequence.
///
/// While the object exists, the ops do not have the attributes that the tokens
/// ignore.
class OpText {
public:
  OpText(ModuleOp module, const FunctionCalls &calls);
  ~OpText() { restore(); }
  OpText(const OpText &) = delete;
  OpText &operator=(const OpText &) = delete;

  ArrayRef<unsigned> getTokens() const { return tokens; }
  /// Returns the op at `position`, or null if this is a boundary without op.
  Operation *getOp(unsigned position) const { return ops[position]; }
  /// Returns the ops at `length` positions from `position` on.
  ArrayRef<Operation *> getOps(unsigned position, unsigned length) const {
    return ArrayRef(ops).slice(position, length);
  }
  /// Returns the position of `op`, or std::nullopt if it is not in the text.
  std::optional<unsigned> getPosition(Operation *op) const {
    auto found = positions.find(op);
    return found == positions.end() ? std::nullopt
                                    : std::optional(found->second);
  }
  /// Returns the draw of `op`, or null if it draws nothing.
  pop::DrawAttr getDraw(Operation *op) const { return draws.lookup(op); }
  /// Returns whether ops of the module draw random bits.
  bool drawsBits() const { return !draws.empty(); }

  /// Gives the ops back the attributes that the tokens ignore.
  void restore();

private:
  void strip(ModuleOp module);
  void addBlock(Block &block);
  void addBoundary(Operation *op);
  unsigned getClass(Operation *op);

  SmallVector<Operation *, 0> ops;
  std::vector<unsigned> tokens;
  llvm::DenseMap<Operation *, unsigned> positions;
  /// The first op of each class, by a hash of the op.
  llvm::DenseMap<size_t, SmallVector<std::pair<Operation *, unsigned>, 1>>
      classes;
  unsigned numTokens = 0;

  struct StrippedOp {
    Operation *op;
    pop::DrawAttr draw;
    DictionaryAttr times;
  };
  std::vector<StrippedOp> stripped;
  llvm::DenseMap<Operation *, pop::DrawAttr> draws;
  /// The attributes that must not change within a sequence, for ops that have
  /// some.
  llvm::DenseMap<Operation *, DictionaryAttr> contexts;
};

/// Removes the pipeline stage, execution phase, batch phase and execution
/// context of the ops in `root`.
void removeTimes(Operation *root);

/// Returns the difference between the numbers of the draws of `other` and those
/// of `first` if these sequences of `text` compute the same from values from
/// outside. The difference is 0 if the sequences draw nothing. Returns
/// std::nullopt if the sequences compute different values, or if the difference
/// is not the same for all draws.
std::optional<int64_t> matchSequences(const OpText &text,
                                      ArrayRef<Operation *> first,
                                      ArrayRef<Operation *> other);

} // namespace mlir::ipu

#endif // IPU_MLIR_LIB_PLACEMENT_OUTLINE_OPTEXT_H
