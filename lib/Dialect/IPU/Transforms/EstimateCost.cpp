//===- EstimateCost.cpp - Estimation of costs -------------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// In: an ipu program, or a module of several programs. Out: the same program
// with the estimated cost on every step, at the requested level.
//
//===----------------------------------------------------------------------===//

#include "StepIPUs.h"
#include "ipu-mlir/Analysis/Cost/StepCostInterface.h"
#include "ipu-mlir/Analysis/Exchange/Exchange.h"
#include "ipu-mlir/Analysis/TileCounts/Count.h"
#include "ipu-mlir/Analysis/TileMemory/StepMemoryInterface.h"
#include "ipu-mlir/Analysis/TileMemory/TileMemory.h"
#include "ipu-mlir/Dialect/IPU/Transforms/Passes.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/Remarks.h"
#include "llvm/ADT/StringMap.h"

namespace mlir::ipu {
#define GEN_PASS_DEF_ESTIMATECOSTPASS
#include "ipu-mlir/Dialect/IPU/Transforms/Passes.h.inc"
} // namespace mlir::ipu

using namespace mlir;
using namespace mlir::ipu;

namespace {
/// Bytes of the code of functions on each tile, found when they are asked for.
class CodeBytes {
public:
  CodeBytes(ModuleOp module, const TargetModel &target)
      : module(module), target(target) {}

  /// Of `functions`, where they lie in `memory`.
  FailureOr<TileCounts> get(Operation *step, ArrayRef<Attribute> functions,
                            CodeLocation memory);

private:
  void addBytes(const MemoryProblem &problem);

  ModuleOp module;
  const TargetModel &target;
  bool isRead = false;
  /// By location and name.
  std::array<llvm::StringMap<TileCounts>, 3> bytesIn;
};

struct EstimateCost : ipu::impl::EstimateCostPassBase<EstimateCost> {
  using EstimateCostPassBase::EstimateCostPassBase;

  bool canScheduleOn(RegisteredOperationName name) const override {
    return name.getStringRef() == ModuleOp::getOperationName() ||
           name.getStringRef() == func::FuncOp::getOperationName();
  }
  void getDependentDialects(DialectRegistry &registry) const override {
    EstimateCostPassBase::getDependentDialects(registry);
    registerStepCostModels(registry);
    registerStepMemoryModels(registry);
  }
  void runOnOperation() override;

private:
  LogicalResult setCost(StepOpInterface step, const StepCostContext &context);
};
} // namespace

/// Codelets that a function shares with one that is always there are not part
/// of what loads bring.
FailureOr<TileCounts> CodeBytes::get(Operation *step,
                                     ArrayRef<Attribute> functions,
                                     CodeLocation memory) {
  if (!module) {
    step->emitOpError("loads code, and the cost of a load depends on other "
                      "functions; run ipu-estimate-cost on the module");
    return failure();
  }
  if (!isRead) {
    isRead = true;
    for (func::FuncOp program : getPrograms(module)) {
      FailureOr<MemoryProblem> problem = readMemoryProblem(program);
      if (failed(problem))
        return failure();
      addBytes(*problem);
    }
  }
  TileCounts sum(target.getTilesPerReplica());
  for (Attribute function : functions) {
    // There is nothing of a function that is always there.
    auto &known = bytesIn[static_cast<unsigned>(memory)];
    auto it = known.find(cast<FlatSymbolRefAttr>(function).getValue());
    if (it != known.end())
      sum.add(it->second);
  }
  return sum;
}

/// The first program that has a function says what it takes.
void CodeBytes::addBytes(const MemoryProblem &problem) {
  llvm::MapVector<Operation *, TileCounts> executable;
  for (const MemoryCode &code : problem.code)
    for (Operation *function : code.functions)
      for (const TileCounts &part : code.bytes)
        executable.try_emplace(function, TileCounts(problem.numTiles))
            .first->second.add(part);
  auto add = [&](CodeLocation memory, Operation *function,
                 const TileCounts &bytes) {
    bytesIn[static_cast<unsigned>(memory)].try_emplace(
        SymbolTable::getSymbolName(function).getValue(), bytes);
  };
  for (const auto &[function, bytes] : executable)
    add(CodeLocation::Executable, function, bytes);
  for (const MemoryVariable &variable : problem.variables)
    if (variable.buffer)
      add(*variable.buffer, variable.op, problem.layouts[variable.layout]);
}

/// Says what passes links between IPUs: all bytes, those of the IPU that has
/// most, and how many others it talks to at most.
static void addLinks(const TargetModel &target, ExchangeOp op,
                     remark::detail::InFlightRemark &remark) {
  ExchangeTraffic traffic = getExchangeTraffic(target, getExchangeMoves(op));
  Count bytes, most;
  for (auto [in, out] : llvm::zip_equal(traffic.linkIn, traffic.linkOut)) {
    bytes += in;
    most = std::max({most, Count(in), Count(out)});
  }
  remark << remark::metric("link-bytes", bytes.get())
         << remark::metric("most-link-bytes", most.get())
         << remark::metric("partners",
                           *llvm::max_element(traffic.getNumPartners()));
}

LogicalResult EstimateCost::setCost(StepOpInterface step,
                                    const StepCostContext &context) {
  auto model = dyn_cast<StepCostOpInterface>(step.getOperation());
  if (!model)
    return step.emitOpError("has no estimate of its cost: the op does not "
                            "implement StepCostOpInterface");
  FailureOr<StepCostAttr> cost = model.estimateCost(context);
  if (failed(cost))
    return failure();
  step.setCostAttr(addCostShares(step, *cost, context));
  auto remark = remark::analysis(
      step.getLoc(), remark::RemarkOpts::name(step->getName().getStringRef())
                         .category("ipu-cost"));
  remark << remark::metric("cycles", *llvm::max_element(cost->getCycles()))
         << remark::metric("bytes", cost->getBytes());
  auto exchange = dyn_cast<ExchangeOp>(step.getOperation());
  if (remark && exchange && context.target.ipus > 1)
    addLinks(context.target, exchange, remark);
  return success();
}

static bool containsCall(Operation *op) {
  return op->walk([](CallOp) { return WalkResult::interrupt(); })
      .wasInterrupted();
}

void EstimateCost::runOnOperation() {
  TargetModel target = getTargetModel(getOperation());
  CodeBytes code(dyn_cast<ModuleOp>(getOperation()), target);
  auto getCodeBytes = [&](Operation *step, ArrayRef<Attribute> functions,
                          CodeLocation memory) {
    return code.get(step, functions, memory);
  };
  StepIPUs ipus(target);
  // A pass on a function must not read other functions.
  bool readsFunctions = isa<ModuleOp>(getOperation());
  auto getControlIPUs =
      [&](Operation *control) -> FailureOr<llvm::SmallBitVector> {
    if (target.ipus > 1 && !readsFunctions && containsCall(control)) {
      control->emitOpError("calls a function, and its cost depends on the IPUs "
                           "of the function; run ipu-estimate-cost on the "
                           "module");
      return failure();
    }
    return ipus.getControlIPUs(control);
  };
  StepCostContext context{target, level, getCodeBytes, getControlIPUs};
  WalkResult result = getOperation()->walk(
      [&](StepOpInterface step) { return WalkResult(setCost(step, context)); });
  if (result.wasInterrupted())
    signalPassFailure();
}
