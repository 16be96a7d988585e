//===- SplitProgram.cpp - The program that is split over IPUs ---*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "SplitProgram.h"

#include "ipu-mlir/Dialect/Pop/Transforms/VirtualGraphs.h"
#include "ipu-mlir/Support/RangeSums.h"
#include "mlir/Interfaces/ControlFlowInterfaces.h"

#include <map>

using namespace mlir;
using namespace mlir::ipu;

/// A weight that takes at least this part of the memory of an IPU is on one
/// IPU. Other constants are on each IPU that reads them.
static constexpr int64_t kLargeWeightDivisor = 20;

/// The share of the memory of an IPU, in percent, that weights, activations and
/// code may take. The rest is for operands and results that tiles receive and
/// rearrange.
static constexpr int64_t kMemoryPercent = 80;

/// An op that reads more weights than this is placed by itself, although it
/// reads nothing else.
static constexpr size_t kMaxWeightsOfFollower = 16;

static bool isStored(Type type) {
  return isa<RankedTensorType, pop::RefType>(type);
}

SplitProgram::SplitProgram(ModuleOp module, const TargetModel &target,
                           const SplitOptions &options)
    : module(module), target(target), options(options), calls(module),
      sources(module) {
  entry = getMainFunction(module);
  if (!entry || entry.isExternal())
    return;
  findLoadedFunctions();
  collect(entry.getFunctionBody(), /*times=*/1);
  // Calls are sources only if they are placed.
  sourcesOf.clear();
  llvm::for_each(branches,
                 [&](Operation *branch) { findSourcesOfResults(branch); });
  units.grow(ops.size());
  GraphEffects effects(module);
  for (unsigned number = 0; number < ops.size(); ++number) {
    readOperands(number);
    readMemory(number, effects);
  }
  passReadersOn();
  tieReaders();
  tieDependents();
}

//===----------------------------------------------------------------------===//
// Ops
//===----------------------------------------------------------------------===//

/// A load of code names one function, which is on one IPU.
void SplitProgram::findLoadedFunctions() {
  module.walk([&](Operation *op) {
    if (ArrayAttr graphs = pop::getMovedGraphs(op))
      for (auto graph : graphs.getAsRange<SymbolRefAttr>())
        if (Operation *function = symbols.lookupSymbolIn(module, graph))
          loaded.insert(function);
  });
}

/// Returns whether `op` reads or writes a remote buffer, which is on one IPU.
static bool usesRemoteMemory(Operation *op) {
  auto memory = dyn_cast<MemoryEffectOpInterface>(op);
  if (!memory)
    return false;
  SmallVector<MemoryEffects::EffectInstance> effects;
  memory.getEffects(effects);
  return llvm::any_of(effects, [](const MemoryEffects::EffectInstance &effect) {
    return effect.getResource() == RemoteMemoryResource::get();
  });
}

/// Returns the weights that `op` reads if it is a follower: it reads nothing
/// else, and writes nothing that other ops read. Otherwise returns
/// std::nullopt.
std::optional<SmallVector<SplitProgram::ReadWeight, 1>>
SplitProgram::findReadWeights(Operation *op) {
  if (op->getNumResults() == 0 || op->getNumRegions() > 0 ||
      isa<CallOpInterface>(op) || usesRemoteMemory(op))
    return std::nullopt;
  llvm::SmallMapVector<Value, bool, 4> found;
  bool isSource = true;
  for (Value operand : op->getOperands()) {
    if (!isStored(operand.getType()))
      continue;
    isSource = false;
    bool isRef = isa<pop::RefType>(operand.getType());
    for (Value source : getSources(operand)) {
      if (!isWeight(source))
        return std::nullopt;
      auto *follower = followers.find(source.getDefiningOp());
      if (follower == followers.end())
        found[source] |= isRef;
      else
        for (ReadWeight weight : follower->second.weights)
          found[weight.source] |= isRef && weight.isRef;
    }
  }
  if (isSource)
    found[op->getResult(0)] = true;
  else if (hasEffect<MemoryEffects::Write>(op))
    return std::nullopt;
  if (found.size() > kMaxWeightsOfFollower)
    return std::nullopt;
  SmallVector<ReadWeight, 1> weights;
  for (auto [source, isRef] : found)
    weights.push_back({source, isRef});
  return weights;
}

