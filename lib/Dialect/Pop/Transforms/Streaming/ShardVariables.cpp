//===- ShardVariables.cpp - Variables in parts on replicas ------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// In: a module with variables that are equal on all replicas. Out: the same
// module, where each replica holds one part of each selected variable, and
// computes only its part of the values that are stored in these variables.
//
// Such a value is computed by elementwise ops, of which each replica executes
// the part of its own elements. This is possible if all replicas of a group
// would compute the same whole value, which the replica-equal analysis proves.
// The replicas combine parts where an op needs the whole value, such as a
// matmul with a weight.
//
//===----------------------------------------------------------------------===//

#include "../Graph/GraphTransforms.h"
#include "../Training/ElementwiseOps.h"
#include "../Training/ShardedParts.h"
#include "VariableAccess.h"
#include "ipu-mlir/Analysis/ReplicaEqual/ReplicaEqual.h"
#include "ipu-mlir/Analysis/ReplicaEqual/RoundingMethods.h"
#include "ipu-mlir/Dialect/IPU/IR/IPU.h"
#include "ipu-mlir/Dialect/Pop/IR/Placement.h"
#include "ipu-mlir/Dialect/Pop/IR/PopBuilder.h"
#include "ipu-mlir/Dialect/Pop/Transforms/Passes.h"
#include "mlir/AsmParser/AsmParser.h"
#include "mlir/IR/Matchers.h"
#include "llvm/ADT/MapVector.h"
#include "llvm/ADT/SetVector.h"

namespace mlir::pop {
#define GEN_PASS_DEF_SHARDVARIABLESPASS
#include "ipu-mlir/Dialect/Pop/Transforms/Passes.h.inc"
} // namespace mlir::pop

using namespace mlir;
using namespace mlir::pop;

//===----------------------------------------------------------------------===//
// The plan
//===----------------------------------------------------------------------===//

namespace {
/// The groups over which variables are divided.
struct Domain {
  ReplicaGroupsAttr attr;
  ipu::ReplicaGroups groups;
  /// The groups of replicas that have the same part, if there are several.
  ReplicaGroupsAttr transposed;

  int64_t getSize() const { return groups.getGroupSize(); }
  bool hasAllReplicas() const { return groups.getNumGroups() == 1; }
};

/// The ops of which each replica executes a part.
class ShardingPlan {
public:
  ShardingPlan(const Domain &domain, ipu::ReplicaEqual &analysis, bool exact,
               bool draws)
      : domain(domain), analysis(analysis), exact(exact), draws(draws) {}

  /// Adds the ops that depend on `variables`.
  void build(ModuleOp module, ArrayRef<AccessedVariable> variables);

  /// Returns the ops in the order of the program: elementwise ops, and sums of
  /// all elements of values that are computed in parts.
  ArrayRef<Operation *> getOps() const { return ops.getArrayRef(); }
  /// Returns whether replicas compute parts of `value`.
  bool isSharded(Value value) const { return values.contains(value); }
  /// Returns whether `use` needs only a part of the value.
  bool usesPart(OpOperand &use) const {
    return ops.contains(use.getOwner()) || writes.contains(use.getOwner());
  }
  bool isExact() const { return exact; }
  bool mayDraw(Operation *op) const {
    return draws && ipu::mayRoundStochastically(op);
  }

private:
  bool canCompute(Operation *op) const;
  bool canReduce(Operation *op) const;

  const Domain &domain;
  ipu::ReplicaEqual &analysis;
  bool exact, draws;
  llvm::SetVector<Operation *> ops;
  llvm::DenseSet<Value> values;
  llvm::DenseSet<Operation *> writes;
};
} // namespace

/// Returns whether values with `partition` are equal on the replicas of each
/// group.
static bool isEqualInGroups(ipu::ReplicaPartition partition,
                            const Domain &domain,
                            const ipu::ReplicaEqual &analysis) {
  ipu::ReplicaPartitions &partitions = analysis.getPartitions();
  return partition &&
         partitions.isFiner(partitions.getGroups(domain.groups), partition);
}

