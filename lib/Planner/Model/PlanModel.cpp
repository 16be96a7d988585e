//===- PlanModel.cpp - Tensors and steps of a planned program ---*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ipu-mlir/Planner/Model/PlanModel.h"

#include "ipu-mlir/Analysis/TileCounts/Count.h"

using namespace mlir;
using namespace mlir::ipu;

std::optional<LoopBlocks>
ModelTensor::getPartition(TileMappingAttr mapping,
                          const PartitionProblem *&problem) const {
  problem = getProblem ? getProblem(mapping.getDomain()) : nullptr;
  if (!problem)
    return std::nullopt;
  std::optional<LoopBlocks> blocks =
      ipu::getPartition(problem->form, problem->form.results.front(), mapping);
  return blocks && problem->isEven(*blocks) ? blocks : std::nullopt;
}

SmallVector<unsigned> ModelStep::getTensors() const {
  SmallVector<unsigned> result = {tensor};
  for (const ModelOperand &operand : operands)
    if (!llvm::is_contained(result, operand.tensor))
      result.push_back(operand.tensor);
  return result;
}

//===----------------------------------------------------------------------===//
// Text
//===----------------------------------------------------------------------===//

static StringRef getName(ModelTensor::Origin origin) {
  switch (origin) {
  case ModelTensor::Origin::Argument:
    return "argument";
  case ModelTensor::Origin::Constant:
    return "constant";
  case ModelTensor::Origin::Variable:
    return "variable";
  case ModelTensor::Origin::Scratch:
    return "scratch variable";
  case ModelTensor::Origin::Result:
    return "result";
  }
  llvm_unreachable("covered switch");
}

static StringRef getName(ModelStep::Kind kind) {
  switch (kind) {
  case ModelStep::Kind::Compute:
    return "compute";
  case ModelStep::Kind::Move:
    return "move";
  case ModelStep::Kind::Reorder:
    return "reorder";
  case ModelStep::Kind::Copy:
    return "copy";
  case ModelStep::Kind::HostLoad:
    return "host load";
  case ModelStep::Kind::HostStore:
    return "host store";
  }
  llvm_unreachable("covered switch");
}

static void print(raw_ostream &os, const ModelTensor &tensor) {
  os << getName(tensor.origin) << ' ';
  for (int64_t size : tensor.shape)
    os << size << 'x';
  os << tensor.elementType << " on ";
  tensor.space.print(os);
  if (tensor.firstStep > tensor.lastStep)
    os << ", unused";
  else
    os << ", live in steps " << tensor.firstStep << " to " << tensor.lastStep;
  if (tensor.mayHaveCopies)
    os << ", may have copies";
  os << ", " << (tensor.given ? "given " : "generic ")
     << (tensor.given ? tensor.given : tensor.generic);
}

static void print(raw_ostream &os, const StridedView &view) {
  os << "[offset " << view.offset << ", sizes [";
  llvm::interleaveComma(view.sizes, os);
  os << "], strides [";
  llvm::interleaveComma(view.strides, os);
  os << "]]";
}

static void print(raw_ostream &os, const ModelStep &step) {
  os << getName(step.kind);
  for (StringRef op : step.ops)
    os << ' ' << op;
  os << (step.kind == ModelStep::Kind::HostStore ? " from " : " to ")
     << "tensor " << step.tensor;
  for (const ModelOperand &operand : step.operands) {
    os << ", reads tensor " << operand.tensor;
    if (!operand.isWhole)
      print(os << ' ', operand.view);
    if (operand.to)
      print(os << " to ", *operand.to);
    if (operand.isEarly)
      os << " (early)";
  }
  if (step.fills)
    os << ", fills";
  if (step.mayJoinProducer)
    os << ", may join its producer";
  if (step.canForward)
    os << ", may be written directly";
  if (step.times != 1)
    os << ", " << step.times << " times";
}

void PlanModel::print(raw_ostream &os) const {
  for (auto [number, tensor] : llvm::enumerate(tensors)) {
    os << "tensor " << number << ": ";
    ::print(os, tensor);
    os << '\n';
  }
  for (auto [number, step] : llvm::enumerate(steps)) {
    os << "step " << number << " in block " << step.block << ": ";
    ::print(os, step);
    os << '\n';
  }
  os << "fixed cycles: " << fixedCycles << '\n';
}