void SplitProgram::collect(Operation *op, int64_t times) {
  if (auto call = dyn_cast<CallOpInterface>(op)) {
    FunctionOpInterface callee = calls.getCallee(call);
    if (callee && callee != entry && !callee.isExternal() &&
        callee.isPrivate() && calls.getCallsOf(callee).size() == 1 &&
        !callee->hasAttr("no_inline") && !loaded.contains(callee)) {
      collect(callee.getFunctionBody(), times);
      return;
    }
  } else if (isa<RegionBranchOpInterface>(op)) {
    int64_t trips = getTripCount(op);
    for (Region &region : op->getRegions())
      collect(region, (Count(times) * trips).get());
    branches.push_back(op);
    findSourcesOfResults(op);
    return;
  } else if (!pop::needsPlacement(op) &&
             (op->getNumRegions() == 0 ||
              !isa_and_nonnull<pop::PopDialect>(op->getDialect()))) {
    return;
  }
  if (auto readWeights = findReadWeights(op)) {
    followers[op].weights = std::move(*readWeights);
    return;
  }
  numbers[op] = ops.size();
  ops.push_back({op, times, {}});
}

void SplitProgram::collect(Region &region, int64_t times) {
  for (Block &block : region)
    for (Operation &op : block.without_terminator())
      collect(&op, times);
}

//===----------------------------------------------------------------------===//
// Values
//===----------------------------------------------------------------------===//

/// Returns the values of placed ops, followers, leaves and arguments of the
/// entry that loops, branches and calls pass on as `value`.
SmallVector<Value, 1> SplitProgram::getSources(Value value) {
  if (auto known = sourcesOf.find(value); known != sourcesOf.end())
    return known->second;
  auto isSource = [&](Value other) {
    return numbers.contains(other.getDefiningOp()) || sourcesOf.contains(other);
  };
  llvm::SmallSetVector<Value, 4> found;
  for (const pop::ValueSources::Source &source :
       sources.find(value, /*ofEarlierIterations=*/true, isSource)) {
    auto known = sourcesOf.find(source.value);
    if (known == sourcesOf.end())
      found.insert(source.value);
    else
      found.insert(known->second.begin(), known->second.end());
  }
  SmallVector<Value, 1> own(found.begin(), found.end());
  sourcesOf[value] = own;
  return own;
}

/// Finds the sources of what `branch` passes on, so that later ops need not
/// follow values through all branches before them.
void SplitProgram::findSourcesOfResults(Operation *branch) {
  for (Value result : branch->getResults())
    if (isStored(result.getType()))
      getSources(result);
}

int64_t SplitProgram::getBytes(Type type) const {
  auto shaped = dyn_cast<ShapedType>(type);
  if (!shaped || !shaped.hasStaticShape())
    return 0;
  return (Count(shaped.getNumElements()) *
          getStoredBytes(shaped.getElementType()))
      .get();
}

/// Returns whether `source` is a weight, or is computed from weights only.
bool SplitProgram::isWeight(Value source) const {
  Operation *producer = source.getDefiningOp();
  if (producer)
    return pop::isLeaf(producer) || followers.contains(producer);
  // A function gets weights as arguments with initial values.
  auto argument = cast<BlockArgument>(source);
  auto function =
      dyn_cast<FunctionOpInterface>(argument.getOwner()->getParentOp());
  return function && argument.getOwner()->isEntryBlock() &&
         function.getArgAttr(argument.getArgNumber(),
                             pop::PopDialect::kDefaultAttrName);
}

/// Returns the key of the weight of `source`: a constant, the handle of a
/// variable, an argument with an initial value, or the result of a follower
/// without operands.
const void *SplitProgram::getWeightKey(Value source) {
  Operation *op = source.getDefiningOp();
  if (auto ref = dyn_cast_or_null<pop::GetVariableOp>(op))
    if (Operation *variable =
            symbols.lookupNearestSymbolFrom(ref, ref.getVariableAttr()))
      return variable;
  return op ? op : source.getAsOpaquePointer();
}

