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

/// Limits of splits. They prevent overflow of extents and deep histories of
/// axes.
constexpr int64_t kMaxSplitFactor = int64_t(1) << 32;
constexpr int64_t kMaxLoops = 256;

/// Index of an axis, an axis expression or a tensor in its schedule. Tensors
/// are numbered as they were added; see Schedule::getProgramOrder.
using AxisId = unsigned;
using ExprId = unsigned;
using TensorId = unsigned;

/// The meaning of the values of an axis. An axis is a broadcast if no operand
/// of its tensor has different elements along it, or if its extent is 1. The
/// axes of inputs and outputs of the fusion with an extent other than 1 are
/// never broadcasts.
enum class AxisKind { Iteration, Reduction, Broadcast };

/// The way in which the loop over an axis is executed.
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
  /// The expression that defines the axis from other axes; none for an axis of
  /// the iteration space.
  std::optional<ExprId> definition;

  bool isReduction() const { return kind == AxisKind::Reduction; }
  bool isBroadcast() const { return kind == AxisKind::Broadcast; }
};

/// The definition of axes from other axes.
/// - split: in = outer * extent(inner) + inner. If `inner` is set, the inner
///   axis has the extent `factor` and the outer axis the extent ceil(in /
///   factor); otherwise the reverse. outputs = {outer, inner}.
/// - merge: out = outer * extent(inner) + inner. inputs = {outer, inner}.
///
/// Outputs have the kind of their inputs. A merge of a broadcast and an
/// iteration is an iteration. Reductions only merge with reductions.
struct AxisExpr {
  enum class Kind { Split, Merge };
  Kind kind;
  SmallVector<AxisId, 2> inputs;
  SmallVector<AxisId, 2> outputs;
  int64_t factor = 0;
  bool inner = true;

  /// Returns whether both are the same transform, of any axes.
  bool isSameTransform(const AxisExpr &other) const {
    return kind == other.kind && factor == other.factor && inner == other.inner;
  }
};

/// A read of a result of another tensor.
struct Operand {
  TensorId producer = 0;
  /// Which result of the producer.
  unsigned result = 0;
  /// For each logical axis of the producer's result (which has no reductions):
  /// the root axis of the reader that indexes it. None if the index is the
  /// constant 0 of an axis of extent 1 (a squeeze) or, if `opaque` is set,
  /// another index (a window).
  SmallVector<std::optional<AxisId>> axes;
  /// Some axis is not indexed by one root axis or a constant 0. No loop over an
  /// axis without a root axis can be shared.
  bool opaque = false;
  /// Whether the operand is the initial value of the accumulator of a
  /// reduction.
  bool isInit = false;
};

/// A tensor of the schedule: all results of one op. The results of an op are
/// siblings. They share the iteration space, and therefore loops and positions.
struct Tensor {
  std::string name;
  /// The iteration space of the op. Its axes correspond to axes of producers.
  SmallVector<AxisId> root;
  /// For each result, in the order of its dimensions: the axes that correspond
  /// to axes of consumers. Each list is a permutation of all root axes that are
  /// not reductions or, after rfactor, of the axes that were made from the
  /// root. It contains no reductions.
  SmallVector<SmallVector<AxisId>> logical;
  /// The loops, outermost first.
  SmallVector<AxisId> loop;
  SmallVector<Operand> operands;
  bool isInput = false;
  /// Whether the tensor is used outside of the fusion.
  bool isOutput = false;
  /// Whether the values depend on the loop indices themselves. If so, no axis
  /// is a broadcast.
  bool usesIndices = false;
  /// The expressions between root and logical axes, in order (only after
  /// rfactor). Loops may not contradict them.
  SmallVector<ExprId> frozen;
  /// The tensor is computed inside of its first `computeAt` loops, which all
  /// consumers share. 0 for inputs.
  unsigned computeAt = 0;
  /// The tensor is computed, though not stored, inside of its first
  /// `computeWith` loops, in the loops of its first consumer. None means the
  /// same as `computeAt`.
  std::optional<unsigned> computeWith;

  /// Returns whether some loop is a reduction.
  bool hasReduction(const class Schedule &schedule) const;
  /// Returns the first loop that is a reduction, or the number of loops if
  /// there are no reductions.
  unsigned getFirstReduction(const class Schedule &schedule) const;
  /// Returns whether accumulators have a result of `producer` as initial value.
  /// They read it before the first loop that is a reduction.
  bool startsFrom(TensorId producer) const;
};

/// The reason for the refusal of a request: a text that names tensor, axis and
/// consumer, and the tensors on the path that forbids the request, each with a
/// note.
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

/// None if the request succeeded. A refused request changes nothing.
using MaybeViolation = std::optional<Violation>;

/// The tensors of a fusion. A copy of the schedule can be used to try a
/// request.
class Schedule {
public:
  explicit Schedule(MLIRContext *context) : context(context) {}

