//===- VariablesToState.cpp - Conversion of variables to states -*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// In: a module with variables. Out: the same module, where the entry function
// has arguments and results instead of the variables that no other function
// uses.
//
//===----------------------------------------------------------------------===//

#include "../Graph/GraphTransforms.h"
#include "States.h"
#include "ipu-mlir/Dialect/Pop/IR/PopBuilder.h"
#include "ipu-mlir/Dialect/Pop/Transforms/Passes.h"

namespace mlir::pop {
#define GEN_PASS_DEF_VARIABLESTOSTATEPASS
#include "ipu-mlir/Dialect/Pop/Transforms/Passes.h.inc"
} // namespace mlir::pop

using namespace mlir;
using namespace mlir::pop;

namespace {
/// The ops that name a variable, and those that use it, in the order of the
/// program; or why it cannot be a state.
struct VariableUses {
  SmallVector<Operation *> gets, ops;
  std::string reason;
};
} // namespace

static VariableUses getUses(VariableOp variable, ArrayRef<Operation *> users,
                            FunctionOpInterface entry) {
  VariableUses uses;
  if (variable.getBuffer() || variable.getSharding()) {
    uses.reason = "it is in streaming memory or distributed over replicas";
    return uses;
  }
  ReplicaGroupsAttr groups = variable.getGroupsAttr();
  bool isEach = groups && groups.getGroupSize() == 1;
  if (!isEach && variable.getRetrieval() == ipu::Retrieval::AllReplicas) {
    uses.reason = "the host reads its values from all replicas";
    return uses;
  }
  for (unsigned i = 0; i < entry.getNumArguments(); ++i)
    if (entry.getArgAttr(i, PopDialect::kNameAttrName) ==
        variable.getSymNameAttr()) {
      uses.reason = "an argument has the same name";
      return uses;
    }
  if (variable.getValue().getType() != variable.getTensorType()) {
    uses.reason = "groups of replicas start from different values";
    return uses;
  }
  Block *block = &entry.getFunctionBody().front();
  for (Operation *named : users) {
    auto get = dyn_cast<GetVariableOp>(named);
    if (!get || get->getBlock() != block) {
      uses.reason = "it is used outside of the body of the entry function";
      return uses;
    }
    uses.gets.push_back(get);
    for (Operation *user : get->getUsers()) {
      auto inPlace = dyn_cast<InPlaceOpInterface>(user);
      bool isWhole = isa<ReadOp>(user) ||
                     (inPlace && inPlace.getTarget() == get.getResult());
      if (!isWhole || user->getBlock() != block) {
        uses.reason = "'" + user->getName().getStringRef().str() +
                      "' does not read or write the whole variable in the body "
                      "of the entry function";
        return uses;
      }
      uses.ops.push_back(user);
    }
  }
  llvm::sort(uses.ops,
             [](Operation *a, Operation *b) { return a->isBeforeInBlock(b); });
  return uses;
}

/// Makes `variable` an argument, and what it holds at the end a result.
static void convert(VariableOp variable, const VariableUses &uses,
                    FunctionOpInterface entry) {
  unsigned index = entry.getNumArguments();
  NamedAttrList attributes;
  for (NamedAttribute attribute : variable->getDiscardableAttrs())
    if (isKeptByState(attribute.getName()))
      attributes.push_back(attribute);
  attributes.set(PopDialect::kNameAttrName, variable.getSymNameAttr());
  attributes.set(PopDialect::kDefaultAttrName, variable.getValue());
  if (Attribute groups = variable.getGroupsAttr())
    attributes.set(PopDialect::kGroupsAttrName, groups);
  (void)entry.insertArgument(index, variable.getTensorType(),
                             attributes.getDictionary(variable.getContext()),
                             variable.getLoc());
  Value current = entry.getArgument(index);
  for (Operation *op : uses.ops) {
    if (auto read = dyn_cast<ReadOp>(op)) {
      read.getResult().replaceAllUsesWith(current);
    } else {
      PopBuilder b(op);
      current = cast<InPlaceOpInterface>(op).buildValue(b, current);
    }
  }
  for (Operation *op : llvm::reverse(uses.ops))
    op->erase();
  for (Operation *get : uses.gets)
    get->erase();
  Operation *terminator = entry.getFunctionBody().front().getTerminator();
  unsigned result = entry.getNumResults();
  (void)entry.insertResult(
      result, current.getType(),
      getUpdateAttrs(variable.getContext(), index, variable.getSymName()));
  terminator->insertOperands(result, current);
  variable->erase();
}

namespace {
struct VariablesToStatePass
    : pop::impl::VariablesToStatePassBase<VariablesToStatePass> {
  void runOnOperation() override {
    FailureOr<FunctionOpInterface> entry =
        getEntryForHostIO(getOperation(), getArgument());
    if (failed(entry))
      return signalPassFailure();
    llvm::DenseMap<StringAttr, SmallVector<Operation *>> users;
    if (auto uses = SymbolTable::getSymbolUses(&getOperation().getBodyRegion()))
      for (SymbolTable::SymbolUse use : *uses)
        users[use.getSymbolRef().getLeafReference()].push_back(use.getUser());
    for (auto variable :
         llvm::make_early_inc_range(getOperation().getOps<VariableOp>())) {
      VariableUses uses =
          getUses(variable, users.lookup(variable.getSymNameAttr()), *entry);
      if (uses.reason.empty())
        convert(variable, uses, *entry);
      else
        remark::missed(variable.getLoc(), getGraphRemark("VariablesToState"))
            << ("'" + variable.getSymName().str() +
                "' stays a variable: " + uses.reason);
    }
  }
};
} // namespace
