//===- OutlineOps.cpp - Functions for equal sequences of ops ----*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ipu-mlir/Dialect/Pop/Transforms/OutlineOps.h"

#include "ipu-mlir/Dialect/Pop/IR/Placement.h"
#include "mlir/IR/IRMapping.h"
#include "mlir/IR/Matchers.h"
#include "mlir/IR/OperationSupport.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"
#include "llvm/ADT/DenseSet.h"
#include "llvm/ADT/SetVector.h"

using namespace mlir;
using namespace mlir::pop;

bool mlir::pop::isLeaf(Operation *op) {
  return op->getNumOperands() == 0 && op->getNumRegions() == 0 &&
         op->getNumResults() > 0 && isMemoryEffectFree(op) &&
         !op->hasTrait<OpTrait::IsTerminator>();
}

//===----------------------------------------------------------------------===//
// Rows
//===----------------------------------------------------------------------===//

/// Attribute of the constants that separateRows() creates, until foldRows().
static constexpr StringLiteral kRowAttrName = "pop.separated_row";

template <typename TransferOp>
static void separateRow(TransferOp transfer) {
  std::optional<uint64_t> row = transfer.getStaticRow();
  if (!row || isa<RemoteExchangeOp>(transfer->getParentOp()))
    return;
  OpBuilder b(transfer);
  auto type = RankedTensorType::get({}, b.getI32Type());
  auto constant = ConstantOp::create(
      b, transfer.getLoc(),
      DenseElementsAttr::get(type, b.getI32IntegerAttr(*row)));
  inheritSchedule(transfer, constant);
  constant->setAttr(kRowAttrName, b.getUnitAttr());
  transfer.removeStaticRowAttr();
  transfer.getRowMutable().assign(constant);
}

template <typename TransferOp>
static void foldRow(TransferOp transfer) {
  auto constant = transfer.getRow()
                      ? transfer.getRow().template getDefiningOp<ConstantOp>()
                      : ConstantOp();
  DenseElementsAttr value;
  if (!constant || !constant->hasAttr(kRowAttrName) ||
      !matchPattern(constant.getOperation(), m_Constant(&value)))
    return;
  transfer.setStaticRow(value.template getSplatValue<APInt>().getZExtValue());
  transfer.getRowMutable().clear();
  if (constant->use_empty())
    constant->erase();
}

void mlir::pop::separateRows(ModuleOp module) {
  module->walk([](RemoteLoadOp load) { separateRow(load); });
  module->walk([](RemoteStoreOp store) { separateRow(store); });
}

void mlir::pop::foldRows(ModuleOp module) {
  module->walk([](RemoteLoadOp load) { foldRow(load); });
  module->walk([](RemoteStoreOp store) { foldRow(store); });
  // The other constants are operands of calls.
  module->walk([](ConstantOp constant) { constant->removeAttr(kRowAttrName); });
}

//===----------------------------------------------------------------------===//
// Interface
//===----------------------------------------------------------------------===//

static bool isInSequence(Operation *op,
                         const llvm::DenseSet<Operation *> &sequence) {
  for (; op; op = op->getParentOp())
    if (sequence.contains(op))
      return true;
  return false;
}

/// Returns the values from outside that `ops` use, one for each use, in the
/// order of the uses.
static SmallVector<Value>
getUsedValues(const OpSequence &ops,
              const llvm::DenseSet<Operation *> &sequence) {
  SmallVector<Value> values;
  for (Operation *op : ops)
    op->walk<WalkOrder::PreOrder>([&](Operation *nested) {
      for (Value value : nested->getOperands()) {
        Operation *owner = value.getDefiningOp();
        if (!owner)
          owner = value.getParentBlock()->getParentOp();
        if (!isInSequence(owner, sequence))
          values.push_back(value);
      }
    });
  return values;
}

static bool isEqualLeaf(Value a, Value b) {
  Operation *op = a.getDefiningOp(), *other = b.getDefiningOp();
  return op == other || (op && other && isLeaf(op) && isLeaf(other) &&
                         OperationEquivalence::isEquivalentTo(
                             op, other, OperationEquivalence::IgnoreLocations));
}

/// Returns whether all of `values` are results of equal leaves.
static bool areEqualLeaves(ArrayRef<Value> values) {
  Operation *first = values.front().getDefiningOp();
  return first && isLeaf(first) && llvm::all_of(values, [&](Value value) {
           return isEqualLeaf(values.front(), value);
         });
}

/// Returns the results that are used outside of the sequence, by the numbers of
/// their ops and of the results.
static void
addEscapingResults(const OpSequence &ops,
                   const llvm::DenseSet<Operation *> &sequence,
                   llvm::DenseSet<std::pair<unsigned, unsigned>> &escaping) {
  for (auto [index, op] : llvm::enumerate(ops))
    for (OpResult result : op->getResults())
      if (llvm::any_of(result.getUsers(), [&](Operation *user) {
            return !isInSequence(user, sequence);
          }))
        escaping.insert({index, result.getResultNumber()});
}

