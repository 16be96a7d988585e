//===- Schedule.h - Loops of the tensors of a fusion ------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The schedule of a fusion: tensors, each with the axes of its loops, and the
// edges between the tensors. The schedule does not refer to ops;
// FusionSchedule.h reads it from the IR and writes it back. As in nvFuser, a
// tensor has an iteration domain, and lists of root, logical and loop axes. As
// in linalg, an edge has an indexing map; there are no broadcast and squeeze
// ops. See docs/fusion.md.
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

/// The greatest factor of a split, and the greatest number of loops of a
/// tensor. These limits prevent overflow of extents and long chains of
/// transforms.
constexpr int64_t kMaxSplitFactor = int64_t(1) << 32;
constexpr int64_t kMaxLoops = 256;

/// The index of an axis, an axis expression or a tensor in its schedule.
/// Tensors are numbered in the order in which they were added, which can differ
/// from Schedule::getProgramOrder.
using AxisId = unsigned;
using ExprId = unsigned;
using TensorId = unsigned;

/// The kind of an axis. An axis is a broadcast if no operand of its tensor has
/// different elements along the axis, or if its extent is 1. If an axis of an
/// input or output of the fusion has an extent other than 1, it is never a
/// broadcast.
enum class AxisKind { Iteration, Reduction, Broadcast };

/// The way in which the loop over an axis is executed.
enum class LoopType { Serial, Parallel, Vectorize, Unroll };

StringRef stringifyLoopType(LoopType type);
std::optional<LoopType> symbolizeLoopType(StringRef name);

/// One axis (an IterDomain of nvFuser): the values 0 to extent - 1.
struct Axis {
  std::string name;
  /// A constant, or an expression of the schedule's symbols.
  AffineExpr extent;
  AxisKind kind = AxisKind::Iteration;
  LoopType loopType = LoopType::Serial;
  /// The expression that defines the axis from other axes, or std::nullopt for
  /// a root axis, which is an axis of the op's iteration space.
  std::optional<ExprId> definition;

  bool isReduction() const { return kind == AxisKind::Reduction; }
  bool isBroadcast() const { return kind == AxisKind::Broadcast; }
};

/// The definition of axes from other axes.
/// - split: in = outer * extent(inner) + inner. If `inner` is set, the inner
///   axis has the extent `factor`, and the outer axis has the extent
///   ceil(extent(in) / factor). Otherwise, the outer axis has the extent
///   `factor`. outputs = {outer, inner}.
/// - merge: out = outer * extent(inner) + inner. inputs = {outer, inner}.
///
/// Outputs have the kind of their inputs. The merge of a broadcast axis and an
/// iteration axis is an iteration axis. Reductions can be merged only with
/// reductions.
struct AxisExpr {
  enum class Kind { Split, Merge };
  Kind kind;
  SmallVector<AxisId, 2> inputs;
  SmallVector<AxisId, 2> outputs;
  int64_t factor = 0;
  bool inner = true;

  /// Returns whether both expressions have the same kind, factor and `inner`,
  /// whatever their axes are.
  bool isSameTransform(const AxisExpr &other) const {
    return kind == other.kind && factor == other.factor && inner == other.inner;
  }
};

/// A read of a result of another tensor.
struct Operand {
  TensorId producer = 0;
  /// The number of the producer's result that is read.
  unsigned result = 0;
  /// For each logical axis of the producer's result, the root axis of the
  /// reader that indexes the logical axis. The entry is std::nullopt for a
  /// squeeze (the extent is 1 and the index is the constant 0) and for a window
  /// (any other index). There are windows only if `opaque` is set.
  SmallVector<std::optional<AxisId>> axes;
  /// Whether some logical axis is read through a window. Loops over such an
  /// axis cannot be shared.
  bool opaque = false;
  /// Whether the operand is the initial value of the accumulator of a
  /// reduction.
  bool isInit = false;
};

