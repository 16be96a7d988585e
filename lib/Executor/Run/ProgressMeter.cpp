//===- ProgressMeter.cpp - Progress of a run --------------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ProgressMeter.h"

using namespace mlir;
using namespace mlir::ipu;

/// Steps that cost nothing on the device take time on the host.
static constexpr double kLeastCycles = 1.0;

namespace {
/// The number of the node's step, if it has one.
struct StepOfNode {
  template <typename NodeTy>
  auto operator()(const NodeTy &node) const
      -> decltype(std::optional<unsigned>(node.step)) {
    return node.step;
  }
  template <typename NodeTy>
  auto operator()(const std::unique_ptr<NodeTy> &node) const
      -> decltype(std::optional<unsigned>(node->step)) {
    return node->step;
  }
  std::optional<unsigned> operator()(const AdvanceRngNode &) const {
    return std::nullopt;
  }
  std::optional<unsigned> operator()(const ExpectNode &) const {
    return std::nullopt;
  }
  std::optional<unsigned> operator()(const LiveRangeBeginNode &) const {
    return std::nullopt;
  }
  std::optional<unsigned> operator()(const LiveRangeEndNode &) const {
    return std::nullopt;
  }
};
} // namespace

double ProgressMeter::getCycles(const ProgramNode &node) {
  double cycles = kLeastCycles;
  if (std::optional<unsigned> number = std::visit(StepOfNode(), node)) {
    StepOpInterface step = program.steps[*number];
    ArrayRef<int64_t> all = step.getCostAttr().getCycles();
    cycles += all.empty() ? 0 : *llvm::max_element(all);
  }
  if (const auto *call = std::get_if<CallNode>(&node))
    return cycles + getCycles(program.functions[call->function].body);
  if (const auto *repeat = std::get_if<std::unique_ptr<RepeatNode>>(&node)) {
    double rounds = (*repeat)->countVariable ? 1.0 : (*repeat)->count;
    return rounds * (cycles + getCycles((*repeat)->body));
  }
  if (const auto *branch = std::get_if<std::unique_ptr<IfNode>>(&node))
    return cycles + std::max(getCycles((*branch)->thenBody),
                             getCycles((*branch)->elseBody));
  if (const auto *loop = std::get_if<std::unique_ptr<WhileNode>>(&node))
    return cycles + getCycles((*loop)->before) + getCycles((*loop)->body);
  return cycles;
}

double ProgressMeter::getCycles(const ProgramSequence &sequence) {
  const std::vector<double> &all = getEnds(sequence);
  return all.empty() ? 0.0 : all.back();
}

const std::vector<double> &
ProgressMeter::getEnds(const ProgramSequence &sequence) {
  auto it = ends.find(&sequence);
  if (it != ends.end())
    return it->second;
  std::vector<double> result;
  double sum = 0.0;
  for (const ProgramNode &node : sequence.nodes) {
    sum += getCycles(node);
    result.push_back(sum);
  }
  return ends[&sequence] = std::move(result);
}

void ProgressMeter::SequenceScope::beginNode() {
  if (!meter.report)
    return;
  const std::vector<double> &ends = meter.getEnds(sequence);
  size_t number = next++;
  double begin = number == 0 ? 0.0 : ends[number - 1];
  meter.interval =
      whole.getPart(begin / ends.back(), ends[number] / ends.back());
  std::optional<unsigned> step =
      std::visit(StepOfNode(), sequence.nodes[number]);
  meter.report({meter.interval.begin,
                step ? meter.program.steps[*step] : StepOpInterface()});
}