SequenceInterface
mlir::pop::getSequenceInterface(ArrayRef<OpSequence> sequences) {
  SmallVector<SmallVector<Value>> used;
  llvm::DenseSet<std::pair<unsigned, unsigned>> escaping;
  for (const OpSequence &ops : sequences) {
    llvm::DenseSet<Operation *> sequence(ops.begin(), ops.end());
    used.push_back(getUsedValues(ops, sequence));
    addEscapingResults(ops, sequence, escaping);
  }
  SequenceInterface interface;
  llvm::DenseSet<Value> seen;
  for (auto [index, first] : llvm::enumerate(used.front())) {
    if (!seen.insert(first).second)
      continue;
    SmallVector<Value> values;
    for (ArrayRef<Value> others : used)
      values.push_back(others[index]);
    if (areEqualLeaves(values))
      interface.leaves.push_back(first.getDefiningOp());
    else
      interface.operands.push_back(std::move(values));
  }
  for (auto [index, op] : llvm::enumerate(sequences.front()))
    for (unsigned result = 0; result < op->getNumResults(); ++result) {
      if (!escaping.contains({index, result}))
        continue;
      SmallVector<Value> &values = interface.results.emplace_back();
      for (const OpSequence &ops : sequences)
        values.push_back(ops[index]->getResult(result));
    }
  return interface;
}

//===----------------------------------------------------------------------===//
// Functions
//===----------------------------------------------------------------------===//

func::FuncOp mlir::pop::createSequenceFunction(
    StringRef name, Operation *position, const OpSequence &first,
    const SequenceInterface &interface, SymbolTable &symbols) {
  OpBuilder b(position);
  SmallVector<Type> inputs, results;
  for (ArrayRef<Value> values : interface.operands)
    inputs.push_back(values.front().getType());
  for (ArrayRef<Value> values : interface.results)
    results.push_back(values.front().getType());
  Location loc = first.front()->getLoc();
  auto function =
      func::FuncOp::create(b, loc, name, b.getFunctionType(inputs, results));
  function.setPrivate();
  // The function must stay a function, so that the calls share its code.
  function.setNoInline(true);
  symbols.insert(function, Block::iterator(position));

  IRMapping mapping;
  Block *body = function.addEntryBlock();
  for (auto [values, argument] :
       llvm::zip_equal(interface.operands, body->getArguments()))
    mapping.map(values.front(), argument);
  b.setInsertionPointToStart(body);
  for (Operation *leaf : interface.leaves)
    b.clone(*leaf, mapping);
  for (Operation *op : first)
    b.clone(*op, mapping);
  SmallVector<Value> returned;
  for (ArrayRef<Value> values : interface.results)
    returned.push_back(mapping.lookup(values.front()));
  func::ReturnOp::create(b, loc, returned);
  return function;
}

/// Gives `call` the placement of `first` except for the attributes that
/// concern `first` alone.
static void inheritContext(Operation *first, func::CallOp call) {
  inheritPlacement(first, call);
  call->removeAttr(PopDialect::kTileSetAttrName);
  call->removeAttr(PopDialect::kStochasticRoundingMethodAttrName);
  call->removeAttr(kSchedulePriorityAttrName);
}

/// Erases `sequences`, and the leaves that only they use.
static void eraseWithLeaves(ArrayRef<OpSequence> sequences) {
  llvm::SetVector<Operation *> leaves;
  for (const OpSequence &ops : sequences)
    for (Operation *op : llvm::reverse(ops)) {
      op->walk([&](Operation *nested) {
        for (Value operand : nested->getOperands())
          if (Operation *leaf = operand.getDefiningOp(); leaf && isLeaf(leaf))
            leaves.insert(leaf);
      });
      // Leaves inside of the op are erased together with it.
      op->walk([&](Operation *nested) { leaves.remove(nested); });
      op->erase();
    }
  for (Operation *leaf : leaves)
    if (leaf->use_empty())
      leaf->erase();
}

SmallVector<func::CallOp>
mlir::pop::replaceSequencesByCalls(ArrayRef<OpSequence> sequences,
                                   const SequenceInterface &interface,
                                   func::FuncOp function) {
  SmallVector<func::CallOp> calls;
  for (auto [index, ops] : llvm::enumerate(sequences)) {
    OpBuilder b(ops.front()->getContext());
    b.setInsertionPointAfter(ops.back());
    SmallVector<Value> operands;
    for (ArrayRef<Value> values : interface.operands)
      operands.push_back(values[index]);
    calls.push_back(
        func::CallOp::create(b, ops.front()->getLoc(), function, operands));
    inheritContext(ops.front(), calls.back());
  }
  // A sequence may use results of another sequence, which are operands of its
  // call until here.
  for (auto [index, call] : llvm::enumerate(calls))
    for (auto [values, result] :
         llvm::zip_equal(interface.results, call.getResults()))
      Value(values[index]).replaceAllUsesWith(result);
  eraseWithLeaves(sequences);
  return calls;
}
