//===- LinalgRules.cpp - Rules of structured ops --------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The loops of a structured op are its factors. A dimension of an operand that
// is indexed by more than one loop, such as a window of a convolution, has no
// factor.
//
//===----------------------------------------------------------------------===//

#include "RulesDetail.h"
#include "ShapeRules.h"

#include "mlir/Analysis/SliceAnalysis.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"

using namespace mlir;
using namespace mlir::ipu;
using namespace mlir::ipu::sdy;
using sharding::FactorType;
using sharding::kNoDim;
using sharding::OpClass;
using sharding::Rule;

/// The dimension of a tensor that is indexed by `loop` alone.
static int64_t getDimOfLoop(AffineMap map, unsigned loop) {
  for (auto [dim, expr] : llvm::enumerate(map.getResults()))
    if (auto dimExpr = dyn_cast<AffineDimExpr>(expr);
        dimExpr && dimExpr.getPosition() == loop)
      return dim;
  return kNoDim;
}

/// Whether the body reads the index of the loop, which in a shard is another.
static bool isIndexRead(linalg::LinalgOp op, unsigned loop) {
  return op
      ->walk([&](linalg::IndexOp index) {
        return index.getDim() == loop ? WalkResult::interrupt()
                                      : WalkResult::advance();
      })
      .wasInterrupted();
}

static FactorType getLoopType(linalg::LinalgOp op, unsigned loop) {
  if (isIndexRead(op, loop))
    return FactorType::NeedReplication;
  auto isIndexed = [&](OpOperand &init) {
    return op.getMatchingIndexingMap(&init).isFunctionOfDim(loop);
  };
  bool isReduction =
      op.getIteratorTypesArray()[loop] == utils::IteratorType::reduction;
  if (isReduction && llvm::none_of(op.getDpsInitsMutable(), isIndexed))
    return FactorType::Reduction;
  if (!isReduction && llvm::all_of(op.getDpsInitsMutable(), isIndexed))
    return FactorType::PassThrough;
  // A scan, or elements of which the last one written stays.
  return FactorType::NeedReplication;
}

static bool isElementwise(linalg::LinalgOp op) {
  return op.getNumParallelLoops() == op.getNumLoops() &&
         llvm::all_of(op->getOpOperands(), [&](OpOperand &operand) {
           return op.isScalar(&operand) ||
                  op.getMatchingIndexingMap(&operand).isIdentity();
         });
}

namespace {
struct LinalgModel : ShardingRuleOpInterface::FallbackModel<LinalgModel> {
  std::optional<Rule> getShardingRule(Operation *op, bool) const {
    auto linalgOp = cast<linalg::LinalgOp>(op);
    sharding::RuleBuilder builder = makeRuleBuilder(op);
    SmallVector<AffineMap> maps = linalgOp.getIndexingMapsArray();
    for (auto [i, size] : llvm::enumerate(linalgOp.getStaticLoopRanges())) {
      unsigned loop = i;
      SmallVector<int64_t> dims = llvm::map_to_vector(
          maps, [&](AffineMap map) { return getDimOfLoop(map, loop); });
      ArrayRef<int64_t> resultDims =
          ArrayRef(dims).drop_front(linalgOp.getNumDpsInputs());
      builder.addFactor(dims, resultDims, size, getLoopType(linalgOp, loop));
    }
    return builder.build();
  }

  OpClass getShardingClass(Operation *op) const {
    auto generic = dyn_cast<linalg::GenericOp>(op);
    if (isa<linalg::BroadcastOp>(op) ||
        (generic && linalg::isaBroadcastOpInterface(generic)))
      return OpClass::Broadcast;
    if (isa<linalg::TransposeOp>(op) ||
        (generic && linalg::isaTransposeOpInterface(generic)))
      return OpClass::PassThrough;
    return isElementwise(cast<linalg::LinalgOp>(op)) ? OpClass::Elementwise
                                                     : OpClass::Other;
  }

  std::optional<sharding::Combiner> getCombiner(Operation *op) const {
    auto linalgOp = cast<linalg::LinalgOp>(op);
    SmallVector<std::optional<sharding::Combiner>> kinds;
    for (unsigned i = 0, e = linalgOp.getNumDpsInits(); i < e; ++i) {
      SmallVector<Operation *> combiners;
      Value reduced =
          matchReduction(linalgOp.getRegionOutputArgs(), i, combiners);
      // Nothing but the combiner may see what is accumulated.
      bool isCombined = reduced && combiners.size() == 1 &&
                        linalgOp.getRegionOutputArgs()[i].hasOneUse();
      kinds.push_back(isCombined ? getCombinerKind(combiners.front())
                                 : std::nullopt);
    }
    return kinds.empty() || !llvm::all_equal(kinds) ? std::nullopt
                                                    : kinds.front();
  }

  SmallVector<unsigned> getStartOperands(Operation *op) const {
    return getNumbers(cast<linalg::LinalgOp>(op).getDpsInitsMutable());
  }

  bool preservesConstants(Operation *op) const {
    return isElementwiseOrBroadcast(op);
  }
};
} // namespace

static std::optional<Rule> getSoftmaxRule(linalg::SoftmaxOp op, bool) {
  sharding::RuleBuilder builder = makeRuleBuilder(op);
  for (auto [dim, size] : llvm::enumerate(getTensorShape(op.getInput())))
    builder.addFactor(dim, size,
                      dim == op.getDimension() ? FactorType::NeedReplication
                                               : FactorType::PassThrough);
  return builder.build();
}

void sdy::registerLinalgRules(DialectRegistry &registry) {
  registry.addExtension(
      +[](MLIRContext *context, linalg::LinalgDialect *dialect) {
        attachToOps<LinalgModel>(dialect, [](RegisteredOperationName name) {
          return name.hasInterface<linalg::LinalgOp>();
        });
        attachRule<linalg::SoftmaxOp, getSoftmaxRule>(context);
      });
}
