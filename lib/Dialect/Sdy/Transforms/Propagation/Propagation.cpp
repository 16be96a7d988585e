//===- Propagation.cpp - Propagation by priorities ------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// In: a module with shardings. Out: the same module with more shardings. For
// each op priority of each user priority, propagation runs until no sharding
// changes.
//
//===----------------------------------------------------------------------===//

#include "ipu-mlir/Dialect/Sdy/Transforms/Propagation.h"

#include "../SaveModuleOp.h"
#include "PropagationDriver.h"
#include "PropagationReport.h"
#include "ShardingOrigins.h"
#include "UserPriorities.h"
#include "ipu-mlir/Interfaces/ShapeLimits.h"
#include "ipu-mlir/Sharding/OpPriority.h"

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
// Op priorities
//===----------------------------------------------------------------------===//

/// Whether what passes here passes nowhere else.
static bool hasSingleUseOperands(Operation *op) {
  return llvm::all_of(op->getOperands(), [](Value operand) {
    return getTensorShape(operand).empty() || operand.hasOneUse();
  });
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

static void runOpPriorities(PropagationDriver &driver, int64_t userPriority,
                            bool usesOpPriority) {
  constexpr unsigned last = sharding::kLastOpPriority;
  for (unsigned opPriority = usesOpPriority ? 0 : last; opPriority <= last;
       ++opPriority) {
    auto getDirection = [&](Operation *op, OpClass opClass,
                            const sharding::Factor &factor) {
      if (std::optional<Direction> direction = getBarrierDirection(op))
        return *direction;
      return sharding::getOpPriorityDirection(
          opClass, factor.type, opPriority == 0 && hasSingleUseOperands(op),
          opPriority);
    };
    // An op that changed its own operands is not visited for that: one that
    // has a value twice may have more to do. Without op priorities there is one
    // iteration, as in Shardy, where results depend on it.
    do
      driver.startIteration(userPriority, opPriority);
    while (driver.run(getDirection) && usesOpPriority && opPriority == last);
  }
}

//===----------------------------------------------------------------------===//
// Entry point
//===----------------------------------------------------------------------===//

LogicalResult sdy::propagateShardings(ModuleOp module,
                                      const PropagationOptions &options) {
  if (failed(verifyTypes(module)) || failed(verifyAddressable(module)) ||
      failed(verifyGroupShapes(module)))
    return failure();
  ShardingGroups groups(module);
  ShardingState state(module);
  std::optional<ShardingOrigins> origins;
  if (options.debugShardingOrigins || options.debugPropagationEdges)
    origins.emplace(module, state);
  groups.sync();
  PropagationDriver driver(module, state, groups, options);
  if (origins) {
    origins->start(groups);
    driver.addObserver(*origins);
  }
  std::optional<PropagationReport> report;
  if (options.report)
    driver.addObserver(
        report.emplace(module, *options.report, options.reportConflictsOnly));

  std::optional<UserPriorities> priorities;
  if (options.userPriority)
    priorities.emplace(module, state);
  int64_t priority = 0;
  while (true) {
    runOpPriorities(driver, priority, options.opPriority);
    if (!options.moduleDumpDirectory.empty()) {
      state.write();
      std::string stage =
          "1_propagation_after_user_priority_" + std::to_string(priority);
      if (failed(dumpModule(module, options.moduleDumpDirectory, stage)))
        return failure();
    }
    std::optional<int64_t> next =
        priorities ? priorities->activateNext() : std::nullopt;
    if (!next)
      break;
    priority = *next;
  }
  if (report)
    report->printSummary(driver);
  state.write();
  if (options.debugShardingOrigins)
    origins->writeOrigins();
  if (options.debugPropagationEdges)
    origins->writeEdges();
  return success();
}
