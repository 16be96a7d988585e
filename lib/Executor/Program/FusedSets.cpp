//===- FusedSets.cpp - Compute sets that run block by block ---------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "FusedSets.h"

#include "../Support/HostCaches.h"
#include "FusedRows.h"
#include "FusedSums.h"
#include "MergedGroups.h"
#include "llvm/Support/MathExtras.h"
#include <numeric>

using namespace mlir;
using namespace mlir::ipu;

/// Groups of a range: the analysis looks at all of them for each more.
static constexpr size_t kMaxGroups = 64;
/// Of all buffers that each block reads whole.
static constexpr int64_t kMaxFixedBytes = 1 << 18;
/// What blocks may have, for want of places to split, in times of what they
/// should.
static constexpr int64_t kMaxBlocks = 8;

FusedSetsOptions FusedSetsOptions::getForHost(unsigned threads) {
  FusedSetsOptions options;
  options.blockBytes =
      std::clamp<int64_t>(HostCaches::get().secondBytes / 4, 1 << 14, 1 << 18);
  options.leastBytes = options.blockBytes;
  options.threads = threads;
  return options;
}

bool mlir::ipu::isWholeMove(const Program &program, const ProgramMove &move) {
  int64_t size = program.variables[move.source].type.getNumElements();
  return move.source != move.target && move.from.isContiguous() &&
         move.to.isContiguous() && move.from.getNumElements() == size &&
         program.variables[move.target].type.getNumElements() == size;
}

//===----------------------------------------------------------------------===//
// Ranges
//===----------------------------------------------------------------------===//

namespace {
/// What variables hold in a range, perhaps several of them.
struct Buffer {
  int64_t elements = 0, elementBytes = 0;
  bool isWritten = false;
  /// Whether all of it comes from the range.
  bool isFresh = false;
  SmallVector<unsigned, 2> owners;
  /// Groups that use it.
  size_t first = 0, last = 0;
  /// Where scratch memory has it, or -1.
  int64_t scratch = -1;

  int64_t getBytes() const { return elements * elementBytes; }
};

struct RangeGroup {
  std::shared_ptr<const GroupRows> rows;
  std::shared_ptr<const RowPlacement> placement;
  SmallVector<unsigned> buffers;
  SmallVector<bool> renews;
};

/// A range of nodes, to which one after the other is added.
class RangeBuilder {
public:
  RangeBuilder(const Program &program, const FusedSetsOptions &options)
      : program(&program), options(&options) {}

  /// False if the range must end before the node, or perhaps somewhere in it:
  /// the builder is of no use then.
  bool add(const ProgramNode &node);
  /// Looks at what follows the range; false if that does not gain anything.
  bool finish(ArrayRef<ProgramNode> rest, GroupMerger &merger, FusedSets &sets);
  bool isEmpty() const { return groups.empty(); }

private:
  bool addCompute(const ComputeNode &node);
  bool addGroup(const VertexGroup &group);
  bool addExchange(const ExchangeNode &node);
  unsigned getBuffer(unsigned variable);
  unsigned makeBuffer(unsigned variable);
  void release(unsigned variable);
  void use(unsigned buffer);
  bool place();
  bool findCuts();
  void findScans(ArrayRef<ProgramNode> rest, FusedSets &sets) const;
  void assignScratch(ArrayRef<GroupChain> chains, FusedSets &sets);
  std::vector<FetchedOperand> findFetched(GroupChain chain) const;
  FusedGroup buildGroup(const RangeGroup &group) const;
  void moveToScratch(const RangeGroup &group, FusedGroup &result) const;
  int64_t getElementsOfPosition(unsigned buffer) const {
    return buffers[buffer].elements / positions;
  }
  bool isPrivate(const Buffer &buffer) const {
    return buffer.isFresh && buffer.owners.empty();
  }
  /// Whether it is only passed on between groups of the chain.
  bool isInternal(const Buffer &buffer, GroupChain chain) const {
    return isPrivate(buffer) && chain.begin <= buffer.first &&
           buffer.first + 1 < chain.end && buffer.last < chain.end;
  }

  const Program *program;
  const FusedSetsOptions *options;
  std::vector<Buffer> buffers;
  llvm::DenseMap<unsigned, unsigned> bufferOf;
  std::vector<RangeGroup> groups;
  int64_t positions = 0;
  std::vector<int64_t> cuts;
  bool hasCopies = false;
};
} // namespace

