//===- PropagationReport.cpp - Report of propagation ------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "PropagationReport.h"

#include "mlir/Interfaces/CallInterfaces.h"
#include "llvm/ADT/MapVector.h"
#include <map>

using namespace mlir;
using namespace mlir::ipu;
using namespace mlir::ipu::sdy;
using sharding::Obstacle;

PropagationReport::PropagationReport(ModuleOp module, raw_ostream &os,
                                     bool conflictsOnly)
    : module(module), os(os), conflictsOnly(conflictsOnly), names(module) {
  os << "sharding report\n";
}

void PropagationReport::startIteration(int64_t userPriority,
                                       unsigned opPriority) {
  if (conflictsOnly)
    return;
  os << "run: user priority " << userPriority << ", op priority " << opPriority
     << "\n";
}

/// The op's name, with the target of a call to something foreign.
static std::string getKind(Operation *op) {
  std::string kind = op->getName().getStringRef().str();
  if (auto target = op->getAttrOfType<StringAttr>("call_target_name"))
    kind += " @" + target.getValue().str();
  return kind;
}

void PropagationReport::startVisit(Operation *op) {
  ++numVisits;
  if (conflictsOnly)
    return;
  os << "visit " << numVisits << ": " << getKind(op) << " at " << op->getLoc()
     << "\n";
}

std::string PropagationReport::getTitle(const PropagationStep &step) {
  std::string title = getKind(step.op);
  llvm::raw_string_ostream os(title);
  if (step.op->hasTrait<OpTrait::IsTerminator>())
    os << " operand " << step.operandNumber;
  os << " at " << step.op->getLoc();
  return title;
}

void PropagationReport::printStep(const PropagationStep &step) {
  os << "step " << numSteps << ": " << getTitle(step);
  os << "\n  rule: " << toString(step.rule, module.getContext()) << "\n";
  SmallVector<std::string> tensorNames = getTensorNames(step, names);
  os << "  before:\n";
  printFactorTable(os, step.before, step.before, step.rule, step.mesh,
                   tensorNames);
  os << "  after:\n";
  printFactorTable(os, step.after, step.before, step.rule, step.mesh,
                   tensorNames);
}

void PropagationReport::notifyStep(const PropagationStep &step) {
  if (!conflictsOnly)
    printStep(step);
  for (auto [i, tensor] : llvm::enumerate(step.tensors)) {
    if (!tensor)
      continue;
    for (const sharding::FactorSharding &entry :
         step.after.getTensor(i).factors) {
      const auto *old = step.before.getTensor(i).find(entry.factor);
      for (const sharding::AxisRef &axis : sharding::getDifference(
               entry.axes,
               old ? ArrayRef(old->axes) : ArrayRef<sharding::AxisRef>()))
        gains[tensor].push_back({axis, numSteps, step.op, getTitle(step)});
    }
  }
  ++numSteps;
}

//===----------------------------------------------------------------------===//
// Conflicts
//===----------------------------------------------------------------------===//

static int64_t getNumBytes(const ShardingState::Tensor *tensor) {
  if (!tensor)
    return 0;
  Type type = tensor->value ? tensor->value.getType()
                            : FunctionOpInterface(tensor->function)
                                  .getResultTypes()[tensor->result];
  auto tensorType = cast<RankedTensorType>(type);
  Type element = tensorType.getElementType();
  int64_t bits = element.isIntOrFloat() ? element.getIntOrFloatBitWidth() : 64;
  if (auto complex = dyn_cast<ComplexType>(element))
    bits = 2 * complex.getElementType().getIntOrFloatBitWidth();
  return llvm::divideCeil(tensorType.getNumElements() * bits, 8);
}

std::string PropagationReport::getReason(const PropagationStep &step,
                                         const sharding::Conflict &conflict,
                                         const sharding::Refusal &refusal,
                                         ArrayRef<std::string> tensorNames) {
  std::string axis = toString(refusal.axis, step.mesh);
  const std::string &name = tensorNames[refusal.tensor];
  switch (refusal.obstacle) {
  case Obstacle::Replicated:
    return name + " is replicated along " + axis;
  case Obstacle::Unreduced:
    return name + " is unreduced along " + axis;
  case Obstacle::Closed:
    return "the dimension of " + name + " is closed";
  case Obstacle::Overflow:
    return name + " has axes that do not divide the dimension";
  case Obstacle::Indivisible:
    return axis + " does not divide the rest of the factor in " + name;
  case Obstacle::Blocked:
    return "nothing propagates along " + getFactorName(conflict.factor);
  case Obstacle::View:
    return name + " cannot have " + axis + " after its other axes";
  case Obstacle::OtherFactor:
  case Obstacle::OtherTensor:
    break;
  }
  std::string reason = tensorNames[refusal.otherTensor] + " has " + axis +
                       " on " + getFactorName(refusal.otherFactor);
  const ShardingState::Tensor *tensor = step.tensors[refusal.otherTensor];
  const Gain *gain = nullptr;
  for (const Gain &other : gains[tensor])
    if (sharding::overlaps(other.axis, refusal.axis))
      gain = &other;
  if (!gain)
    return reason + ", given by the program";
  reason += " since step " + std::to_string(gain->step);
  if (gain->op != step.op)
    return conflictsOnly ? reason + " of " + gain->title : reason;
  // The op decided between the two: the larger tensor goes first.
  int64_t winner = 0, loser = 0;
  for (unsigned i = 0; i < step.tensors.size(); ++i) {
    auto has = [&](unsigned factor) {
      const auto *entry = step.after.getTensor(i).find(factor);
      return entry && llvm::any_of(entry->axes, [&](const auto &other) {
               return sharding::overlaps(other, refusal.axis);
             });
    };
    if (i != refusal.otherTensor && has(refusal.otherFactor))
      winner = std::max(winner, getNumBytes(step.tensors[i]));
    if (has(conflict.factor))
      loser = std::max(loser, getNumBytes(step.tensors[i]));
  }
  if (winner > loser)
    reason += ", from the larger tensor";
  return reason;
}