/// Returns whether each replica may execute a part of the elementwise op `op`.
bool ShardingPlan::canCompute(Operation *op) const {
  if (op->getNumResults() != 1 || !isMemoryEffectFree(op) || mayDraw(op))
    return false;
  auto type = dyn_cast<RankedTensorType>(op->getResult(0).getType());
  if (!type || type.getRank() == 0 || !isElementwise(op, type.getShape()))
    return false;
  bool isNeeded = false;
  for (OpOperand &operand : op->getOpOperands()) {
    auto operandType = dyn_cast<RankedTensorType>(operand.get().getType());
    if (!operandType || (operandType.getRank() != 0 &&
                         operandType.getShape() != type.getShape()))
      return false;
    isNeeded |= isSharded(operand.get());
    if (!isSharded(operand.get()) &&
        !isEqualInGroups(analysis.getInput(operand), domain, analysis))
      return false;
  }
  return isNeeded &&
         isEqualInGroups(analysis.getControl(op->getBlock()), domain, analysis);
}

/// Returns whether `op` combines all elements of a value that replicas compute
/// in parts of equal size, so that they can combine their own elements first.
bool ShardingPlan::canReduce(Operation *op) const {
  auto reduce = dyn_cast<ReduceOp>(op);
  if (!reduce || !isSharded(reduce.getInput()) || mayDraw(op))
    return false;
  bool isSum = reduce.getKind() == ReduceKind::Sum;
  bool isExact = reduce.getKind() == ReduceKind::Max ||
                 reduce.getKind() == ReduceKind::Min;
  RankedTensorType type = reduce.getInput().getType();
  // All replicas of a group have to execute the collective.
  return isEqualInGroups(analysis.getControl(op->getBlock()), domain,
                         analysis) &&
         (isExact || (isSum && !exact)) &&
         int64_t(reduce.getAxes().size()) == type.getRank() &&
         type.getNumElements() % domain.getSize() == 0;
}

void ShardingPlan::build(ModuleOp module,
                         ArrayRef<AccessedVariable> variables) {
  for (const AccessedVariable &variable : variables) {
    for (ReadOp read : variable.accesses.reads)
      values.insert(read);
    for (InPlaceOpInterface write : variable.accesses.writes)
      writes.insert(write);
  }
  module.walk<WalkOrder::PreOrder>([&](Operation *op) {
    if (canReduce(op)) {
      ops.insert(op);
    } else if (canCompute(op)) {
      ops.insert(op);
      values.insert(op->getResult(0));
    }
  });
}

//===----------------------------------------------------------------------===//
// Parts
//===----------------------------------------------------------------------===//

namespace {
/// Replaces the ops of a plan by ops on parts.
class PartBuilder {
public:
  PartBuilder(const Domain &domain, const ShardingPlan &plan)
      : domain(domain), plan(plan) {}

  void build(ArrayRef<AccessedVariable> variables);

private:
  RankedTensorType getPartType(Type whole) const;
  void divideVariable(const AccessedVariable &variable);
  void divideOp(Operation *op);
  void divideWrite(CopyInPlaceOp write);
  /// Returns the replica's part of `value`, which the plan does not divide.
  Value createPart(Value value);
  Value getPart(Value value);
  /// Returns the replica's part of the result of `reduce`.
  Value reduceScatter(AllReduceOp reduce);
  /// Replaces the uses that need the whole value.
  void combine(Value value);
  Value flatten(PopBuilder &b, Value value);

  const Domain &domain;
  const ShardingPlan &plan;
  /// Maps each value that the plan divides, and each other value of which a
  /// part was needed, to this part.
  llvm::DenseMap<Value, Value> parts;
  llvm::DenseMap<Value, Value> refs;
  /// The collectives of which only parts are needed, and the constants of which
  /// parts are needed.
  SmallVector<AllReduceOp> scattered;
  SmallVector<Operation *> constants;
};
} // namespace

RankedTensorType PartBuilder::getPartType(Type whole) const {
  auto type = cast<RankedTensorType>(whole);
  return RankedTensorType::get(
      {int64_t(llvm::divideCeil(type.getNumElements(), domain.getSize()))},
      type.getElementType());
}

Value PartBuilder::flatten(PopBuilder &b, Value value) {
  auto type = cast<RankedTensorType>(value.getType());
  if (type.getRank() == 1)
    return value;
  return ReshapeOp::create(
      b, RankedTensorType::get({type.getNumElements()}, type.getElementType()),
      value);
}

