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

/// A sharding whose axes are represented by numbers. If `attr` is null, all
/// devices have the whole tensor.
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

/// Returns whether each device has the same shard in both shardings.
bool isSameDistribution(const ValueSharding &a, const ValueSharding &b);

/// Returns whether the unreduced axes of both shardings divide the devices into
/// the same groups, each of which has the partial values of one value. The axes
/// may have different names on the two meshes, and the order of the devices may
/// differ.
bool haveSameParts(const ValueSharding &a, const ValueSharding &b);

/// Returns `axes` in the order of the mesh. Adjacent sub-axes are merged.
sharding::AxisList getSorted(ArrayRef<sharding::AxisRef> axes);
/// Returns the axes that are in both `a` and `b`.
sharding::AxisList getIntersection(ArrayRef<sharding::AxisRef> a,
                                   ArrayRef<sharding::AxisRef> b);

/// A function that adds a note to a diagnostic.
using AttachNoteFn = function_ref<void(InFlightDiagnostic &)>;

/// The description of a value that is resharded, for diagnostics.
struct ReshardDescription {
  /// The name of the value, for example "operand 0".
  std::string name = "a tensor";
  /// Starts an error at the op that requires another sharding. If it is null,
  /// errors are emitted at the location of the reshard.
  EmitErrorFn emitError = nullptr;
  /// Attaches a note at the location of the value that requires the other
  /// sharding. It may be null.
  AttachNoteFn attachNote = nullptr;
};

/// Creates the ops that change the shardings of values. All shardings are those
/// that the users of a value see: the sharding of an argument of a manual
/// computation has no manual axes.
class ValueResharder {
public:
  explicit ValueResharder(ModuleOp module) : symbols(module) {}

  /// Returns a builder that inserts ops before `op`. After an insertion,
  /// `hasChanged` returns true.
  OpBuilder makeBuilder(Operation *op) const {
    return OpBuilder(op, &listener);
  }
  bool hasChanged() const { return listener.hasInserted; }

  SymbolTable &getSymbols() const { return symbols; }

  /// Return the sharding `attr`, which may be null, of a tensor of `rank`
  /// dimensions, or the sharding of `value`.
  ValueSharding get(TensorShardingAttr attr, int64_t rank) const;
  ValueSharding get(Value value) const;
  /// Returns a sharding without dimensions on the first mesh of the module that
  /// has axes, or std::nullopt if there is no such mesh.
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

  /// Returns `from` with the unreduced axes of `to`. These axes are removed
  /// from the dimensions of `from`. Returns `to` itself if it has unreduced
  /// axes and is on another mesh than `from`.
  ValueSharding makePartialLike(const ValueSharding &from,
                                const ValueSharding &to) const;

  /// Creates an sdy.all_reduce that combines the partial values of `value`
  /// along `axes`. `axes` are unreduced axes of `from`, or axes along which a
  /// new reduction computes partial values.
  Value allReduce(OpBuilder &builder, Location loc, Value value,
                  const ValueSharding &from, ArrayRef<sharding::AxisRef> axes,
                  ReductionKind kind) const;

  /// Reshards `value` from `from` to `to`. Unreduced axes that `to` does not
  /// have are reduced. Unreduced axes that only `to` has are created from axes
  /// of dimensions, or by a split of complete tensors. An sdy.reshard makes all
  /// other changes. Fails, with a diagnostic, if `to` adds unreduced axes of a
  /// kind other than sum.
  FailureOr<Value> reshard(OpBuilder &builder, Location loc, Value value,
                           const ValueSharding &from, const ValueSharding &to,
                           const ReshardDescription &describe = {}) const;
  /// Reshards `operand` to `to` before its op.
  LogicalResult reshard(OpOperand &operand, const ValueSharding &to,
                        AttachNoteFn attachNote = nullptr) const;

private:
  /// Returns `value` with the sharding attribute `from`, which collectives
  /// read: `value` itself if it has this sharding, otherwise the result of a
  /// reshard to `from`.
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
  /// The symbol table. It is mutable, because its lookup functions are not
  /// const.
  mutable SymbolTable symbols;
};

} // namespace mlir::ipu::sdy

#endif // IPU_MLIR_LIB_DIALECT_SDY_TRANSFORMS_EXPORT_RESHARDVALUE_H
