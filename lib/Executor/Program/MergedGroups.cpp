//===- MergedGroups.cpp - Merged elementwise groups -----------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "MergedGroups.h"

#include "EngineCodelets.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/Utils/IndexingUtils.h"
#include "mlir/IR/IRMapping.h"

using namespace mlir;
using namespace mlir::ipu;

/// Of a group: more are read from as many places at once.
static constexpr size_t kMaxOperands = 8;
/// Of a chain, for an element: exp of f32 has 26.
static constexpr int64_t kLeastOpsToFetch = 16;

//===----------------------------------------------------------------------===//
// Codelets
//===----------------------------------------------------------------------===//

/// The op that is all of a codelet, if it gives each element of its outputs a
/// value, of elements at the same place or at the start of a dimension.
static linalg::GenericOp findElementwise(CodeletOp codelet,
                                         unsigned numInputs) {
  linalg::GenericOp found;
  for (Operation &op : codelet.getBody().front().without_terminator()) {
    if (isa<arith::ConstantOp>(op))
      continue;
    auto generic = dyn_cast<linalg::GenericOp>(op);
    if (!generic || found)
      return {};
    found = generic;
  }
  if (!found || found.hasIndexSemantics() || found.getNumLoops() == 0 ||
      found.getNumReductionLoops() > 0)
    return {};
  for (OpOperand &operand : found->getOpOperands()) {
    if (!isa<MemRefType>(operand.get().getType()))
      continue;
    auto argument = dyn_cast<BlockArgument>(operand.get());
    if (!argument)
      return {};
    AffineMap map = found.getMatchingIndexingMap(&operand);
    bool isOutput = found.isDpsInit(&operand);
    if (isOutput != (argument.getArgNumber() >= numInputs) ||
        (isOutput && (!map.isIdentity() || !argument.hasOneUse() ||
                      !found.getMatchingBlockArgument(&operand).use_empty())))
      return {};
    for (AffineExpr expr : map.getResults())
      if (!isa<AffineDimExpr>(expr) && expr != 0)
        return {};
  }
  return found;
}

const GroupMerger::Body &GroupMerger::getBody(const GroupInRange &group) {
  const VertexGroup &vertices = *group.fused->group;
  auto [it, isNew] = bodies.try_emplace({vertices.codelet, vertices.numInputs});
  Body &body = it->second;
  if (!isNew)
    return body;
  CodeletOp codelet = program.codelets[vertices.codelet];
  body.op = findElementwise(codelet, vertices.numInputs);
  int64_t column = 0;
  for (Type type : codelet.getBody().getArgumentTypes()) {
    body.columns.push_back(column);
    column += getNumColumns(type);
  }
  body.columns.push_back(column);
  return body;
}

//===----------------------------------------------------------------------===//
// Chains
//===----------------------------------------------------------------------===//

ArrayRef<int64_t> GroupMerger::getRegion(const GroupInRange &group, int64_t row,
                                         unsigned operand) {
  const Body &body = getBody(group);
  return ArrayRef(group.fused->table)
      .slice(row * group.fused->group->rowSize + body.columns[operand],
             body.columns[operand + 1] - body.columns[operand]);
}

bool GroupMerger::hasSameRegions(const GroupInRange &group, unsigned operand,
                                 const GroupInRange &other,
                                 unsigned otherOperand) {
  for (int64_t row = 0; row < group.fused->firstRows.back(); ++row)
    if (getRegion(group, row, operand) != getRegion(other, row, otherOperand))
      return false;
  return true;
}

