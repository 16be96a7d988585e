//===- PopReplicaEqual.cpp - Replica-equal interfaces -----------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ipu-mlir/Dialect/Pop/IR/PopGraph.h"
#include "ipu-mlir/Interfaces/ReductionOrder.h"
#include "ipu-mlir/Replica/ReplicaReductions.h"
#include "mlir/IR/TypeUtilities.h"

using namespace mlir;
using namespace mlir::pop;
using ipu::CollectiveOperator;
using ipu::ReplicaEqualContext;
using ipu::ReplicaEqualInputs;
using ipu::ReplicaEqualOutputs;
using ipu::ReplicaPartition;
using ipu::ReplicaPartitions;
using ipu::ReplicaStateStart;
using ipu::ReplicaStateUse;

//===----------------------------------------------------------------------===//
// Rules
//===----------------------------------------------------------------------===//

using GroupRule = ReplicaPartition (*)(ReplicaPartitions &, ReplicaPartition,
                                       const ipu::ReplicaGroups &);

static const ipu::ReplicaGroups *
getGroups(Operation *op, ReplicaGroupsAttr attr, ReplicaEqualContext &context) {
  return context.getGroups(attr, [&] {
    return ipu::resolveReplicaGroups(attr, context.partitions.getNumReplicas(),
                                     [&] { return op->emitOpError(); });
  });
}

/// Infers the result of an op of groups, whose rule is `rule` under `name`.
template <typename OpTy>
static void inferInGroups(OpTy op, StringLiteral name, GroupRule rule,
                          const ReplicaEqualInputs &inputs,
                          ReplicaEqualOutputs &outputs) {
  const ipu::ReplicaGroups *groups =
      getGroups(op, op.getGroupsAttr(), inputs.context);
  if (!groups)
    return outputs.setAll(inputs.context.partitions.getNone());
  outputs.setAll(inputs.context.getCached(
      name, op.getGroupsAttr(), 0, inputs.operands[0], [&] {
        return rule(inputs.context.partitions, inputs.operands[0], *groups);
      }));
}

/// Whether it does not matter which member of a group has which value.
template <typename OpTy>
static bool ignoresMemberOrder(OpTy op, ReplicaEqualContext &context) {
  const ipu::ReplicaGroups *groups = getGroups(op, op.getGroupsAttr(), context);
  return groups && ipu::ignoresMemberOrder(op.getKind(),
                                           isa<FloatType>(getElementTypeOrSelf(
                                               op.getInput().getType())),
                                           groups->getGroupSize());
}

static void inferAllReduce(AllReduceOp op, const ReplicaEqualInputs &inputs,
                           ReplicaEqualOutputs &outputs) {
  if (op.getKind() == CollectiveOperator::Local)
    return;
  if (ignoresMemberOrder(op, inputs.context))
    inferInGroups(op, "reduce", ipu::reduceInGroups, inputs, outputs);
  else
    inferInGroups(op, "combine", ipu::combineInGroups, inputs, outputs);
}

static void inferAllGather(AllGatherOp op, const ReplicaEqualInputs &inputs,
                           ReplicaEqualOutputs &outputs) {
  inferInGroups(op, "combine", ipu::combineInGroups, inputs, outputs);
}

static void inferReduceScatter(ReduceScatterOp op,
                               const ReplicaEqualInputs &inputs,
                               ReplicaEqualOutputs &outputs) {
  if (op.getKind() == CollectiveOperator::Local)
    inferInGroups(op, "slice", ipu::sliceInGroups, inputs, outputs);
  else if (ignoresMemberOrder(op, inputs.context))
    inferInGroups(op, "reduce_scatter", ipu::reduceScatterInGroups, inputs,
                  outputs);
  else
    inferInGroups(op, "scatter", ipu::scatterInGroups, inputs, outputs);
}

static void inferReplicaSlice(ReplicaSliceOp op,
                              const ReplicaEqualInputs &inputs,
                              ReplicaEqualOutputs &outputs) {
  inferInGroups(op, "slice", ipu::sliceInGroups, inputs, outputs);
}