void PropagationReport::reportConflict(const PropagationStep &step,
                                       const sharding::Conflict &conflict) {
  SmallVector<std::string> tensorNames = getTensorNames(step, names);
  auto getAxes = [&](ArrayRef<sharding::AxisRef> axes) {
    return "{" + toString(axes, step.mesh) + "}";
  };
  os << "conflict " << ++numConflicts << ": " << getTitle(step);
  sharding::AxisList wanted = sharding::getDifference(
      conflict.candidates.front().axes, conflict.choice);
  os << ", factor " << getFactorName(conflict.factor) << ", axes "
     << getAxes(wanted) << "\n";
  int64_t bytes = 0;
  os << "  candidates: ";
  llvm::interleave(
      conflict.candidates, os,
      [&](const sharding::Conflict::Candidate &candidate) {
        os << getAxes(candidate.axes) << " of ";
        llvm::interleaveComma(candidate.tensors, os, [&](unsigned i) {
          int64_t own = getNumBytes(step.tensors[i]);
          bytes += own;
          os << tensorNames[i] << " (" << own << " bytes)";
        });
      },
      "; ");
  os << "\n  choice: " << getAxes(conflict.choice) << "\n";
  if (conflict.candidates.size() > 1)
    os << "  reason: " << tensorNames[conflict.candidates[0].tensors[0]]
       << " and " << tensorNames[conflict.candidates[1].tensors[0]]
       << " differ\n";
  for (const sharding::Refusal &refusal : conflict.refusals) {
    // Where candidates differ, nothing can go on.
    if (refusal.obstacle == Obstacle::View && conflict.candidates.size() > 1)
      continue;
    os << "  reason: " << getReason(step, conflict, refusal, tensorNames)
       << "\n";
  }
  os << "  at stake: " << bytes << " bytes\n";
}

//===----------------------------------------------------------------------===//
// Ops without rule
//===----------------------------------------------------------------------===//

void PropagationReport::reportOpsWithoutRule(PropagationDriver &driver) {
  using Where = std::pair<Operation *, int64_t>;
  llvm::MapVector<std::string, Where, std::map<std::string, unsigned>> kinds;
  auto isTensor = [](Type type) {
    auto shaped = dyn_cast<RankedTensorType>(type);
    return shaped && shaped.getRank() > 0;
  };
  module.walk<WalkOrder::PreOrder>([&](Operation *op) {
    if (!llvm::any_of(op->getOperandTypes(), isTensor) ||
        !llvm::any_of(op->getResultTypes(), isTensor) ||
        isa<ShardableDataFlowOpInterface, CallOpInterface, DataFlowEdgeOp,
            FuncDataFlowEdgeOp, ReshardOp>(op) ||
        driver.getRule(op))
      return;
    ++kinds.try_emplace(getKind(op), op, 0).first->second.second;
  });
  for (auto &[kind, where] : kinds)
    os << "no rule: " << kind << ", " << where.second << " times, first at "
       << where.first->getLoc() << ": nothing propagates through it\n";
}

void PropagationReport::printSummary(PropagationDriver &driver) {
  os << "visits: " << numVisits << ", steps: " << numSteps << "\n";
  driver.inspect([&](const PropagationStep &step) {
    if (!step.mesh) {
      os << "conflict " << ++numConflicts << ": " << getTitle(step)
         << ": tensors are on several meshes, nothing propagates:";
      SmallVector<std::string> tensorNames = getTensorNames(step, names);
      for (auto [name, tensor] : llvm::zip_equal(tensorNames, step.tensors))
        if (tensor && tensor->exists())
          os << " " << name << " (" << getNumBytes(tensor) << " bytes) on "
             << tensor->meshOrRef;
      os << "\n";
      return;
    }
    for (const sharding::Conflict &conflict :
         sharding::findConflicts(step.before, step.rule))
      reportConflict(step, conflict);
  });
  os << "conflicts: " << numConflicts << "\n";
  if (!conflictsOnly)
    reportOpsWithoutRule(driver);
}
