//===- PartialValueModels.h - Partial values in ops -------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// External models of PartialValuesOpInterface that ops of several dialects
// share.
//
//===----------------------------------------------------------------------===//

#ifndef IPU_MLIR_LIB_DIALECT_SDY_RULES_PARTIALVALUEMODELS_H
#define IPU_MLIR_LIB_DIALECT_SDY_RULES_PARTIALVALUEMODELS_H

#include "Combiners.h"

#include "ipu-mlir/Interfaces/ShardingInterfaces.h"
#include "mlir/IR/TypeUtilities.h"
#include <algorithm>

namespace mlir::ipu::sdy {

/// The model of ops that combine two values as the reduction `combiner` does.
template <sharding::Combiner combiner>
struct CombinerModel
    : PartialValuesOpInterface::FallbackModel<CombinerModel<combiner>> {
  std::optional<sharding::Combiner> getCombinerKind(Operation *op) const {
    // On i1, the op is a bitwise op.
    if (getElementTypeOrSelf(op->getResult(0)).isInteger(1))
      return std::nullopt;
    return combiner;
  }
  PartialValueFlow getPartialValueFlow(Operation *op,
                                       sharding::Combiner kind) const {
    return getCombinerKind(op) == kind
               ? PartialValueFlow::getTogether(op->getNumOperands())
               : PartialValueFlow();
  }
};

/// The model of ops that are linear in all operands together (`together`), or
/// in each operand while the other operands are constant.
template <bool together>
struct LinearModel
    : PartialValuesOpInterface::FallbackModel<LinearModel<together>> {
  std::optional<sharding::Combiner> getCombinerKind(Operation *) const {
    return std::nullopt;
  }
  PartialValueFlow getPartialValueFlow(Operation *op,
                                       sharding::Combiner kind) const {
    if (kind != sharding::Combiner::Sum)
      return {};
    return together ? PartialValueFlow::getTogether(op->getNumOperands())
                    : PartialValueFlow::getOneByOne(op->getNumOperands());
  }
};

/// The model of divisions, which are linear in the dividend. Divisions of
/// integers are not, because they round.
struct DivisionModel : PartialValuesOpInterface::FallbackModel<DivisionModel> {
  std::optional<sharding::Combiner> getCombinerKind(Operation *) const {
    return std::nullopt;
  }
  PartialValueFlow getPartialValueFlow(Operation *op,
                                       sharding::Combiner kind) const {
    bool isExact = !getElementTypeOrSelf(op->getResult(0)).isIntOrIndex();
    return isExact && kind == sharding::Combiner::Sum
               ? PartialValueFlow::getTogether(1)
               : PartialValueFlow();
  }
};

/// The model of conversions. Rounding aside, a conversion of floats is linear
/// and monotonic.
struct ConversionModel
    : PartialValuesOpInterface::FallbackModel<ConversionModel> {
  std::optional<sharding::Combiner> getCombinerKind(Operation *) const {
    return std::nullopt;
  }
  PartialValueFlow getPartialValueFlow(Operation *op,
                                       sharding::Combiner) const {
    bool isOfFloats = isa<FloatType>(getElementTypeOrSelf(op->getOperand(0))) &&
                      isa<FloatType>(getElementTypeOrSelf(op->getResult(0)));
    return isOfFloats ? PartialValueFlow::getTogether(1) : PartialValueFlow();
  }
};

/// The model of selects: the result consists of elements of operands 1 and 2. A
/// sum of zeros is 0, so zeros need not be partial.
struct SelectModel : PartialValuesOpInterface::FallbackModel<SelectModel> {
  std::optional<sharding::Combiner> getCombinerKind(Operation *) const {
    return std::nullopt;
  }
  PartialValueFlow getPartialValueFlow(Operation *op,
                                       sharding::Combiner kind) const {
    PartialValueFlow flow;
    for (unsigned i : {1, 2})
      if (kind != sharding::Combiner::Sum || !isZero(op->getOperand(i)))
        flow.operands.push_back(i);
    return flow;
  }
};

/// The model of ops whose results consist of elements of the first
/// `numOperands` operands.
template <unsigned numOperands>
struct ElementMoveModel
    : PartialValuesOpInterface::FallbackModel<ElementMoveModel<numOperands>> {
  std::optional<sharding::Combiner> getCombinerKind(Operation *) const {
    return std::nullopt;
  }
  PartialValueFlow getPartialValueFlow(Operation *op,
                                       sharding::Combiner) const {
    return PartialValueFlow::getTogether(
        std::min(numOperands, op->getNumOperands()));
  }
};
constexpr unsigned kAllOperands = ~0u;

template <typename Model, typename... OpTs>
void attachPartialValues(MLIRContext *context) {
  (OpTs::template attachInterface<Model>(*context), ...);
}

} // namespace mlir::ipu::sdy

#endif // IPU_MLIR_LIB_DIALECT_SDY_RULES_PARTIALVALUEMODELS_H
