//===- RemoteSetup.cpp - Variables in streaming memory ----------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// In: a module with variables on the chip. Out: the same module, where the
// selected variables are rows of remote buffers. Reads become loads, directly
// before the ops that need the tensor, and writes become stores, directly after
// the op that computes the tensor.
//
//===----------------------------------------------------------------------===//

#include "../Graph/GraphTransforms.h"
#include "RowTransfers.h"
#include "VariableAccess.h"
#include "ipu-mlir/Dialect/Pop/IR/Placement.h"
#include "ipu-mlir/Dialect/Pop/IR/TrainingRole.h"
#include "ipu-mlir/Dialect/Pop/Transforms/Passes.h"
#include "llvm/ADT/MapVector.h"
#include "llvm/ADT/SetVector.h"

namespace mlir::pop {
#define GEN_PASS_DEF_REMOTESETUPPASS
#include "ipu-mlir/Dialect/Pop/Transforms/Passes.h.inc"
} // namespace mlir::pop

using namespace mlir;
using namespace mlir::pop;

/// The greatest number of ops between transfers of states that become
/// neighbours, so that 'pop-merge-exchange' can merge them. There are fewer ops
/// between the uses of the states of one weight.
static constexpr int64_t kGatherDistance = 8;

//===----------------------------------------------------------------------===//
// Variables
//===----------------------------------------------------------------------===//

namespace {
/// A variable that becomes a row of a buffer.
struct RemoteVariable : AccessedVariable {
  unsigned number = 0;
};
} // namespace

/// Returns the virtual graph of the accesses, or that of the variable.
static std::optional<int64_t> getVgraph(const VariableAccesses &accesses,
                                        VariableOp op) {
  for (ReadOp read : accesses.reads)
    if (std::optional<int64_t> vgraph = pop::getVgraph(read.getOperation()))
      return vgraph;
  for (InPlaceOpInterface write : accesses.writes)
    if (std::optional<int64_t> vgraph = pop::getVgraph(write.getOperation()))
      return vgraph;
  return pop::getVgraph(op.getOperation());
}

//===----------------------------------------------------------------------===//
// Accesses
//===----------------------------------------------------------------------===//

namespace {
/// The ops of a block that use tensors of one class of variables, in the order
/// of the program, each with the number of the variable.
class VariableUses {
public:
  void add(Operation *op, unsigned variable) {
    uses.emplace_back(op, variable);
  }
  void sort() {
    llvm::sort(uses, [](const auto &a, const auto &b) {
      return a.first == b.first ? a.second < b.second
                                : a.first->isBeforeInBlock(b.first);
    });
  }
  /// Returns whether an op between `first` and `second` uses another variable
  /// than `variable`.
  bool usesOther(Operation *first, Operation *second, unsigned variable) const;

private:
  std::vector<std::pair<Operation *, unsigned>> uses;
};

using UsesOfBlocks = llvm::DenseMap<std::pair<Block *, unsigned>, VariableUses>;

/// Replaces the accesses of one variable by transfers of its row.
class AccessRewriter {
public:
  AccessRewriter(RemoteVariable &variable, RemoteBufferOp buffer, int64_t row,
                 const UsesOfBlocks &uses)
      : variable(variable), accesses(variable.accesses),
        buffer(buffer.getSymNameAttr()), row(row), uses(uses) {}

  void replaceReads();
  /// Call replaceReads() of all variables before: a write may use a read.
  void replaceWrites();
  /// Adds the blocks with transfers of a state of an optimizer, together with
  /// the buffer.
  void addStates(llvm::SetVector<std::pair<Block *, StringRef>> &blocks) const {
    if (variable.kind != VariableClass::Optimizer)
      return;
    for (Operation *transfer : llvm::concat<Operation *const>(loads, stores))
      blocks.insert({transfer->getBlock(), buffer.getValue()});
  }

private:
  CopyInPlaceOp findLastWrite(ReadOp read) const;
  void load(ReadOp read);
  /// Loads for `operands`, of which `first` is the first op or contains it.
  void loadFor(ReadOp read, Operation *first, ArrayRef<OpOperand *> operands);
  void store(CopyInPlaceOp write);
  /// Returns whether the row is accessed by an op from `begin` to before `end`,
  /// which are in one block. Loads count if `countsLoads` is set.
  bool isAccessed(Block::iterator begin, Block::iterator end,
                  bool countsLoads) const;

  RemoteVariable &variable;
  VariableAccesses &accesses;
  StringAttr buffer;
  int64_t row;
  const UsesOfBlocks &uses;
  /// The load at the position of the read that is being replaced.
  RemoteLoadOp unmoved;
  /// The transfers that replaced accesses.
  SmallVector<Operation *> loads, stores;
};
} // namespace

