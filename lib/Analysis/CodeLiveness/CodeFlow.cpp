//===- CodeFlow.cpp - Flow of facts about code ----------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "CodeFlow.h"

#include "llvm/ADT/SmallPtrSet.h"

using namespace mlir;
using namespace mlir::ipu;
using namespace mlir::ipu::detail;

SmallVector<FunctionOpInterface>
mlir::ipu::detail::getCodeEntries(const FunctionCalls &calls) {
  SmallVector<FunctionOpInterface> entries, uncalled;
  for (FunctionOpInterface function : calls.getFunctions()) {
    if (function.isExternal())
      continue;
    if (function.getName() == "main")
      return {function};
    if (!calls.getCallsOf(function).empty())
      continue;
    uncalled.push_back(function);
    if (function.isPublic())
      entries.push_back(function);
  }
  return entries.empty() ? uncalled : entries;
}

CodeFlow::CodeFlow(const FunctionCalls &calls, FlowDirection direction,
                   unsigned size)
    : calls(calls), direction(direction), size(size) {
  for (FunctionOpInterface function : calls.getFunctions())
    constant[function] = llvm::BitVector(size);
}

//===----------------------------------------------------------------------===//
// Callees first: the effect of each op
//===----------------------------------------------------------------------===//

/// Joins the effects of two parts, of which the program executes `first` before
/// `second`.
CodeTransfer CodeFlow::joinInOrder(const CodeTransfer &first,
                                   const CodeTransfer &second) const {
  return direction == FlowDirection::Forward ? first.then(second)
                                             : second.then(first);
}

/// Returns std::nullopt if there is no event in the regions.
std::optional<CodeTransfer>
CodeFlow::summarizeRegionOp(Operation &op, OwnEffectFn getOwnEffect) {
  SmallVector<CodeTransfer> pieces;
  bool hasEvents = false;
  for (Region &region : op.getRegions()) {
    pieces.push_back(summarizeRegion(region, getOwnEffect));
    hasEvents |= llvm::any_of(
        region, [&](Block &block) { return !getEvents(&block).empty(); });
  }
  if (!hasEvents)
    return std::nullopt;
  SmallVector<CodeTransfer> ways = CodePieces(&op, direction).joinWays(pieces);
  for (Region &region : op.getRegions())
    toRegion[&region] = std::move(ways[region.getRegionNumber()]);
  return std::move(ways.back());
}

void CodeFlow::summarizeOp(Operation &op, OwnEffectFn getOwnEffect) {
  std::optional<CodeTransfer> own = getOwnEffect(&op);
  bool isEvent = own.has_value();
  CodeTransfer transfer = own ? std::move(*own) : identity();
  if (auto call = dyn_cast<CallOpInterface>(op))
    if (FunctionOpInterface callee = calls.getCallee(call)) {
      isEvent = true;
      if (const CodeTransfer *inside = getTransfer(callee))
        transfer = joinInOrder(transfer, *inside);
    }
  if (op.getNumRegions() > 0 && !isa<FunctionOpInterface>(op))
    if (std::optional<CodeTransfer> inside =
            summarizeRegionOp(op, getOwnEffect)) {
      isEvent = true;
      transfer = joinInOrder(transfer, *inside);
    }
  if (!isEvent)
    return;
  events[op.getBlock()].push_back(&op);
  ofOp[&op] = std::move(transfer);
}

CodeTransfer CodeFlow::summarizeBlock(Block &block, OwnEffectFn getOwnEffect) {
  for (Operation &op : block)
    summarizeOp(op, getOwnEffect);
  CodeTransfer transfer = identity();
  for (Operation *op : getEvents(&block))
    transfer = joinInOrder(transfer, ofOp[op]);
  return transfer;
}

CodeTransfer CodeFlow::summarizeRegion(Region &region,
                                       OwnEffectFn getOwnEffect) {
  if (region.empty())
    return identity();
  if (region.hasOneBlock())
    return summarizeBlock(region.front(), getOwnEffect);
  SmallVector<CodeTransfer> pieces;
  for (Block &block : region)
    pieces.push_back(summarizeBlock(block, getOwnEffect));
  SmallVector<CodeTransfer> ways =
      CodePieces(region, direction).joinWays(pieces);
  for (auto [block, way] : llvm::zip(region, ways))
    toBlock[&block] = way;
  return std::move(ways.back());
}