/// Records that `reader` reads `source`, a result of a placed op or an argument
/// of the entry.
void SplitProgram::addReader(Value source, unsigned reader) {
  Operation *producer = source.getDefiningOp();
  auto number = numbers.find(producer);
  bool isPlaced = producer && number != numbers.end();
  auto [it, isNew] = values.try_emplace(source);
  if (isNew) {
    it->second.home = isPlaced ? number->second : reader;
    it->second.bytes = getBytes(source.getType());
    it->second.times = isPlaced ? ops[number->second].times : 1;
  }
  it->second.readers.push_back(reader);
  if (isPlaced && number->second < reader)
    ops[reader].producers.push_back(number->second);
}

/// Records that `reader` reads a weight. An allocated tensor is an activation.
void SplitProgram::addWeight(ReadWeight read, unsigned reader) {
  Operation *op = read.source.getDefiningOp();
  bool isLeaf = !followers.contains(op);
  if (!isLeaf && !(read.isRef && isa<pop::RefType>(read.source.getType())))
    return addReader(read.source, reader);
  Weight &weight = weights[getWeightKey(read.source)];
  weight.bytes = isLeaf ? getBytes(read.source.getType()) : 0;
  weight.isOnEachIPU = op && op->hasTrait<OpTrait::ConstantLike>();
  SmallVector<WeightReader, 2> &readers = weight.readers;
  if (!readers.empty() && readers.back().number == reader)
    readers.back().isRef |= read.isRef;
  else
    readers.push_back({reader, read.isRef});
}

/// Records that `reader` reads the weights from which `source` is computed.
/// `isRef` is set if the reader has a ref to it.
void SplitProgram::addWeights(Value source, bool isRef, unsigned reader) {
  auto *follower = followers.find(source.getDefiningOp());
  if (follower == followers.end())
    return addWeight({source, isRef}, reader);
  std::optional<unsigned> &first = follower->second.reader;
  first = std::min(first.value_or(reader), reader);
  for (ReadWeight weight : follower->second.weights)
    addWeight({weight.source, isRef && weight.isRef}, reader);
}

/// Gives each follower that only followers read the first reader of these.
void SplitProgram::passReadersOn() {
  // Readers of a follower come after it.
  for (auto &[op, follower] : llvm::reverse(followers)) {
    if (!follower.reader)
      continue;
    for (Value operand : op->getOperands())
      for (Value source : getSources(operand))
        if (auto *other = followers.find(source.getDefiningOp());
            other != followers.end())
          other->second.reader =
              std::min(other->second.reader.value_or(*follower.reader),
                       *follower.reader);
  }
}

/// Joins an op with the other ops that use `symbol`.
void SplitProgram::joinUsers(Operation *symbol, unsigned number) {
  auto [user, isFirst] = usersOf.try_emplace(symbol, number);
  if (!isFirst)
    units.join(user->second, number);
}

/// Joins a call with the other calls that lead to the same functions whose code
/// is loaded.
void SplitProgram::joinCallers(FunctionOpInterface callee, unsigned number,
                               llvm::DenseSet<Operation *> &seen) {
  if (!callee || loaded.empty() || !seen.insert(callee).second)
    return;
  if (loaded.contains(callee))
    joinUsers(callee, number);
  for (CallOpInterface call : calls.getCallsIn(callee))
    joinCallers(calls.getCallee(call), number, seen);
}

/// Joins an op with the other ops that use the same remote buffers and, in
/// functions and regions, the same variables.
void SplitProgram::readMemory(unsigned number, GraphEffects &effects) {
  Operation *op = ops[number].op;
  if (auto call = dyn_cast<CallOpInterface>(op)) {
    llvm::DenseSet<Operation *> seen;
    joinCallers(calls.getCallee(call), number, seen);
  }
  bool isWhole = isa<CallOpInterface>(op) || op->getNumRegions() > 0;
  for (const auto &[location, effect] :
       effects.getEffects(op).getMemoryLocations()) {
    if (!location.getSymbol())
      continue;
    Operation *symbol = symbols.lookupSymbolIn(module, location.getSymbol());
    if (!symbol)
      continue;
    if (location.getResource() == RemoteMemoryResource::get())
      joinUsers(symbol, number);
    auto variable = dyn_cast<pop::VariableOp>(symbol);
    if (!variable || !isWhole)
      continue;
    Weight &weight = weights[symbol];
    weight.bytes = getBytes(variable.getType());
    weight.readers.push_back({number, /*isRef=*/true});
  }
}

