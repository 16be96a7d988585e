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

/// A sharding as numbers. Without an attribute, all devices have the whole
/// tensor.
struct ValueSharding {
  TensorShardingAttr attr;
  MeshAttr mesh;
  sharding::TensorSharding axes;

  bool isMaximal() const { return mesh && mesh.isMaximal(); }
  bool isUnreduced() const { return !axes.unreduced.empty(); }
  /// Returns whether all devices have the whole tensor.
  bool isFullyReplicated() const;
  ReductionKind getKind() const {
    return attr ? attr.getReductionKind() : ReductionKind::Sum;
  }
};

/// Returns whether all devices have the same shards in both shardings.
bool isSameDistribution(const ValueSharding &a, const ValueSharding &b);

/// Returns whether the same devices have partial values of the same values in
/// both shardings: the unreduced axes distinguish the same devices, even if the
/// axes have different names on the two meshes. The devices may be in another
/// order.
bool haveSameParts(const ValueSharding &a, const ValueSharding &b);

/// Axes in the order of the mesh; adjacent sub-axes are merged.
sharding::AxisList getSorted(ArrayRef<sharding::AxisRef> axes);
/// Returns the axes that are in both lists.
sharding::AxisList getIntersection(ArrayRef<sharding::AxisRef> a,
                                   ArrayRef<sharding::AxisRef> b);

/// Adds a note to a diagnostic.
using AttachNoteFn = function_ref<void(InFlightDiagnostic &)>;

/// The description of a value to reshard in diagnostics.
struct ReshardDescription {
  /// Such as "operand 0".
  std::string name = "a tensor";
  /// Emits an error at the op that requires another sharding. If null, errors
  /// are at the location alone.
  EmitErrorFn emitError = nullptr;
  /// Attaches a note at the position that requires this sharding; may be null.
  AttachNoteFn attachNote = nullptr;
};

/// Creates the ops that give values other shardings. Shardings are those that
/// the users of a value see: for an argument of a manual computation, without
/// manual axes.
class ValueResharder {
public:
  explicit ValueResharder(ModuleOp module) : symbols(module) {}

  /// Inserts before `op`. An insertion counts as a change.
  OpBuilder makeBuilder(Operation *op) const {
    return OpBuilder(op, &listener);
  }
  bool hasChanged() const { return listener.hasInserted; }

  SymbolTable &getSymbols() const { return symbols; }

  /// Returns the sharding of a tensor of `rank` dimensions.
  ValueSharding get(TensorShardingAttr attr, int64_t rank) const;
  ValueSharding get(Value value) const;
  /// Returns the sharding of a scalar on the first mesh of the module that has
  /// axes, or std::nullopt if there is no such mesh.
  std::optional<ValueSharding> getAnyMesh(MLIRContext *context) const;
  /// Returns a sharding with `axes` on the mesh of `like`. All dimensions are
  /// closed.
  ValueSharding make(const ValueSharding &like,
                     const sharding::TensorSharding &axes,
                     ReductionKind kind) const;
  ValueSharding make(const ValueSharding &like,
                     const sharding::TensorSharding &axes) const {
    return make(like, axes, like.getKind());
  }

  /// `from` with the unreduced axes of `to`, which replace axes of dimensions.
  /// `to` itself if it has unreduced axes on another mesh.
  ValueSharding makePartialLike(const ValueSharding &from,
                                const ValueSharding &to) const;

  /// Combines partial values along `axes`, which are unreduced axes of `from`
  /// or of a reduction that was just created.
  Value allReduce(OpBuilder &builder, Location loc, Value value,
                  const ValueSharding &from, ArrayRef<sharding::AxisRef> axes,
                  ReductionKind kind) const;

  /// Reshards `value` from `from` to `to`. Unreduced axes that `to` does not
  /// have are reduced. Unreduced axes that `to` adds are created from axes of
  /// dimensions, or from whole tensors. An sdy.reshard does the rest. Fails,
  /// with a diagnostic, if `to` adds unreduced axes of a kind other than sum.
  FailureOr<Value> reshard(OpBuilder &builder, Location loc, Value value,
                           const ValueSharding &from, const ValueSharding &to,
                           const ReshardDescription &describe = {}) const;
  /// The same for the operand of an op, before the op.
  LogicalResult reshard(OpOperand &operand, const ValueSharding &to,
                        AttachNoteFn attachNote = nullptr) const;

private:
  /// `value`, resharded to `from` if it has no sharding of its own, or if it is
  /// an argument of a manual computation with another sharding. Collectives
  /// read this sharding.
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
  /// Mutable, because lookups are not const.
  mutable SymbolTable symbols;
};

} // namespace mlir::ipu::sdy

#endif // IPU_MLIR_LIB_DIALECT_SDY_TRANSFORMS_EXPORT_RESHARDVALUE_H
