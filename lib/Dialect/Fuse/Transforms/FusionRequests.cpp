//===- FusionRequests.cpp - Requests of passes and transform ops ----------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ipu-mlir/Dialect/Fuse/Transforms/FusionRequests.h"

#include "ipu-mlir/Dialect/Fuse/Schedule/LoopNest.h"
#include "ipu-mlir/Support/Actions.h"

#include "mlir/IR/Remarks.h"
#include "mlir/Interfaces/FunctionInterfaces.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/SetVector.h"
#include "llvm/ADT/SmallPtrSet.h"

using namespace mlir;
using namespace mlir::fuse;

FailureOr<std::vector<FusionSchedule>> fuse::readFusions(Operation *root) {
  std::vector<FusionSchedule> fusions;
  WalkResult walked = root->walk([&](FusionOp op) {
    FailureOr<FusionSchedule> fusion = FusionSchedule::read(op);
    if (failed(fusion))
      return WalkResult::interrupt();
    fusions.push_back(std::move(*fusion));
    return WalkResult::skip();
  });
  if (walked.wasInterrupted())
    return failure();
  return fusions;
}

LogicalResult fuse::reportUnknownTensors(Location loc,
                                         ArrayRef<FusionSchedule> fusions,
                                         ArrayRef<StringRef> names) {
  if (fusions.empty())
    return emitError(loc) << "expects at least one 'fuse.fusion' but got none";
  if (llvm::is_contained(names, ""))
    return emitError(loc) << "expects the name of a tensor but got none";
  for (StringRef name : names) {
    if (llvm::any_of(fusions, [&](const FusionSchedule &fusion) {
          return fusion.schedule.lookup(name).has_value();
        }))
      continue;
    InFlightDiagnostic diagnostic = emitError(loc);
    diagnostic << "no tensor is named '" << name << "'; the tensors are ";
    llvm::SetVector<StringRef> known;
    for (const FusionSchedule &fusion : fusions)
      for (TensorId tensor : fusion.schedule.getProgramOrder())
        known.insert(fusion.schedule.getTensor(tensor).name);
    llvm::interleaveComma(known, diagnostic, [&](StringRef other) {
      diagnostic << "'" << other << "'";
    });
    return diagnostic;
  }
  return emitError(loc) << "tensors '" << names.front() << "' and '"
                        << names.back() << "' are in different fusions";
}

LogicalResult fuse::withTensors(
    Operation *root, ArrayRef<StringRef> names,
    function_ref<LogicalResult(FusionSchedule &, ArrayRef<TensorId>,
                               FusionSchedule::EmitErrorFn)>
        fn) {
  FailureOr<std::vector<FusionSchedule>> fusions = readFusions(root);
  if (failed(fusions))
    return failure();
  llvm::SmallPtrSet<Operation *, 8> functions;
  for (FusionSchedule &fusion : *fusions) {
    Operation *function =
        fusion.getFusion()->getParentOfType<FunctionOpInterface>();
    if (functions.contains(function))
      continue;
    SmallVector<TensorId> tensors;
    for (StringRef name : names)
      if (std::optional<TensorId> tensor = fusion.schedule.lookup(name))
        tensors.push_back(*tensor);
    if (tensors.size() != names.size())
      continue;
    linalg::LinalgOp op = fusion.getOp(tensors.front());
    Location loc = op ? op.getLoc() : fusion.getFusion().getLoc();
    if (failed(fn(fusion, tensors, [&]() { return emitError(loc); })))
      return failure();
    functions.insert(function);
  }
  if (functions.empty())
    return reportUnknownTensors(root->getLoc(), *fusions, names);
  return success();
}