/// Whether all regions have the sizes that the codelet needs: no vertex fails,
/// and whatever ran before it in another order would have run, too.
bool GroupMerger::mayBegin(const GroupInRange &group) {
  const VertexGroup &vertices = *group.fused->group;
  linalg::GenericOp op = getBody(group).op;
  ArrayRef<unsigned> inputs =
      ArrayRef(vertices.variables).take_front(vertices.numInputs);
  if (!op || !vertices.writesAll || !vertices.definesAll ||
      llvm::any_of(
          ArrayRef(vertices.variables).drop_front(vertices.numInputs),
          [&](unsigned output) { return llvm::is_contained(inputs, output); }))
    return false;
  for (int64_t row = 0; row < group.fused->firstRows.back(); ++row) {
    ArrayRef<int64_t> sizes =
        getRegion(group, row, vertices.numInputs).slice(1, op.getNumLoops());
    for (OpOperand &operand : op->getOpOperands()) {
      auto argument = dyn_cast<BlockArgument>(operand.get());
      if (!argument)
        continue;
      ArrayRef<int64_t> region = getRegion(group, row, argument.getArgNumber());
      AffineMap map = op.getMatchingIndexingMap(&operand);
      for (auto [dim, expr] : llvm::enumerate(map.getResults()))
        if (auto loop = dyn_cast<AffineDimExpr>(expr);
            loop && region[1 + dim] != sizes[loop.getPosition()])
          return false;
    }
  }
  return true;
}

/// Whether `next` reads what the chain gives, each element at the same place.
bool GroupMerger::follows(ArrayRef<GroupInRange> chain,
                          const GroupInRange &next) {
  const GroupInRange &first = chain.front();
  if (first.fused->firstRows != next.fused->firstRows || !mayBegin(next))
    return false;
  linalg::GenericOp op = getBody(next).op, firstOp = getBody(first).op;
  unsigned firstOutput = first.fused->group->numInputs;
  unsigned rank = op.getNumLoops();
  if (firstOp.getNumLoops() != rank)
    return false;
  for (int64_t row = 0; row < next.fused->firstRows.back(); ++row)
    if (getRegion(first, row, firstOutput).slice(1, rank) !=
        getRegion(next, row, next.fused->group->numInputs).slice(1, rank))
      return false;

  llvm::SmallDenseSet<unsigned> buffers(next.buffers.begin(),
                                        next.buffers.end());
  bool reads = false;
  for (const GroupInRange &group : chain) {
    buffers.insert(group.buffers.begin(), group.buffers.end());
    for (unsigned output = group.fused->group->numInputs;
         output < group.buffers.size(); ++output)
      for (OpOperand *input : op.getDpsInputOperands()) {
        auto argument = dyn_cast<BlockArgument>(input->get());
        if (!argument ||
            next.buffers[argument.getArgNumber()] != group.buffers[output])
          continue;
        reads = true;
        if (!op.getMatchingIndexingMap(input).isIdentity() ||
            !hasSameRegions(group, output, next, argument.getArgNumber()))
          return false;
      }
  }
  return reads && buffers.size() <= kMaxOperands;
}

std::vector<GroupChain> GroupMerger::findChains(ArrayRef<GroupInRange> groups,
                                                size_t maxGroups) {
  std::vector<GroupChain> chains;
  for (size_t begin = 0; begin < groups.size();) {
    size_t end = begin + 1;
    if (mayBegin(groups[begin]))
      while (end < groups.size() && end - begin < maxGroups &&
             follows(groups.slice(begin, end - begin), groups[end]))
        ++end;
    if (end - begin > 1)
      chains.push_back({begin, end});
    begin = end;
  }
  return chains;
}

bool GroupMerger::hasTimeToFetch(ArrayRef<GroupInRange> groups,
                                 GroupChain chain) {
  int64_t numOps = 0;
  for (size_t number = chain.begin; number < chain.end; ++number) {
    linalg::GenericOp op = getBody(groups[number]).op;
    numOps += op.getBody()->getOperations().size();
  }
  return numOps >= kLeastOpsToFetch;
}

//===----------------------------------------------------------------------===//
// Merging
//===----------------------------------------------------------------------===//