bool RangeBuilder::add(const ProgramNode &node) {
  if (const auto *compute = std::get_if<ComputeNode>(&node))
    return addCompute(*compute);
  if (groups.empty())
    return false;
  if (const auto *exchange = std::get_if<ExchangeNode>(&node))
    return addExchange(*exchange);
  if (const auto *begin = std::get_if<LiveRangeBeginNode>(&node)) {
    release(begin->variable);
    return true;
  }
  if (const auto *end = std::get_if<LiveRangeEndNode>(&node)) {
    release(end->variable);
    return true;
  }
  return std::holds_alternative<SyncNode>(node);
}

//===----------------------------------------------------------------------===//
// Variables
//===----------------------------------------------------------------------===//

unsigned RangeBuilder::makeBuffer(unsigned variable) {
  release(variable);
  const ProgramVariable &info = program->variables[variable];
  Buffer buffer;
  buffer.elements = info.type.getNumElements();
  buffer.elementBytes = info.elementBytes;
  buffer.owners.push_back(variable);
  buffer.first = groups.size();
  buffers.push_back(buffer);
  bufferOf[variable] = buffers.size() - 1;
  return buffers.size() - 1;
}

unsigned RangeBuilder::getBuffer(unsigned variable) {
  auto it = bufferOf.find(variable);
  return it == bufferOf.end() ? makeBuffer(variable) : it->second;
}

/// The variable holds nothing of the range any more.
void RangeBuilder::release(unsigned variable) {
  auto it = bufferOf.find(variable);
  if (it == bufferOf.end())
    return;
  llvm::erase(buffers[it->second].owners, variable);
  bufferOf.erase(it);
}

bool RangeBuilder::addExchange(const ExchangeNode &node) {
  for (const ProgramMove &move : node.moves) {
    if (isWholeMove(*program, move)) {
      release(move.target);
      unsigned buffer = getBuffer(move.source);
      buffers[buffer].owners.push_back(move.target);
      bufferOf[move.target] = buffer;
      continue;
    }
    // Copies come before all that the range computes.
    auto source = bufferOf.find(move.source);
    if ((source != bufferOf.end() && buffers[source->second].isWritten) ||
        bufferOf.contains(move.target))
      return false;
    hasCopies = true;
  }
  return true;
}

//===----------------------------------------------------------------------===//
// Groups
//===----------------------------------------------------------------------===//

bool RangeBuilder::addGroup(const VertexGroup &group) {
  if (groups.size() == kMaxGroups)
    return false;
  auto rows = std::make_shared<GroupRows>();
  if (!rows->read(*program, group))
    return false;
  ArrayRef<unsigned> inputs =
      ArrayRef(group.variables).take_front(group.numInputs);
  ArrayRef<unsigned> outputs =
      ArrayRef(group.variables).drop_front(group.numInputs);
  RangeGroup next;
  next.rows = std::move(rows);
  next.renews.assign(group.variables.size(), false);
  for (unsigned input : inputs)
    next.buffers.push_back(getBuffer(input));
  for (auto [index, output] : llvm::enumerate(outputs)) {
    bool keeps = !group.writesAll || !group.definesAll ||
                 llvm::is_contained(inputs, output);
    if (!keeps) {
      next.renews[group.numInputs + index] = bufferOf.contains(output);
      unsigned buffer = makeBuffer(output);
      buffers[buffer].isFresh = true;
      next.buffers.push_back(buffer);
    } else {
      // What is written would be copied for the others first.
      next.buffers.push_back(getBuffer(output));
      if (buffers[next.buffers.back()].owners.size() > 1)
        return false;
    }
    buffers[next.buffers.back()].isWritten = true;
  }
  for (unsigned buffer : next.buffers)
    buffers[buffer].last = groups.size();
  groups.push_back(std::move(next));
  return true;
}