/// A tensor of the schedule. It stands for all results of one op, which share
/// one iteration space, and therefore loops and positions.
struct Tensor {
  std::string name;
  /// The axes of the op's iteration space. They correspond to logical axes of
  /// producers.
  SmallVector<AxisId> root;
  /// For each result, the axes of its dimensions, which correspond to root axes
  /// of consumers. Each list is a permutation of the root axes that are not
  /// reductions. After rfactor, each list is a permutation of the axes that
  /// rfactor made from root axes and that are not reductions.
  SmallVector<SmallVector<AxisId>> logical;
  /// The loops, outermost first.
  SmallVector<AxisId> loop;
  SmallVector<Operand> operands;
  bool isInput = false;
  /// Whether a result of the tensor is used outside of the fusion.
  bool isOutput = false;
  /// Whether the body of the op reads the loop indices (`linalg.index`). If so,
  /// no axis with an extent other than 1 is a broadcast.
  bool usesIndices = false;
  /// The expressions that lead from root axes to logical axes, in order; empty
  /// before rfactor. Transforms of the loops must start with these expressions.
  SmallVector<ExprId> frozen;
  /// The computeAt position: all consumers share the first `computeAt` loops of
  /// the tensor, and the tensor is computed and stored inside of them. The
  /// position of inputs is 0.
  unsigned computeAt = 0;
  /// The computeWith position: the first consumer shares the first
  /// `computeWith` loops of the tensor, and the tensor is computed, but not
  /// stored, inside of them. If there is no value, the position equals
  /// `computeAt`.
  std::optional<unsigned> computeWith;

  /// Returns whether some loop is a reduction.
  bool hasReduction(const class Schedule &schedule) const;
  /// Returns the index of the first loop that is a reduction, or the number of
  /// loops if no loop is a reduction.
  unsigned getFirstReduction(const class Schedule &schedule) const;
  /// Returns whether a result of `producer` is the initial value of an
  /// accumulator. This result is read before the first loop that is a
  /// reduction.
  bool startsFrom(TensorId producer) const;
};

/// The reason why a request is refused. A request is a change of a schedule,
/// for example a transform of loops. `text` names the tensor, the axis and the
/// consumer. If a path of producers and consumers forbids the request, `notes`
/// has a note for each tensor on the path.
struct Violation {
  struct Note {
    TensorId tensor;
    std::string text;
  };
  std::string text;
  /// The tensor that violates a condition.
  TensorId tensor = 0;
  std::vector<Note> notes;
};

/// The result of a request: std::nullopt if the request succeeded, otherwise
/// the reason for its refusal. A refused request changes nothing.
using MaybeViolation = std::optional<Violation>;

/// The tensors of a fusion, with their loops and positions. To try a request
/// without changing a schedule, apply the request to a copy of the schedule.
class Schedule {
public:
  explicit Schedule(MLIRContext *context) : context(context) {}

  //===--------------------------------------------------------------------===//
  // Construction. Producers must be added before their readers.
  //===--------------------------------------------------------------------===//

  AxisId addAxis(StringRef name, AffineExpr extent,
                 AxisKind kind = AxisKind::Iteration);
  /// Adds a tensor whose loops are its root axes. If the tensor is an input and
  /// `logical` is empty, `logical` is set to the root axes. `inferBroadcasts`
  /// determines later which axes are broadcasts.
  TensorId addTensor(Tensor tensor);
  /// Sets the kinds of all axes that are not reductions: iteration or
  /// broadcast. Must be called after all tensors are added and all outputs are
  /// marked.
  void inferBroadcasts();

  //===--------------------------------------------------------------------===//
  // Queries
  //===--------------------------------------------------------------------===//

  MLIRContext *getContext() const { return context; }
  const Axis &getAxis(AxisId axis) const { return axes[axis]; }
  Axis &getAxis(AxisId axis) { return axes[axis]; }
  const AxisExpr &getExpr(ExprId expr) const { return exprs[expr]; }
  const Tensor &getTensor(TensorId tensor) const { return tensors[tensor]; }
  Tensor &getTensor(TensorId tensor) { return tensors[tensor]; }
  unsigned getNumTensors() const { return tensors.size(); }
  unsigned getNumAxes() const { return axes.size(); }
  /// Returns all tensors in program order: inputs first, then the other
  /// tensors, producers before consumers.
  ArrayRef<TensorId> getProgramOrder() const { return programOrder; }
  /// Returns the position of a tensor in the program order.
  unsigned getOrdinal(TensorId tensor) const { return ordinals[tensor]; }
  /// Returns the tensors that read any result of `tensor`, in program order and
  /// without duplicates.
  ArrayRef<TensorId> getConsumers(TensorId tensor) const {
    return consumers[tensor];
  }
  /// Returns the producers of `tensor` in the order of the operands, without
  /// duplicates.
  SmallVector<TensorId> getProducers(TensorId tensor) const;
  std::optional<TensorId> lookup(StringRef name) const;

  /// Returns the text of a tensor and its loops: `T2[i0, r:i1]` or, with
  /// computeAt and getMaxProducer, `T2 [i0, r:i1] @1/2`.
  std::string format(TensorId tensor) const;
  std::string formatWithPositions(TensorId tensor) const;
  std::string formatAxis(AxisId axis) const;

