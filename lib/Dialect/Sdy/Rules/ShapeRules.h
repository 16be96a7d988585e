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

//===----------------------------------------------------------------------===//
// Rules
//===----------------------------------------------------------------------===//

/// Returns a factor for each dimension of result 0. Dimensions are aligned at
/// the last one, as in numpy. Dimensions of operands that are repeated have no
/// common factor.
sharding::Rule getBroadcastRule(Operation *op);

/// Dimension i of the result is dimension `permutation[i]` of operand 0.
sharding::Rule getTransposeRule(Operation *op, ArrayRef<int64_t> permutation);

/// Operand 0 and the result have the same elements in row-major order. Returns
/// std::nullopt if there are no elements.
std::optional<sharding::Rule> getReshapeRule(Operation *op);

/// Returns the result joins the operands along `axis`. getSource returns the
/// value of which an operand is a slice (the operand itself if it is not a
/// slice).
sharding::Rule getConcatRule(Operation *op, int64_t axis, bool conservative,
                             function_ref<Value(Value)> getSource);

/// Operand 0 and the result have common dimensions, along which shardings pass.
/// Dimensions for which `isSpecial` holds have a factor of the operand's size
/// and of type `special` instead.
sharding::Rule getMixedRule(Operation *op, sharding::FactorType special,
                            function_ref<bool(int64_t dim)> isSpecial,
                            bool blocked = false);

/// The same for slices and pads. Dimensions whose size they change are special.
sharding::Rule getResizeRule(Operation *op, bool conservative);

/// Returns a factor for each dimension of the result, whose elements are
/// windows of operand 0. The factor has the permutation type if `isMoved`
/// holds, because windows overlap or are shifted.
sharding::Rule getWindowRule(Operation *op, bool conservative,
                             function_ref<bool(int64_t dim)> isMoved);

/// The factors of a spatial dimension of the input of a convolution: the
/// windows (as many as in the result), between which there are halos, and the
/// positions in a window, which are summed. The larger factor comes first. No
/// factor is larger than the rest of the input.
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

/// Operand 0 is reduced over `axes`. The result does not have these dimensions,
/// or has size 1 there.
sharding::Rule getReduceRule(Operation *op, ArrayRef<int64_t> axes,
                             bool keepsDims);

/// [b..., m, k] by [b..., k, n]; batch dimensions broadcast. The operand `acc`,
/// if there is one, has the shape of the result.
sharding::Rule getMatmulRule(Operation *op,
                             std::optional<unsigned> acc = std::nullopt);

//===----------------------------------------------------------------------===//
// Models
//===----------------------------------------------------------------------===//

/// How the pass that splits constants treats ops whose operands are constants.
enum class OfConstants { IsValue, IsConstant };

/// Attaches the rule from a function to ops of class `opClass`.
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

/// Elementwise ops of a dialect that are on tensors. The same ops may also be
/// on other types.
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

/// Attaches a model to all ops of a dialect for which `isIncluded` holds, so
/// that new ops also get it. (In LLVM 22, the search by dialect in the context
/// misses some ops, because its comparison is not an order.)
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