//===----------------------------------------------------------------------===//
// Construction
//===----------------------------------------------------------------------===//

PlanModelBuilder::PlanModelBuilder(MLIRContext *context,
                                   const TargetModel &target) {
  model.context = context;
  model.target = &target;
}

/// Returns the row-major tile mapping of `tensor` or, if the ops that compute
/// it have no such partition, the tile mapping of their first legal partition.
/// Returns null if there is no legal partition.
TileMappingAttr mlir::ipu::getGenericTileMapping(MLIRContext *context,
                                                 const TargetModel &target,
                                                 const ModelTensor &tensor) {
  TileMappingAttr mapping =
      getRowMajorTileMapping(context, target, tensor.space,
                             tensor.getNumElements(), tensor.elementType);
  const PartitionProblem *problem = nullptr;
  if (!tensor.getProblem || tensor.getPartition(mapping, problem))
    return mapping;
  if (!problem)
    return nullptr;
  const TileForm &form = problem->form;
  LoopBlocks blocks = getFirstPartition(tensor.space.getTarget(target), form);
  makeEven(*problem, blocks);
  mapping = getAccessTileMapping(context, form, blocks, form.results.front());
  return tensor.getPartition(mapping, problem) ? mapping : nullptr;
}

FailureOr<unsigned> PlanModelBuilder::addTensor(ModelTensor tensor) {
  if (!tensor.given) {
    tensor.generic =
        getGenericTileMapping(model.context, *model.target, tensor);
    if (!tensor.generic)
      return failure();
  }
  model.tensors.push_back(std::move(tensor));
  exchangesUntil.push_back(0);
  return model.tensors.size() - 1;
}

/// Returns whether parts of the results share elements of `input`. At least one
/// of these parts is not on the tile of the elements.
static bool isShared(const TileForm &form, const TileAccess &input) {
  return llvm::any_of(form.results.front().dims, [&](const DimAccess &dim) {
    return dim.loop >= 0 && form.loops[dim.loop] > 1 &&
           llvm::none_of(input.dims, [&](const DimAccess &own) {
             return own.loop == dim.loop;
           });
  });
}

/// Returns whether the step likely has an exchange for all tile mappings.
bool PlanModelBuilder::likelyExchanges(const ModelStep &step) const {
  const ModelTensor &result = model.tensors[step.tensor];
  if (step.kind != ModelStep::Kind::Compute)
    return false;
  const PartitionProblem *problem = nullptr;
  if (!result.getPartition(result.given ? result.given : result.generic,
                           problem))
    return false;
  // Constants with copies need no exchange.
  return llvm::any_of(step.operands, [&](const ModelOperand &operand) {
    return !model.tensors[operand.tensor].mayHaveCopies &&
           isShared(problem->form, problem->form.inputs[operand.index]);
  });
}

void PlanModelBuilder::setTileOffsets(ModelStep &step) const {
  const TargetModel &target = *model.target;
  const TileSpace &space = getTensor(step.tensor).space;
  bool isOnOneIPU = space.ipu.has_value();
  for (const ModelOperand &operand : step.operands)
    isOnOneIPU &= getTensor(operand.tensor).space.ipu == space.ipu;
  int64_t first = isOnOneIPU ? space.ipu.value_or(0) * target.tiles : 0;
  step.tileOffset = space.getFirst(target) - first;
  for (ModelOperand &operand : step.operands)
    operand.tileOffset =
        getTensor(operand.tensor).space.getFirst(target) - first;
}

size_t PlanModelBuilder::addStep(ModelStep step) {
  step.times = times;
  step.block = block;
  setTileOffsets(step);
  for (ModelOperand &operand : step.operands) {
    ++model.tensors[operand.tensor].numReaders;
    operand.isEarly =
        std::max(exchangesUntil[operand.tensor], numOutside) < numExchanges;
  }
  if (likelyExchanges(step))
    ++numExchanges;
  if (step.kind != ModelStep::Kind::HostStore)
    exchangesUntil[step.tensor] = numExchanges;
  model.steps.push_back(std::move(step));
  return model.steps.size() - 1;
}

void PlanModelBuilder::addFixedCycles(int64_t cycles, int64_t times) {
  model.fixedCycles = (Count(cycles) * times + model.fixedCycles).get();
}

