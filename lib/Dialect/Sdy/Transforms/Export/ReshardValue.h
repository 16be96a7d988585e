//===- ReshardValue.h - Reshards of values ----------------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef IPU_MLIR_LIB_DIALECT_SDY_TRANSFORMS_EXPORT_RESHARDVALUE_H
#define IPU_MLIR_LIB_DIALECT_SDY_TRANSFORMS_EXPORT_RESHARDVALUE_H

#include "ipu-mlir/Dialect/Sdy/IR/Sdy.h"
#include "ipu-mlir/Sharding/ShardingProjection.h"
#include "mlir/IR/Builders.h"

namespace mlir::ipu::sdy {

/// A sharding in numbers; without attribute: all devices have all of it.
struct ValueSharding {
  TensorShardingAttr attr;
  MeshAttr mesh;
  sharding::TensorSharding axes;

  bool isMaximal() const { return mesh && mesh.isMaximal(); }
  bool isUnreduced() const { return !axes.unreduced.empty(); }
  /// All devices have all of it.
  bool isFullyReplicated() const;
  ReductionKind getKind() const {
    return attr ? attr.getReductionKind() : ReductionKind::Sum;
  }
};

/// Whether all devices have the same shards by both.
bool isSameDistribution(const ValueSharding &a, const ValueSharding &b);

/// Whether the same devices have parts of the same values by both: those that
/// the unreduced axes tell apart, whatever they are called on the two meshes.
/// The devices may be in another order.
bool haveSameParts(const ValueSharding &a, const ValueSharding &b);

/// Axes in the order of the mesh, parts that meet united.
sharding::AxisList getSorted(ArrayRef<sharding::AxisRef> axes);
/// What is in both.
sharding::AxisList getIntersection(ArrayRef<sharding::AxisRef> a,
                                   ArrayRef<sharding::AxisRef> b);

/// Adds a note to a diagnostic.
using AttachNoteFn = function_ref<void(InFlightDiagnostic &)>;

/// What diagnostics say of a value to reshard.
struct ReshardDescription {
  /// "operand 0".
  std::string name = "a tensor";
  /// At the op that wants another sharding; null: at the location alone.
  EmitErrorFn emitError = nullptr;
  /// Where that sharding is asked for; may be null.
  AttachNoteFn attachNote = nullptr;
};

/// Makes the ops that give values other shardings. Shardings are as the users
/// of a value see them: of an argument of a manual computation without manual
/// axes.
class ValueResharder {
public:
  explicit ValueResharder(ModuleOp module) : symbols(module) {}

  /// In front of `op`. What it inserts counts as a change.
  OpBuilder makeBuilder(Operation *op) const {
    return OpBuilder(op, &listener);
  }
  bool hasChanged() const { return listener.hasInserted; }

  SymbolTable &getSymbols() const { return symbols; }

  /// Of a tensor of `rank` dimensions.
  ValueSharding get(TensorShardingAttr attr, int64_t rank) const;
  ValueSharding get(Value value) const;
  /// That of a scalar on the first mesh of the module that has axes, if any.
  std::optional<ValueSharding> getAnyMesh(MLIRContext *context) const;
  /// With the axes of `axes` on the mesh of `like`, all dimensions closed.
  ValueSharding make(const ValueSharding &like,
                     const sharding::TensorSharding &axes,
                     ReductionKind kind) const;
  ValueSharding make(const ValueSharding &like,
                     const sharding::TensorSharding &axes) const {
    return make(like, axes, like.getKind());
  }

  /// `from` with the unreduced axes of `to`, in place of those of dimensions.
  /// `to` itself if that is partial on another mesh.
  ValueSharding makePartialLike(const ValueSharding &from,
                                const ValueSharding &to) const;

  /// Partial values along `axes`, unreduced axes of `from` or of a reduction
  /// just made, combined.
  Value allReduce(OpBuilder &builder, Location loc, Value value,
                  const ValueSharding &from, ArrayRef<sharding::AxisRef> axes,
                  ReductionKind kind) const;

  /// `value`, of sharding `from`, with `to`: unreduced axes that `to` lacks are
  /// reduced, those that it adds are made of axes of dimensions, or of whole
  /// tensors, and an sdy.reshard does the rest. Fails, with a diagnostic, if
  /// `to` adds unreduced axes of another kind than a sum.
  FailureOr<Value> reshard(OpBuilder &builder, Location loc, Value value,
                           const ValueSharding &from, const ValueSharding &to,
                           const ReshardDescription &describe = {}) const;
  /// The same for the operand of an op, in front of it.
  LogicalResult reshard(OpOperand &operand, const ValueSharding &to,
                        AttachNoteFn attachNote = nullptr) const;

private:
  /// `value`, resharded to `from` if it has no sharding of its own, or, as an
  /// argument of a manual computation, another one: collectives read that.
  Value anchor(OpBuilder &builder, Location loc, Value value,
               const ValueSharding &from) const;
  Value introduceUnreduced(OpBuilder &builder, Location loc, Value value,
                           ValueSharding &current,
                           ArrayRef<sharding::AxisRef> added) const;

  struct Listener : OpBuilder::Listener {
    void notifyOperationInserted(Operation *, OpBuilder::InsertPoint) final {
      hasInserted = true;
    }
    bool hasInserted = false;
  };

  mutable Listener listener;
  /// Lookups are not const.
  mutable SymbolTable symbols;
};

} // namespace mlir::ipu::sdy

#endif // IPU_MLIR_LIB_DIALECT_SDY_TRANSFORMS_EXPORT_RESHARDVALUE_H
