//===- ShapeRules.h - Rules that ops of several dialects have ---*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef IPU_MLIR_LIB_DIALECT_SDY_RULES_SHAPERULES_H
#define IPU_MLIR_LIB_DIALECT_SDY_RULES_SHAPERULES_H

#include "Combiners.h"
#include "ipu-mlir/Interfaces/ShardingInterfaces.h"
#include "mlir/IR/Dialect.h"

namespace mlir::ipu::sdy {

//
//===----------------------------------------------------------------------===//
// Rules
//===----------------------------------------------------------------------===//

/// Returns the rule of an op whose operands broadcast to its result. It has one
/// factor for each dimension of result 0. Dimensions of operands and results
/// are aligned at the last dimension, as in numpy. A dimension of an operand
/// that is broadcast does not have the factor.
sharding::Rule getBroadcastRule(Operation *op);

/// Returns the rule of a transpose: dimension i of the result is dimension
/// `permutation[i]` of operand 0.
sharding::Rule getTransposeRule(Operation *op, ArrayRef<int64_t> permutation);

/// Returns the rule of a reshape: operand 0 and the result have the same
/// elements in row-major order. Returns std::nullopt if there are no elements.
std::optional<sharding::Rule> getReshapeRule(Operation *op);

/// Returns the rule of a concatenation of the operands along `axis`.
/// `getSource` returns the value of which an operand is a slice, or the operand
/// itself if it is not a slice.
sharding::Rule getConcatRule(Operation *op, int64_t axis, bool conservative,
                             function_ref<Value(Value)> getSource);

/// Returns a rule with one factor for each dimension of operand 0, which is
/// also the factor of this dimension of the result. The size of the factor is
/// that of the operand's dimension. The factor has the type `special` if
/// `isSpecial` returns true, and the pass-through type otherwise. If `blocked`
/// is set, shardings do not propagate along special factors.
sharding::Rule getMixedRule(Operation *op, sharding::FactorType special,
                            function_ref<bool(int64_t dim)> isSpecial,
                            bool blocked = false);

/// Returns the rule of a slice or a pad: the rule of getMixedRule in which the
/// dimensions whose size changes have a permutation factor.
sharding::Rule getResizeRule(Operation *op, bool conservative);

/// Returns the rule of an op whose result elements are computed from windows of
/// operand 0. It has one factor for each dimension of the result. The factor
/// has the permutation type if `isMoved` returns true, because windows overlap
/// or are shifted.
sharding::Rule getWindowRule(Operation *op, bool conservative,
                             function_ref<bool(int64_t dim)> isMoved);

/// A factor of a spatial dimension of the input of a convolution. There are at
/// most two: one factor for the windows, whose size is that of the result and
/// which needs halos, and one factor for the positions in a window, which are
/// summed. The larger factor is first. The size of a factor is at most the size
/// of the input divided by the sizes of the factors before it.
struct SpatialFactor {
  int64_t size;
  bool isWindows;
  sharding::FactorType getType() const {
    return isWindows ? sharding::FactorType::Permutation
                     : sharding::FactorType::Reduction;
  }
};
SmallVector<SpatialFactor, 2> getSpatialFactors(int64_t in, int64_t kernel,
                                                int64_t out);

/// Returns the rule of an op that reduces operand 0 over `axes`. With
/// `keepsDims`, the result has these dimensions with size 1; otherwise, it does
/// not have them.
sharding::Rule getReduceRule(Operation *op, ArrayRef<int64_t> axes,
                             bool keepsDims);

/// Returns the rule of a matrix product of operands with the shapes [b..., m,
/// k] and [b..., k, n], whose batch dimensions b broadcast. If `acc` is set,
/// the operand with this number has the shape of the result.
sharding::Rule getMatmulRule(Operation *op,
                             std::optional<unsigned> acc = std::nullopt);

//===----------------------------------------------------------------------===//
// Models
//===----------------------------------------------------------------------===//

/// Whether the pass that splits constants treats an op as a constant if all its
/// operands are constants; each use of a constant gets its own copy of the
/// constant. Elementwise ops and broadcasts are treated as constants also with
/// IsValue.
enum class OfConstants { IsValue, IsConstant };

/// The model of ShardingRuleOpInterface for ops of class `opClass` whose rule
/// is the result of the function `getRule`.
template <typename OpT, auto getRule, sharding::OpClass opClass,
          OfConstants ofConstants>
struct RuleModel : ShardingRuleOpInterface::ExternalModel<
                       RuleModel<OpT, getRule, opClass, ofConstants>, OpT> {
  std::optional<sharding::Rule> getShardingRule(Operation *op,
                                                bool conservative) const {
    return getRule(cast<OpT>(op), conservative);
  }
  sharding::OpClass getShardingClass(Operation *) const { return opClass; }
  std::optional<sharding::Combiner> getCombiner(Operation *op) const {
    return getCombinerOf(cast<OpT>(op));
  }
  SmallVector<unsigned> getStartOperands(Operation *op) const {
    return getStartsOf(cast<OpT>(op));
  }
  bool preservesConstants(Operation *) const {
    return ofConstants == OfConstants::IsConstant ||
           opClass == sharding::OpClass::Elementwise ||
           opClass == sharding::OpClass::Broadcast;
  }
};

template <typename OpT, auto getRule,
          sharding::OpClass opClass = sharding::OpClass::Other,
          OfConstants ofConstants = OfConstants::IsValue>
void attachRule(MLIRContext *context) {
  OpT::template attachInterface<RuleModel<OpT, getRule, opClass, ofConstants>>(
      *context);
}

/// The model of ShardingRuleOpInterface for elementwise ops that may have
/// operands of any type. Only ops on tensors have a rule.
struct ElementwiseModel
    : ShardingRuleOpInterface::FallbackModel<ElementwiseModel> {
  std::optional<sharding::Rule> getShardingRule(Operation *op, bool) const {
    if (!isa<RankedTensorType>(op->getResult(0).getType()))
      return std::nullopt;
    return getBroadcastRule(op);
  }
  sharding::OpClass getShardingClass(Operation *) const {
    return sharding::OpClass::Elementwise;
  }
  SmallVector<unsigned> getStartOperands(Operation *) const { return {}; }
  std::optional<sharding::Combiner> getCombiner(Operation *) const {
    return sharding::Combiner::Sum;
  }
  bool preservesConstants(Operation *) const { return true; }
};

/// Attaches `Model` to all ops of `dialect` for which `isIncluded` returns
/// true. In this way, ops that a later version of the dialect adds also get the
/// model. (This searches all registered ops, because the search by dialect in
/// LLVM 22 misses some ops: its comparison is not a strict order.)
template <typename Model>
void attachToOps(Dialect *dialect,
                 function_ref<bool(RegisteredOperationName)> isIncluded) {
  for (RegisteredOperationName name :
       dialect->getContext()->getRegisteredOperations())
    if (&name.getDialect() == dialect && isIncluded(name))
      name.attachInterface<Model>();
}

} // namespace mlir::ipu::sdy

#endif // IPU_MLIR_LIB_DIALECT_SDY_RULES_SHAPERULES_H
