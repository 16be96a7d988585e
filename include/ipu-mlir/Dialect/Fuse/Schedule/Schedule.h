//===- Schedule.h - Loops of the tensors of a fusion ------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The data of computeAt: tensors, each with the axes of its loops, and the
// edges between them. It is plain data without operations; FusionSchedule.h
// reads it from the IR and writes it back. The model is nvFuser's (iteration
// domains; root, logical and loop lists) with the edges of linalg (indexing
// maps instead of broadcast and squeeze ops). See docs/fusion.md.
//
//===----------------------------------------------------------------------===//

#ifndef IPU_MLIR_DIALECT_FUSE_SCHEDULE_SCHEDULE_H
#define IPU_MLIR_DIALECT_FUSE_SCHEDULE_SCHEDULE_H

#include "mlir/IR/AffineExpr.h"
#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/ADT/StringMap.h"
#include <optional>
#include <string>
#include <vector>

namespace mlir::fuse {

/// Limits of splits, so that extents do not overflow and histories of axes stay
/// shallow.
constexpr int64_t kMaxSplitFactor = int64_t(1) << 32;
constexpr int64_t kMaxLoops = 256;

/// Index of an axis, an axis expression or a tensor in its schedule. Tensors
/// are numbered as they were added; see Schedule::getProgramOrder.
using AxisId = unsigned;
using ExprId = unsigned;
using TensorId = unsigned;

/// What the values of an axis stand for. An axis is a broadcast if no operand
/// of its tensor has different elements along it, or if its extent is 1. The
/// axes of inputs and outputs of the fusion with an extent other than 1 are
/// never broadcasts.
enum class AxisKind { Iteration, Reduction, Broadcast };

/// How the loop over an axis runs.
enum class LoopType { Serial, Parallel, Vectorize, Unroll };

StringRef stringifyLoopType(LoopType type);
std::optional<LoopType> symbolizeLoopType(StringRef name);

/// One iteration domain: the values 0 to extent - 1.
struct Axis {
  std::string name;
  /// A constant, or an expression of the schedule's symbols.
  AffineExpr extent;
  AxisKind kind = AxisKind::Iteration;
  LoopType loopType = LoopType::Serial;
  /// What makes the axis of others; none for an axis of the iteration space.
  std::optional<ExprId> definition;

  bool isReduction() const { return kind == AxisKind::Reduction; }
  bool isBroadcast() const { return kind == AxisKind::Broadcast; }
};

/// How axes are made of others.
///   split: in = outer * extent(inner) + inner; if `inner`, inner has the
///          extent `factor` and outer ceil(in / factor), else the other way
///          round. outputs = {outer, inner}.
///   merge: out = outer * extent(inner) + inner. inputs = {outer, inner}.
/// Outputs have the kind of their inputs; broadcast with iteration is
/// iteration. Reductions merge with reductions only.
struct AxisExpr {
  enum class Kind { Split, Merge };
  Kind kind;
  SmallVector<AxisId, 2> inputs;
  SmallVector<AxisId, 2> outputs;
  int64_t factor = 0;
  bool inner = true;

  /// The same transform, of whatever axes.
  bool isSameTransform(const AxisExpr &other) const {
    return kind == other.kind && factor == other.factor && inner == other.inner;
  }
};

/// A read of a result of another tensor.
struct Operand {
  TensorId producer = 0;
  /// Which result of the producer.
  unsigned result = 0;
  /// For each logical axis of that result (reductions have none there): the
  /// root axis of the reader that indexes it. None: it is the constant 0 of an
  /// axis of extent 1 (a squeeze), or, if `opaque`, anything else (a window).
  SmallVector<std::optional<AxisId>> axes;
  /// Some axis is indexed by more than a root axis or a constant 0: no loop
  /// over an axis without a root axis can be shared.
  bool opaque = false;
  /// What the accumulator of a reduction starts with.
  bool isInit = false;
};

/// A tensor of the schedule: all that one op computes. The results of an op are
/// siblings; they share the iteration space and hence loops and positions.
struct Tensor {
  std::string name;
  /// The op's iteration space; what maps to producers.
  SmallVector<AxisId> root;
  /// Per result, in the order of its dimensions: what maps to consumers. Each
  /// is a permutation of all non-reduction axes of the root, or, after rfactor,
  /// of the products of the root. No reduction is among them.
  SmallVector<SmallVector<AxisId>> logical;
  /// The loops, outermost first.
  SmallVector<AxisId> loop;
  SmallVector<Operand> operands;
  bool isInput = false;
  /// Used outside of the fusion.
  bool isOutput = false;
  /// The values depend on the indices themselves: no axis is a broadcast.
  bool usesIndices = false;
  /// The expressions between root and logical, in order (rfactor only): loops
  /// may not contradict them.
  SmallVector<ExprId> frozen;
  /// Computed inside of its first `computeAt` loops, which all consumers share.
  /// 0 for inputs.
  unsigned computeAt = 0;
  /// Computed, though not stored, inside of its first `computeWith` loops, in
  /// the loops of the first consumer. None: as computeAt.
  std::optional<unsigned> computeWith;

