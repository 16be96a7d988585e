//===- StableHLORules.cpp - Rules of stablehlo ops ------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Which factors each op has, and of which type, is as in Shardy's registry of
// rules. Gather, scatter and convolution: StableHLOIndexingRules.cpp.
//
//===----------------------------------------------------------------------===//

#include "RulesDetail.h"

#include "ipu-mlir/Dialect/StableHLO/IR/StableHLO.h"
#include "ipu-mlir/Sharding/ReshapeFactors.h"
#include "mlir/IR/Matchers.h"

using namespace mlir;
using namespace mlir::ipu;
using namespace mlir::ipu::stablehlo;
using sharding::FactorType;
using sharding::kNoDim;
using sharding::OpClass;
using sharding::Rule;

/// Dimensions that `from` and `to` have equal pass; the others have a factor of
/// `from`'s size that is special.
static Rule getMismatchRule(Operation *op, ArrayRef<int64_t> from,
                            ArrayRef<int64_t> to, FactorType type,
                            bool blocked) {
  sharding::RuleBuilder builder = makeRuleBuilder(op);
  for (auto [dim, sizes] : llvm::enumerate(llvm::zip_equal(from, to))) {
    auto [fromSize, toSize] = sizes;
    bool isEqual = fromSize == toSize;
    builder.addFactor(dim, fromSize, isEqual ? FactorType::PassThrough : type,
                      !isEqual && blocked);
  }
  return builder.build();
}

//===----------------------------------------------------------------------===//
// Shapes
//===----------------------------------------------------------------------===//

static std::optional<Rule> getRule(ReshapeOp op, bool) {
  return sharding::getReshapeRule(op.getOperand().getType().getShape(),
                                  op.getType().getShape());
}

static std::optional<Rule> getRule(TransposeOp op, bool) {
  sharding::RuleBuilder builder = makeRuleBuilder(op);
  for (auto [dim, from] : llvm::enumerate(op.getPermutation()))
    builder.addFactor({from}, {static_cast<int64_t>(dim)},
                      op.getType().getDimSize(dim));
  return builder.build();
}

static std::optional<Rule> getRule(BroadcastInDimOp op, bool) {
  sharding::RuleBuilder builder = makeRuleBuilder(op);
  ArrayRef<int64_t> in = op.getOperand().getType().getShape();
  for (auto [dim, size] : llvm::enumerate(op.getType().getShape())) {
    const auto *it = llvm::find(op.getBroadcastDimensions(), dim);
    int64_t from = it - op.getBroadcastDimensions().begin();
    bool isNew = it == op.getBroadcastDimensions().end() || in[from] != size;
    builder.addFactor({isNew ? kNoDim : from}, {static_cast<int64_t>(dim)},
                      size);
  }
  return builder.build();
}

static std::optional<Rule> getRule(BitcastConvertOp op, bool) {
  sharding::RuleBuilder builder = makeRuleBuilder(op);
  ArrayRef<int64_t> in = op.getOperand().getType().getShape();
  ArrayRef<int64_t> out = op.getType().getShape();
  builder.addPointwise(in.size() < out.size() ? in : out);
  for (int64_t dim = out.size(), e = in.size(); dim < e; ++dim)
    builder.addFactor({dim}, {kNoDim}, in[dim], FactorType::NeedReplication);
  for (int64_t dim = in.size(), e = out.size(); dim < e; ++dim)
    builder.addFactor({kNoDim}, {dim}, out[dim], FactorType::NeedReplication);
  return builder.build();
}

static std::optional<Rule> getRule(ReverseOp op, bool) {
  sharding::RuleBuilder builder = makeRuleBuilder(op);
  for (auto [dim, size] : llvm::enumerate(op.getType().getShape()))
    builder.addFactor(dim, size,
                      llvm::is_contained(op.getDimensions(), dim)
                          ? FactorType::Permutation
                          : FactorType::PassThrough);
  return builder.build();
}

