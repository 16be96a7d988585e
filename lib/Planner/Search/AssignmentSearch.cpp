//===- AssignmentSearch.cpp - The search for cheap assignments --*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ipu-mlir/Planner/Search/AssignmentSearch.h"

#include "ipu-mlir/Analysis/TileCounts/Count.h"
#include "ipu-mlir/Support/ContentKey.h"
#include "llvm/ADT/SmallVectorExtras.h"

using namespace mlir;
using namespace mlir::ipu;

Assignment AssignmentSearch::chooseInOrder() const {
  Assignment choices(model.getTensors().size(), 0);
  for (const ModelStep &step : model.getSteps()) {
    if (step.kind != ModelStep::Kind::Compute &&
        step.kind != ModelStep::Kind::Move)
      continue;
    unsigned best = 0;
    costs.getExchanges().askTwice(model.getContext(), [&] {
      int64_t least = INT64_MAX;
      for (unsigned choice = 0; choice < costs.getLists()[step.tensor].size();
           ++choice) {
        choices[step.tensor] = choice;
        int64_t cost = costs.getStepCycles(step, choices);
        if (cost < least) {
          least = cost;
          best = choice;
        }
      }
    });
    choices[step.tensor] = best;
  }
  return choices;
}

/// Returns the key of the table of a step for all candidates of `variables`.
/// Tile numbers are those with which the cost of the step is computed, so that
/// equal steps on different IPUs have equal keys.
std::string AssignmentSearch::getKey(const ModelStep &step, bool isExchangeOnly,
                                     ArrayRef<unsigned> variables) const {
  ContentKey key;
  key << static_cast<int64_t>(step.kind) << static_cast<int64_t>(isExchangeOnly)
      << step.times << static_cast<int64_t>(step.canForward)
      << static_cast<int64_t>(step.mayJoinProducer)
      << static_cast<int64_t>(step.fills) << step.tileOffset;
  SmallVector<unsigned> ofStep = step.getTensors();
  for (const ModelOperand &operand : step.operands) {
    key << static_cast<int64_t>(llvm::find(ofStep, operand.tensor) -
                                ofStep.begin())
        << static_cast<int64_t>(operand.index)
        << static_cast<int64_t>(operand.isEarly) << operand.tileOffset
        << operand.view << operand.elementBytes
        << static_cast<int64_t>(llvm::find_if(step.operands,
                                              [&](const ModelOperand &other) {
                                                return other.source ==
                                                       operand.source;
                                              }) -
                                step.operands.begin())
        << static_cast<int64_t>(operand.to.has_value());
    if (operand.to)
      key << *operand.to;
  }
  for (unsigned tensor : ofStep) {
    bool varies = llvm::is_contained(variables, tensor);
    key << static_cast<int64_t>(varies)
        << model.getTensor(tensor).elementType.getAsOpaquePointer();
    ArrayRef<Candidate> candidates = costs.getLists()[tensor];
    for (const Candidate &candidate :
         varies ? candidates : candidates.take_front()) {
      key << candidate.mapping.getAsOpaquePointer();
      if (tensor == step.tensor)
        key << candidate.problem << candidate.blocks;
    }
  }
  return key.get().str();
}

/// Returns the table of the step for all candidates of the tensors `variables`.
/// Equal steps share a table. A new table is empty, and is added to `added`.
std::shared_ptr<const CostTable>
AssignmentSearch::getTable(const ModelStep &step, bool isExchangeOnly,
                           ArrayRef<unsigned> variables, StepTables &added) {
  ++numTables;
  auto [it, isNew] =
      tables.try_emplace(getKey(step, isExchangeOnly, variables));
  if (!isNew) {
    ++numHits;
    return it->second;
  }
  auto table = std::make_shared<CostTable>();
  added.push_back({table, step, isExchangeOnly, llvm::to_vector(variables)});
  it->second = table;
  return table;
}

void AssignmentSearch::fill(const StepTable &table) const {
  Assignment choices(model.getTensors().size(), 0);
  const CandidateLists &lists = costs.getLists();
  table.costs->clear();
  while (true) {
    table.costs->push_back(
        costs.getStepCycles(table.step, choices, table.isExchangeOnly));
    size_t i = table.variables.size();
    while (i > 0 && ++choices[table.variables[i - 1]] ==
                        lists[table.variables[i - 1]].size())
      choices[table.variables[--i]] = 0;
    if (i == 0)
      break;
  }
}

void AssignmentSearch::addStep(CostNetwork &network, const ModelStep &step,
                               StepTables &added) {
  SmallVector<unsigned> variables = step.getTensors();
  Count entries = 1;
  for (unsigned tensor : variables)
    entries = entries * costs.getLists()[tensor].size();
  if (entries.get() <= kMaxStepEntries)
    return network.addCost(
        variables, getTable(step, /*isExchangeOnly=*/false, variables, added));
  exact = false;
  bool isExchangeOnly = false;
  for (unsigned tensor : llvm::drop_begin(variables)) {
    ModelStep part = step;
    part.operands = llvm::filter_to_vector<2>(
        step.operands,
        [&](const ModelOperand &operand) { return operand.tensor == tensor; });
    network.addCost(
        {step.tensor, tensor},
        getTable(part, isExchangeOnly, {step.tensor, tensor}, added));
    // The first table has the cycles of the compute set.
    isExchangeOnly = true;
  }
}

CostNetwork AssignmentSearch::createNetwork() {
  CostNetwork network;
  for (unsigned tensor = 0; tensor < model.getTensors().size(); ++tensor)
    network.addVariable(costs.getLists()[tensor].size());
  StepTables added;
  for (const ModelStep &step : model.getSteps())
    addStep(network, step, added);
  costs.getExchanges().askTwice(model.getContext(), [&] {
    for (const StepTable &table : added)
      fill(table);
  });
  return network;
}