unsigned GroupMerger::addCodelet(CodeletOp codelet) {
  std::string text;
  llvm::raw_string_ostream os(text);
  codelet->print(os, OpPrintingFlags().printGenericOpForm().useLocalScope());
  auto [it, isNew] = numberOfText.try_emplace(text, program.codelets.size());
  if (!isNew) {
    codelet.erase();
    return it->second;
  }
  program.codeletModule->getBody()->push_back(codelet);
  codelet.setSymName("codelet" + std::to_string(it->second));
  program.codelets.push_back(codelet);
  program.codeletTexts.push_back(std::move(text));
  return it->second;
}

/// Builds what a chain becomes, of the groups of `chain` alone.
class GroupMerger::ChainBuilder {
public:
  ChainBuilder(GroupMerger &merger, ArrayRef<GroupInRange> groups,
               GroupChain chain, ArrayRef<FetchedOperand> fetched)
      : merger(merger), groups(groups), chain(chain), fetched(fetched),
        vertices(std::make_shared<VertexGroup>()) {}

  MergedGroups build(function_ref<bool(unsigned)> isInternal);

private:
  /// What the body reads of an operand.
  struct Input {
    size_t operand;
    AffineMap map;
  };

  Type getType(unsigned number, unsigned operand) const;
  linalg::GenericOp getOp(size_t number) const {
    return merger.getBody(groups[number]).op;
  }
  size_t addOperand(unsigned number, unsigned operand);
  size_t findOperand(unsigned number, unsigned operand);
  void addInputs();
  void addOutputs(function_ref<bool(unsigned)> isInternal);
  ArrayRef<int64_t> getSizes(int64_t row) const;
  MemRefType getFetchedType(const FetchedOperand &next) const;
  CodeletOp buildCodelet();
  void buildFetches(OpBuilder &b, Location loc, ValueRange buffers);
  void buildBody(OpBuilder &b, Location loc, ValueRange args);
  void addRows();

  GroupMerger &merger;
  ArrayRef<GroupInRange> groups;
  GroupChain chain;
  ArrayRef<FetchedOperand> fetched;
  MergedGroups merged;
  std::shared_ptr<VertexGroup> vertices;
  SmallVector<Input> inputs;
  /// The input that a use reads; groups may share a codelet, and so uses.
  llvm::SmallDenseMap<std::pair<size_t, OpOperand *>, unsigned> inputOfUse;
  /// Of each group of the chain.
  std::vector<IRMapping> mappings;
};

Type GroupMerger::ChainBuilder::getType(unsigned number,
                                        unsigned operand) const {
  CodeletOp codelet =
      merger.program.codelets[groups[number].fused->group->codelet];
  return codelet.getBody().getArgument(operand).getType();
}

size_t GroupMerger::ChainBuilder::addOperand(unsigned number,
                                             unsigned operand) {
  merged.operands.push_back({number, operand});
  vertices->variables.push_back(
      groups[number].fused->group->variables[operand]);
  return merged.operands.size() - 1;
}

/// The operand that has the same regions of the same buffer, a new one if there
/// is none.
size_t GroupMerger::ChainBuilder::findOperand(unsigned number,
                                              unsigned operand) {
  for (auto [index, known] : llvm::enumerate(merged.operands))
    if (groups[known.first].buffers[known.second] ==
            groups[number].buffers[operand] &&
        getType(known.first, known.second) == getType(number, operand) &&
        merger.hasSameRegions(groups[known.first], known.second, groups[number],
                              operand))
      return index;
  return addOperand(number, operand);
}

/// Adds what groups read and no group before them makes, each once.
void GroupMerger::ChainBuilder::addInputs() {
  SmallVector<unsigned> madeBuffers;
  for (size_t number = chain.begin; number < chain.end; ++number) {
    const GroupInRange &group = groups[number];
    linalg::GenericOp op = getOp(number);
    for (OpOperand *use : op.getDpsInputOperands()) {
      auto argument = dyn_cast<BlockArgument>(use->get());
      if (!argument || llvm::is_contained(
                           madeBuffers, group.buffers[argument.getArgNumber()]))
        continue;
      Input input{findOperand(number, argument.getArgNumber()),
                  op.getMatchingIndexingMap(use)};
      auto *known = llvm::find_if(inputs, [&](const Input &other) {
        return other.operand == input.operand && other.map == input.map;
      });
      inputOfUse[{number, use}] = known - inputs.begin();
      if (known == inputs.end())
        inputs.push_back(input);
    }
    llvm::append_range(madeBuffers,
                       group.buffers.drop_front(group.fused->group->numInputs));
  }
  vertices->numInputs = merged.operands.size();
}