  //===--------------------------------------------------------------------===//
  // Building. Producers before their readers.
  //===--------------------------------------------------------------------===//

  AxisId addAxis(StringRef name, AffineExpr extent,
                 AxisKind kind = AxisKind::Iteration);
  /// Adds a tensor whose loops are its root axes. Fills `logical` if it is
  /// empty, for inputs only. `inferBroadcasts` determines the broadcast axes.
  TensorId addTensor(Tensor tensor);
  /// Sets the kind of each axis that is not a reduction, and of the axes that
  /// are made from it. Must be called after all tensors are added and outputs
  /// are marked.
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
  /// Returns all tensors, producers first and inputs before all other tensors.
  ArrayRef<TensorId> getProgramOrder() const { return programOrder; }
  /// Position of a tensor in that order.
  unsigned getOrdinal(TensorId tensor) const { return ordinals[tensor]; }
  /// Tensors that read any result of `tensor`, in program order, each once.
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
  /// first, each once, in the order in which they were created.
  SmallVector<ExprId> getHistory(ArrayRef<AxisId> to,
                                 ArrayRef<AxisId> from = {}) const;
  /// Returns the axes closest to the root from which `axes` are made, in the
  /// order of first use.
  SmallVector<AxisId> getRoots(ArrayRef<AxisId> axes) const;
  /// Returns whether the first `count` loops of `a` and of `b` are made in the
  /// same way from the same root axes. Both are lists of loops of one tensor.
  bool isSamePrefix(ArrayRef<AxisId> a, ArrayRef<AxisId> b,
                    unsigned count) const;

  /// Returns the deepest position among the loops of `tensor` at which a
  /// producer is computed (`pa`). It is derived and never stored.
  unsigned getMaxProducer(TensorId tensor) const;
  /// Returns the number of first loops of a tensor that no transform may
  /// change, because they are shared: the maximum of computeAt, computeWith of
  /// producers, and getMaxProducer.
  unsigned getNumFrozenLoops(TensorId tensor) const;
  /// Returns the neighbours with which the frozen loops are shared.
  std::vector<Violation::Note> explainFrozenLoops(TensorId tensor) const;
  /// Returns the axes after the frozen expressions, from which the loops are
  /// made. In contrast to `logical`, they include the reductions.
  SmallVector<AxisId> getLogicalWithReductions(TensorId tensor) const;

  /// p, or p + n + 1 for a negative p, where n is the number of loops of the
  /// tensor. Returns std::nullopt if the result is not in 0..n.
  std::optional<unsigned> normalizePosition(TensorId tensor, int64_t p) const;
  /// The same for an axis: the result is in 0..n-1; negative numbers count from
  /// the end.
  std::optional<unsigned> normalizeAxis(TensorId tensor, int64_t axis) const;

  //===--------------------------------------------------------------------===//
  // Transforms of one tensor. `axis` is an index into its loops.
  //===--------------------------------------------------------------------===//

  MaybeViolation split(TensorId tensor, int64_t axis, int64_t factor,
                       bool inner = true);
  /// Inserts the product at the position of `outer`.
  MaybeViolation merge(TensorId tensor, int64_t outer, int64_t inner);
  /// Permutes all loops: the new loop i is the old loop order[i].
  MaybeViolation reorder(TensorId tensor, ArrayRef<int64_t> order);
  MaybeViolation setLoopType(TensorId tensor, int64_t axis, LoopType type);
  /// Creates a tensor, returned in `partial`, before `tensor` in program order.
  /// The new tensor reduces only `reductionAxes` (indices of loops), and
  /// `tensor` reduces the rest. The partial tensor gets the axes of the old
  /// tensor, and all its operands except initial values; see `makePartial`. The
  /// root of `tensor` becomes the old root, in which each reduction is replaced
  /// by its remaining parts. Its loops are the remaining old loops. No loop may
  /// be shared.
  MaybeViolation rfactor(TensorId tensor, ArrayRef<int64_t> reductionAxes,
                         TensorId &partial);
  /// Replaces a reduction over all its reduction axes by a reduction over
  /// `reductionAxes` (indices of loops) only. The transforms that lead to them
  /// are frozen. The remaining parts of the reductions become Iteration axes.
  /// They are appended to each list of `logical`, in the order of their root
  /// axes. No loop may be shared.
  MaybeViolation makePartial(TensorId tensor, ArrayRef<int64_t> reductionAxes);

  //===--------------------------------------------------------------------===//
  // For replay
  //===--------------------------------------------------------------------===//

  /// Creates new axes from old ones, without changing any loop list.
  std::pair<AxisId, AxisId> makeSplit(AxisId in, int64_t factor, bool inner);
  AxisId makeMerge(AxisId outer, AxisId inner);

private:
  /// Checks that loop `axis` of a tensor exists, is not frozen, and has the
  /// loop type serial. Sets `position`. `verb` is part of the message.
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