static void inferAllToAll(AllToAllOp op, const ReplicaEqualInputs &inputs,
                          ReplicaEqualOutputs &outputs) {
  inferInGroups(op, "scatter", ipu::scatterInGroups, inputs, outputs);
}

static void inferBroadcast(BroadcastOp op, const ReplicaEqualInputs &inputs,
                           ReplicaEqualOutputs &outputs) {
  ReplicaEqualContext &context = inputs.context;
  const ipu::ReplicaGroups *groups = getGroups(op, op.getGroupsAttr(), context);
  if (!groups)
    return outputs.setAll(context.partitions.getNone());
  int64_t root = op.getRoot();
  outputs.setAll(context.getCached(
      "broadcast", op.getGroupsAttr(), root, inputs.operands[0], [&] {
        // Without groups the root was not checked yet.
        if (failed(op.verifyReplicas(context.partitions.getNumReplicas()))) {
          context.setFailed();
          return context.partitions.getNone();
        }
        return ipu::broadcastInGroups(context.partitions, inputs.operands[0],
                                      *groups, root);
      }));
}

static void inferPermute(CollectivePermuteOp op,
                         const ReplicaEqualInputs &inputs,
                         ReplicaEqualOutputs &outputs) {
  ReplicaEqualContext &context = inputs.context;
  outputs.setAll(context.getCached(
      "permute", op.getPairsAttr(), 0, inputs.operands[0], [&] {
        if (failed(op.verifyReplicas(context.partitions.getNumReplicas()))) {
          context.setFailed();
          return context.partitions.getNone();
        }
        return ipu::permuteReplicas(context.partitions, inputs.operands[0],
                                    op.getSourceTargets());
      }));
}

static void inferIpuCopy(IpuCopyOp, const ReplicaEqualInputs &inputs,
                         ReplicaEqualOutputs &outputs) {
  outputs.results.assign(inputs.operands.begin(), inputs.operands.end());
}

static void inferNever(Operation *, const ReplicaEqualInputs &inputs,
                       ReplicaEqualOutputs &outputs) {
  outputs.setAll(inputs.context.partitions.getNone());
}

#define POP_REPLICA_RULE(OP, RULE, NAME, TEXT)                                 \
  void OP::inferReplicaEqual(const ReplicaEqualInputs &inputs,                 \
                             ReplicaEqualOutputs &outputs) {                   \
    RULE(*this, inputs, outputs);                                              \
  }
#include "ipu-mlir/Dialect/Pop/IR/ReplicaEqualRules.def"

//===----------------------------------------------------------------------===//
// State
//===----------------------------------------------------------------------===//

static ReplicaStateUse getUse(HostLoadOp op) {
  return {{op.getStreamAttr(), std::nullopt}};
}

template <typename OpTy>
static ReplicaStateUse getUse(OpTy op) {
  ReplicaStateUse use{{op.getBufferAttr(), std::nullopt}};
  if (op.getStaticRow())
    use.state.part = *op.getStaticRow();
  else
    use.partOperand = op.getRowMutable()[0].getOperandNumber();
  return use;
}

#define POP_REPLICA_STATE(OP, READS, WRITES, NAME, TEXT)                       \
  SmallVector<ReplicaStateUse> OP::getReplicaStateUses() {                     \
    ReplicaStateUse use = getUse(*this);                                       \
    use.reads = READS;                                                         \
    use.writes = WRITES;                                                       \
    return {use};                                                              \
  }
#include "ipu-mlir/Dialect/Pop/IR/ReplicaEqualRules.def"