/// Records what the op with number `number`, and the ops in its regions, read.
void SplitProgram::readOperands(unsigned number) {
  Operation *root = ops[number].op;
  root->walk([&](Operation *op) {
    for (Value operand : op->getOperands()) {
      // What is defined in the regions of an op is not read from elsewhere.
      if (!isStored(operand.getType()) ||
          (op != root &&
           root->isAncestor(operand.getParentRegion()->getParentOp())))
        continue;
      bool isRef = isa<pop::RefType>(operand.getType());
      for (Value source : getSources(operand)) {
        if (isWeight(source)) {
          addWeights(source, isRef, number);
          continue;
        }
        Operation *producer = source.getDefiningOp();
        auto other = numbers.find(producer);
        if (producer && other == numbers.end())
          continue;
        addReader(source, number);
        if (isRef && producer)
          units.join(number, other->second);
      }
    }
  });
  SmallVector<unsigned, 2> &producers = ops[number].producers;
  llvm::sort(producers);
  producers.erase(llvm::unique(producers), producers.end());
}

//===----------------------------------------------------------------------===//
// Units
//===----------------------------------------------------------------------===//

/// Joins the readers of a large weight, and the users of a ref. Determines the
/// homes of weights.
void SplitProgram::tieReaders() {
  int64_t large = target.tile_memory * target.tiles / kLargeWeightDivisor;
  isTied.assign(ops.size(), false);
  for (auto &[key, weight] : weights) {
    auto *user = llvm::find_if(
        weight.readers, [](WeightReader reader) { return reader.isRef; });
    weight.home = user == weight.readers.end() ? weight.readers.front().number
                                               : user->number;
    bool isLarge = weight.bytes >= large;
    for (WeightReader reader : weight.readers) {
      isTied[reader.number] = isTied[reader.number] || isLarge;
      if (isLarge || reader.isRef)
        units.join(weight.home, reader.number);
    }
  }
}

/// Joins ops that read only what ops in an earlier unit compute with its unit,
/// so that their operands need not be copied back.
void SplitProgram::tieDependents() {
  for (unsigned number = 0; number < ops.size(); ++number) {
    ArrayRef<unsigned> producers = ops[number].producers;
    if (producers.empty() || isTied[number] ||
        units.findLeader(number) != number)
      continue;
    unsigned leader = units.findLeader(producers.front());
    if (llvm::all_of(producers, [&](unsigned producer) {
          return units.findLeader(producer) == leader && producer != leader;
        }))
      units.join(leader, number);
  }
}

/// Returns the numbers of the units of the ops.
SmallVector<unsigned, 0> SplitProgram::getUnits() const {
  SmallVector<unsigned, 0> unitOf(ops.size());
  unsigned numUnits = 0;
  // The leader is the least op of its unit.
  for (unsigned number = 0; number < ops.size(); ++number) {
    unsigned leader = units.findLeader(number);
    unitOf[number] = leader == number ? numUnits++ : unitOf[leader];
  }
  return unitOf;
}

//===----------------------------------------------------------------------===//
// Problems
//===----------------------------------------------------------------------===//

/// Returns the values that may have to be copied to other IPUs. Among them are
/// weights that only one IPU has.
SmallVector<SplitProgram::SharedValue, 0>
SplitProgram::getSharedValues() const {
  SmallVector<SharedValue, 0> shared;
  for (const auto &[key, value] : values)
    shared.push_back(value);
  for (const auto &[key, weight] : weights) {
    if (weight.isOnEachIPU || weight.bytes == 0)
      continue;
    SharedValue value{weight.home, weight.bytes, ops[weight.home].times, {}};
    for (WeightReader reader : weight.readers)
      value.readers.push_back(reader.number);
    shared.push_back(std::move(value));
  }
  return shared;
}

