//===- ScalarOperations.cpp - Scalar operations of ops ----------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ScalarOperations.h"

#include "ipu-mlir/Interfaces/ShardingInterfaces.h"
#include "ipu-mlir/Interfaces/TileInterfaces.h"
#include "mlir/IR/BuiltinTypes.h"
#include "mlir/IR/OpDefinition.h"
#include "llvm/Support/CheckedArithmetic.h"

using namespace mlir;
using namespace mlir::ipu;
using namespace mlir::pop;

/// Returns the scalar operations of one op: the product of the sizes of its
/// loops, which are the factors of its sharding rule. An op without a rule has
/// one operation for each element of its results.
static int64_t countOperationsOf(Operation *op) {
  constexpr int64_t kMost = int64_t(1) << 48;
  auto isStatic = [](Type type) {
    auto tensor = dyn_cast<RankedTensorType>(type);
    return tensor && tensor.hasStaticShape();
  };
  int64_t product = 1;
  auto multiply = [&](int64_t size) {
    product = std::min(kMost, llvm::checkedMul(product, size).value_or(kMost));
  };
  auto ruled = dyn_cast<ShardingRuleOpInterface>(op);
  if (ruled && llvm::all_of(op->getOperandTypes(), isStatic) &&
      llvm::all_of(op->getResultTypes(), isStatic))
    if (std::optional<sharding::Rule> rule =
            ruled.getShardingRule(/*conservative=*/false)) {
      for (const sharding::Factor &factor : rule->factors)
        multiply(factor.size);
      return product;
    }
  int64_t sum = 0;
  for (Type type : op->getResultTypes())
    if (isStatic(type))
      sum += cast<RankedTensorType>(type).getNumElements();
  return std::min(sum, kMost);
}

int64_t mlir::pop::countOperations(Operation *op) {
  int64_t sum = 0;
  op->walk([&](Operation *inner) {
    if (!isa<TileViewOpInterface>(inner) &&
        !inner->hasTrait<OpTrait::ConstantLike>())
      sum += countOperationsOf(inner);
  });
  return sum;
}