static void inferStart(VariableOp op, ReplicaEqualContext &context,
                       ReplicaStateStart &start) {
  if (op.getBuffer())
    start.state = {op.getBufferAttr(), op.getRow()};
  const ipu::ReplicaGroups *groups = getGroups(op, op.getGroupsAttr(), context);
  if (!groups)
    return;
  ReplicaPartitions &partitions = context.partitions;
  start.partition =
      context.getCached("groups", op.getGroupsAttr(), 0, partitions.getAll(),
                        [&] { return partitions.getGroups(*groups); });
  if (!op.getSharding())
    return;
  if (const ipu::ReplicaGroups *shards =
          getGroups(op, op.getShardingAttr(), context))
    start.partition = context.getCached(
        "slice", op.getShardingAttr(), 0, start.partition, [&] {
          return ipu::sliceInGroups(partitions, start.partition, *shards);
        });
}

static void inferStart(StreamOp op, ReplicaEqualContext &context,
                       ReplicaStateStart &start) {
  if (op.getBroadcast())
    start.partition = context.partitions.getAll();
  start.isEachRun = true;
}

#define POP_REPLICA_START(OP, NAME, TEXT)                                      \
  SmallVector<ReplicaStateStart> OP::getReplicaStarts(                         \
      ReplicaEqualContext &context) {                                          \
    ReplicaStateStart start{{FlatSymbolRefAttr::get(getSymNameAttr()), {}},    \
                            context.partitions.getNone()};                     \
    inferStart(*this, context, start);                                         \
    return {start};                                                            \
  }
#include "ipu-mlir/Dialect/Pop/IR/ReplicaEqualRules.def"

SmallVector<ReplicaStateStart>
RemoteBufferOp::getReplicaStarts(ReplicaEqualContext &) {
  // Rows that no variable gives a value are not read before they are written.
  return {};
}

std::optional<int64_t> RemoteBufferOp::getNumReplicaParts() {
  return getRows();
}

bool VariableOp::isReadOnce() {
  return getRetrieval() == ipu::Retrieval::OnePerGroup;
}

//===----------------------------------------------------------------------===//
// ReplicaPartitionAttr
//===----------------------------------------------------------------------===//

LogicalResult
ReplicaPartitionAttr::verify(function_ref<InFlightDiagnostic()> emitError,
                             ArrayRef<int64_t> classes) {
  // c1
  if (classes.empty() ||
      static_cast<int64_t>(classes.size()) > ipu::ReplicaGroups::kMaxReplicas)
    return emitError() << "expects between 1 and "
                       << ipu::ReplicaGroups::kMaxReplicas
                       << " replicas but got " << classes.size();
  // c2
  int64_t next = 0;
  for (int64_t of : classes) {
    if (of < 0 || of > next)
      return emitError() << "expects classes to be numbered in the order of "
                            "their least replicas but got class "
                         << of << " where class " << next << " is next";
    next = std::max(next, of + 1);
  }
  return success();
}

/// Parses the replicas of one class up to the brace after them.
static ParseResult parseClass(AsmParser &parser, int64_t of,
                              llvm::DenseMap<int64_t, int64_t> &classOf) {
  auto parseReplica = [&]() -> ParseResult {
    SMLoc loc = parser.getCurrentLocation();
    int64_t replica;
    if (parser.parseInteger(replica))
      return failure();
    // c1
    if (replica < 0 || replica >= ipu::ReplicaGroups::kMaxReplicas)
      return parser.emitError(loc)
             << "expects replicas from 0 to "
             << ipu::ReplicaGroups::kMaxReplicas - 1 << " but got " << replica;
    // c2
    if (!classOf.try_emplace(replica, of).second)
      return parser.emitError(loc)
             << "expects each replica only once but got replica " << replica
             << " twice";
    return success();
  };
  return failure(parser.parseCommaSeparatedList(parseReplica) ||
                 parser.parseRBrace());
}

