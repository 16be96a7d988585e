//===- FusedSums.cpp - Contractions that add partial sums -----------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "FusedSums.h"

#include "EngineCodelets.h"
#include "JoinedRows.h"
#include "MergedGroups.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/Utils/IndexingUtils.h"
#include "mlir/IR/IRMapping.h"
#include "mlir/IR/ImplicitLocOpBuilder.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace mlir::ipu;

/// Addends of a partial sum: longer chains are better written in parts.
static constexpr int64_t kMaxChain = 2048;
/// Of scratch memory, in bytes.
static constexpr int64_t kAlignment = 64;

//===----------------------------------------------------------------------===//
// Groups
//===----------------------------------------------------------------------===//

namespace {
/// A group whose codelet is one op that reduces, after one that gives the
/// output its start.
struct ReductionGroup {
  const VertexGroup *vertices = nullptr;
  linalg::GenericOp op, fill;
  /// Where a row has the region of each operand.
  SmallVector<int64_t> columns;
  /// One row that does what all of the group do. If the last block of addends
  /// is shorter, that is what `rest` does after `all`, which does the others.
  std::vector<int64_t> all, rest;

  /// False if the group has another form.
  bool read(const Program &program, const VertexGroup &group);
  unsigned getOutput() const { return vertices->variables.back(); }
  Type getType(unsigned operand) const {
    return op->getOperand(operand).getType();
  }
  AffineMap getMap(unsigned operand) const {
    return linalg::GenericOp(op).getIndexingMapsArray()[operand];
  }
  int64_t getRank(unsigned operand) const {
    return cast<MemRefType>(getType(operand)).getRank();
  }
  int64_t getOffset(ArrayRef<int64_t> row, unsigned operand) const {
    return row[columns[operand]];
  }
  ArrayRef<int64_t> getSizes(ArrayRef<int64_t> row, unsigned operand) const {
    return row.slice(columns[operand] + 1, getRank(operand));
  }
  ArrayRef<int64_t> getStrides(ArrayRef<int64_t> row, unsigned operand) const {
    return row.slice(columns[operand] + 1 + getRank(operand), getRank(operand));
  }
  /// What both rows have of the operand, which is the output.
  SmallVector<int64_t> getAllSizes() const;
  bool hasWhole(const Program &program, unsigned operand,
                ArrayRef<int64_t> sizes) const;
  bool isInside(ArrayRef<int64_t> row);
};
} // namespace

/// Whether operands are the codelet's arguments in order, the last of which is
/// the output, and the body is arithmetic on floats.
static bool isPlain(linalg::GenericOp op, unsigned numArguments) {
  if (op.hasIndexSemantics() || op.getNumDpsInits() != 1 ||
      op->getNumOperands() != numArguments)
    return false;
  for (OpOperand &operand : op->getOpOperands()) {
    auto argument = dyn_cast<BlockArgument>(operand.get());
    if (!argument || argument.getArgNumber() != operand.getOperandNumber() ||
        !isa<FloatType>(getElementTypeOrSelf(argument.getType())))
      return false;
  }
  return llvm::all_of(op.getBody()->without_terminator(), [](Operation &inner) {
    return isa<arith::ArithDialect, math::MathDialect>(inner.getDialect()) &&
           inner.getNumResults() == 1 &&
           isa<FloatType>(inner.getResult(0).getType());
  });
}