bool RangeBuilder::addCompute(const ComputeNode &node) {
  // Small sets are not looked at.
  int64_t bytes = 0;
  for (const VertexGroup &group : node.groups)
    for (unsigned variable : group.variables)
      bytes += program->variables[variable].bytes;
  if (groups.empty() && bytes < options->leastBytes)
    return false;
  size_t before = groups.size();
  for (const VertexGroup &group : node.groups)
    if (!addGroup(group))
      return false;
  int64_t old = positions;
  for (const RangeGroup &group : ArrayRef(groups).drop_front(before)) {
    const VertexGroup &vertices = group.rows->getGroup();
    for (unsigned buffer :
         ArrayRef(group.buffers).drop_front(vertices.numInputs))
      positions = std::gcd(positions, buffers[buffer].elements);
  }
  if (node.groups.empty())
    return true;
  for (size_t number = old == positions ? before : 0; number < groups.size();
       ++number) {
    RangeGroup &group = groups[number];
    auto placement = placeRows(*program, *group.rows, positions);
    if (!placement)
      return false;
    group.placement = std::make_shared<RowPlacement>(std::move(*placement));
  }
  return place() && findCuts();
}

/// Whether all that the range writes moves with positions.
bool RangeBuilder::place() {
  std::vector<bool> isFixed(buffers.size());
  for (const RangeGroup &group : groups)
    for (auto [buffer, moves] :
         llvm::zip_equal(group.buffers, group.placement->moves))
      if (!moves)
        isFixed[buffer] = true;
  int64_t fixedBytes = 0;
  for (auto [buffer, fixed] : llvm::zip_equal(buffers, isFixed)) {
    if (fixed && buffer.isWritten)
      return false;
    fixedBytes += fixed ? buffer.getBytes() : 0;
  }
  return fixedBytes <= kMaxFixedBytes;
}

/// Divides all positions into blocks of about the size that they should have.
bool RangeBuilder::findCuts() {
  // Of what is in use at once.
  int64_t bytes = 0;
  for (size_t number = 0; number < groups.size(); ++number) {
    int64_t used = 0;
    for (const Buffer &buffer : buffers)
      if (buffer.elements % positions == 0 && buffer.first <= number &&
          number <= buffer.last)
        used += buffer.getBytes() / positions;
    bytes = std::max(bytes, used);
  }
  int64_t step =
      std::max<int64_t>(options->blockBytes / std::max<int64_t>(bytes, 1), 1);
  cuts.assign(1, 0);
  while (cuts.back() < positions) {
    int64_t next = std::min(cuts.back() + step, positions);
    for (size_t agreed = 0; agreed < groups.size();) {
      int64_t cut = groups[agreed].placement->getNextCut(next);
      agreed = cut == next ? agreed + 1 : 0;
      next = cut;
    }
    if ((next - cuts.back()) * bytes > kMaxBlocks * options->blockBytes)
      return false;
    cuts.push_back(next);
  }
  return cuts.size() > 2;
}

//===----------------------------------------------------------------------===//
// Results
//===----------------------------------------------------------------------===//

/// What the host gets next, of what the range writes.
void RangeBuilder::findScans(ArrayRef<ProgramNode> rest,
                             FusedSets &sets) const {
  for (const ProgramNode &node : rest) {
    if (const auto *copy = std::get_if<HostCopyNode>(&node)) {
      if (copy->isLoad)
        return;
      auto it = bufferOf.find(copy->variable);
      const ProgramVariable &variable = program->variables[copy->variable];
      if (it == bufferOf.end() || !buffers[it->second].isWritten ||
          !isa<FloatType>(variable.type.getElementType()))
        continue;
      sets.scans.push_back({copy->variable, getElementsOfPosition(it->second)});
      continue;
    }
    if (!std::holds_alternative<SyncNode>(node) &&
        !std::holds_alternative<LiveRangeEndNode>(node))
      return;
  }
}

/// Scratch memory for buffers that nothing else reads; those that are not in
/// use at once may have the same. The groups of a chain run at once.
void RangeBuilder::assignScratch(ArrayRef<GroupChain> chains, FusedSets &sets) {
  constexpr int64_t kAlignment = 64;
  int64_t most = 0;
  for (size_t block = 0; block + 1 < cuts.size(); ++block)
    most = std::max(most, cuts[block + 1] - cuts[block]);
  struct Slot {
    int64_t offset = 0, size = 0;
    size_t last = 0;
  };
  std::vector<Slot> slots;
  for (auto [number, buffer] : llvm::enumerate(buffers)) {
    if (!isPrivate(buffer))
      continue;
    size_t first = buffer.first, last = buffer.last;
    bool isPassedOn = false;
    for (GroupChain chain : chains) {
      isPassedOn |= isInternal(buffer, chain);
      if (chain.begin <= first && first < chain.end)
        first = chain.begin;
      if (chain.begin <= last && last < chain.end)
        last = chain.end - 1;
    }
    // What is in registers has no memory.
    if (isPassedOn) {
      buffer.scratch = 0;
      continue;
    }
    int64_t size = llvm::alignTo(
        most * getElementsOfPosition(number) * buffer.elementBytes, kAlignment);
    auto slot = llvm::find_if(slots, [&](const Slot &slot) {
      return slot.last < first && slot.size >= size;
    });
    if (slot == slots.end()) {
      slots.push_back({sets.scratchBytes, size, 0});
      sets.scratchBytes += size;
      slot = std::prev(slots.end());
    }
    slot->last = last;
    buffer.scratch = slot->offset;
  }
}

