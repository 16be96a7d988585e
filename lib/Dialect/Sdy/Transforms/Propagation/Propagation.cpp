//===- Propagation.cpp - Propagation by priorities ------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// In: a module with shardings. Out: the same with more. For each priority that
// the user gave: for each level of ops: until nothing changes.
//
//===----------------------------------------------------------------------===//

#include "ipu-mlir/Dialect/Sdy/Transforms/Propagation.h"

#include "PropagationDriver.h"
#include "UserPriorities.h"

using namespace mlir;
using namespace mlir::ipu;
using namespace mlir::ipu::sdy;
using sharding::Direction;
using sharding::OpClass;

static LogicalResult verifyTypes(ModuleOp module) {
  WalkResult walked = module.walk([](Operation *op) {
    for (auto [i, type] : llvm::enumerate(op->getResultTypes())) {
      auto shaped = dyn_cast<ShapedType>(type);
      bool isStatic = !shaped || (shaped.hasRank() && shaped.hasStaticShape());
      if (isStatic && !isa<TupleType>(type))
        continue;
      op->emitOpError() << "cannot take part in the propagation of shardings: "
                           "expects static shapes and no tuples but result "
                        << i << " is " << type;
      return WalkResult::interrupt();
    }
    return WalkResult::advance();
  });
  return failure(walked.wasInterrupted());
}

//===----------------------------------------------------------------------===//
// Levels of ops
//===----------------------------------------------------------------------===//

static OpClass getOpClass(Operation *op) {
  if (isa<DataFlowEdgeOp, FuncDataFlowEdgeOp>(op))
    return OpClass::PassThrough;
  auto rules = dyn_cast<ShardingRuleOpInterface>(op);
  return rules ? rules.getShardingClass() : OpClass::Other;
}

/// Whether what passes here passes nowhere else.
static bool hasSingleUseOperands(Operation *op) {
  return llvm::all_of(op->getOperands(), [](Value operand) {
    return getTensorShape(operand).empty() || operand.hasOneUse();
  });
}

static Direction getLevelDirection(Operation *op,
                                   const sharding::Factor &factor,
                                   unsigned level) {
  OpClass opClass = getOpClass(op);
  Direction early =
      opClass == OpClass::Elementwise || opClass == OpClass::PassThrough
          ? Direction::Both
      : opClass == OpClass::Slice ? Direction::Forward
                                  : Direction::None;
  Direction late =
      opClass == OpClass::Broadcast ? Direction::Backward : Direction::Both;
  switch (level) {
  case 0:
    return early != Direction::None && hasSingleUseOperands(op)
               ? early
               : Direction::None;
  case 1:
    return early;
  case 2:
    return factor.type == sharding::FactorType::PassThrough
               ? sharding::unite(early, late)
               : early;
  case 3:
    return sharding::unite(early, late);
  default:
    return Direction::Both;
  }
}

/// A barrier has a direction of its own.
static std::optional<Direction> getBarrierDirection(Operation *op) {
  auto barrier = dyn_cast<PropagationBarrierOp>(op);
  if (!barrier)
    return std::nullopt;
  switch (barrier.getAllowedDirection()) {
  case PropagationDirection::NONE:
    return Direction::None;
  case PropagationDirection::FORWARD:
    return Direction::Forward;
  case PropagationDirection::BACKWARD:
    return Direction::Backward;
  case PropagationDirection::BOTH:
    return Direction::Both;
  }
  llvm_unreachable("unknown direction");
}

static void runLevels(PropagationDriver &driver, bool opPriority) {
  constexpr unsigned lastLevel = 4;
  for (unsigned level = opPriority ? 0 : lastLevel; level <= lastLevel; ++level)
    driver.run([&](Operation *op, const sharding::Factor &factor) {
      if (std::optional<Direction> direction = getBarrierDirection(op))
        return *direction;
      return getLevelDirection(op, factor, level);
    });
}

//===----------------------------------------------------------------------===//
// Entry point
//===----------------------------------------------------------------------===//

LogicalResult sdy::propagateShardings(ModuleOp module,
                                      const PropagationOptions &options) {
  if (failed(verifyTypes(module)) || failed(verifyGroupShapes(module)))
    return failure();
  ShardingGroups groups(module);
  groups.sync();
  ShardingState state(module);
  PropagationDriver driver(module, state, groups, options);
  if (options.userPriority) {
    UserPriorities priorities(module, state);
    runLevels(driver, options.opPriority);
    while (priorities.activateNext())
      runLevels(driver, options.opPriority);
  } else {
    runLevels(driver, options.opPriority);
  }
  state.write();
  return success();
}