  /// Whether some loop is a reduction.
  bool hasReduction(const class Schedule &schedule) const;
  /// The first loop that is a reduction; the number of loops if there is none.
  unsigned getFirstReduction(const class Schedule &schedule) const;
  /// Whether accumulators start from a result of `producer`: they do so before
  /// the first loop that is a reduction.
  bool startsFrom(TensorId producer) const;
};

/// Why a request is refused: a text that names tensor, axis and consumer, and
/// the tensors that show the path which forbids it, each with a note.
struct Violation {
  struct Note {
    TensorId tensor;
    std::string text;
  };
  std::string text;
  /// The tensor at fault.
  TensorId tensor = 0;
  std::vector<Note> notes;
};

/// None if all went well. A refused request changes nothing.
using MaybeViolation = std::optional<Violation>;

/// A fusion's tensors. Values of this class may be copied, to try something.
class Schedule {
public:
  explicit Schedule(MLIRContext *context) : context(context) {}

  //===--------------------------------------------------------------------===//
  // Building. Producers before their readers.
  //===--------------------------------------------------------------------===//

  AxisId addAxis(StringRef name, AffineExpr extent,
                 AxisKind kind = AxisKind::Iteration);
  /// Adds a tensor whose loops are its root. Fills `logical` of inputs only, if
  /// empty. Broadcast axes are found by `inferBroadcasts`.
  TensorId addTensor(Tensor tensor);
  /// Sets the kind of each axis that is no reduction, and of what is made of
  /// them. Call after all tensors are there and outputs are marked.
  void inferBroadcasts();

  //===--------------------------------------------------------------------===//
  // Looking
  //===--------------------------------------------------------------------===//

  MLIRContext *getContext() const { return context; }
  const Axis &getAxis(AxisId axis) const { return axes[axis]; }
  Axis &getAxis(AxisId axis) { return axes[axis]; }
  const AxisExpr &getExpr(ExprId expr) const { return exprs[expr]; }
  const Tensor &getTensor(TensorId tensor) const { return tensors[tensor]; }
  Tensor &getTensor(TensorId tensor) { return tensors[tensor]; }
  unsigned getNumTensors() const { return tensors.size(); }
  unsigned getNumAxes() const { return axes.size(); }
  /// All tensors, producers first; inputs before all others.
  ArrayRef<TensorId> getProgramOrder() const { return programOrder; }
  /// Position of a tensor in that order.
  unsigned getOrdinal(TensorId tensor) const { return ordinals[tensor]; }
  /// Readers of any result of `tensor`, in program order, each once.
  ArrayRef<TensorId> getConsumers(TensorId tensor) const {
    return consumers[tensor];
  }
  /// Producers of `tensor`, each once, in order of operands.
  SmallVector<TensorId> getProducers(TensorId tensor) const;
  std::optional<TensorId> lookup(StringRef name) const;

  /// `T2[i0, r:i1]` or, with positions, `T2 [i0, r:i1] @1/2`.
  std::string format(TensorId tensor) const;
  std::string formatWithPositions(TensorId tensor) const;
  std::string formatAxis(AxisId axis) const;