bool ReductionGroup::read(const Program &program, const VertexGroup &original) {
  const VertexGroup &group = original.inBlocks ? *original.inBlocks : original;
  vertices = &group;
  CodeletOp codelet = program.codelets[group.codelet];
  for (Operation &inner : codelet.getBody().front().without_terminator()) {
    if (isa<arith::ConstantOp>(inner))
      continue;
    auto generic = dyn_cast<linalg::GenericOp>(inner);
    if (!generic || op)
      return false;
    if (generic.getNumReductionLoops() > 0)
      op = generic;
    else if (fill)
      return false;
    else
      fill = generic;
  }
  unsigned numArguments = codelet.getBody().getNumArguments();
  if (!op || !fill || group.rng || !group.writesAll || !group.definesAll ||
      group.variables.size() != numArguments ||
      group.numInputs + 1 != numArguments || !isPlain(op, numArguments) ||
      fill.getDpsInits().front() != op.getDpsInits().front() ||
      llvm::is_contained(ArrayRef(group.variables).drop_back(), getOutput()))
    return false;
  int64_t column = 0;
  for (Type type : codelet.getArgumentTypes()) {
    columns.push_back(column);
    column += getNumColumns(type);
  }
  all = group.table;
  if (auto joined = joinRows(group, codelet, /*parts=*/1))
    all = std::move(*joined);
  if (int64_t numRows = all.size() / group.rowSize; numRows == 2) {
    rest.assign(all.begin() + group.rowSize, all.end());
    all.resize(group.rowSize);
  } else if (numRows != 1) {
    return false;
  }
  return isInside(all) &&
         (rest.empty() || (isInside(rest) && !getAllSizes().empty()));
}

/// The sizes are empty if `rest` does not follow `all` along the first
/// dimension that is longer than one.
SmallVector<int64_t> ReductionGroup::getAllSizes() const {
  unsigned output = columns.size() - 1;
  SmallVector<int64_t> sizes(getSizes(all, output));
  if (rest.empty())
    return sizes;
  ArrayRef<int64_t> strides = getStrides(all, output);
  ArrayRef<int64_t> restSizes = getSizes(rest, output);
  int64_t distance = getOffset(rest, output) - getOffset(all, output);
  for (unsigned dim = 0; dim < sizes.size(); ++dim) {
    bool isNext =
        distance == sizes[dim] * strides[dim] &&
        strides == getStrides(rest, output) &&
        ArrayRef(sizes).drop_front(dim + 1) == restSizes.drop_front(dim + 1);
    if (isNext) {
      sizes[dim] += restSizes[dim];
      return sizes;
    }
    if (sizes[dim] != 1 || restSizes[dim] != 1)
      break;
  }
  return {};
}

/// Whether `sizes` are those of all elements of the operand's variable, in
/// order.
bool ReductionGroup::hasWhole(const Program &program, unsigned operand,
                              ArrayRef<int64_t> sizes) const {
  SmallVector<int64_t> strides = computeStrides(sizes);
  const ProgramVariable &variable =
      program.variables[vertices->variables[operand]];
  return getOffset(all, operand) == 0 &&
         computeProduct(sizes) == variable.type.getNumElements() &&
         llvm::all_of(llvm::enumerate(strides), [&](auto it) {
           return sizes[it.index()] == 1 ||
                  it.value() == getStrides(all, operand)[it.index()];
         });
}

/// Whether all that a row reads and writes is in its regions: it has no faults.
bool ReductionGroup::isInside(ArrayRef<int64_t> row) {
  SmallVector<int64_t> loops;
  for (LoopRange range : getLoopRanges(op))
    loops.push_back(getSizes(row, range.operand)[range.dim]);
  for (unsigned operand = 0; operand < op->getNumOperands(); ++operand) {
    AffineMap map = getMap(operand);
    ArrayRef<int64_t> sizes = getSizes(row, operand);
    for (auto [expr, size] : llvm::zip_equal(map.getResults(), sizes)) {
      LinearExpr linear = *getLinearExpr(expr, map.getNumDims());
      int64_t last = linear.constant;
      for (auto [step, loop] : llvm::zip_equal(linear.coefficients, loops)) {
        if (step < 0)
          return false;
        last += step * (loop - 1);
      }
      if (linear.constant < 0 || last >= size)
        return false;
    }
  }
  return !llvm::is_contained(loops, 0);
}

//===----------------------------------------------------------------------===//
// Pairs
//===----------------------------------------------------------------------===//