/// Whether all operands are slices, or all are one value or slices of it.
static bool joinsSlices(ConcatenateOp op) {
  auto getSource = [](Value value) -> Value {
    auto slice = value.getDefiningOp<SliceOp>();
    return slice ? slice.getOperand() : value;
  };
  auto isSlice = [&](Value value) { return getSource(value) != value; };
  if (llvm::all_of(op.getInputs(), isSlice))
    return true;
  return llvm::any_of(op.getInputs(), isSlice) &&
         llvm::all_of(op.getInputs(), [&](Value value) {
           return getSource(value) == getSource(op.getInputs().front());
         });
}

static std::optional<Rule> getRule(ConcatenateOp op, bool conservative) {
  sharding::RuleBuilder builder = makeRuleBuilder(op);
  auto type = cast<RankedTensorType>(op.getType());
  for (auto [i, size] : llvm::enumerate(type.getShape())) {
    auto dim = static_cast<int64_t>(i);
    if (dim != static_cast<int64_t>(op.getDimension()))
      builder.addFactor(dim, size);
    else if (!conservative)
      builder.addFactor(dim, size,
                        joinsSlices(op) ? FactorType::Permutation
                                        : FactorType::NeedReplication);
  }
  return builder.build();
}

static std::optional<Rule> getRule(SliceOp op, bool conservative) {
  return getMismatchRule(op, op.getOperand().getType().getShape(),
                         op.getType().getShape(), FactorType::Permutation,
                         conservative);
}

static std::optional<Rule> getRule(PadOp op, bool conservative) {
  return getMismatchRule(op, op.getOperand().getType().getShape(),
                         op.getType().getShape(), FactorType::Permutation,
                         conservative);
}

static std::optional<Rule> getRule(DynamicSliceOp op, bool) {
  return getMismatchRule(op, op.getOperand().getType().getShape(),
                         op.getType().getShape(), FactorType::NeedReplication,
                         /*blocked=*/true);
}

static std::optional<Rule> getRule(DynamicUpdateSliceOp op, bool) {
  bool isConstant = llvm::all_of(op.getStartIndices(), [](Value start) {
    return matchPattern(start, m_Constant());
  });
  sharding::RuleBuilder builder = makeRuleBuilder(op);
  SmallVector<int64_t> dims(op->getNumOperands(), kNoDim);
  ArrayRef<int64_t> update = op.getUpdate().getType().getShape();
  for (auto [i, size] : llvm::enumerate(op.getType().getShape())) {
    auto dim = static_cast<int64_t>(i);
    if (size == update[dim]) {
      builder.addFactor(dim, size);
      continue;
    }
    dims[0] = dim;
    builder.addFactor(dims, {dim}, size);
    dims[0] = kNoDim;
    dims[1] = dim;
    builder.addFactor(dims, {kNoDim}, update[dim],
                      isConstant ? FactorType::PassThrough
                                 : FactorType::NeedReplication);
    dims[1] = kNoDim;
  }
  return builder.build();
}

//===----------------------------------------------------------------------===//
// Contractions and reductions
//===----------------------------------------------------------------------===//

static std::optional<Rule> getRule(DotGeneralOp op, bool) {
  sharding::RuleBuilder builder = makeRuleBuilder(op);
  DotDimensionNumbersAttr dims = op.getDotDimensionNumbers();
  ArrayRef<int64_t> lhs = op.getLhs().getType().getShape();
  ArrayRef<int64_t> rhs = op.getRhs().getType().getShape();
  int64_t out = 0;
  for (auto [l, r] : llvm::zip_equal(dims.getLhsBatchingDimensions(),
                                     dims.getRhsBatchingDimensions()))
    builder.addFactor({l, r}, {out++}, lhs[l]);
  for (int64_t l = 0, e = lhs.size(); l < e; ++l)
    if (!llvm::is_contained(dims.getLhsBatchingDimensions(), l) &&
        !llvm::is_contained(dims.getLhsContractingDimensions(), l))
      builder.addFactor({l, kNoDim}, {out++}, lhs[l]);
  for (int64_t r = 0, e = rhs.size(); r < e; ++r)
    if (!llvm::is_contained(dims.getRhsBatchingDimensions(), r) &&
        !llvm::is_contained(dims.getRhsContractingDimensions(), r))
      builder.addFactor({kNoDim, r}, {out++}, rhs[r]);
  for (auto [l, r] : llvm::zip_equal(dims.getLhsContractingDimensions(),
                                     dims.getRhsContractingDimensions()))
    builder.addFactor({l, r}, {kNoDim}, lhs[l], FactorType::Reduction);
  return builder.build();
}