LogicalResult
fuse::withTensor(Operation *root, StringRef name,
                 function_ref<LogicalResult(FusionSchedule &, TensorId,
                                            FusionSchedule::EmitErrorFn)>
                     fn) {
  return withTensors(
      root, name,
      [&](FusionSchedule &fusion, ArrayRef<TensorId> tensors,
          FusionSchedule::EmitErrorFn emitError) -> LogicalResult {
        if (!fusion.getOp(tensors[0]))
          return emitError() << "tensor '" << name
                             << "' is an input of the fusion and has no loops";
        return fn(fusion, tensors[0], emitError);
      });
}

//===----------------------------------------------------------------------===//
// Recomputation
//===----------------------------------------------------------------------===//

/// The consumers of `producer` from which `consumer` is computed.
static SmallVector<TensorId> getConsumersTowards(const Schedule &schedule,
                                                 TensorId producer,
                                                 TensorId consumer) {
  llvm::BitVector leads(schedule.getNumTensors());
  leads.set(consumer);
  for (TensorId tensor : llvm::reverse(schedule.getProgramOrder()))
    for (TensorId reader : schedule.getConsumers(tensor))
      if (leads.test(reader))
        leads.set(tensor);
  SmallVector<TensorId> towards;
  for (TensorId reader : schedule.getConsumers(producer))
    if (leads.test(reader))
      towards.push_back(reader);
  return towards;
}

/// How many elements the op of a tensor computes, as a product.
static std::string formatExtent(const Schedule &schedule, TensorId tensor) {
  AffineExpr product = getAffineConstantExpr(1, schedule.getContext());
  for (AxisId axis : schedule.getTensor(tensor).root)
    product = product * schedule.getAxis(axis).extent;
  std::string text;
  llvm::raw_string_ostream(text) << product;
  return text;
}

/// Says what would help if a copy of the producer does.
static void noteRecomputation(const Schedule &schedule, TensorId producer,
                              TensorId consumer, int64_t position,
                              Violation &violation) {
  if (!planRecomputation(schedule, producer, consumer, position))
    return;
  SmallVector<TensorId> towards =
      getConsumersTowards(schedule, producer, consumer);
  if (towards.size() == schedule.getConsumers(producer).size() &&
      !schedule.getTensor(producer).isOutput)
    return;
  std::string readers;
  for (TensorId reader : towards)
    readers +=
        (readers.empty() ? "'" : ", '") + schedule.getTensor(reader).name + "'";
  violation.notes.push_back(
      {producer,
       "with 'recompute', a clone of '" + schedule.getTensor(producer).name +
           "' would be computed for " + readers + ": " +
           formatExtent(schedule, producer) + " additional elements"});
}

namespace mlir::fuse {
/// The replay of a producer in loops of its consumer.
class ComputeAtAction : public ipu::StepAction<ComputeAtAction> {
public:
  using StepAction::StepAction;
  static constexpr StringLiteral tag = "fuse-compute-at";
  static constexpr StringLiteral text = "replay in loops of its consumer";
};
} // namespace mlir::fuse

static LogicalResult replayAt(FusionSchedule &fusion, TensorId producer,
                              TensorId consumer, int64_t position,
                              const ComputeAtOptions &options, bool recompute,
                              FusionSchedule::EmitErrorFn emitError) {
  MaybeViolation violation =
      computeAt(fusion.schedule, producer, consumer, position, options);
  if (violation && !recompute)
    noteRecomputation(fusion.schedule, producer, consumer, position,
                      *violation);
  if (!violation || !recompute || !fusion.getOp(producer))
    return fusion.apply(violation, emitError);
  SmallVector<TensorId> towards =
      getConsumersTowards(fusion.schedule, producer, consumer);
  if (towards.empty() ||
      (towards.size() == fusion.schedule.getConsumers(producer).size() &&
       !fusion.schedule.getTensor(producer).isOutput))
    return fusion.report(*violation, emitError);

  Operation *consumerOp = fusion.getOp(consumer);
  Operation *producerOp = fusion.getOp(producer);
  TensorId clone = fusion.clone(producer, towards);
  if (MaybeViolation again =
          computeAt(fusion.schedule, clone, *fusion.getTensor(consumerOp),
                    position, options)) {
    LogicalResult refused = fusion.report(*again, emitError);
    fusion.eraseClone(clone, *fusion.getTensor(producerOp));
    return refused;
  }
  fusion.write();
  remark::passed(producerOp->getLoc(),
                 remark::RemarkOpts::name("Recompute").category("ipu-fuse"))
      << "tensor '" +
             fusion.schedule.getTensor(*fusion.getTensor(producerOp)).name +
             "' is computed twice, with " +
             formatExtent(fusion.schedule, clone) + " additional elements";
  return success();
}