namespace {
/// A contraction and what adds up its output.
class SummedContraction {
public:
  SummedContraction(ReductionGroup &contraction, ReductionGroup &sum)
      : contraction(contraction), sum(sum) {}

  /// False if they cannot be one.
  bool match(const Program &program);
  /// What runs both, in about `parts` rows. The numbers are those of both in
  /// their range.
  MergedGroups merge(const Program &program, GroupMerger &merger, int64_t parts,
                     unsigned number, unsigned sumNumber);

private:
  unsigned getPartials() const { return contraction.vertices->numInputs; }
  MemRefType getOutputType() const;
  CodeletOp buildCodelet();
  std::vector<int64_t> buildRow(ArrayRef<int64_t> row) const;
  std::vector<int64_t> getRest(ArrayRef<int64_t> row) const;

  ReductionGroup &contraction, &sum;
  /// The first dimensions of partial sums number those of one output.
  unsigned numSumDims = 0;
};
} // namespace

bool SummedContraction::match(const Program &program) {
  unsigned partials = getPartials();
  AffineMap outputMap = sum.getMap(1);
  SmallVector<int64_t> sizes = contraction.getAllSizes();
  if (contraction.op.getNumDpsInputs() != 2 || sum.op.getNumDpsInputs() != 1 ||
      !sum.rest.empty() || !contraction.hasWhole(program, partials, sizes) ||
      !sum.hasWhole(program, 0, sum.getSizes(sum.all, 0)) ||
      !sum.hasWhole(program, 1, sum.getSizes(sum.all, 1)) ||
      !contraction.getMap(partials).isProjectedPermutation() ||
      !sum.getMap(0).isIdentity() || !outputMap.isProjectedPermutation())
    return false;
  // The sum sees the same memory in other dimensions: it adds up along the
  // first ones, and keeps the order of the others.
  int64_t numSums = 1, lastLoop = -1;
  ArrayRef<int64_t> loops = sum.getSizes(sum.all, 0);
  SmallVector<utils::IteratorType> types = sum.op.getIteratorTypesArray();
  for (AffineExpr expr : outputMap.getResults()) {
    int64_t loop = cast<AffineDimExpr>(expr).getPosition();
    if (loops[loop] == 1)
      continue;
    if (loop < lastLoop)
      return false;
    lastLoop = loop;
  }
  bool isBefore = true;
  for (auto [loop, type] : llvm::zip_equal(loops, types)) {
    bool isSum = type == utils::IteratorType::reduction;
    if (loop == 1)
      continue;
    if (isSum && !isBefore)
      return false;
    isBefore = isSum;
    numSums *= isSum ? loop : 1;
  }
  int64_t count = 1;
  while (count < numSums && numSumDims < sizes.size())
    count *= sizes[numSumDims++];
  if (numSums == 1 || count != numSums || numSumDims == sizes.size() ||
      ArrayRef(sizes).drop_front(numSumDims) !=
          contraction.getSizes(contraction.all, partials)
              .drop_front(numSumDims))
    return false;
  int64_t chain = 1;
  SmallVector<LoopRange> ranges = getLoopRanges(contraction.op);
  for (auto [number, type] :
       llvm::enumerate(contraction.op.getIteratorTypesArray()))
    if (type == utils::IteratorType::reduction)
      chain *= contraction.getSizes(contraction.all,
                                    ranges[number].operand)[ranges[number].dim];
  return chain <= kMaxChain;
}

/// The output in the dimensions that partial sums have of it.
MemRefType SummedContraction::getOutputType() const {
  auto type = cast<MemRefType>(contraction.getType(getPartials()));
  SmallVector<int64_t> strides;
  int64_t offset;
  // Types of codelets' arguments were checked to have strides.
  (void)type.getStridesAndOffset(strides, offset);
  return MemRefType::get(
      type.getShape().drop_front(numSumDims),
      getElementTypeOrSelf(sum.getType(1)),
      StridedLayoutAttr::get(type.getContext(), offset,
                             ArrayRef(strides).drop_front(numSumDims)));
}