/// Parses `keyword of R` for one of the keywords that stand for all replicas
/// equal and for no two equal, or classes.
static ReplicaPartitionAttr parsePartition(AsmParser &parser, StringRef all,
                                           StringRef none) {
  SMLoc loc = parser.getCurrentLocation();
  SmallVector<int64_t> classes;
  StringRef keyword;
  if (succeeded(parser.parseOptionalKeyword(&keyword, {all, none}))) {
    int64_t numReplicas;
    if (parser.parseKeyword("of") || parser.parseInteger(numReplicas))
      return {};
    if (numReplicas < 1 || numReplicas > ipu::ReplicaGroups::kMaxReplicas) {
      parser.emitError(loc)
          << "expects between 1 and " << ipu::ReplicaGroups::kMaxReplicas
          << " replicas but got " << numReplicas;
      return {};
    }
    for (int64_t i = 0; i < numReplicas; ++i)
      classes.push_back(keyword == all ? 0 : i);
  } else {
    llvm::DenseMap<int64_t, int64_t> classOf;
    int64_t numClasses = 0;
    if (failed(parser.parseOptionalLBrace())) {
      parser.emitError(loc)
          << "expects '" << all << "', '" << none << "' or classes in braces";
      return {};
    }
    do {
      if (parseClass(parser, numClasses++, classOf))
        return {};
    } while (succeeded(parser.parseOptionalLBrace()));
    // Written in any order, numbered in one.
    llvm::DenseMap<int64_t, int64_t> numbers;
    for (int64_t i = 0, e = classOf.size(); i < e; ++i) {
      auto of = classOf.find(i);
      // c2
      if (of == classOf.end()) {
        parser.emitError(loc)
            << "expects replicas 0 to " << e - 1 << " in classes but replica "
            << i << " is missing";
        return {};
      }
      classes.push_back(
          numbers.try_emplace(of->second, numbers.size()).first->second);
    }
  }
  return ReplicaPartitionAttr::getChecked([&] { return parser.emitError(loc); },
                                          parser.getContext(),
                                          ArrayRef<int64_t>(classes));
}

/// Prints classes as `{0, 1}{2, 3}`, but the coarsest and the finest partition
/// as `keyword of R`.
static void printPartition(AsmPrinter &printer, ReplicaPartitionAttr partition,
                           StringRef all, StringRef none) {
  int64_t numReplicas = partition.getNumReplicas();
  int64_t numClasses = partition.getNumClasses();
  if (numClasses == 1 || numClasses == numReplicas) {
    printer << (numClasses == 1 ? all : none) << " of " << numReplicas;
    return;
  }
  SmallVector<SmallVector<int64_t, 4>> members(numClasses);
  for (auto [replica, of] : llvm::enumerate(partition.getClasses()))
    members[of].push_back(replica);
  for (ArrayRef<int64_t> replicas : members) {
    printer << "{";
    llvm::interleaveComma(replicas, printer);
    printer << "}";
  }
}

Attribute ReplicaPartitionAttr::parse(AsmParser &parser, Type) {
  if (parser.parseLess())
    return {};
  ReplicaPartitionAttr partition = parsePartition(parser, "all", "none");
  if (!partition || parser.parseGreater())
    return {};
  return partition;
}

void ReplicaPartitionAttr::print(AsmPrinter &printer) const {
  printer << "<";
  printPartition(printer, *this, "all", "none");
  printer << ">";
}

//===----------------------------------------------------------------------===//
// StochasticRoundingMethodAttr
//===----------------------------------------------------------------------===//

static constexpr llvm::StringLiteral kIdentical = "identical_seeds";
static constexpr llvm::StringLiteral kDiffering = "differing_seeds";
static constexpr llvm::StringLiteral kGroup = "group_seeds";

Attribute StochasticRoundingMethodAttr::parse(AsmParser &parser, Type) {
  if (parser.parseLess())
    return {};
  (void)parser.parseOptionalKeyword(kGroup);
  ReplicaPartitionAttr partition =
      parsePartition(parser, kIdentical, kDiffering);
  if (!partition || parser.parseGreater())
    return {};
  return get(parser.getContext(), partition);
}

void StochasticRoundingMethodAttr::print(AsmPrinter &printer) const {
  int64_t numClasses = getPartition().getNumClasses();
  printer << "<";
  if (numClasses > 1 && numClasses < getPartition().getNumReplicas())
    printer << kGroup << " ";
  printPartition(printer, getPartition(), kIdentical, kDiffering);
  printer << ">";
}