static std::optional<Rule> getRule(ReduceOp op, bool) {
  sharding::RuleBuilder builder = makeRuleBuilder(op);
  int64_t out = 0;
  for (auto [dim, size] :
       llvm::enumerate(getTensorShape(op.getInputs().front()))) {
    bool isReduced = llvm::is_contained(op.getDimensions(), dim);
    builder.addFactor(
        SmallVector<int64_t>(op->getNumOperands(), dim),
        SmallVector<int64_t>(op->getNumResults(), isReduced ? kNoDim : out),
        size, isReduced ? FactorType::Reduction : FactorType::PassThrough);
    out += isReduced ? 0 : 1;
  }
  return builder.build();
}

static std::optional<Rule> getRule(SortOp op, bool) {
  ArrayRef<int64_t> shape = getTensorShape(op.getInputs().front());
  auto rank = static_cast<int64_t>(shape.size());
  auto dimension = static_cast<int64_t>(op.getDimension());
  if (dimension < 0)
    dimension += rank;
  // Nothing else could be sharded: better not along the sorted dimension.
  bool isBlocked = true;
  for (auto [dim, size] : llvm::enumerate(shape))
    isBlocked &= static_cast<int64_t>(dim) == dimension || size == 1;
  sharding::RuleBuilder builder = makeRuleBuilder(op);
  for (auto [i, size] : llvm::enumerate(shape)) {
    auto dim = static_cast<int64_t>(i);
    if (dim == dimension)
      builder.addFactor(dim, size, FactorType::NeedReplication, isBlocked);
    else
      builder.addFactor(dim, size);
  }
  return builder.build();
}

//===----------------------------------------------------------------------===//
// Custom calls
//===----------------------------------------------------------------------===//

static bool isMove(CustomCallOp op) {
  return op.getCallTargetName() == "MoveToDevice" ||
         op.getCallTargetName() == "MoveToHost";
}

/// Calls that XLA knows to compute element by element.
static bool isPointwise(CustomCallOp op) {
  static constexpr StringLiteral targets[] = {"annotate_device_placement",
                                              "Cholesky",
                                              "CompactWyHelper",
                                              "InspectSharding",
                                              "InvertDiagBlocksLowerTriangular",
                                              "InvertDiagBlocksUpperTriangular",
                                              "LayoutConstraint",
                                              "mhlo.erf",
                                              "MoveToDevice",
                                              "MoveToHost",
                                              "X64SplitHigh",
                                              "X64SplitLow",
                                              "xla.megascale.provide_metadata",
                                              "_SPMDInternalOp_MultiPad",
                                              "_SPMDInternalOp_RotateRight",
                                              "_SPMDInternalOp_MultiRotate",
                                              "_SPMDInternalOp_MultiSlice",
                                              "_SPMDInternalOp_Wrap"};
  return llvm::is_contained(targets, op.getCallTargetName());
}

static std::optional<Rule> getRule(CustomCallOp op, bool) {
  if (!isPointwise(op))
    return std::nullopt;
  ArrayRef<int64_t> shape = getTensorShape(op->getResult(0));
  auto hasShape = [&](Value value) {
    ArrayRef<int64_t> other = getTensorShape(value);
    return other.empty() || other.size() == shape.size();
  };
  if (!llvm::all_of(op->getOperands(), hasShape) ||
      !llvm::all_of(op->getResults(), hasShape))
    return std::nullopt;
  return getPointwiseRule(op);
}