FusedGroup RangeBuilder::buildGroup(const RangeGroup &group) const {
  const GroupRows &rows = *group.rows;
  const VertexGroup &vertices = rows.getGroup();
  FusedGroup result;
  result.group = &vertices;
  result.renews = group.renews;
  bool hasParts = rows.isJoined();
  unsigned first = vertices.numInputs;
  int64_t size = getElementsOfPosition(group.buffers[first]);
  std::vector<int64_t> part(vertices.rowSize);
  // By blocks: rows of a block are few, or few rows are in several.
  std::vector<std::vector<int64_t>> rowsOfBlock(cuts.size() - 1);
  for (int64_t row = 0; row < rows.getNumRows(); ++row) {
    GroupRows::Reach reach = rows.getReach(row, first);
    auto block = llvm::upper_bound(cuts, reach.begin / size) - cuts.begin() - 1;
    for (; block + 1 < static_cast<int64_t>(cuts.size()) &&
           cuts[block] * size < reach.end;
         ++block)
      rowsOfBlock[block].push_back(row);
  }
  for (auto [block, numbers] : llvm::enumerate(rowsOfBlock)) {
    int64_t begin = cuts[block], end = cuts[block + 1];
    result.firstRows.push_back(result.table.size() / vertices.rowSize);
    for (int64_t row : numbers) {
      GroupRows::Reach reach = rows.getReach(row, first);
      llvm::copy(rows.getRow(row), part.begin());
      if (begin * size > reach.begin || end * size < reach.end) {
        const JoinAxis &axis = *rows.getAxis(row);
        int64_t step = rows.getStep(row, first);
        int64_t low = (begin * size - reach.begin) / step;
        int64_t high = (end * size - reach.begin) / step;
        cutRow(rows.getRow(row), axis, std::max<int64_t>(low, 0),
               std::min(high, rows.getRow(row)[axis.size]), part);
        hasParts = true;
      }
      llvm::append_range(result.table, part);
      result.vertices.push_back(row);
    }
  }
  result.firstRows.push_back(result.table.size() / vertices.rowSize);
  if (hasParts)
    result.vertices.clear();
  return result;
}

/// Counts regions in scratch memory from the start of their block.
void RangeBuilder::moveToScratch(const RangeGroup &group,
                                 FusedGroup &result) const {
  int64_t rowSize = result.group->rowSize;
  for (auto [operand, buffer] : llvm::enumerate(group.buffers)) {
    result.scratch.push_back(buffers[buffer].scratch);
    if (buffers[buffer].scratch < 0)
      continue;
    int64_t column = group.rows->getColumn(operand);
    for (size_t block = 0; block + 1 < cuts.size(); ++block)
      for (int64_t row = result.firstRows[block];
           row < result.firstRows[block + 1]; ++row)
        result.table[row * rowSize + column] -=
            cuts[block] * getElementsOfPosition(buffer);
  }
}

/// What groups read and write in memory, not in a cache, of as many elements as
/// the chain gives: of its own block if that is after the chain, else of the
/// next one.
std::vector<FetchedOperand> RangeBuilder::findFetched(GroupChain chain) const {
  std::vector<FetchedOperand> fetched;
  int64_t elements = buffers[groups[chain.begin].buffers.back()].elements;
  for (auto [number, buffer] : llvm::enumerate(buffers)) {
    // A whole variable that is copied after the last group.
    if (buffer.first == groups.size())
      continue;
    const RangeGroup &group = groups[buffer.first];
    const auto *operand = llvm::find(group.buffers, number);
    if (buffer.scratch >= 0 || buffer.elements != elements ||
        operand == group.buffers.end())
      continue;
    unsigned index = operand - group.buffers.begin();
    const VertexGroup &vertices = group.rows->getGroup();
    if (!group.placement->moves[index] ||
        !isa<FloatType>(program->variables[vertices.variables[index]]
                            .type.getElementType()))
      continue;
    ArrayRef<int64_t> blocks = ArrayRef(cuts).drop_back();
    if (buffer.first < chain.end)
      blocks = blocks.drop_front();
    FetchedOperand &next = fetched.emplace_back();
    next.group = buffer.first;
    next.operand = index;
    for (int64_t position : blocks)
      next.begins.push_back(position * getElementsOfPosition(number));
    // After the last block there is nothing to fetch.
    next.begins.resize(cuts.size() - 1, next.begins.back());
  }
  return fetched;
}