/// Returns the first and the last unit that has or reads `shared`.
std::pair<unsigned, unsigned>
SplitProgram::getRange(const SharedValue &shared, ArrayRef<unsigned> unitOf) {
  unsigned first = unitOf[shared.home], last = first;
  for (unsigned reader : shared.readers) {
    first = std::min(first, unitOf[reader]);
    last = std::max(last, unitOf[reader]);
  }
  return {first, last};
}

/// Adds the cycles and the code of the ops.
void SplitProgram::addCosts(ArrayRef<unsigned> unitOf,
                            SplitProblem &problem) const {
  OpText text(module, calls);
  PartitionCache cache(target);
  std::vector<CodeCost> costs = OutlineCosts(target, cache).getCosts(text);
  auto add = [&](Operation *op, unsigned number) {
    std::optional<unsigned> position = text.getPosition(op);
    if (!position)
      return;
    SplitUnit &unit = problem.units[unitOf[number]];
    const CodeCost &cost = costs[*position];
    unit.cycles += limit(Count(cost.cycles) * ops[number].times);
    unit.residentBytes += limit(Count(cost.bytes) * target.tiles);
  };
  for (auto [number, op] : llvm::enumerate(ops))
    add(op.op, number);
  for (const auto &[op, follower] : followers)
    if (follower.reader)
      add(op, *follower.reader);
}

/// Returns `number`, or less such that no sum of numbers of the program
/// overflows.
int64_t SplitProgram::limit(Count number) const {
  auto numTerms = static_cast<int64_t>(2 * ops.size() + followers.size() +
                                       values.size() + weights.size());
  return std::min(number.get(), INT64_MAX / 8 / (numTerms + 1));
}

/// Returns the bytes of a weight with its gradient and its optimizer states.
int64_t SplitProgram::getTrainedBytes(const Weight &weight) const {
  // The factor is at most 1000.
  double bytes =
      options.weightFactor * static_cast<double>(limit(weight.bytes));
  return limit(static_cast<int64_t>(std::min(bytes, 0x1p62)));
}

/// Adds the bytes of weights.
void SplitProgram::addWeightBytes(ArrayRef<unsigned> unitOf,
                                  SplitProblem &problem) const {
  for (const auto &[key, weight] : weights) {
    llvm::SmallSetVector<unsigned, 4> own;
    own.insert(unitOf[weight.home]);
    if (weight.isOnEachIPU)
      for (WeightReader reader : weight.readers)
        own.insert(unitOf[reader.number]);
    for (unsigned unit : own)
      problem.units[unit].residentBytes += getTrainedBytes(weight);
  }
}

/// Adds the bytes of activations.
void SplitProgram::addActivations(ArrayRef<unsigned> unitOf,
                                  SplitProblem &problem) const {
  RangeSums live(problem.units.size());
  for (const auto &[value, shared] : values) {
    if (options.training) {
      problem.units[unitOf[shared.home]].savedBytes +=
          limit(Count(shared.bytes) * shared.times);
      continue;
    }
    auto [first, last] = getRange(shared, unitOf);
    live.add(first, last, limit(shared.bytes));
  }
  for (auto [unit, bytes] : llvm::zip_equal(problem.units, live.get()))
    unit.liveBytes = bytes;
}

/// Adds the cycles of the copies between parts.
void SplitProgram::addCopies(ArrayRef<unsigned> unitOf,
                             SplitProblem &problem) const {
  size_t size = problem.units.size();
  RangeSums crossing(size);
  // The changes of the numbers of executions of the values that are copied
  // to a part that begins with a unit.
  std::vector<SmallVector<std::pair<int64_t, int>>> times(size + 1);
  for (const SharedValue &shared : getSharedValues()) {
    auto [first, last] = getRange(shared, unitOf);
    if (first == last)
      continue;
    crossing.add(first + 1, last, limit(Count(shared.bytes) * shared.times));
    times[first + 1].push_back({shared.times, 1});
    times[last + 1].push_back({shared.times, -1});
  }
  PartitionCache cache(target);
  OpCosts costs(target, cache, PlanOptions());
  std::map<int64_t, int> current;
  for (auto [unit, bytes] : llvm::enumerate(crossing.get())) {
    for (auto [number, change] : times[unit])
      if ((current[number] += change) == 0)
        current.erase(number);
    // What is copied equally often is copied in one exchange.
    int64_t cycles = 0;
    if (!current.empty()) {
      int64_t most = current.rbegin()->first;
      cycles = limit(Count(costs.getIpuCopyCycles(bytes / most)) * most);
    }
    problem.copyCycles.push_back(cycles);
  }
}

