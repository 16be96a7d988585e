//===- RandomRequests.cpp - Requests to schedules -------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "RandomRequests.h"

#include "ipu-mlir/Dialect/Fuse/Transforms/FusionRequests.h"
#include "llvm/ADT/Sequence.h"
#include "llvm/Support/FormatVariadic.h"

using namespace mlir;
using namespace mlir::fuse;
using namespace mlir::fuse::fuzz;

using Kind = Request::Kind;

StringRef fuzz::getName(Kind kind) {
  switch (kind) {
  case Kind::Split:
    return "split";
  case Kind::Merge:
    return "merge";
  case Kind::Reorder:
    return "reorder";
  case Kind::RFactor:
    return "rfactor";
  case Kind::SetType:
    return "loop type";
  case Kind::Propagate:
    return "propagate";
  case Kind::ComputeAt:
    return "compute_at";
  case Kind::BestEffort:
    return "compute_at best_effort";
  case Kind::MostInlined:
    return "compute_at most_inlined";
  case Kind::Recompute:
    return "compute_at recompute";
  case Kind::InlineAt:
    return "inline_at";
  case Kind::InlineMost:
    return "inline_most";
  case Kind::ComputeWith:
    return "compute_with";
  }
  llvm_unreachable("unknown kind");
}

//===----------------------------------------------------------------------===//
// Choosing
//===----------------------------------------------------------------------===//

static Kind pickKind(Random &random) {
  const std::pair<Kind, unsigned> weights[] = {
      {Kind::Split, 18},      {Kind::Merge, 10},     {Kind::Reorder, 8},
      {Kind::RFactor, 5},     {Kind::SetType, 4},    {Kind::Propagate, 8},
      {Kind::ComputeAt, 18},  {Kind::BestEffort, 8}, {Kind::MostInlined, 4},
      {Kind::Recompute, 3},   {Kind::InlineAt, 10},  {Kind::InlineMost, 5},
      {Kind::ComputeWith, 5},
  };
  unsigned total = 0;
  for (auto [kind, weight] : weights)
    total += weight;
  unsigned number = random.pick(total);
  for (auto [kind, weight] : weights) {
    if (number < weight)
      return kind;
    number -= weight;
  }
  llvm_unreachable("numbers are below the total");
}

/// A descendant of `producer`, or any tensor now and then.
static TensorId pickConsumer(const Schedule &schedule, TensorId producer,
                             Random &random) {
  SmallVector<TensorId> choices;
  llvm::BitVector after = getDescendants(schedule, producer);
  for (TensorId t = 0; t < schedule.getNumTensors(); ++t)
    if (!schedule.getTensor(t).isInput && t != producer &&
        (after.test(t) || random.chance(2)))
      choices.push_back(t);
  return choices.empty() ? producer
                         : choices[random.pick(unsigned(choices.size()))];
}

static int64_t pickPosition(const Schedule &schedule, TensorId tensor,
                            Random &random) {
  int64_t size = schedule.getTensor(tensor).loop.size();
  if (random.chance(2))
    return random.chance(50) ? size + 1 : -size - 2;
  if (random.chance(30))
    return -1;
  return random.chance(15) ? -random.pick(1, size + 1) : random.pick(0, size);
}

static SmallVector<int64_t> getReductions(const Schedule &schedule,
                                          TensorId tensor) {
  SmallVector<int64_t> axes;
  for (auto [number, axis] : llvm::enumerate(schedule.getTensor(tensor).loop))
    if (schedule.getAxis(axis).isReduction())
      axes.push_back(number);
  return axes;
}