void GroupMerger::ChainBuilder::addOutputs(
    function_ref<bool(unsigned)> isInternal) {
  for (size_t number = chain.begin; number < chain.end; ++number)
    for (unsigned operand = groups[number].fused->group->numInputs;
         operand < groups[number].buffers.size(); ++operand)
      if (!isInternal(groups[number].buffers[operand]))
        addOperand(number, operand);
}

/// Of what the chain gives in a row.
ArrayRef<int64_t> GroupMerger::ChainBuilder::getSizes(int64_t row) const {
  const GroupInRange &first = groups[chain.begin];
  return merger.getRegion(first, row, first.fused->group->numInputs)
      .slice(1, getOp(chain.begin).getNumLoops());
}

/// A region of these sizes.
MemRefType
GroupMerger::ChainBuilder::getFetchedType(const FetchedOperand &next) const {
  auto type = cast<MemRefType>(getType(next.group, next.operand));
  SmallVector<int64_t> sizes(getOp(chain.begin).getNumLoops(),
                             ShapedType::kDynamic);
  return MemRefType::get(
      sizes, type.getElementType(),
      StridedLayoutAttr::get(type.getContext(), ShapedType::kDynamic, sizes));
}

void GroupMerger::ChainBuilder::buildFetches(OpBuilder &b, Location loc,
                                             ValueRange buffers) {
  if (buffers.empty())
    return;
  SmallVector<Value> indices;
  for (unsigned loop = 0; loop < getOp(chain.begin).getNumLoops(); ++loop)
    indices.push_back(linalg::IndexOp::create(b, loc, loop));
  // The first cache would not keep the lines. Lines that are written later are
  // fetched as those that are read: a fetch with the intent to write takes its
  // line into the first cache on some hosts.
  for (Value buffer : buffers)
    memref::PrefetchOp::create(b, loc, buffer, indices, /*isWrite=*/false,
                               /*localityHint=*/2, /*isDataCache=*/true);
}

CodeletOp GroupMerger::ChainBuilder::buildCodelet() {
  CodeletOp codelet =
      merger.program.codelets[groups[chain.begin].fused->group->codelet]
          .clone();
  codelet.setSymName("codelet");
  Block &block = codelet.getBody().front();
  block.clear();
  block.eraseArguments(0, block.getNumArguments());
  ImplicitLocOpBuilder b(codelet.getLoc(), codelet.getContext());
  for (auto [number, operand] : merged.operands)
    block.addArgument(getType(number, operand), b.getLoc());
  for (const FetchedOperand &next : fetched)
    block.addArgument(getFetchedType(next), b.getLoc());
  codelet.setFunctionType(b.getFunctionType(block.getArgumentTypes(), {}));
  b.setInsertionPointToStart(&block);
  EndOp::create(b);
  b.setInsertionPointToStart(&block);
  for (size_t number = chain.begin; number < chain.end; ++number)
    for (auto constant : getOp(number)->getBlock()->getOps<arith::ConstantOp>())
      b.clone(*constant, mappings[number - chain.begin]);
  SmallVector<Value> ins, outs;
  SmallVector<AffineMap> maps;
  for (const Input &input : inputs) {
    ins.push_back(block.getArgument(input.operand));
    maps.push_back(input.map);
  }
  linalg::GenericOp first = getOp(chain.begin);
  for (size_t operand = vertices->numInputs; operand < merged.operands.size();
       ++operand) {
    outs.push_back(block.getArgument(operand));
    maps.push_back(b.getMultiDimIdentityMap(first.getNumLoops()));
  }
  linalg::GenericOp::create(
      b, ins, outs, maps, first.getIteratorTypesArray(),
      [&](OpBuilder &builder, Location loc, ValueRange args) {
        buildFetches(builder, loc,
                     block.getArguments().take_back(fetched.size()));
        buildBody(builder, loc, args);
      });
  return codelet;
}

