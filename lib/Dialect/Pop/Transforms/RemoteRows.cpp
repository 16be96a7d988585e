//===- RemoteRows.cpp - Rows of remote buffers as refs ----------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "RemoteRows.h"

#include "llvm/ADT/StringSet.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using namespace mlir::pop;

namespace {
/// Finds the variables in rows of remote buffers.
class RowVariables {
public:
  explicit RowVariables(ModuleOp module);

  /// Returns the variable in the row that `transfer` accesses, or null.
  template <typename TransferOp>
  VariableOp lookup(TransferOp transfer) const {
    return transfer.getStaticRow()
               ? variables.lookup(
                     {transfer.getBufferAttr(),
                      static_cast<int64_t>(*transfer.getStaticRow())})
               : VariableOp();
  }
  bool isEmpty() const { return variables.empty(); }

private:
  llvm::DenseMap<std::pair<Attribute, int64_t>, VariableOp> variables;
};
} // namespace

RowVariables::RowVariables(ModuleOp module) {
  for (auto variable : module.getOps<VariableOp>())
    if (variable.getBuffer())
      variables[{variable.getBufferAttr(),
                 static_cast<int64_t>(*variable.getRow())}] = variable;
}

/// Returns the names of the buffers with transfers that are not replaced.
static llvm::StringSet<> findKeptBuffers(ModuleOp module,
                                         const RowVariables &variables) {
  llvm::StringSet<> kept;
  auto visit = [&](auto transfer) {
    if (!variables.lookup(transfer) ||
        isa<RemoteExchangeOp>(transfer->getParentOp()))
      kept.insert(transfer.getBuffer());
  };
  module.walk([&](Operation *op) {
    llvm::TypeSwitch<Operation *>(op).Case<RemoteLoadOp, RemoteStoreOp>(visit);
  });
  return kept;
}

static GetVariableOp createRef(OpBuilder &b, Location loc,
                               VariableOp variable) {
  return GetVariableOp::create(b, loc, RefType::get(variable.getDeviceType()),
                               variable.getSymName());
}

void mlir::pop::openRemoteRows(ModuleOp module) {
  RowVariables variables(module);
  if (variables.isEmpty())
    return;
  llvm::StringSet<> kept = findKeptBuffers(module, variables);
  module.walk([&](Operation *op) {
    OpBuilder b(op);
    Location loc = op->getLoc();
    if (auto load = dyn_cast<RemoteLoadOp>(op);
        load && !kept.contains(load.getBuffer())) {
      auto read =
          ReadOp::create(b, loc, createRef(b, loc, variables.lookup(load)));
      read->setDiscardableAttrs(load->getDiscardableAttrDictionary());
      load.replaceAllUsesWith(read.getResult());
      load.erase();
    } else if (auto store = dyn_cast<RemoteStoreOp>(op);
               store && !kept.contains(store.getBuffer())) {
      auto copy = CopyInPlaceOp::create(
          b, loc, createRef(b, loc, variables.lookup(store)), store.getInput());
      copy->setDiscardableAttrs(store->getDiscardableAttrDictionary());
      store.erase();
    }
  });
}

static LogicalResult replaceUser(Operation *user, VariableOp variable) {
  OpBuilder b(user);
  if (auto read = dyn_cast<ReadOp>(user)) {
    auto load = RemoteLoadOp::create(b, user->getLoc(), read.getType(),
                                     variable.getBufferAttr(), /*row=*/Value(),
                                     variable.getRowAttr());
    load->setDiscardableAttrs(user->getDiscardableAttrDictionary());
    read.replaceAllUsesWith(load.getResult());
    read.erase();
    return success();
  }
  if (auto copy = dyn_cast<CopyInPlaceOp>(user)) {
    auto store = RemoteStoreOp::create(b, user->getLoc(), copy.getValue(),
                                       variable.getBufferAttr(),
                                       /*row=*/Value(), variable.getRowAttr());
    store->setDiscardableAttrs(user->getDiscardableAttrDictionary());
    copy.erase();
    return success();
  }
  return user->emitOpError()
         << "uses a ref of variable '" << variable.getSymName()
         << "', which is in streaming memory; expects a variable on the chip";
}

LogicalResult mlir::pop::closeRemoteRows(ModuleOp module) {
  SymbolTable symbols(module);
  SmallVector<GetVariableOp> refs;
  module.walk([&](GetVariableOp ref) {
    auto variable = symbols.lookup<VariableOp>(ref.getVariable());
    if (variable && variable.getBuffer())
      refs.push_back(ref);
  });
  for (GetVariableOp ref : refs) {
    auto variable = symbols.lookup<VariableOp>(ref.getVariable());
    for (Operation *user : llvm::make_early_inc_range(ref->getUsers()))
      if (failed(replaceUser(user, variable)))
        return failure();
    ref.erase();
  }
  return success();
}