Request fuzz::pickRequest(const Schedule &schedule, Random &random) {
  Request request;
  request.kind = pickKind(random);
  // Positions concern what is read, transforms what is computed.
  SmallVector<TensorId> computed, read;
  for (TensorId t = 0; t < schedule.getNumTensors(); ++t) {
    bool isInput = schedule.getTensor(t).isInput;
    if (!isInput)
      computed.push_back(t);
    if ((!isInput || random.chance(15)) &&
        (!schedule.getConsumers(t).empty() || random.chance(3)))
      read.push_back(t);
  }
  bool isPosition = request.kind >= Kind::ComputeAt;
  ArrayRef<TensorId> choices = isPosition && !read.empty() ? read : computed;
  // A reduction has to be split first.
  SmallVector<TensorId> reductions;
  if (request.kind == Kind::RFactor && !random.chance(5)) {
    for (TensorId t : computed)
      if (getReductions(schedule, t).size() > 1)
        reductions.push_back(t);
    if (reductions.empty()) {
      request.kind = Kind::Split;
      for (TensorId t : computed)
        if (!getReductions(schedule, t).empty())
          reductions.push_back(t);
    }
    if (!reductions.empty())
      choices = reductions;
  }
  TensorId tensor = choices[random.pick(unsigned(choices.size()))];
  const Tensor &data = schedule.getTensor(tensor);
  request.tensor = data.name;
  request.isInput = data.isInput;
  int64_t size = data.loop.size();
  int64_t axis = size && !random.chance(2) ? random.pick(0, size - 1) : -1;
  if (!reductions.empty() && !getReductions(schedule, tensor).empty())
    axis = getReductions(schedule, tensor).back();
  switch (request.kind) {
  case Kind::Split:
    request.numbers = {axis};
    request.factor = random.chance(2) ? 0 : random.pick(1, 6);
    request.inner = random.chance(70);
    break;
  case Kind::Merge:
    request.numbers = {axis, random.chance(85)
                                 ? axis + 1
                                 : random.pick(0, std::max<int64_t>(size, 1))};
    break;
  case Kind::Reorder:
    request.numbers = llvm::to_vector(llvm::seq<int64_t>(size));
    random.shuffle(request.numbers);
    break;
  case Kind::RFactor:
    request.numbers = getReductions(schedule, tensor);
    random.shuffle(request.numbers);
    if (!request.numbers.empty())
      request.numbers.resize(random.pick(1, request.numbers.size()));
    if (random.chance(2))
      request.numbers.push_back(axis);
    break;
  case Kind::SetType:
    request.numbers = {axis};
    request.type = LoopType(1 + random.pick(3u));
    break;
  case Kind::ComputeAt:
  case Kind::BestEffort:
  case Kind::MostInlined:
  case Kind::Recompute: {
    TensorId consumer = pickConsumer(schedule, tensor, random);
    request.consumer = schedule.getTensor(consumer).name;
    request.numbers = {pickPosition(schedule, consumer, random)};
    if (random.chance(30))
      request.hoist = random.chance(50);
    break;
  }
  case Kind::InlineMost:
    request.hoist = random.chance(50);
    break;
  case Kind::Propagate:
  case Kind::InlineAt:
  case Kind::ComputeWith:
    request.numbers = {pickPosition(schedule, tensor, random)};
    break;
  }
  return request;
}

//===----------------------------------------------------------------------===//
// Doing
//===----------------------------------------------------------------------===//

static ComputeAtOptions getOptions(const Request &request) {
  ComputeAtOptions options;
  options.hoist = request.hoist;
  if (request.kind == Kind::BestEffort)
    options.mode = InlineMode::BestEffort;
  if (request.kind == Kind::MostInlined)
    options.mode = InlineMode::MostInlined;
  return options;
}

