//===- CustomCallRules.cpp - Sharding rules by call target ----------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The targets and their rules are those of Shardy's registry. JAX creates such
// a call for each use of some of its functions.
//
//===----------------------------------------------------------------------===//

#include "ipu-mlir/Dialect/Sdy/Rules/CustomCallRules.h"

#include "ShapeRules.h"

using namespace mlir;
using namespace mlir::ipu;
using namespace mlir::ipu::sdy;
using sharding::FactorType;
using sharding::kNoDim;
using sharding::OpClass;
using sharding::Rule;

using Shape = ArrayRef<int64_t>;

static bool hasCounts(Operation *op, unsigned operands, unsigned results) {
  return op->getNumOperands() == operands && op->getNumResults() == results;
}

//===----------------------------------------------------------------------===//
// Element by element
//===----------------------------------------------------------------------===//

/// All tensors but scalars have the shape of the result, or that of what is
/// slightly smaller or larger.
static std::optional<Rule> getPointwiseCallRule(Operation *op, bool) {
  Shape shape = getTensorShape(op->getResult(0));
  auto hasRank = [&](Value value) {
    Shape other = getTensorShape(value);
    return other.empty() || other.size() == shape.size();
  };
  if (!llvm::all_of(op->getOperands(), hasRank) ||
      !llvm::all_of(op->getResults(), hasRank))
    return std::nullopt;
  return getPointwiseRule(op);
}

static std::optional<Rule> getNoRule(Operation *, bool) { return std::nullopt; }

//===----------------------------------------------------------------------===//
// Decompositions of matrices
//===----------------------------------------------------------------------===//

/// [b..., m, n], m by n matrices.
static bool areMatrices(Shape shape) { return shape.size() >= 2; }

/// As many batches, and vectors of any length.
static bool areVectorsOf(Shape vectors, Shape matrices) {
  return vectors.size() + 1 == matrices.size() &&
         vectors.drop_back() == matrices.drop_back(2);
}

/// Eigenvectors [b..., m, n] and eigenvalues [b..., n] of [b..., m, n].
static std::optional<Rule> getEighRule(Operation *op, bool) {
  if (!hasCounts(op, 1, 2))
    return std::nullopt;
  Shape in = getTensorShape(op->getOperand(0));
  Shape values = getTensorShape(op->getResult(1));
  if (!areMatrices(in) || getTensorShape(op->getResult(0)) != in ||
      !areVectorsOf(values, in) || values.back() != in.back())
    return std::nullopt;
  int64_t row = in.size() - 2, column = row + 1;
  return makeRuleBuilder(op)
      .addPointwise(in.drop_back(2))
      .addFactor({row}, {row, kNoDim}, in[row])
      .addFactor({column}, {column, row}, in[column])
      .build();
}

/// Factors of matrices: [b..., m, n] go with [b..., m, n], and with the scalar
/// factors of reflectors, [b..., k], by batches alone.
static Rule getReflectorRule(Operation *op, Shape matrices, Shape vectors,
                             bool areVectorsOperand) {
  int64_t row = matrices.size() - 2;
  sharding::RuleBuilder builder = makeRuleBuilder(op);
  auto add = [&](int64_t matrixDim, int64_t vectorDim, int64_t size) {
    SmallVector<int64_t> operands = {matrixDim}, results = {matrixDim};
    (areVectorsOperand ? operands : results).push_back(vectorDim);
    builder.addFactor(operands, results, size, FactorType::NeedReplication);
  };
  builder.addPointwise(matrices.drop_back(2));
  add(row, kNoDim, matrices[row]);
  add(row + 1, kNoDim, matrices[row + 1]);
  add(kNoDim, row, vectors.back());
  return builder.build();
}

static std::optional<Rule> getQrRule(Operation *op, bool) {
  if (!hasCounts(op, 1, 2))
    return std::nullopt;
  Shape in = getTensorShape(op->getOperand(0));
  Shape taus = getTensorShape(op->getResult(1));
  if (!areMatrices(in) || getTensorShape(op->getResult(0)) != in ||
      !areVectorsOf(taus, in))
    return std::nullopt;
  return getReflectorRule(op, in, taus, /*areVectorsOperand=*/false);
}

static std::optional<Rule> getHouseholderRule(Operation *op, bool) {
  if (!hasCounts(op, 2, 1))
    return std::nullopt;
  Shape in = getTensorShape(op->getOperand(0));
  Shape taus = getTensorShape(op->getOperand(1));
  if (!areMatrices(in) || getTensorShape(op->getResult(0)) != in ||
      !areVectorsOf(taus, in))
    return std::nullopt;
  return getReflectorRule(op, in, taus, /*areVectorsOperand=*/true);
}