bool RangeBuilder::finish(ArrayRef<ProgramNode> rest, GroupMerger &merger,
                          FusedSets &sets) {
  findScans(rest, sets);
  int64_t bytes = 0;
  for (const Buffer &buffer : buffers)
    bytes += buffer.getBytes();
  if ((groups.size() < 2 && sets.scans.empty()) || bytes < options->leastBytes)
    return false;
  for (const RangeGroup &group : groups)
    sets.groups.push_back(buildGroup(group));
  std::vector<GroupInRange> inRange;
  for (auto [group, fused] : llvm::zip_equal(groups, sets.groups))
    inRange.push_back({&fused, group.buffers});
  std::vector<GroupChain> chains =
      merger.findChains(inRange, options->maxMerged);
  assignScratch(chains, sets);
  for (auto [group, fused] : llvm::zip_equal(groups, sets.groups))
    moveToScratch(group, fused);
  bool fetches = false;
  for (GroupChain chain : chains) {
    // Once for each block.
    std::vector<FetchedOperand> fetched;
    if (!fetches && merger.hasTimeToFetch(inRange, chain)) {
      fetched = findFetched(chain);
      fetches = true;
    }
    auto isPassedOn = [&](unsigned buffer) {
      return isInternal(buffers[buffer], chain);
    };
    sets.merged.push_back(merger.merge(inRange, chain, isPassedOn, fetched));
  }
  sets.cuts = cuts;
  sets.hasCopies = hasCopies;
  return true;
}

//===----------------------------------------------------------------------===//
// Sequences
//===----------------------------------------------------------------------===//

static void findInSequence(const Program &program,
                           const ProgramSequence &sequence,
                           const FusedSetsOptions &options, GroupMerger &merger,
                           FusedSetsMap &found) {
  ArrayRef<ProgramNode> nodes = sequence.nodes;
  for (size_t at = 0; at < nodes.size();) {
    if (const auto *repeat =
            std::get_if<std::unique_ptr<RepeatNode>>(&nodes[at])) {
      findInSequence(program, (*repeat)->body, options, merger, found);
    } else if (const auto *branch =
                   std::get_if<std::unique_ptr<IfNode>>(&nodes[at])) {
      findInSequence(program, (*branch)->thenBody, options, merger, found);
      findInSequence(program, (*branch)->elseBody, options, merger, found);
    } else if (const auto *loop =
                   std::get_if<std::unique_ptr<WhileNode>>(&nodes[at])) {
      findInSequence(program, (*loop)->before, options, merger, found);
      findInSequence(program, (*loop)->body, options, merger, found);
    }
    if (auto sums =
            findFusedSums(program, nodes.drop_front(at), options, merger)) {
      const ProgramNode *first = &nodes[at];
      at += sums->numNodes;
      found[first] = std::move(*sums);
      continue;
    }
    RangeBuilder range(program, options);
    size_t end = at;
    while (end < nodes.size()) {
      // What cannot be added leaves nothing of it.
      RangeBuilder next = range;
      if (!next.add(nodes[end]))
        break;
      range = std::move(next);
      ++end;
    }
    FusedSets sets;
    sets.numNodes = end - at;
    if (!range.isEmpty() && range.finish(nodes.drop_front(end), merger, sets))
      found[&nodes[at]] = std::move(sets);
    at = std::max(end, at + 1);
  }
}

FusedSetsMap mlir::ipu::findFusedSets(Program &program,
                                      const FusedSetsOptions &options) {
  FusedSetsMap found;
  GroupMerger merger(program);
  findInSequence(program, program.body, options, merger, found);
  for (const ProgramFunction &function : program.functions)
    findInSequence(program, function.body, options, merger, found);
  return found;
}
