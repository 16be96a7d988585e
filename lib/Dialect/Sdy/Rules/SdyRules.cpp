//===- SdyRules.cpp - Rules of sdy ops ------------------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "PartialValueModels.h"
#include "RulesDetail.h"

using namespace mlir;
using namespace mlir::ipu;
using namespace mlir::ipu::sdy;

namespace {
/// Ops whose result is their operand.
template <typename OpT>
struct IdentityRule
    : ShardingRuleOpInterface::ExternalModel<IdentityRule<OpT>, OpT> {
  std::optional<sharding::Rule> getShardingRule(Operation *op, bool) const {
    return getPointwiseRule(op);
  }
  sharding::OpClass getShardingClass(Operation *) const {
    return sharding::OpClass::Elementwise;
  }
};
} // namespace

void sdy::registerSdyRules(DialectRegistry &registry) {
  registry.addExtension(+[](MLIRContext *context, SdyDialect *dialect) {
    if (!isOwn(dialect))
      return;
    ShardingConstraintOp::attachInterface<IdentityRule<ShardingConstraintOp>>(
        *context);
    PropagationBarrierOp::attachInterface<IdentityRule<PropagationBarrierOp>>(
        *context);
    attachPartialValues<ElementMoveModel<1>, PropagationBarrierOp>(context);
  });
}