  /// Expressions that lead from `from` (or from root axes) to `to`, inputs
  /// first; each once, in the order in which they were made.
  SmallVector<ExprId> getHistory(ArrayRef<AxisId> to,
                                 ArrayRef<AxisId> from = {}) const;
  /// The root-most axes that `axes` are made of, in order of first use.
  SmallVector<AxisId> getRoots(ArrayRef<AxisId> axes) const;
  /// Whether the first `count` loops of `a` and of `b` are made in the same way
  /// of the same root axes; for lists of one tensor.
  bool isSamePrefix(ArrayRef<AxisId> a, ArrayRef<AxisId> b,
                    unsigned count) const;

  /// The deepest position among the loops of `tensor` at which a producer is
  /// computed (`pa`): derived, never stored.
  unsigned getMaxProducer(TensorId tensor) const;
  /// The first loops of a tensor that no transform may change: those that are
  /// shared, max(computeAt, computeWith of producers, getMaxProducer).
  unsigned getNumFrozenLoops(TensorId tensor) const;
  /// Which neighbours they are shared with.
  std::vector<Violation::Note> explainFrozenLoops(TensorId tensor) const;
  /// The root axes after the frozen expressions: what the loops are made of.
  /// That is the logical axes and, unlike in `logical`, the reductions.
  SmallVector<AxisId> getLogicalWithReductions(TensorId tensor) const;

  /// p, or p + n + 1 for a negative p; none if that is not in 0..n, where n is
  /// the number of loops of the tensor.
  std::optional<unsigned> normalizePosition(TensorId tensor, int64_t p) const;
  /// The same for an axis: 0..n-1, negative from the end.
  std::optional<unsigned> normalizeAxis(TensorId tensor, int64_t axis) const;

  //===--------------------------------------------------------------------===//
  // Transforms of one tensor. `axis` is an index into its loops.
  //===--------------------------------------------------------------------===//

  MaybeViolation split(TensorId tensor, int64_t axis, int64_t factor,
                       bool inner = true);
  /// Puts the product where `outer` was.
  MaybeViolation merge(TensorId tensor, int64_t outer, int64_t inner);
  /// Loop i becomes what loop order[i] was. A permutation of all loops.
  MaybeViolation reorder(TensorId tensor, ArrayRef<int64_t> order);
  MaybeViolation setLoopType(TensorId tensor, int64_t axis, LoopType type);
  /// Makes a tensor, before `tensor` in program order and returned in
  /// `partial`, that reduces only `reductionAxes` (indices of loops); `tensor`
  /// reduces the rest. The partial tensor takes over the axes of the old one
  /// and all operands but initial values; see `makePartial`. The root of
  /// `tensor` is then that of the old one, with each reduction replaced by the
  /// parts of it that remain; its loops are the old ones that remain. No loop
  /// may be shared.
  MaybeViolation rfactor(TensorId tensor, ArrayRef<int64_t> reductionAxes,
                         TensorId &partial);
  /// Turns a reduction over all its reductions into one over `reductionAxes`
  /// (indices of loops) only. The transforms that lead to them are frozen; what
  /// remains of the reductions becomes Iteration and is appended to each list
  /// of `logical`, in order of the roots it comes from. No loop may be shared.
  MaybeViolation makePartial(TensorId tensor, ArrayRef<int64_t> reductionAxes);

  //===--------------------------------------------------------------------===//
  // For replay
  //===--------------------------------------------------------------------===//

  /// New axes made of old ones, without touching any loop list.
  std::pair<AxisId, AxisId> makeSplit(AxisId in, int64_t factor, bool inner);
  AxisId makeMerge(AxisId outer, AxisId inner);

private:
  /// Checks that loop `axis` of a tensor exists and is neither frozen nor of a
  /// loop type other than serial; sets `position`. `verb` is for the message.
  MaybeViolation checkLoop(StringRef verb, TensorId tensor, int64_t axis,
                           unsigned &position) const;
  void insertInProgramOrder(TensorId tensor, unsigned ordinal);

  MLIRContext *context;
  std::vector<Axis> axes;
  std::vector<AxisExpr> exprs;
  std::vector<Tensor> tensors;
  std::vector<TensorId> programOrder;
  std::vector<unsigned> ordinals;
  std::vector<SmallVector<TensorId>> consumers;
  unsigned numInputs = 0;
  llvm::StringMap<TensorId> byName;
};

} // namespace mlir::fuse

#endif // IPU_MLIR_DIALECT_FUSE_SCHEDULE_SCHEDULE_H