  /// Returns the expressions that lead to `to` from `from` or, if `from` is
  /// empty, from root axes. The expressions are in the order of their creation
  /// and without duplicates.
  SmallVector<ExprId> getHistory(ArrayRef<AxisId> to,
                                 ArrayRef<AxisId> from = {}) const;
  /// Returns the axes of iteration spaces from which `axes` are made, in the
  /// order of their first use.
  SmallVector<AxisId> getRoots(ArrayRef<AxisId> axes) const;
  /// Returns whether the first `count` loops of `a` and of `b` are made by the
  /// same transforms from the same root axes. `a` and `b` are lists of loops of
  /// one tensor.
  bool isSamePrefix(ArrayRef<AxisId> a, ArrayRef<AxisId> b,
                    unsigned count) const;

  /// Returns the greatest number of outer loops that `tensor` shares with one
  /// of its producers. This number is computed from the positions of the
  /// producers.
  unsigned getMaxProducer(TensorId tensor) const;
  /// Returns the number of frozen loops of `tensor`: outer loops that no
  /// transform may change because other tensors share them.
  unsigned getNumFrozenLoops(TensorId tensor) const;
  /// Returns a note for each producer or consumer that shares all frozen loops
  /// of `tensor`.
  std::vector<Violation::Note> explainFrozenLoops(TensorId tensor) const;
  /// Returns the axes from which the loops of `tensor` are made: the axes that
  /// the frozen expressions make from the root axes. In contrast to `logical`,
  /// the result includes reductions.
  SmallVector<AxisId> getLogicalWithReductions(TensorId tensor) const;

  /// Returns the position that `p` denotes: p, or p + n + 1 for a negative p,
  /// where n is the number of loops of the tensor. Returns std::nullopt if the
  /// result is not in 0..n.
  std::optional<unsigned> normalizePosition(TensorId tensor, int64_t p) const;
  /// Returns the index of the loop that `axis` denotes: axis, or axis + n for a
  /// negative axis, where n is the number of loops of the tensor. Returns
  /// std::nullopt if the result is not in 0..n-1.
  std::optional<unsigned> normalizeAxis(TensorId tensor, int64_t axis) const;

  //===--------------------------------------------------------------------===//
  // Transforms of one tensor. `axis` is an index into its loops.
  //===--------------------------------------------------------------------===//

  MaybeViolation split(TensorId tensor, int64_t axis, int64_t factor,
                       bool inner = true);
  /// Replaces the loops `outer` and `inner` by their product, which is inserted
  /// at the position of `outer`.
  MaybeViolation merge(TensorId tensor, int64_t outer, int64_t inner);
  /// Permutes all loops: the new loop i is the old loop order[i].
  MaybeViolation reorder(TensorId tensor, ArrayRef<int64_t> order);
  MaybeViolation setLoopType(TensorId tensor, int64_t axis, LoopType type);
  /// Splits the reduction of `tensor` into two reductions. A new tensor,
  /// returned in `partial`, reduces only `reductionAxes` (indices of loops),
  /// and `tensor` reduces the partial values along the other reduction loops.
  /// The new tensor is before `tensor` in program order. It gets the axes of
  /// `tensor` and all operands except initial values; see `makePartial`. In the
  /// root of `tensor`, a reduction is replaced by the axes that were made from
  /// the reduction and that are not in `reductionAxes`. The new loops of
  /// `tensor` are its old loops without `reductionAxes`. No loop of `tensor`
  /// may be shared.
  MaybeViolation rfactor(TensorId tensor, ArrayRef<int64_t> reductionAxes,
                         TensorId &partial);
  /// Changes `tensor` such that it only reduces along `reductionAxes` (indices
  /// of loops). The transforms that lead to these axes are frozen. The other
  /// axes that were made from reductions become Iteration axes, and are
  /// appended to each list of `logical` in the order of their root axes. No
  /// loop of `tensor` may be shared.
  MaybeViolation makePartial(TensorId tensor, ArrayRef<int64_t> reductionAxes);

  //===--------------------------------------------------------------------===//
  // Functions for replay
  //===--------------------------------------------------------------------===//

  /// Creates axes by a split or a merge of other axes. The lists of loops do
  /// not change.
  std::pair<AxisId, AxisId> makeSplit(AxisId in, int64_t factor, bool inner);
  AxisId makeMerge(AxisId outer, AxisId inner);

private:
  /// Checks that loop `axis` of `tensor` exists, is not frozen, and has the
  /// loop type Serial. Sets `position` to the index of the loop. `verb` is part
  /// of the text of the violation.
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