void PlanModelBuilder::beginBlock() { continueBlock(numBlocks++); }

void PlanModelBuilder::continueBlock(unsigned number) {
  block = number;
  numOutside = numExchanges;
}

void PlanModelBuilder::addLoop(size_t begin) {
  if (begin < model.steps.size())
    loops.push_back({begin, model.steps.size()});
}

void PlanModelBuilder::addLaterCall(size_t begin, size_t end) {
  laterCalls.push_back({model.steps.size(), begin, end});
}

/// Sets the steps in which each tensor is live. Constants and variables that
/// keep their values are live in all steps.
void PlanModelBuilder::setLiveRanges() {
  for (auto [number, step] : llvm::enumerate(model.steps))
    for (unsigned tensor : step.getTensors()) {
      size_t &first = model.tensors[tensor].firstStep,
             &last = model.tensors[tensor].lastStep;
      first = std::min(first, number);
      last = std::max(last, number);
    }
  // The last call of a function may read what a scratch variable has contained
  // since an earlier call.
  DenseSet<size_t> seen;
  for (const LaterCall &call : llvm::reverse(laterCalls))
    if (seen.insert(call.begin).second)
      for (size_t number = call.begin; number < call.end; ++number)
        for (unsigned tensor : model.steps[number].getTensors())
          if (ModelTensor &used = model.tensors[tensor];
              used.origin == ModelTensor::Origin::Scratch)
            used.lastStep = std::max(used.lastStep, call.next - 1);
  for (ModelTensor &tensor : model.tensors) {
    size_t &first = tensor.firstStep, &last = tensor.lastStep;
    if (!model.steps.empty() &&
        (tensor.origin == ModelTensor::Origin::Variable ||
         tensor.isConstant())) {
      first = 0;
      last = model.steps.size() - 1;
    }
    // A tensor from outside of a loop that the loop uses, or a variable that
    // the loop writes, is live in the whole loop.
    for (auto [begin, end] : loops)
      if (first < end && last >= begin &&
          (first < begin || tensor.isVariable())) {
        first = std::min(first, begin);
        last = std::max(last, end - 1);
      }
    // The steps of a function are numbered at its first call. A tensor that is
    // live across a later call must not share memory with the tensors that
    // these steps write. Therefore its live range is extended to the first step
    // of the function.
    const auto *call =
        llvm::partition_point(laterCalls, [&, first = first](auto call) {
          return call.next <= first;
        });
    for (; first > 0 && call != laterCalls.end() && call->next <= last; ++call)
      first = std::min(first, call->begin);
  }
}

/// Returns the number of consecutive elements of an operand that each result
/// combines, if the windows of the results do not overlap. Returns 1 if results
/// combine no consecutive elements.
static int64_t getCombinedElements(const TileAccess &access) {
  int64_t inner = 1;
  for (auto [size, dim] :
       llvm::reverse(llvm::zip_equal(access.domain, access.dims))) {
    if (dim.loop >= 0)
      return dim.step == dim.extent && dim.step > 1 ? inner * dim.step : 1;
    inner *= size;
  }
  return 1;
}

void PlanModelBuilder::setReadGrains() {
  for (const ModelStep &step : llvm::reverse(model.steps)) {
    const ModelTensor &result = model.tensors[step.tensor];
    const PartitionProblem *problem = nullptr;
    if (step.kind != ModelStep::Kind::Compute ||
        !result.getPartition(result.given ? result.given : result.generic,
                             problem))
      continue;
    for (const ModelOperand &operand : step.operands) {
      ModelTensor &tensor = model.tensors[operand.tensor];
      if (!operand.isWhole || tensor.isLeaf() || !tensor.readGrains.empty())
        continue;
      if (problem->cost.getKind() == CostKind::Vector &&
          tensor.getNumElements() == result.getNumElements()) {
        tensor.readGrains = result.readGrains;
        continue;
      }
      int64_t grain = getCombinedElements(problem->form.inputs[operand.index]);
      if (grain == 1)
        continue;
      tensor.readGrains = {grain};
      if (!result.readGrains.empty())
        tensor.readGrains.push_back(grain * result.readGrains.front());
    }
  }
}

PlanModel PlanModelBuilder::finish() {
  setLiveRanges();
  setReadGrains();
  return std::move(model);
}
