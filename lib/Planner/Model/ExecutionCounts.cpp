//===- ExecutionCounts.cpp - Numbers of executions --------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ExecutionCounts.h"

#include "mlir/Interfaces/LoopLikeInterface.h"

using namespace mlir;
using namespace mlir::ipu;

/// The greatest known number of executions. With this limit, products and sums
/// of numbers of executions do not overflow.
static constexpr int64_t kMaxTimes = 1 << 20;

int64_t mlir::ipu::getTimesIn(Operation *op, int64_t times) {
  auto loop = dyn_cast<LoopLikeOpInterface>(op);
  std::optional<APInt> count =
      loop ? loop.getStaticTripCount() : std::optional<APInt>();
  if (!count)
    return times;
  return std::clamp<int64_t>(count->getLimitedValue(kMaxTimes), 1,
                             kMaxTimes / times) *
         times;
}

func::FuncOp mlir::ipu::getJoinedCallee(CallOpInterface call,
                                        const FunctionCalls &calls) {
  FunctionOpInterface function = calls.getCallee(call);
  auto callee =
      function ? dyn_cast<func::FuncOp>(function.getOperation()) : nullptr;
  return callee && !callee.isExternal() && callee.getNumArguments() == 0 &&
                 callee.getNumResults() == 0
             ? callee
             : nullptr;
}

DenseMap<Operation *, int64_t>
mlir::ipu::countExecutions(func::FuncOp function, const FunctionCalls &calls) {
  DenseMap<Operation *, int64_t> timesOf;
  timesOf[function] = 1;
  if (calls.getCallsIn(function).empty())
    return timesOf;
  SmallVector<FunctionOpInterface> order = calls.getPostOrder();
  for (FunctionOpInterface caller : llvm::reverse(order)) {
    auto it = timesOf.find(caller);
    if (it == timesOf.end())
      continue;
    int64_t timesOfCaller = it->second;
    for (CallOpInterface call : calls.getCallsIn(caller)) {
      func::FuncOp callee = getJoinedCallee(call, calls);
      if (!callee)
        continue;
      int64_t timesOfCall = timesOfCaller;
      for (Operation *op = call->getParentOp(); op != caller;
           op = op->getParentOp())
        timesOfCall = getTimesIn(op, timesOfCall);
      int64_t &sum = timesOf[callee];
      sum = std::min(sum + timesOfCall, kMaxTimes);
    }
  }
  return timesOf;
}