bool VariableUses::usesOther(Operation *first, Operation *second,
                             unsigned variable) const {
  auto it = llvm::partition_point(uses, [&](const auto &use) {
    return use.first == first || use.first->isBeforeInBlock(first);
  });
  for (; it != uses.end(); ++it) {
    if (!it->first->isBeforeInBlock(second))
      return false;
    if (it->second != variable)
      return true;
  }
  return false;
}

bool AccessRewriter::isAccessed(Block::iterator begin, Block::iterator end,
                                bool countsLoads) const {
  Block *block = begin->getBlock();
  auto isBetween = [&](Operation *access) {
    Operation *op = block->findAncestorOpInBlock(*access);
    // An access in another function may be called anywhere.
    if (!op)
      return access->getParentOfType<FunctionOpInterface>() !=
             begin->getParentOfType<FunctionOpInterface>();
    bool isBefore = op->isBeforeInBlock(&*begin);
    bool isAfter = end != block->end() && !op->isBeforeInBlock(&*end);
    return !isBefore && !isAfter;
  };
  return llvm::any_of(accesses.writes, isBetween) ||
         llvm::any_of(stores, isBetween) ||
         (countsLoads && (llvm::any_of(accesses.reads, isBetween) ||
                          llvm::any_of(loads, isBetween)));
}

void AccessRewriter::loadFor(ReadOp read, Operation *first,
                             ArrayRef<OpOperand *> operands) {
  bool mayMove = !isAccessed(std::next(Block::iterator(read)),
                             Block::iterator(first), /*countsLoads=*/false);
  RemoteLoadOp load = mayMove ? RemoteLoadOp() : unmoved;
  if (!load) {
    OpBuilder b(mayMove ? first : read.getOperation());
    load = RemoteLoadOp::create(b, read.getLoc(), read.getType(), buffer,
                                /*row=*/Value(), b.getI64IntegerAttr(row));
    // An op on another IPU reads a copy of the tensor.
    if (mayMove && getVgraph(first) == getVgraph(read.getOperation())) {
      inheritSchedule(first, load);
      inheritTrainingRole(first, load);
    }
    if (!mayMove)
      unmoved = load;
    inheritPlacement(read, load);
    loads.push_back(load);
  }
  for (OpOperand *operand : operands)
    operand->set(load);
}

/// Returns whether ops belong to the same stage, phase and part of training.
static bool isSamePart(Operation *a, Operation *b) {
  return getSchedule(a) == getSchedule(b) &&
         getTrainingRole(a) == getTrainingRole(b);
}

/// Returns the last write before `read` in its block, or null.
CopyInPlaceOp AccessRewriter::findLastWrite(ReadOp read) const {
  CopyInPlaceOp last;
  for (InPlaceOpInterface write : accesses.writes)
    if (write->getBlock() == read->getBlock() && write->isBeforeInBlock(read) &&
        (!last || last->isBeforeInBlock(write)))
      last = cast<CopyInPlaceOp>(write.getOperation());
  return last;
}

void AccessRewriter::load(ReadOp read) {
  Block *block = read->getBlock();
  unmoved = {};
  // The operands that use the tensor, by the ops of the block that have or
  // contain them.
  llvm::MapVector<Operation *, SmallVector<OpOperand *>> users;
  for (OpOperand &use : read->getUses())
    users[block->findAncestorOpInBlock(*use.getOwner())].push_back(&use);
  auto sorted = users.takeVector();
  llvm::sort(sorted, [](const auto &a, const auto &b) {
    return a.first->isBeforeInBlock(b.first);
  });
  if (sorted.empty())
    return;
  const VariableUses &others =
      uses.find({block, unsigned(variable.kind)})->second;
  // The tensor may still be on the tiles.
  Operation *lastUser = sorted.back().first;
  if (CopyInPlaceOp write = findLastWrite(read);
      write && isSamePart(write, lastUser) &&
      !isAccessed(std::next(Block::iterator(write)), Block::iterator(read),
                  /*countsLoads=*/false) &&
      !others.usesOther(write, lastUser, variable.number)) {
    read.getResult().replaceAllUsesWith(write.getValue());
    return;
  }
  for (size_t i = 0; i < sorted.size();) {
    Operation *first = sorted[i].first;
    SmallVector<OpOperand *> operands;
    do {
      llvm::append_range(operands, sorted[i].second);
      ++i;
    } while (i < sorted.size() && isSamePart(first, sorted[i].first) &&
             !others.usesOther(sorted[i - 1].first, sorted[i].first,
                               variable.number));
    loadFor(read, first, operands);
  }
}