Value PartBuilder::reduceScatter(AllReduceOp reduce) {
  PopBuilder b(reduce);
  Value flat = flatten(b, reduce.getInput());
  RankedTensorType type = getPartType(flat.getType());
  Value part = ReduceScatterOp::create(b, type, reduce.getKind(), flat,
                                       /*axis=*/0, domain.attr);
  if (!domain.hasAllReplicas())
    part =
        AllReduceOp::create(b, type, reduce.getKind(), part, domain.transposed);
  scattered.push_back(reduce);
  return part;
}

/// Returns whether the result of `reduce`, of all replicas, can be computed in
/// parts.
static bool canScatter(AllReduceOp reduce, const Domain &domain,
                       const ShardingPlan &plan) {
  if (!reduce || plan.mayDraw(reduce) ||
      !llvm::all_of(reduce->getUses(),
                    [&](OpOperand &use) { return plan.usesPart(use); }))
    return false;
  auto groups = reduce.getGroupsAttr();
  if (domain.hasAllReplicas())
    return groups == domain.attr || !groups;
  if (plan.isExact())
    return false;
  switch (reduce.getKind()) {
  case ipu::CollectiveOperator::Add:
  case ipu::CollectiveOperator::Mean:
    return !groups && domain.transposed;
  default:
    return false;
  }
}

Value PartBuilder::createPart(Value value) {
  auto type = cast<RankedTensorType>(value.getType());
  if (type.getRank() == 0)
    return value;
  RankedTensorType partType = getPartType(type);
  DenseElementsAttr constant;
  if (matchPattern(value, m_Constant(&constant)) && constant.isSplat()) {
    PopBuilder b(value.getDefiningOp());
    constants.push_back(value.getDefiningOp());
    return b.constant(constant.resizeSplat(partType));
  }
  if (auto reduce = value.getDefiningOp<AllReduceOp>();
      canScatter(reduce, domain, plan))
    return reduceScatter(reduce);
  OpBuilder position(value.getContext());
  position.setInsertionPointAfterValue(value);
  Operation *source = value.getDefiningOp();
  std::optional<PopBuilder> b;
  if (source)
    b.emplace(position, source);
  else
    b.emplace(position, value.getLoc());
  return ReplicaSliceOp::create(*b, partType, flatten(*b, value), /*axis=*/0,
                                domain.attr);
}

Value PartBuilder::getPart(Value value) {
  Value &part = parts[value];
  if (!part) {
    Value created = createPart(value);
    // The entry may have moved.
    return parts[value] = created;
  }
  return part;
}

void PartBuilder::divideVariable(const AccessedVariable &variable) {
  VariableOp op = variable.op;
  op.setShardingAttr(domain.attr);
  auto refType = RefType::get(op.getDeviceType());
  for (GetVariableOp get : variable.accesses.refs) {
    PopBuilder b(get);
    refs[get] = GetVariableOp::create(b, refType, op.getSymName());
  }
  for (ReadOp read : variable.accesses.reads) {
    PopBuilder b(read);
    parts[read] = ReadOp::create(b, refs.lookup(read.getTarget()));
  }
}

void PartBuilder::divideOp(Operation *op) {
  if (auto reduce = dyn_cast<ReduceOp>(op)) {
    PopBuilder b(op);
    Value part = getPart(reduce.getInput());
    // The part is a tensor of one dimension.
    OperationState state(op->getLoc(), op->getName());
    state.addOperands(part);
    state.addAttributes(op->getAttrs());
    state.attributes.set(reduce.getAxesAttrName(), b.getDenseI64ArrayAttr({0}));
    state.attributes.erase(reduce.getKeepDimsAttrName());
    state.addTypes(RankedTensorType::get(
        {},
        cast<RankedTensorType>(op->getResult(0).getType()).getElementType()));
    Value sum = b.create(state)->getResult(0);
    ipu::CollectiveOperator kind = ipu::CollectiveOperator::Add;
    if (reduce.getKind() == ReduceKind::Max)
      kind = ipu::CollectiveOperator::Max;
    if (reduce.getKind() == ReduceKind::Min)
      kind = ipu::CollectiveOperator::Min;
    sum = AllReduceOp::create(b, sum.getType(), kind, sum, domain.attr);
    if (sum.getType() != op->getResult(0).getType())
      sum = ReshapeOp::create(b, op->getResult(0).getType(), sum);
    op->getResult(0).replaceAllUsesWith(sum);
    return;
  }
  OperationState state(op->getLoc(), op->getName());
  for (Value operand : op->getOperands())
    state.addOperands(getPart(operand));
  state.addTypes(getPartType(op->getResult(0).getType()));
  state.addAttributes(op->getAttrs());
  OpBuilder b(op);
  parts[op->getResult(0)] = b.create(state)->getResult(0);
}