void CodeFlow::summarize(OwnEffectFn getOwnEffect) {
  for (FunctionOpInterface function : calls.getPostOrder())
    ofFunction[function] =
        summarizeRegion(function.getFunctionBody(), getOwnEffect);
}

//===----------------------------------------------------------------------===//
// Callers first: the facts at each point
//===----------------------------------------------------------------------===//

void CodeFlow::propagateOp(Operation *op, const llvm::BitVector &near,
                           FunctionOpInterface function) {
  nearOp[op] = near;
  for (Region &region : op->getRegions())
    if (auto it = toRegion.find(&region); it != toRegion.end())
      propagateRegion(region, it->second.apply(near), function);
  auto call = dyn_cast<CallOpInterface>(op);
  FunctionOpInterface callee = call ? calls.getCallee(call) : nullptr;
  if (!callee)
    return;
  nearFunction.try_emplace(callee, size).first->second |= near;
  constant[callee] |= constant[function];
}

void CodeFlow::propagateRegion(Region &region, const llvm::BitVector &near,
                               FunctionOpInterface function) {
  for (Block &block : region) {
    llvm::BitVector facts =
        region.hasOneBlock() ? near : toBlock[&block].apply(near);
    facts |= constant[function];
    nearBlock[&block] = facts;
    auto visit = [&](Operation *op) {
      propagateOp(op, facts, function);
      facts = ofOp[op].apply(facts);
      facts |= constant[function];
    };
    if (direction == FlowDirection::Forward)
      llvm::for_each(getEvents(&block), visit);
    else
      llvm::for_each(llvm::reverse(getEvents(&block)), visit);
  }
}

void CodeFlow::propagate(ArrayRef<FunctionOpInterface> entries,
                         const llvm::BitVector &atEntries) {
  llvm::SmallPtrSet<Operation *, 8> isReached;
  for (FunctionOpInterface entry : entries) {
    isReached.insert(entry);
    nearFunction[entry] = atEntries;
  }
  SmallVector<FunctionOpInterface> postOrder = calls.getPostOrder();
  for (FunctionOpInterface function : llvm::reverse(postOrder)) {
    if (!isReached.contains(function))
      continue;
    reached.push_back(function);
    for (CallOpInterface call : calls.getCallsIn(function))
      isReached.insert(calls.getCallee(call));
    llvm::BitVector near =
        nearFunction.try_emplace(function, size).first->second;
    propagateRegion(function.getFunctionBody(), near, function);
  }
}

//===----------------------------------------------------------------------===//
// Queries
//===----------------------------------------------------------------------===//

/// Returns the address of the value of `key`, or null if there is none.
template <typename Map, typename Key>
static const typename Map::mapped_type *findValue(const Map &map, Key key) {
  auto it = map.find(key);
  return it == map.end() ? nullptr : &it->second;
}

ArrayRef<Operation *> CodeFlow::getEvents(Block *block) const {
  const auto *list = findValue(events, block);
  return list ? ArrayRef<Operation *>(*list) : ArrayRef<Operation *>();
}

const CodeTransfer *CodeFlow::getTransfer(Operation *event) const {
  return findValue(ofOp, event);
}

const CodeTransfer *CodeFlow::getTransfer(FunctionOpInterface function) const {
  return findValue(ofFunction, function.getOperation());
}

const llvm::BitVector *CodeFlow::getNear(Operation *event) const {
  return findValue(nearOp, event);
}

const llvm::BitVector *CodeFlow::getNear(Block *block) const {
  return findValue(nearBlock, block);
}

bool CodeFlow::holdsFar(Operation *event, unsigned fact) const {
  const CodeTransfer &transfer = *getTransfer(event);
  if (transfer.adds.test(fact) ||
      (transfer.passes.test(fact) && getNear(event)->test(fact)))
    return true;
  auto function = event->getParentOfType<FunctionOpInterface>();
  return function && holdsWithin(function, fact);
}

bool CodeFlow::holdsWithin(FunctionOpInterface function, unsigned fact) const {
  const llvm::BitVector *facts = findValue(constant, function.getOperation());
  return facts && facts->test(fact);
}