LogicalResult fuzz::apply(const Request &request, FusionSchedule &fusion,
                          FusionSchedule::EmitErrorFn emitError) {
  Schedule &schedule = fusion.schedule;
  TensorId tensor = *schedule.lookup(request.tensor);
  ArrayRef<int64_t> numbers = request.numbers;
  switch (request.kind) {
  case Kind::Split:
    return fusion.apply(
        schedule.split(tensor, numbers[0], request.factor, request.inner),
        emitError);
  case Kind::Merge:
    return fusion.apply(schedule.merge(tensor, numbers[0], numbers[1]),
                        emitError);
  case Kind::Reorder:
    return fusion.apply(schedule.reorder(tensor, numbers), emitError);
  case Kind::RFactor:
    return fusion.rfactor(tensor, numbers, emitError);
  case Kind::SetType:
    return fusion.apply(schedule.setLoopType(tensor, numbers[0], request.type),
                        emitError);
  case Kind::Propagate:
    return fusion.apply(propagate(schedule, tensor, numbers[0]), emitError);
  case Kind::ComputeAt:
  case Kind::BestEffort:
  case Kind::MostInlined:
  case Kind::Recompute:
    return fuse::computeAt(fusion, tensor, *schedule.lookup(request.consumer),
                           numbers[0], getOptions(request),
                           request.kind == Kind::Recompute, emitError);
  case Kind::InlineAt:
    return fusion.apply(inlineAt(schedule, tensor, numbers[0]), emitError);
  case Kind::InlineMost:
    inlineMost(schedule, nullptr, *request.hoist);
    return fusion.apply(std::nullopt, emitError);
  case Kind::ComputeWith:
    return fusion.apply(computeWith(schedule, tensor, numbers[0]), emitError);
  }
  llvm_unreachable("unknown kind");
}

std::string fuzz::getScript(const Request &request, unsigned number) {
  std::string text, t = "%t" + std::to_string(number);
  llvm::raw_string_ostream os(text);
  StringRef type =
      request.isInput ? "!transform.any_value" : "!transform.any_op";
  os << "    " << t << " = transform.fuse.tensors %m [\"" << request.tensor
     << "\"] : (!transform.any_op) -> " << type << "\n";
  std::string numbers;
  llvm::raw_string_ostream list(numbers);
  llvm::interleaveComma(request.numbers, list);
  StringRef hoist = !request.hoist   ? ""
                    : *request.hoist ? "hoist = true"
                                     : "hoist = false";
  auto statement = [&](StringRef op, const Twine &rest) {
    os << "    transform.fuse." << op << " " << t << rest << " : " << type
       << "\n";
  };
  switch (request.kind) {
  case Kind::Split:
    statement("split", "[" + Twine(numbers) + "] by " + Twine(request.factor) +
                           (request.inner ? "" : " {outer}"));
    break;
  case Kind::Merge:
    statement("merge", "[" + Twine(numbers) + "]");
    break;
  case Kind::Reorder:
    statement("reorder", "[" + Twine(numbers) + "]");
    break;
  case Kind::RFactor:
    os << "    %p" << number << " = transform.fuse.rfactor " << t << "["
       << numbers << "] : (!transform.any_op) -> !transform.any_op\n";
    break;
  case Kind::SetType:
    statement(request.type == LoopType::Parallel    ? "parallelize"
              : request.type == LoopType::Vectorize ? "vectorize"
                                                    : "unroll",
              "[" + Twine(numbers) + "]");
    break;
  case Kind::Propagate:
    statement("propagate", " at " + Twine(numbers));
    break;
  case Kind::ComputeAt:
  case Kind::BestEffort:
  case Kind::MostInlined:
  case Kind::Recompute:
    os << "    %c" << number << " = transform.fuse.tensors %m [\""
       << request.consumer << "\"] : (!transform.any_op) -> !transform.any_op\n"
       << "    transform.fuse.compute_at " << t << ", %c" << number << ", "
       << numbers
       << " {mode = " << stringifyInlineMode(getOptions(request).mode)
       << (request.kind == Kind::Recompute ? ", recompute" : "")
       << (hoist.empty() ? "" : ", ") << hoist << "} : " << type
       << ", !transform.any_op\n";
    break;
  case Kind::InlineAt:
    statement("inline_at", " at " + Twine(numbers));
    break;
  case Kind::InlineMost:
    os << "    %f" << number << " = transform.get_parent_op " << t
       << " {op_name = \"fuse.fusion\"} : (!transform.any_op) -> "
          "!transform.any_op\n"
       << "    transform.fuse.inline_most %f" << number << " {" << hoist
       << "} : !transform.any_op\n";
    break;
  case Kind::ComputeWith:
    statement("compute_with", " at " + Twine(numbers));
    break;
  }
  return text;
}