void PartBuilder::divideWrite(CopyInPlaceOp write) {
  PopBuilder b(write);
  Value part = getPart(write.getValue());
  b.setInsertionPoint(write);
  CopyInPlaceOp::create(b, refs.lookup(write.getTarget()), part);
}

void PartBuilder::combine(Value value) {
  SmallVector<OpOperand *> uses;
  for (OpOperand &use : value.getUses())
    if (!plan.usesPart(use))
      uses.push_back(&use);
  if (uses.empty())
    return;
  Operation *source = value.getDefiningOp();
  PopBuilder b(source);
  Value part = parts.lookup(value);
  b.setInsertionPointAfterValue(part);
  auto type = cast<RankedTensorType>(value.getType());
  Value whole = AllGatherOp::create(
      b, RankedTensorType::get({type.getNumElements()}, type.getElementType()),
      part, /*axis=*/0, domain.attr);
  if (type.getRank() != 1)
    whole = ReshapeOp::create(b, type, whole);
  for (OpOperand *use : uses)
    use->set(whole);
}

void PartBuilder::build(ArrayRef<AccessedVariable> variables) {
  for (const AccessedVariable &variable : variables)
    divideVariable(variable);
  for (Operation *op : plan.getOps())
    divideOp(op);
  for (const AccessedVariable &variable : variables)
    for (InPlaceOpInterface write : variable.accesses.writes)
      divideWrite(cast<CopyInPlaceOp>(write));
  for (const AccessedVariable &variable : variables)
    for (ReadOp read : variable.accesses.reads)
      combine(read);
  for (Operation *op : plan.getOps())
    if (plan.isSharded(op->getResult(0)))
      combine(op->getResult(0));
  // Wholes are unused now.
  for (const AccessedVariable &variable : variables)
    for (InPlaceOpInterface write : variable.accesses.writes)
      write->erase();
  for (Operation *op : llvm::reverse(plan.getOps()))
    op->erase();
  for (AllReduceOp reduce : scattered)
    reduce->erase();
  for (Operation *constant : constants)
    if (constant->use_empty())
      constant->erase();
  for (const AccessedVariable &variable : variables) {
    for (ReadOp read : variable.accesses.reads)
      read->erase();
    for (GetVariableOp get : variable.accesses.refs)
      get->erase();
  }
}

//===----------------------------------------------------------------------===//
// The pass
//===----------------------------------------------------------------------===//

namespace {
struct ShardVariablesPass
    : pop::impl::ShardVariablesPassBase<ShardVariablesPass> {
  using ShardVariablesPassBase::ShardVariablesPassBase;

  void runOnOperation() override {
    if (failed(run()))
      signalPassFailure();
  }

private:
  LogicalResult run();
  FailureOr<Domain> getDomain(int64_t replicas);
  /// Returns why the variable cannot be divided, or an empty text.
  std::string getObstacle(const AccessedVariable &variable,
                          const Domain &domain,
                          const ipu::ReplicaEqual &analysis);
};
} // namespace

FailureOr<Domain> ShardVariablesPass::getDomain(int64_t replicas) {
  ModuleOp module = getOperation();
  if (replicas == 1)
    return module.emitError() << "'" << getArgument()
                              << "' expects a target with several replicas, "
                                 "over which variables are divided, but got 1";
  ReplicaGroupsAttr attr;
  if (!domain.empty()) {
    attr = dyn_cast_or_null<ReplicaGroupsAttr>(
        parseAttribute(domain, &getContext()));
    if (!attr)
      return module.emitError()
             << "'" << getArgument()
             << "' expects option 'domain' to be a '#pop.replica_groups<...>' "
                "but got '"
             << domain << "'";
  } else {
    attr = ReplicaGroupsAttr::getStrided(&getContext(), 1, replicas);
  }
  FailureOr<ipu::ReplicaGroups> groups = ipu::resolveReplicaGroups(
      attr, replicas, [&] { return module.emitError(); });
  if (failed(groups))
    return failure();
  if (groups->getGroupSize() == 1)
    return module.emitError()
           << "'" << getArgument()
           << "' expects groups of at least 2 replicas as option 'domain' but "
              "got "
           << attr;
  Domain result{attr, *groups, {}};
  if (result.hasAllReplicas())
    return result;
  result.transposed = getGroupsOfEqualIndices(&getContext(), *groups);
  return result;
}