//===----------------------------------------------------------------------===//
// The largest elements
//===----------------------------------------------------------------------===//

static bool canBePart(Shape part, Shape whole) {
  return !whole.empty() && part.size() == whole.size();
}

/// values [..., k], indices [..., k] of [..., n]
static std::optional<Rule> getTopKRule(Operation *op, bool) {
  if (!hasCounts(op, 1, 2))
    return std::nullopt;
  Shape in = getTensorShape(op->getOperand(0));
  Shape out = getTensorShape(op->getResult(0));
  if (!canBePart(out, in) || getTensorShape(op->getResult(1)) != out)
    return std::nullopt;
  sharding::RuleBuilder builder = makeRuleBuilder(op);
  for (auto [dim, size] : llvm::enumerate(in)) {
    bool isSliced = out[dim] != size;
    builder.addFactor(dim, size,
                      isSliced ? FactorType::NeedReplication
                               : FactorType::PassThrough,
                      /*blocked=*/isSliced);
  }
  return builder.build();
}

/// Of keys and their indices, [..., n] each, and two scalars to start from:
/// values and indices [..., k].
static std::optional<Rule> getApproxTopKRule(Operation *op, bool) {
  if (!hasCounts(op, 4, 2))
    return std::nullopt;
  Shape in = getTensorShape(op->getOperand(0));
  Shape out = getTensorShape(op->getResult(0));
  if (!canBePart(out, in) || getTensorShape(op->getOperand(1)) != in ||
      getTensorShape(op->getResult(1)) != out ||
      !getTensorShape(op->getOperand(2)).empty() ||
      !getTensorShape(op->getOperand(3)).empty())
    return std::nullopt;
  sharding::RuleBuilder builder = makeRuleBuilder(op);
  SmallVector<int64_t> noOperands(4, kNoDim), noResults(2, kNoDim);
  for (auto [i, size] : llvm::enumerate(in)) {
    auto dim = static_cast<int64_t>(i);
    if (out[dim] == size) {
      builder.addFactor(dim, size);
      continue;
    }
    builder.addFactor(SmallVector<int64_t>(4, dim), noResults, size);
    builder.addFactor(noOperands, {dim, dim}, out[dim],
                      FactorType::NeedReplication, /*blocked=*/true);
  }
  return builder.build();
}

//===----------------------------------------------------------------------===//
// Registry
//===----------------------------------------------------------------------===//

CustomCallRules::CustomCallRules(Dialect *dialect) : Base(dialect) {
  for (StringRef target :
       {"annotate_device_placement", "Cholesky", "CompactWyHelper",
        "InspectSharding", "InvertDiagBlocksLowerTriangular",
        "InvertDiagBlocksUpperTriangular", "LayoutConstraint", "mhlo.erf",
        "X64Combine", "X64SplitHigh", "X64SplitLow",
        "xla.megascale.provide_metadata", "_SPMDInternalOp_MultiPad",
        "_SPMDInternalOp_MultiRotate", "_SPMDInternalOp_MultiSlice",
        "_SPMDInternalOp_RotateRight", "_SPMDInternalOp_Wrap"})
    add(target, {getPointwiseCallRule});
  for (StringRef target : {"MoveToDevice", "MoveToHost"})
    add(target, {getPointwiseCallRule, OpClass::PassThrough});
  for (StringRef target : {"ApproxTopK", "PartialReduce"})
    add(target, {getApproxTopKRule});
  for (StringRef target : {"Qr", "QrDecompositionBlock"})
    add(target, {getQrRule});
  add("Eigh", {getEighRule});
  add("mhlo.topk", {getTopKRule});
  add("ProductOfElementaryHouseholderReflectors", {getHouseholderRule});
  // Known to have none.
  for (StringRef target :
       {"sdy_testonly", "tpu_custom_call", "xla.debug.Log",
        "xla_python_cpu_callback", "xla_python_gpu_callback",
        "xla_ffi_python_cpu_callback", "xla_ffi_python_gpu_callback"})
    add(target, {getNoRule});
}

CustomCallRules &CustomCallRules::get(Dialect &dialect) {
  if (auto *rules = dialect.getRegisteredInterface<CustomCallRules>())
    return *rules;
  return dialect.addInterface<CustomCallRules>();
}

void CustomCallRules::add(StringRef target, CustomCallRule rule) {
  rules[target] = std::move(rule);
}

const CustomCallRule *CustomCallRules::lookup(StringRef target) const {
  auto it = rules.find(target);
  return it == rules.end() ? nullptr : &it->second;
}