LogicalResult fuse::computeAt(FusionSchedule &fusion, TensorId producer,
                              TensorId consumer, int64_t position,
                              const ComputeAtOptions &options, bool recompute,
                              FusionSchedule::EmitErrorFn emitError) {
  Operation *op = fusion.getOp(producer);
  LogicalResult result = success();
  auto replay = [&] {
    result = replayAt(fusion, producer, consumer, position, options, recompute,
                      emitError);
  };
  // A tensor that no op makes is refused.
  if (op)
    ipu::executeStep<ComputeAtAction>(op, replay);
  else
    replay();
  return result;
}

//===----------------------------------------------------------------------===//
// Looking
//===----------------------------------------------------------------------===//

LogicalResult fuse::reportAtTensor(const FusionSchedule &fusion,
                                   const Violation &violation) {
  Operation *op = fusion.getOp(violation.tensor);
  if (!op)
    op = fusion.getFusion();
  return fusion.report(violation, [&]() { return emitError(op->getLoc()); });
}

LogicalResult fuse::verifySchedule(const FusionSchedule &fusion,
                                   const LoopClasses &classes, LoopNest &nest) {
  MaybeViolation violation = verifyLegality(fusion.schedule, classes);
  if (!violation)
    violation = buildLoopNest(fusion.schedule, classes, nest);
  if (!violation)
    violation = verifyLoopTypes(fusion.schedule, classes, nest);
  return violation ? reportAtTensor(fusion, *violation) : success();
}

void fuse::remarkRepetitions(const FusionSchedule &fusion,
                             const LoopClasses &classes) {
  const Schedule &schedule = fusion.schedule;
  for (TensorId tensor : schedule.getProgramOrder()) {
    if (schedule.getTensor(tensor).isInput)
      continue;
    AffineExpr times = getAffineConstantExpr(1, schedule.getContext());
    std::string loops;
    unsigned numLoops = 0;
    for (ClassId around : classes.getLoopsAround(tensor)) {
      if (!classes[around].hasLoop ||
          llvm::is_contained(classes.getClasses(tensor), around))
        continue;
      times = times * classes[around].extent;
      const LoopClass::Member &owner = classes[around].members.front();
      loops += (numLoops++ == 0 ? "'" : ", '") +
               schedule.getAxis(classes[around].promoted).name + "' of '" +
               schedule.getTensor(owner.tensor).name + "'";
    }
    if (numLoops == 0)
      continue;
    std::string text;
    llvm::raw_string_ostream(text) << times;
    emitRemark(fusion.getOp(tensor).getLoc())
        << "tensor '" << schedule.getTensor(tensor).name << "' computes "
        << formatExtent(schedule, tensor) << " elements " << text
        << " times, because the tensor is computed inside of "
        << (numLoops == 1 ? "loop " : "loops ") << loops
        << (numLoops == 1 ? ", which is not a loop of the tensor"
                          : ", which are not loops of the tensor");
  }
}

void fuse::printSchedule(const FusionSchedule &fusion, raw_ostream &os) {
  const Schedule &schedule = fusion.schedule;
  for (TensorId tensor : schedule.getProgramOrder())
    if (!schedule.getTensor(tensor).isInput)
      os << schedule.formatWithPositions(tensor) << "\n";
}
