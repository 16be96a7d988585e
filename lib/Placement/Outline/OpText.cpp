//===- OpText.cpp - The ops of a module as a text ---------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "OpText.h"

#include "ipu-mlir/Dialect/Pop/IR/Placement.h"
#include "ipu-mlir/Dialect/Pop/Transforms/OutlineOps.h"
#include "mlir/IR/OperationSupport.h"
#include "mlir/Interfaces/CallInterfaces.h"
#include "mlir/Interfaces/ControlFlowInterfaces.h"

using namespace mlir;
using namespace mlir::ipu;
using namespace mlir::pop;

//===----------------------------------------------------------------------===//
// Attributes
//===----------------------------------------------------------------------===//

/// A call is executed when its ops are executed, so that the times belong to
/// the call and not to the function.
static constexpr StringLiteral kTimeAttrNames[] = {
    PopDialect::kStageAttrName, PopDialect::kPhaseAttrName,
    PopDialect::kBatchPhaseAttrName, PopDialect::kExecutionContextAttrName};

/// A call has one IPU, and is recomputed as a whole.
static constexpr StringLiteral kContextAttrNames[] = {
    PopDialect::kStageAttrName,      PopDialect::kPhaseAttrName,
    PopDialect::kBatchPhaseAttrName, PopDialect::kVgraphAttrName,
    PopDialect::kRecomputeAttrName,  PopDialect::kExecutionContextAttrName};

static DictionaryAttr getAttrs(Operation *op, ArrayRef<StringLiteral> names) {
  NamedAttrList attributes;
  for (StringRef name : names)
    if (Attribute value = op->getAttr(name))
      attributes.append(name, value);
  return attributes.empty() ? DictionaryAttr()
                            : attributes.getDictionary(op->getContext());
}

void OpText::strip(ModuleOp module) {
  module->walk([&](Operation *op) {
    if (DictionaryAttr context = getAttrs(op, kContextAttrNames))
      contexts[op] = context;
    auto draw = op->getAttrOfType<DrawAttr>(PopDialect::kDrawAttrName);
    DictionaryAttr times = getAttrs(op, kTimeAttrNames);
    if (!draw && !times)
      return;
    if (draw)
      draws[op] = draw;
    stripped.push_back({op, draw, times});
    op->removeAttr(PopDialect::kDrawAttrName);
    for (StringRef name : kTimeAttrNames)
      op->removeAttr(name);
  });
}

void OpText::restore() {
  for (const StrippedOp &entry : stripped) {
    if (entry.draw)
      entry.op->setAttr(PopDialect::kDrawAttrName, entry.draw);
    if (!entry.times)
      continue;
    for (NamedAttribute attribute : entry.times)
      entry.op->setAttr(attribute.getName(), attribute.getValue());
  }
  stripped.clear();
}

void mlir::ipu::removeTimes(Operation *root) {
  root->walk([](Operation *op) {
    for (StringRef name : kTimeAttrNames)
      op->removeAttr(name);
  });
}

//===----------------------------------------------------------------------===//
// Tokens
//===----------------------------------------------------------------------===//

static bool haveEqualTypes(Value a, Value b) {
  return a.getType() == b.getType();
}

/// Returns the number of the class of `op`. Ops of one class are equal except
/// for the values that they use.
unsigned OpText::getClass(Operation *op) {
  size_t hash = OperationEquivalence::computeHash(
      op, [](Value operand) { return hash_value(operand.getType()); },
      OperationEquivalence::ignoreHashValue,
      OperationEquivalence::IgnoreLocations);
  auto &others = classes[hash];
  for (auto [other, number] : others)
    if (OperationEquivalence::isEquivalentTo(
            other, op,
            [](Value a, Value b) { return success(haveEqualTypes(a, b)); },
            /*markEquivalent=*/nullptr, OperationEquivalence::IgnoreLocations))
      return number;
  others.push_back({op, numTokens});
  return numTokens++;
}

/// Returns whether a function may execute `op` instead of its callers.
static bool canBeOutlined(Operation *op) {
  return !op->hasTrait<OpTrait::IsTerminator>() && !isa<AdvanceDrawsOp>(op) &&
         !getMovedGraphs(op) &&
         !op->walk([&](Operation *nested) {
              return nested != op && (isa<AdvanceDrawsOp>(nested) ||
                                      getMovedGraphs(nested))
                         ? WalkResult::interrupt()
                         : WalkResult::advance();
            }).wasInterrupted();
}

void OpText::addBoundary(Operation *op) {
  ops.push_back(op);
  tokens.push_back(numTokens++);
}

void OpText::addBlock(Block &block) {
  DictionaryAttr context;
  bool isFirst = true;
  for (Operation &op : block) {
    if (isLeaf(&op))
      continue;
    if (!canBeOutlined(&op)) {
      addBoundary(&op);
      continue;
    }
    DictionaryAttr own = contexts.lookup(&op);
    if (!std::exchange(isFirst, false) && own != context)
      addBoundary(/*op=*/nullptr);
    context = own;
    positions[&op] = ops.size();
    ops.push_back(&op);
    tokens.push_back(getClass(&op));
  }
  addBoundary(/*op=*/nullptr);
}

