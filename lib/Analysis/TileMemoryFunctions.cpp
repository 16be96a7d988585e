//===- TileMemoryFunctions.cpp - Functions of a program ---------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "TileMemoryReader.h"

using namespace mlir;
using namespace mlir::ipu;

/// Calls nest in the stack of this process as well.
static constexpr unsigned kMaxCallDepth = 1000;

//===----------------------------------------------------------------------===//
// Calls
//===----------------------------------------------------------------------===//

LogicalResult ProblemReader::readCall(CallOp op) {
  auto callee =
      symbols.lookupNearestSymbolFrom<func::FuncOp>(op, op.getCalleeAttr());
  if (!callee || callee.isDeclaration())
    return op.emitOpError() << "expects " << op.getCalleeAttr()
                            << " to be a 'func.func' with a body";
  if (!functionsRead.contains(callee)) {
    // The same error at each recursion, whoever finds it.
    if (callDepth == 0)
      if (auto module = entry->getParentOfType<ModuleOp>();
          module && failed(FunctionCalls(module).verifyNoRecursion()))
        return failure();
    if (callDepth >= kMaxCallDepth)
      return op.emitOpError()
             << "is nested in more than " << kMaxCallDepth << " calls";
    ++callDepth;
    if (failed(readFunction(callee)))
      return failure();
    --callDepth;
  }
  lives.call(callee, getStep());
  return addControlStep(op);
}

LogicalResult ProblemReader::readFunction(func::FuncOp callee) {
  Operation *caller = std::exchange(function, callee.getOperation());
  functionsRead.insert(callee);
  codeOfFunction.insert({callee, getNoBytes()});
  lives.beginFunction(getStep());
  if (!callee.getBody().empty() && failed(readBlock(callee.getBody().front())))
    return failure();
  lives.endFunction(callee);
  function = caller;
  return success();
}

//===----------------------------------------------------------------------===//
// Code
//===----------------------------------------------------------------------===//

static int64_t getCodeBytes(const TargetModel &target, CodeletOp codelet) {
  CodeletCostAttr cost = codelet.getCost();
  if (usesMatrixUnit(cost))
    return target.codelet_amp_bytes;
  if (cost.getKind() == CostKind::Reduce)
    return target.codelet_reduce_bytes;
  if (cost.getKind() == CostKind::Gather)
    return target.codelet_gather_bytes;
  bool isFlat = llvm::all_of(codelet.getArgumentTypes(), [](Type type) {
    return cast<MemRefType>(type).getRank() <= 1;
  });
  return isFlat ? target.codelet_1d_bytes : target.codelet_2d_bytes;
}

/// The code of a codelet belongs to the one function that uses it, and is
/// always there if there are several.
void ProblemReader::addCodelets() {
  for (auto &[codelet, use] : codelets) {
    int64_t bytes = getCodeBytes(target, cast<CodeletOp>(codelet));
    function = use.function;
    TileCounts &code = function ? getCode(MemoryCategory::VertexCode)
                                : get(MemoryCategory::VertexCode);
    code.add(transform(use.vertices,
                       [&](int64_t count) { return count > 0 ? bytes : 0; }));
  }
}

LogicalResult ProblemReader::addCode() {
  std::optional<CodeLiveness> liveness;
  auto module = entry->getParentOfType<ModuleOp>();
  if (loadsCode && module) {
    FailureOr<CodeLiveness> result = CodeLiveness::create(module);
    if (failed(result))
      return failure();
    // A function that is no entry of the module may run at any time.
    if (llvm::is_contained(result->getReachedFunctions(),
                           FunctionOpInterface(entry)))
      liveness.emplace(std::move(*result));
  }
  for (auto &[callee, bytes] : codeOfFunction) {
    auto interface = cast<FunctionOpInterface>(callee);
    if (!liveness || liveness->isAlwaysLive(interface)) {
      for (auto [sum, part] : llvm::zip_equal(problem.fixed, bytes))
        sum.add(part);
      continue;
    }
    MemoryCode code;
    code.function = callee;
    code.bytes = std::move(bytes);
    for (auto [step, op] : llvm::enumerate(problem.steps)) {
      if (!liveness->isResidentDuring(op, interface))
        continue;
      int64_t at = step;
      if (code.steps.empty() || code.steps.back().second < at)
        code.steps.emplace_back(at, at);
      code.steps.back().second = at + 1;
    }
    problem.code.push_back(std::move(code));
  }
  return success();
}

FailureOr<MemoryProblem> ProblemReader::read() {
  readStates();
  if (failed(readFunction(entry)))
    return failure();
  // A program without steps holds its variables all the same.
  problem.numSteps = std::max<int64_t>(getStep(), 1);
  lives.finish(problem.variables);
  for (MemoryVariable &variable : problem.variables) {
    if (variable.alwaysLive)
      std::tie(variable.begin, variable.end) =
          std::make_pair(int64_t(0), problem.numSteps);
  }
  addCodelets();
  if (failed(addCode()))
    return failure();
  return std::move(problem);
}

FailureOr<MemoryProblem> mlir::ipu::readMemoryProblem(func::FuncOp function) {
  return ProblemReader(function).read();
}

SmallVector<func::FuncOp> mlir::ipu::getPrograms(ModuleOp module) {
  llvm::DenseSet<StringAttr> called;
  module.walk(
      [&](CallOp call) { called.insert(call.getCalleeAttr().getAttr()); });
  SmallVector<func::FuncOp> programs;
  for (auto function : module.getOps<func::FuncOp>()) {
    // A function without variables and calls is no program.
    bool isProgram = function
                         .walk([](Operation *op) {
                           return isa<VarOp, CallOp>(op)
                                      ? WalkResult::interrupt()
                                      : WalkResult::advance();
                         })
                         .wasInterrupted();
    if (isProgram && !called.contains(function.getSymNameAttr()))
      programs.push_back(function);
  }
  return programs;
}