namespace {
/// A rule that is a function of the op.
template <typename OpT, OpClass opClass = OpClass::Other>
struct RuleModel
    : ShardingRuleOpInterface::ExternalModel<RuleModel<OpT, opClass>, OpT> {
  std::optional<Rule> getShardingRule(Operation *op, bool conservative) const {
    return getRule(cast<OpT>(op), conservative);
  }
  OpClass getShardingClass(Operation *) const { return opClass; }
};

template <typename OpT>
struct PointwiseModel
    : ShardingRuleOpInterface::ExternalModel<PointwiseModel<OpT>, OpT> {
  std::optional<Rule> getShardingRule(Operation *op, bool) const {
    return getPointwiseRule(op);
  }
  OpClass getShardingClass(Operation *) const { return OpClass::Elementwise; }
};
} // namespace

namespace {
struct CustomCallModel
    : ShardingRuleOpInterface::ExternalModel<CustomCallModel, CustomCallOp> {
  std::optional<Rule> getShardingRule(Operation *op, bool conservative) const {
    return getRule(cast<CustomCallOp>(op), conservative);
  }
  OpClass getShardingClass(Operation *op) const {
    return isMove(cast<CustomCallOp>(op)) ? OpClass::PassThrough
                                          : OpClass::Other;
  }
};

struct BitcastConvertModel
    : ShardingRuleOpInterface::ExternalModel<BitcastConvertModel,
                                             BitcastConvertOp> {
  std::optional<Rule> getShardingRule(Operation *op, bool conservative) const {
    return getRule(cast<BitcastConvertOp>(op), conservative);
  }
  OpClass getShardingClass(Operation *op) const {
    return getTensorShape(op->getOperand(0)) == getTensorShape(op->getResult(0))
               ? OpClass::Elementwise
               : OpClass::Other;
  }
};
} // namespace

//===----------------------------------------------------------------------===//
// Registration
//===----------------------------------------------------------------------===//

template <typename... OpTs>
static void attachPointwise(MLIRContext &context) {
  (OpTs::template attachInterface<PointwiseModel<OpTs>>(context), ...);
}

void sdy::registerStableHLORules(DialectRegistry &registry) {
  registry.addExtension(+[](MLIRContext *context, StableHLODialect *dialect) {
    if (!isOwn(dialect))
      return;
    attachPointwise<
        AbsOp, AddOp, AndOp, Atan2Op, CbrtOp, CeilOp, ClampOp, ClzOp, CompareOp,
        ConvertOp, CosineOp, DivOp, ExpOp, Expm1Op, FloorOp, IsFiniteOp, LogOp,
        Log1pOp, LogisticOp, MaxOp, MinOp, MulOp, NegOp, NotOp, OrOp,
        PopulationCountOp, PowOp, RemOp, RoundOp, RoundNearestEvenOp, RsqrtOp,
        SelectOp, ShiftLeftOp, ShiftRightArithmeticOp, ShiftRightLogicalOp,
        SignOp, SineOp, SqrtOp, SubtractOp, TanOp, TanhOp, XorOp>(*context);
    BitcastConvertOp::attachInterface<BitcastConvertModel>(*context);
    BroadcastInDimOp::attachInterface<
        RuleModel<BroadcastInDimOp, OpClass::Broadcast>>(*context);
    ConcatenateOp::attachInterface<RuleModel<ConcatenateOp>>(*context);
    CustomCallOp::attachInterface<CustomCallModel>(*context);
    DotGeneralOp::attachInterface<RuleModel<DotGeneralOp>>(*context);
    DynamicSliceOp::attachInterface<RuleModel<DynamicSliceOp, OpClass::Slice>>(
        *context);
    DynamicUpdateSliceOp::attachInterface<
        RuleModel<DynamicUpdateSliceOp, OpClass::Slice>>(*context);
    PadOp::attachInterface<RuleModel<PadOp>>(*context);
    ReduceOp::attachInterface<RuleModel<ReduceOp>>(*context);
    ReshapeOp::attachInterface<RuleModel<ReshapeOp, OpClass::PassThrough>>(
        *context);
    ReverseOp::attachInterface<RuleModel<ReverseOp>>(*context);
    SliceOp::attachInterface<RuleModel<SliceOp>>(*context);
    SortOp::attachInterface<RuleModel<SortOp>>(*context);
    TransposeOp::attachInterface<RuleModel<TransposeOp, OpClass::PassThrough>>(
        *context);
  });
}