/// Sequences are in functions, loops and branches. The ops in other regions,
/// such as a sequence that must not be interrupted, stay together.
OpText::OpText(ModuleOp module, const FunctionCalls &calls) {
  llvm::DenseSet<StringAttr> moved;
  module->walk([&](Operation *op) {
    if (ArrayAttr graphs = getMovedGraphs(op))
      for (auto graph : graphs.getAsRange<FlatSymbolRefAttr>())
        moved.insert(graph.getAttr());
  });
  strip(module);
  for (FunctionOpInterface function : calls.getFunctions()) {
    // The code of a new function would not be loaded with this one.
    if (moved.contains(function.getNameAttr()))
      continue;
    function->walk<WalkOrder::PreOrder>([&](Operation *op) {
      if (!isa<FunctionOpInterface, RegionBranchOpInterface>(op))
        return op->getNumRegions() == 0 ? WalkResult::advance()
                                        : WalkResult::skip();
      for (Region &region : op->getRegions())
        for (Block &block : region)
          addBlock(block);
      return WalkResult::advance();
    });
  }
}

//===----------------------------------------------------------------------===//
// Matching
//===----------------------------------------------------------------------===//

namespace {
/// Matches two sequences op by op.
class SequenceMatcher {
public:
  explicit SequenceMatcher(const OpText &text) : text(text) {}

  bool match(Operation *first, Operation *other);
  int64_t getShift() const { return shift.value_or(0); }

private:
  bool matchUse(Value first, Value other);
  bool matchValues(Operation *first, Operation *other);
  void addValue(Value first, Value other);
  bool matchDraws(Operation *first, Operation *other);

  const OpText &text;
  /// The values of the other sequence that correspond to those of the first
  /// sequence, and the reverse.
  llvm::DenseMap<Value, Value> others, firsts;
  std::optional<int64_t> shift;
};
} // namespace

/// Returns whether calls can pass a value of `type`.
static bool canBePassed(Type type) {
  return isa<RefType>(type) || isReferable(type);
}

/// Values correspond one to one. Leaves may be in a function, and are
/// arguments otherwise.
bool SequenceMatcher::matchUse(Value first, Value other) {
  if (!haveEqualTypes(first, other))
    return false;
  Value &known = others[first];
  if (known)
    return known == other;
  Value &reverse = firsts[other];
  if (reverse)
    return false;
  known = other;
  reverse = first;
  // The rest of this check concerns values from outside.
  if (canBePassed(first.getType()))
    return true;
  Operation *op = first.getDefiningOp(), *leaf = other.getDefiningOp();
  return op && leaf && isLeaf(op) && isLeaf(leaf) &&
         OperationEquivalence::isEquivalentTo(
             op, leaf, OperationEquivalence::IgnoreLocations);
}

bool SequenceMatcher::matchDraws(Operation *first, Operation *other) {
  // A callee draws the same bits for each call, so that they must not shift.
  if (isa<CallOpInterface>(first) && text.drawsBits()) {
    if (!shift)
      shift = 0;
    return shift == 0;
  }
  DrawAttr draw = text.getDraw(first), otherDraw = text.getDraw(other);
  if (!draw && !otherDraw)
    return true;
  if (!draw || !otherDraw || draw.getPart() != otherDraw.getPart() ||
      draw.getOffset() != otherDraw.getOffset())
    return false;
  int64_t difference = otherDraw.getNumber() - draw.getNumber();
  if (!shift)
    shift = difference;
  return shift == difference;
}

void SequenceMatcher::addValue(Value first, Value other) {
  others[first] = other;
  firsts[other] = first;
}

/// Matches the values of two ops, without the ops in their regions.
bool SequenceMatcher::matchValues(Operation *first, Operation *other) {
  for (auto [a, b] :
       llvm::zip_equal(first->getOperands(), other->getOperands()))
    if (!matchUse(a, b))
      return false;
  for (auto [a, b] : llvm::zip_equal(first->getResults(), other->getResults()))
    addValue(a, b);
  for (auto [region, otherRegion] :
       llvm::zip_equal(first->getRegions(), other->getRegions()))
    for (auto [block, otherBlock] : llvm::zip_equal(region, otherRegion))
      for (auto [a, b] :
           llvm::zip_equal(block.getArguments(), otherBlock.getArguments()))
        addValue(a, b);
  return true;
}

bool SequenceMatcher::match(Operation *first, Operation *other) {
  // OperationEquivalence does not call back for operands that are the same
  // value, so that it cannot match values.
  if (!OperationEquivalence::isEquivalentTo(
          first, other, OperationEquivalence::ignoreValueEquivalence,
          /*markEquivalent=*/nullptr, OperationEquivalence::IgnoreLocations))
    return false;
  // Equal ops have equal regions, so that two walks visit the same ops.
  SmallVector<Operation *> ops, otherOps;
  first->walk<WalkOrder::PreOrder>([&](Operation *op) { ops.push_back(op); });
  other->walk<WalkOrder::PreOrder>(
      [&](Operation *op) { otherOps.push_back(op); });
  return llvm::all_of(llvm::zip_equal(ops, otherOps), [&](auto pair) {
    auto [a, b] = pair;
    return matchValues(a, b) && matchDraws(a, b);
  });
}

std::optional<int64_t> mlir::ipu::matchSequences(const OpText &text,
                                                 ArrayRef<Operation *> first,
                                                 ArrayRef<Operation *> other) {
  SequenceMatcher matcher(text);
  for (auto [a, b] : llvm::zip_equal(first, other))
    if (!matcher.match(a, b))
      return std::nullopt;
  return matcher.getShift();
}
