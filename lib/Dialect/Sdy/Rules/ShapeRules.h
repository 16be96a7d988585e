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

/// A factor for each dimension of result 0, aligned at the last one as in
/// numpy; dimensions of operands that are repeated take no part.
sharding::Rule getBroadcastRule(Operation *op);

/// Dimension i of the result is dimension `permutation[i]` of operand 0.
sharding::Rule getTransposeRule(Operation *op, ArrayRef<int64_t> permutation);

/// Operand 0 and the result have the same elements in row-major order. None if
/// there are no elements.
std::optional<sharding::Rule> getReshapeRule(Operation *op);

/// The result joins the operands, of which getSource tells what they are slices
/// of (themselves if of nothing), along `axis`.
sharding::Rule getConcatRule(Operation *op, int64_t axis, bool conservative,
                             function_ref<Value(Value)> getSource);

/// Operand 0 and the result have dimensions in common, which pass, but for
/// those for which `isSpecial`: these have a factor of the operand's size and
/// type `special`.
sharding::Rule getMixedRule(Operation *op, sharding::FactorType special,
                            function_ref<bool(int64_t dim)> isSpecial,
                            bool blocked = false);

/// As above for slices and pads, which are special where they change the size.
sharding::Rule getResizeRule(Operation *op, bool conservative);

/// A factor for each dimension of the result, windows of operand 0; of the type
/// of permutations where `isMoved`, since windows overlap or are shifted.
sharding::Rule getWindowRule(Operation *op, bool conservative,
                             function_ref<bool(int64_t dim)> isMoved);

/// The factors that a spatial dimension of a convolution's input is made of: as
/// many windows as the result has, which are halos apart, and what is in a
/// window, which is summed over. The larger comes first; none of them is larger
/// than what the input leaves.
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

/// Operand 0 is reduced over `axes`; the result lacks them or has size 1 there.
sharding::Rule getReduceRule(Operation *op, ArrayRef<int64_t> axes,
                             bool keepsDims);

/// [b..., m, k] by [b..., k, n]; batch dimensions broadcast. Operand `acc`, if
/// any, has the shape of the result.
sharding::Rule getMatmulRule(Operation *op,
                             std::optional<unsigned> acc = std::nullopt);

//===----------------------------------------------------------------------===//
// Models
//===----------------------------------------------------------------------===//

/// What the splitter of constants does with ops of constants only.
enum class OfConstants { IsValue, IsConstant };

/// Gives ops of class `opClass` the rule that a function makes of them.
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

/// Elementwise ops on tensors, on which others of the dialect also may be.
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

/// Attaches a model to all ops of a dialect for which `isIncluded`, so that new
/// ones have it too. (The context's own search by dialect, in LLVM 22, misses
/// some: its order is no order.)
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