void GroupMerger::ChainBuilder::buildBody(OpBuilder &b, Location loc,
                                          ValueRange args) {
  // The element that was last made of each buffer.
  llvm::SmallDenseMap<unsigned, Value> made;
  for (size_t number = chain.begin; number < chain.end; ++number) {
    ArrayRef<unsigned> buffers = groups[number].buffers;
    linalg::GenericOp op = getOp(number);
    IRMapping &mapping = mappings[number - chain.begin];
    for (OpOperand *use : op.getDpsInputOperands()) {
      BlockArgument element = op.getMatchingBlockArgument(use);
      auto argument = dyn_cast<BlockArgument>(use->get());
      auto it = inputOfUse.find({number, use});
      if (!argument)
        mapping.map(element, mapping.lookup(use->get()));
      else if (it != inputOfUse.end())
        mapping.map(element, args[it->second]);
      else
        mapping.map(element, made.at(buffers[argument.getArgNumber()]));
    }
    for (Operation &inner : op.getBody()->without_terminator())
      b.clone(inner, mapping);
    for (auto [init, value] : llvm::zip_equal(
             op.getDpsInits(), op.getBody()->getTerminator()->getOperands())) {
      unsigned operand = cast<BlockArgument>(init).getArgNumber();
      made[buffers[operand]] = mapping.lookup(value);
    }
  }
  SmallVector<Value> results;
  for (auto [number, operand] :
       ArrayRef(merged.operands).drop_front(vertices->numInputs))
    results.push_back(made.at(groups[number].buffers[operand]));
  linalg::YieldOp::create(b, loc, results);
}

void GroupMerger::ChainBuilder::addRows() {
  merged.firstRows = groups[chain.begin].fused->firstRows;
  for (size_t block = 0; block + 1 < merged.firstRows.size(); ++block) {
    int64_t numFetched = 0;
    for (int64_t row = merged.firstRows[block];
         row < merged.firstRows[block + 1]; ++row) {
      for (auto [number, operand] : merged.operands)
        llvm::append_range(merged.table,
                           merger.getRegion(groups[number], row, operand));
      ArrayRef<int64_t> sizes = getSizes(row);
      for (const FetchedOperand &next : fetched) {
        merged.table.push_back(next.begins[block] + numFetched);
        llvm::append_range(merged.table, sizes);
        llvm::append_range(merged.table, computeStrides(sizes));
      }
      numFetched += computeProduct(sizes);
    }
  }
  for (auto [number, operand] : merged.operands)
    vertices->rowSize += getNumColumns(getType(number, operand));
  for (const FetchedOperand &next : fetched) {
    vertices->rowSize += getNumColumns(getFetchedType(next));
    merged.operands.push_back({next.group, next.operand});
  }
  for (size_t operand = 0; operand < merged.operands.size(); ++operand)
    vertices->alias.push_back(operand);
}

MergedGroups
GroupMerger::ChainBuilder::build(function_ref<bool(unsigned)> isInternal) {
  merged.begin = chain.begin;
  merged.end = chain.end;
  mappings.resize(chain.end - chain.begin);
  vertices->op = groups[chain.end - 1].fused->group->op;
  addInputs();
  addOutputs(isInternal);
  vertices->codelet = merger.addCodelet(buildCodelet());
  addRows();
  merged.group = std::move(vertices);
  return std::move(merged);
}

MergedGroups GroupMerger::merge(ArrayRef<GroupInRange> groups, GroupChain chain,
                                function_ref<bool(unsigned)> isInternal,
                                ArrayRef<FetchedOperand> fetched) {
  return ChainBuilder(*this, groups, chain, fetched).build(isInternal);
}