std::string ShardVariablesPass::getObstacle(const AccessedVariable &variable,
                                            const Domain &domain,
                                            const ipu::ReplicaEqual &analysis) {
  VariableOp op = variable.op;
  if (op.getSharding())
    return "is divided already";
  if (op.getBuffer())
    return "is in streaming memory";
  if (op.getTensorType().getRank() == 0)
    return "is a scalar";
  FailureOr<ipu::ReplicaGroups> groups = ipu::resolveReplicaGroups(
      op.getGroupsAttr(), domain.groups.getNumReplicas(),
      [&] { return op.emitOpError(); });
  if (failed(groups) || !groups->contains(domain.groups))
    return "has different values on replicas of a group";
  if (analysis.mayDrift(cast<ipu::ReplicaStateOpInterface>(*op)))
    return "may become different on replicas of a group";
  auto isExecutedTogether = [&](Operation *access) {
    return isEqualInGroups(analysis.getControl(access->getBlock()), domain,
                           analysis);
  };
  // Users of a read may be in nested blocks, but the collective is at the read.
  if (!llvm::all_of(variable.accesses.reads, isExecutedTogether) ||
      !llvm::all_of(variable.accesses.writes, isExecutedTogether))
    return "is accessed in a branch or loop that replicas of a group may "
           "execute differently";
  for (InPlaceOpInterface write : variable.accesses.writes)
    for (auto [operand, partition] : analysis.getModified(write))
      if (!isEqualInGroups(partition, domain, analysis))
        return "is different on replicas of a group in a part of the program";
  return "";
}

LogicalResult ShardVariablesPass::run() {
  ModuleOp module = getOperation();
  int64_t replicas = ipu::getTargetModel(module).replicas;
  FailureOr<Domain> domain = getDomain(replicas);
  if (failed(domain))
    return failure();
  auto analyse = [&] {
    return ipu::ReplicaEqual::create(module, replicas,
                                     ipu::StochasticRoundingSemantics());
  };
  FailureOr<ipu::ReplicaEqual> analysis = analyse();
  if (failed(analysis))
    return failure();
  FailureOr<SmallVector<AccessedVariable>> found = findVariables(
      module, {getArgument(), "ShardVariables", variables, minElements,
               "variables on the chip that are equal on the replicas of a "
               "group, and whose accesses read or write the whole tensor",
               [&](const AccessedVariable &variable) {
                 return getObstacle(variable, *domain, *analysis);
               }});
  if (failed(found))
    return failure();
  if (found->empty())
    return success();
  // The ops of updates are elementwise ops, whose operands are known only now.
  for (AccessedVariable &variable : *found)
    separateUpdates(variable.accesses);
  FailureOr<ipu::ReplicaEqual> separated = analyse();
  if (failed(separated))
    return failure();
  bool draws = module->hasAttr(PopDialect::kStochasticRoundingAttrName);
  ShardingPlan plan(*domain, *separated, exact, draws);
  plan.build(module, *found);
  int64_t savedBytes = 0;
  for (const AccessedVariable &variable : *found) {
    VariableOp op = variable.op;
    int64_t elements = op.getTensorType().getNumElements();
    int64_t kept = llvm::divideCeil(elements, domain->getSize());
    savedBytes +=
        (elements - kept) *
        llvm::divideCeil(op.getTensorType().getElementTypeBitWidth(), 8);
  }
  PartBuilder(*domain, plan).build(*found);
  remark::passed(module.getLoc(), getGraphRemark("ShardVariables"))
      << remark::metric("variables", int64_t(found->size()))
      << remark::metric("saved-bytes", savedBytes);
  return success();
}