SplitProblem SplitProgram::getProblem() const {
  SmallVector<unsigned, 0> unitOf = getUnits();
  SplitProblem problem;
  problem.units.resize(*llvm::max_element(unitOf) + 1);
  problem.memory = target.tile_memory * target.tiles / 100 * kMemoryPercent;
  addCosts(unitOf, problem);
  addWeightBytes(unitOf, problem);
  addActivations(unitOf, problem);
  addCopies(unitOf, problem);
  return problem;
}

SmallVector<SegmentOp, 0> SplitProgram::getSegmentOps() const {
  SmallVector<SegmentOp, 0> segmentOps(ops.size());
  for (auto [op, segmentOp] : llvm::zip_equal(ops, segmentOps))
    segmentOp.producers = op.producers;
  for (const auto &[key, weight] : weights)
    segmentOps[weight.home].cost += getTrainedBytes(weight);
  if (options.training)
    for (const auto &[value, shared] : values)
      if (value.getDefiningOp())
        segmentOps[shared.home].cost += limit(shared.bytes);
  return segmentOps;
}

//===----------------------------------------------------------------------===//
// Placement
//===----------------------------------------------------------------------===//

/// Places `op` and the ops in its regions.
static void setVgraph(Operation *root, unsigned vgraph) {
  auto attr = Builder(root).getI64IntegerAttr(vgraph);
  root->walk([&](Operation *op) {
    if (op == root || pop::needsPlacement(op))
      op->setAttr(pop::PopDialect::kVgraphAttrName, attr);
  });
}

/// Returns the placed op with which a follower is placed. An op that has a ref
/// is where the tensor of the ref is.
unsigned SplitProgram::getLeader(Operation *op, const Follower &follower) {
  auto isRef = [](Type type) { return isa<pop::RefType>(type); };
  if (llvm::any_of(op->getOperandTypes(), isRef) ||
      llvm::any_of(op->getResultTypes(), isRef))
    for (ReadWeight read : follower.weights)
      if (auto *weight = weights.find(getWeightKey(read.source));
          weight != weights.end() && isRef(read.source.getType()))
        return weight->second.home;
  return follower.reader.value_or(0);
}

void SplitProgram::place(ArrayRef<unsigned> partOfOp) {
  partOf.assign(partOfOp.begin(), partOfOp.end());
  for (auto [number, op] : llvm::enumerate(ops)) {
    partOf[number] = partOfOp[units.findLeader(number)];
    setVgraph(op.op, partOf[number]);
  }
  for (const auto &[op, follower] : followers)
    setVgraph(op, partOf.empty() ? 0 : partOf[getLeader(op, follower)]);
}

void SplitProgram::place(ArrayRef<SplitPart> parts) {
  SmallVector<unsigned, 0> partOfUnit, partOfOp;
  for (auto [number, part] : llvm::enumerate(parts))
    partOfUnit.append(part.end - part.begin, number);
  for (unsigned unit : getUnits())
    partOfOp.push_back(partOfUnit[unit]);
  place(partOfOp);
}

int64_t SplitProgram::getCopiedBytes() const {
  Count sum;
  for (const SharedValue &shared : getSharedValues()) {
    llvm::SmallSetVector<unsigned, 4> others;
    for (unsigned reader : shared.readers)
      if (partOf[reader] != partOf[shared.home])
        others.insert(partOf[reader]);
    sum += Count(shared.bytes) * shared.times *
           static_cast<int64_t>(others.size());
  }
  return sum.get();
}