void AccessRewriter::store(CopyInPlaceOp write) {
  Block *block = write->getBlock();
  Operation *source = write.getValue().getDefiningOp();
  OpBuilder b(write);
  if (source && source->getBlock() == block &&
      !isAccessed(std::next(Block::iterator(source)), Block::iterator(write),
                  /*countsLoads=*/true))
    b.setInsertionPointAfter(source);
  auto store =
      RemoteStoreOp::create(b, write.getLoc(), write.getValue(), buffer,
                            /*row=*/Value(), b.getI64IntegerAttr(row));
  inheritPlacement(write, store);
  stores.push_back(store);
}

void AccessRewriter::replaceReads() {
  SmallVector<ReadOp> reads = std::move(accesses.reads);
  accesses.reads.clear();
  for (ReadOp read : reads) {
    load(read);
    read->erase();
  }
}

void AccessRewriter::replaceWrites() {
  while (!accesses.writes.empty()) {
    InPlaceOpInterface write = accesses.writes.front();
    store(cast<CopyInPlaceOp>(write));
    accesses.writes.erase(accesses.writes.begin());
    write->erase();
  }
  for (GetVariableOp get : accesses.refs)
    get->erase();
}

//===----------------------------------------------------------------------===//
// The pass
//===----------------------------------------------------------------------===//

namespace {
struct RemoteSetupPass : pop::impl::RemoteSetupPassBase<RemoteSetupPass> {
  using RemoteSetupPassBase::RemoteSetupPassBase;

  void runOnOperation() override {
    if (failed(run()))
      signalPassFailure();
  }

private:
  LogicalResult run();
};
} // namespace

LogicalResult RemoteSetupPass::run() {
  ModuleOp module = getOperation();
  auto getObstacle = [](const AccessedVariable &variable) -> std::string {
    VariableOp op = variable.op;
    return op.getBuffer() ? "is in streaming memory already" : "";
  };
  FailureOr<SmallVector<AccessedVariable>> found = findVariables(
      module, {getArgument(), "RemoteSetup", variables, minElements,
               "variables on the chip whose accesses read or write the whole "
               "tensor",
               getObstacle});
  if (failed(found))
    return failure();
  if (found->empty())
    return success();
  SmallVector<RemoteVariable> remotes;
  for (auto [number, variable] : llvm::enumerate(*found))
    remotes.push_back({std::move(variable), unsigned(number)});
  // The update of one variable may use another one.
  for (RemoteVariable &remote : remotes)
    separateUpdates(remote.accesses);
  UsesOfBlocks uses;
  for (RemoteVariable &remote : remotes) {
    for (ReadOp read : remote.accesses.reads) {
      Block *block = read->getBlock();
      VariableUses &ofBlock = uses[{block, unsigned(remote.kind)}];
      for (Operation *user : read->getUsers())
        ofBlock.add(block->findAncestorOpInBlock(*user), remote.number);
    }
  }
  for (auto &[block, ofBlock] : uses)
    ofBlock.sort();
  // Rows of a buffer have one type, are on one IPU, and are equal on the same
  // replicas.
  using Key = std::tuple<Type, int64_t, Attribute, Attribute, VariableClass>;
  llvm::MapVector<Key, SmallVector<RemoteVariable *>> rowsOfBuffer;
  for (RemoteVariable &remote : remotes) {
    VariableOp op = remote.op;
    rowsOfBuffer[{op.getDeviceType(),
                  getVgraph(remote.accesses, op).value_or(-1),
                  op.getShardingAttr(), op.getGroupsAttr(), remote.kind}]
        .push_back(&remote);
  }
  SymbolTable symbols(module);
  std::vector<AccessRewriter> rewriters;
  for (auto &[key, rows] : rowsOfBuffer) {
    VariableOp first = rows.front()->op;
    OpBuilder b(first);
    auto buffer = RemoteBufferOp::create(
        b, first.getLoc(), ("remote_" + first.getSymName()).str(),
        int64_t(rows.size()), first.getDeviceType());
    buffer->remove();
    symbols.insert(buffer, Block::iterator(first));
    for (auto [row, remote] : llvm::enumerate(rows)) {
      VariableOp op = remote->op;
      op.setBuffer(buffer.getSymName());
      op.setRow(row);
      rewriters.emplace_back(*remote, buffer, row, uses);
    }
  }
  for (AccessRewriter &rewriter : rewriters)
    rewriter.replaceReads();
  for (AccessRewriter &rewriter : rewriters)
    rewriter.replaceWrites();
  llvm::SetVector<std::pair<Block *, StringRef>> gathered;
  for (const AccessRewriter &rewriter : rewriters)
    rewriter.addStates(gathered);
  for (auto [block, buffer] : gathered)
    gatherTransfers(block, buffer, kGatherDistance);
  remark::passed(module.getLoc(), getGraphRemark("RemoteSetup"))
      << remark::metric("variables", int64_t(remotes.size()))
      << remark::metric("buffers", int64_t(rowsOfBuffer.size()));
  return success();
}