/// The ops of both, with partial sums as the contraction has them. Those of a
/// shorter last block have arguments of their own.
CodeletOp SummedContraction::buildCodelet() {
  auto source = contraction.op->getParentOfType<CodeletOp>();
  CodeletOp codelet = source.clone();
  codelet.setSymName("codelet");
  Block &block = codelet.getBody().front();
  ImplicitLocOpBuilder b(codelet.getLoc(), codelet.getContext());
  IRMapping restArguments;
  if (!contraction.rest.empty())
    for (BlockArgument argument : source.getBody().getArguments())
      restArguments.map(argument,
                        block.addArgument(argument.getType(), b.getLoc()));
  Value output = block.addArgument(getOutputType(), b.getLoc());
  codelet.setFunctionType(b.getFunctionType(block.getArgumentTypes(), {}));
  b.setInsertionPoint(block.getTerminator());
  IRMapping mapping;
  for (auto constant : sum.op->getBlock()->getOps<arith::ConstantOp>())
    b.clone(*constant, mapping);
  auto build = [&](linalg::GenericOp op, ValueRange inputs,
                   ArrayRef<AffineMap> maps,
                   ArrayRef<utils::IteratorType> types) {
    auto built =
        linalg::GenericOp::create(b, inputs, ValueRange(output), maps, types);
    // A mapping that has blocks of the region would not clone them again.
    IRMapping own = mapping;
    op.getRegion().cloneInto(&built.getRegion(), own);
  };
  unsigned rank = contraction.getRank(getPartials());
  unsigned outputRank = rank - numSumDims;
  SmallVector<Value> starts;
  for (Value start : sum.fill.getDpsInputs())
    starts.push_back(mapping.lookup(start));
  SmallVector<AffineMap> fillMaps(
      starts.size(), AffineMap::get(outputRank, 0, b.getContext()));
  fillMaps.push_back(b.getMultiDimIdentityMap(outputRank));
  SmallVector<utils::IteratorType> types(outputRank,
                                         utils::IteratorType::parallel);
  build(sum.fill, starts, fillMaps, types);
  AffineMap identity = b.getMultiDimIdentityMap(rank);
  types.insert(types.begin(), numSumDims, utils::IteratorType::reduction);
  auto addUp = [&](Value partials) {
    build(sum.op, partials, {identity, identity.getMinorSubMap(outputRank)},
          types);
  };
  addUp(block.getArgument(getPartials()));
  if (!contraction.rest.empty()) {
    for (Operation &op : source.getBody().front().without_terminator())
      b.clone(op, restArguments);
    addUp(restArguments.lookup(source.getBody().getArgument(getPartials())));
  }
  for (auto op : block.getOps<linalg::GenericOp>())
    if (op.getNumDpsInputs() == 2 && op.getNumReductionLoops() > 0)
      op->setAttr(kScratchOutputAttrName, b.getUnitAttr());
  return codelet;
}

/// What `rest` of the contraction does after `row`, a part of `all`.
std::vector<int64_t> SummedContraction::getRest(ArrayRef<int64_t> row) const {
  std::vector<int64_t> result(row);
  for (unsigned operand = 0; operand < contraction.columns.size(); ++operand) {
    int64_t column = contraction.columns[operand];
    result[column] += contraction.rest[column] - contraction.all[column];
    for (int64_t dim = 0; dim < contraction.getRank(operand); ++dim)
      if (int64_t &size = result[++column];
          contraction.all[column] != contraction.rest[column])
        size = contraction.rest[column];
  }
  return result;
}

/// What the sum does after `row` of the contraction.
std::vector<int64_t> SummedContraction::buildRow(ArrayRef<int64_t> row) const {
  unsigned partials = getPartials();
  ArrayRef<int64_t> all =
      contraction.getSizes(contraction.all, partials).drop_front(numSumDims);
  SmallVector<int64_t> strides = computeStrides(all);
  // Sums are whole: the offset of the first one is that of the output.
  std::vector<int64_t> result(row);
  if (!contraction.rest.empty())
    llvm::append_range(result, getRest(row));
  result.push_back(contraction.getOffset(row, partials));
  llvm::append_range(
      result, contraction.getSizes(row, partials).drop_front(numSumDims));
  llvm::append_range(result, strides);
  return result;
}

MergedGroups SummedContraction::merge(const Program &program,
                                      GroupMerger &merger, int64_t parts,
                                      unsigned number, unsigned sumNumber) {
  const VertexGroup &group = *contraction.vertices;
  auto vertices = std::make_shared<VertexGroup>();
  vertices->op = sum.vertices->op;
  vertices->codelet = merger.addCodelet(buildCodelet());
  vertices->numInputs = group.numInputs;
  MergedGroups merged;
  for (unsigned copy = 0; copy < (contraction.rest.empty() ? 1 : 2); ++copy)
    for (auto [operand, variable] : llvm::enumerate(group.variables)) {
      vertices->variables.push_back(variable);
      merged.operands.emplace_back(number, operand);
    }
  vertices->variables.push_back(sum.getOutput());
  merged.operands.emplace_back(sumNumber, 1);
  for (size_t operand = 0; operand < vertices->variables.size(); ++operand)
    vertices->alias.push_back(operand);

  std::vector<int64_t> table =
      splitRows(group, program.codelets[group.codelet], contraction.all, parts,
                /*numWholeDims=*/numSumDims);
  for (ArrayRef<int64_t> rows = table; !rows.empty();
       rows = rows.drop_front(group.rowSize))
    llvm::append_range(merged.table, buildRow(rows.take_front(group.rowSize)));
  vertices->rowSize = buildRow(contraction.all).size();
  merged.group = std::move(vertices);
  return merged;
}

//===----------------------------------------------------------------------===//
// Ranges
//===----------------------------------------------------------------------===//

namespace {
/// A range of nodes, to which one after the other is added.
class SumRange {
public:
  SumRange(const Program &program, const FusedSetsOptions &options,
           GroupMerger &merger)
      : program(program), options(options), merger(merger) {}

  bool begin(const ComputeNode &node);
  /// False if the node cannot be part of the range.
  bool add(const ProgramNode &node);
  /// Whether nothing of partial sums is left.
  bool isComplete() const { return !sums.empty() && partials.empty(); }
  /// None if that does not gain anything.
  std::optional<FusedSets> finish(size_t numNodes);

private:
  bool addExchange(const ExchangeNode &node);
  bool addSums(const ComputeNode &node);

  const Program &program;
  const FusedSetsOptions &options;
  GroupMerger &merger;
  std::vector<ReductionGroup> contractions, sums;
  /// Variables that have partial sums: of which contraction.
  llvm::SmallDenseMap<unsigned, unsigned> partials;
  /// For each contraction, the group of `sums` that adds up what it writes.
  SmallVector<int64_t> sumOf;
  bool hasCopies = false;
};
} // namespace

bool SumRange::begin(const ComputeNode &node) {
  for (const VertexGroup &group : node.groups) {
    partials[group.variables.back()] = contractions.size();
    if (!contractions.emplace_back().read(program, group))
      return false;
  }
  return !partials.empty() && partials.size() == contractions.size();
}

bool SumRange::add(const ProgramNode &node) {
  if (const auto *compute = std::get_if<ComputeNode>(&node))
    return sums.empty() && addSums(*compute);
  if (const auto *exchange = std::get_if<ExchangeNode>(&node))
    return sums.empty() && addExchange(*exchange);
  if (const auto *end = std::get_if<LiveRangeEndNode>(&node)) {
    partials.erase(end->variable);
    return true;
  }
  return std::holds_alternative<SyncNode>(node) ||
         std::holds_alternative<LiveRangeBeginNode>(node);
}

bool SumRange::addExchange(const ExchangeNode &node) {
  for (const ProgramMove &move : node.moves) {
    // Copies come before all that the range computes.
    if (llvm::any_of(contractions, [&](const ReductionGroup &contraction) {
          return llvm::is_contained(contraction.vertices->variables,
                                    move.target);
        }))
      return false;
    bool isWhole = isWholeMove(program, move);
    auto it = partials.find(move.source);
    if (it == partials.end()) {
      if (partials.contains(move.target))
        return false;
      hasCopies |= !isWhole;
      continue;
    }
    if (!isWhole)
      return false;
    unsigned number = it->second;
    partials[move.target] = number;
  }
  return true;
}

bool SumRange::addSums(const ComputeNode &node) {
  sumOf.assign(contractions.size(), -1);
  for (const VertexGroup &group : node.groups) {
    auto it = partials.find(group.variables.front());
    if (it == partials.end() || sumOf[it->second] >= 0 ||
        !sums.emplace_back().read(program, group))
      return false;
    sumOf[it->second] = sums.size() - 1;
    // What is written early must not be read late.
    for (const ReductionGroup &contraction : contractions)
      if (llvm::is_contained(contraction.vertices->variables,
                             sums.back().getOutput()))
        return false;
  }
  return sums.size() == contractions.size();
}

std::optional<FusedSets> SumRange::finish(size_t numNodes) {
  int64_t bytes = 0;
  for (const ReductionGroup &contraction : contractions)
    bytes += program.variables[contraction.getOutput()].bytes;
  if (bytes < options.leastBytes)
    return std::nullopt;
  std::vector<SummedContraction> pairs;
  for (auto [number, contraction] : llvm::enumerate(contractions))
    if (!pairs.emplace_back(contraction, sums[sumOf[number]]).match(program))
      return std::nullopt;

  FusedSets sets;
  sets.numNodes = numNodes;
  sets.hasCopies = hasCopies;
  size_t count = contractions.size();
  sets.groups.resize(2 * count);
  size_t numBlocks = 0;
  for (auto [number, pair] : llvm::enumerate(pairs)) {
    size_t sumNumber = count + sumOf[number];
    MergedGroups merged =
        pair.merge(program, merger, options.threads, number, sumNumber);
    // All that is computed is computed in place of the contractions.
    merged.begin = number;
    merged.end = number + 1 < count ? number + 1 : 2 * count;
    numBlocks = std::max(numBlocks, merged.getNumRows());
    FusedGroup &group = sets.groups[number], &sum = sets.groups[sumNumber];
    group.group = contractions[number].vertices;
    sum.group = sums[sumOf[number]].vertices;
    for (FusedGroup *each : {&group, &sum}) {
      each->scratch.assign(each->group->variables.size(), -1);
      each->renews.assign(each->group->variables.size(), false);
    }
    group.scratch.back() = sum.scratch.front() = sets.scratchBytes;
    sets.scratchBytes += llvm::alignTo(
        program.variables[contractions[number].getOutput()].bytes, kAlignment);
    sets.merged.push_back(std::move(merged));
  }
  for (size_t block = 0; block <= numBlocks; ++block) {
    sets.cuts.push_back(block);
    for (MergedGroups &merged : sets.merged)
      merged.firstRows.push_back(std::min(block, merged.getNumRows()));
  }
  return sets;
}

std::optional<FusedSets>
mlir::ipu::findFusedSums(const Program &program, ArrayRef<ProgramNode> nodes,
                         const FusedSetsOptions &options, GroupMerger &merger) {
  const auto *first = std::get_if<ComputeNode>(&nodes.front());
  SumRange range(program, options, merger);
  if (!first || !range.begin(*first))
    return std::nullopt;
  for (auto [number, node] : llvm::enumerate(nodes.drop_front())) {
    if (!range.add(node))
      return std::nullopt;
    if (range.isComplete())
      return range.finish(number + 2);
  }
  return std::nullopt;
}
