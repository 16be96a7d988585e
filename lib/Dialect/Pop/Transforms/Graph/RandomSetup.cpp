//===- RandomSetup.cpp - Seeds of random ops --------------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// In: a module with `pop.next_seed`. Out: the same module, where seeds are
// tensors: one seed is an input of the program, each replica derives its own
// seed from it, and each `pop.next_seed` is replaced by a unique seed that is
// derived from the seed of the replica.
//
//===----------------------------------------------------------------------===//

#include "GraphTransforms.h"
#include "ipu-mlir/Analysis/Effects/FunctionCalls.h"
#include "ipu-mlir/Dialect/Pop/IR/Placement.h"
#include "ipu-mlir/Dialect/Pop/Transforms/Passes.h"
#include "ipu-mlir/Support/LocationName.h"

#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Interfaces/LoopLikeInterface.h"
#include "llvm/ADT/MapVector.h"

namespace mlir::pop {
#define GEN_PASS_DEF_RANDOMSETUPPASS
#include "ipu-mlir/Dialect/Pop/Transforms/Passes.h.inc"
} // namespace mlir::pop

using namespace mlir;
using namespace mlir::ipu;
using namespace mlir::pop;

//===----------------------------------------------------------------------===//
// Strands
//===----------------------------------------------------------------------===//

/// The virtual graph and the stage of ops, as far as they have them. Seeds of
/// one strand are made on its IPU, in its stage.
using Strand = DictionaryAttr;
/// By strand, in the order of the program: where its seeds are made, which is
/// the strand, or an earlier stage if what needs the seed is in one.
using Places = llvm::MapVector<Strand, Strand>;

static Strand getStrand(Operation *op) {
  NamedAttrList strand;
  for (StringRef name :
       {PopDialect::kVgraphAttrName, PopDialect::kStageAttrName})
    if (Attribute value = op->getAttr(name))
      strand.append(name, value);
  return strand.getDictionary(op->getContext());
}

static std::optional<int64_t> getStage(Strand strand) {
  auto stage = strand.getAs<IntegerAttr>(PopDialect::kStageAttrName);
  return stage ? std::optional(stage.getInt()) : std::nullopt;
}

/// `place`, or where `other` is if that is of an earlier stage; what it does
/// not say of that is as in `place`.
static Strand getEarlier(Strand place, Strand other) {
  std::optional<int64_t> stage = getStage(other);
  if (!stage || !(*stage < getStage(place)))
    return place;
  NamedAttrList earlier(place);
  for (NamedAttribute attribute : other)
    earlier.set(attribute.getName(), attribute.getValue());
  return earlier.getDictionary(place.getContext());
}

static RankedTensorType getSeedType(MLIRContext *context, int64_t count = 1) {
  Type word = IntegerType::get(context, 32, IntegerType::Unsigned);
  return count == 1 ? RankedTensorType::get({2}, word)
                    : RankedTensorType::get({count, 2}, word);
}

//===----------------------------------------------------------------------===//
// SeedBuilder
//===----------------------------------------------------------------------===//

namespace {
/// Gives the ops of a module their seeds, callers before what they call.
class SeedBuilder {
public:
  SeedBuilder(ModuleOp module, StringRef entryName, StringRef streamName)
      : module(module), calls(module), entryName(entryName),
        streamName(streamName) {}

  LogicalResult run();

private:
  /// Seeds by strand: of a block, the one that its own are made of.
  using Seeds = llvm::MapVector<Strand, Value>;

  Places getPlacesOf(Operation *op) const;
  /// The function that the program starts with; null if there is none.
  FunctionOpInterface findEntry() const;
  LogicalResult findStrands();
  LogicalResult verifyUses() const;
  Seeds createEntrySeeds(FunctionOpInterface entry);
  Seeds addSeedArguments(FunctionOpInterface function);
  LogicalResult fillBlock(Block &block, const Seeds &seeds, Seeds *next);
  LogicalResult useSeeds(Operation *op, const Seeds &seeds);
  LogicalResult fillLoop(Operation *op, const Seeds &seeds);
  LogicalResult fillFor(scf::ForOp loop, const Seeds &seeds);
  LogicalResult fillWhile(scf::WhileOp loop, const Seeds &seeds);

  ModuleOp module;
  FunctionCalls calls;
  StringRef entryName, streamName;
  /// What a function and all that it calls need.
  llvm::DenseMap<Operation *, Places> placesOf;
  llvm::DenseMap<Operation *, Seeds> seedsOfCall;
  int64_t numSeeds = 0;
};
} // namespace

/// The strands that `op`, and what is in it, need a seed of.
Places SeedBuilder::getPlacesOf(Operation *op) const {
  Places places;
  auto add = [&](Strand strand, Operation *user) {
    Strand &place = places.try_emplace(strand, strand).first->second;
    for (; user != op; user = user->getParentOp())
      place = getEarlier(place, getStrand(user));
    place = getEarlier(place, getStrand(op));
  };
  op->walk<WalkOrder::PreOrder>([&](Operation *inner) {
    if (isa<NextSeedOp>(inner))
      add(getStrand(inner), inner);
    else if (auto call = dyn_cast<CallOpInterface>(inner))
      if (auto it = placesOf.find(calls.getCallee(call)); it != placesOf.end())
        for (Strand strand : llvm::make_first_range(it->second))
          add(strand, inner);
  });
  return places;
}

/// Checks where seeds are asked for.
LogicalResult SeedBuilder::findStrands() {
  if (failed(calls.verifyNoRecursion()))
    return failure();
  for (FunctionOpInterface function : calls.getPostOrder())
    if (Places places = getPlacesOf(function); !places.empty())
      placesOf[function] = std::move(places);
  return success();
}

/// Checks that functions that will have an argument for a seed are only called.
LogicalResult SeedBuilder::verifyUses() const {
  std::optional<SymbolTable::UseRange> uses =
      SymbolTable::getSymbolUses(&module->getRegion(0));
  if (!uses)
    return success();
  for (SymbolTable::SymbolUse use : *uses) {
    bool isValue = llvm::any_of(use.getUser()->getResultTypes(),
                                llvm::IsaPred<FunctionType>);
    if (!isValue || isa<CallOpInterface>(use.getUser()))
      continue;
    Operation *function =
        SymbolTable::lookupSymbolIn(module, use.getSymbolRef());
    if (placesOf.contains(function))
      return use.getUser()->emitOpError()
             << "uses " << use.getSymbolRef()
             << ", which needs random seeds, but is not a call; "
                "'pop-random-setup' supports only calls of such functions";
  }
  return success();
}

/// Splits `seed` into `count` seeds at `place`, and returns those with the
/// numbers `used`.
static SmallVector<Value> splitSeed(OpBuilder &b, Location loc, Value seed,
                                    int64_t count, ArrayRef<int64_t> used,
                                    Strand place) {
  if (count == 1)
    return {seed};
  auto all =
      SplitSeedOp::create(b, loc, getSeedType(b.getContext(), count), seed);
  all->setDiscardableAttrs(place);
  return llvm::map_to_vector(used, [&](int64_t i) -> Value {
    auto row =
        SliceOp::create(b, loc, all, ArrayRef<int64_t>{i, 0},
                        ArrayRef<int64_t>{1, 2}, ArrayRef<int64_t>{1, 1});
    row->setDiscardableAttrs(place);
    auto part = ReshapeOp::create(b, loc, getSeedType(b.getContext()), row);
    part->setDiscardableAttrs(place);
    return part;
  });
}

/// Returns `seed`, or a copy of it on the virtual graph of `place`.
static Value copySeed(OpBuilder &b, Value seed, Strand place) {
  std::optional<int64_t> from = getVgraph(seed);
  auto to = place.getAs<IntegerAttr>(PopDialect::kVgraphAttrName);
  if (!from || !to || *from == to.getInt())
    return seed;
  auto copy = IpuCopyOp::create(b, seed.getLoc(), seed, *from, to.getInt());
  if (Attribute stage = place.get(PopDialect::kStageAttrName))
    copy->setAttr(PopDialect::kStageAttrName, stage);
  return copy.getResult(0);
}

/// Returns `seed` with the number of the replica added to its last word.
static Value addReplica(OpBuilder &b, Location loc, Value seed, Strand place) {
  auto type = cast<RankedTensorType>(seed.getType());
  RankedTensorType scalar = RankedTensorType::get({}, type.getElementType());
  auto index =
      ReplicaIndexOp::create(b, loc, RankedTensorType::get({}, b.getI32Type()));
  auto number = CastOp::create(b, loc, scalar, index);
  uint32_t mask[] = {0, 1};
  auto last = ConstantOp::create(
      b, loc, DenseElementsAttr::get(type, ArrayRef<uint32_t>(mask)));
  auto words = MulOp::create(b, loc, type, last, number);
  auto sum = AddOp::create(b, loc, type, seed, words);
  for (Operation *op :
       {index.getOperation(), number.getOperation(), last.getOperation(),
        words.getOperation(), sum.getOperation()})
    op->setDiscardableAttrs(place);
  return sum;
}

/// The placement of the first stage: what it makes, later ones may read.
static Strand getFirst(const Places &places) {
  return llvm::min_element(places,
                           [](const auto &a, const auto &b) {
                             return getStage(a.second) < getStage(b.second);
                           })
      ->second;
}

/// The host gives one seed; each replica has one made of it, and each strand
/// has a copy of this one.
SeedBuilder::Seeds SeedBuilder::createEntrySeeds(FunctionOpInterface entry) {
  const Places &places = placesOf[entry];
  Block &block = entry.getFunctionBody().front();
  auto b = OpBuilder::atBlockBegin(&block);
  Location loc = ipu::getNamedLoc("random_seed", entry->getLoc());
  RankedTensorType type = getSeedType(b.getContext());
  SymbolTable symbols(module);
  StreamOp stream = createHostStream(entry, symbols, loc, /*attribute=*/{},
                                     streamName, StreamDirection::HostToDevice,
                                     /*isBroadcast=*/true, type);
  stream.setSeed(true);
  auto load = HostLoadOp::create(b, loc, type, stream.getSymName());
  Strand first = getFirst(places);
  load->setDiscardableAttrs(first);
  Value seed = addReplica(b, loc, load, first);
  Seeds seeds;
  for (auto [strand, place] : places)
    seeds[strand] = copySeed(b, seed, place);
  return seeds;
}

SeedBuilder::Seeds SeedBuilder::addSeedArguments(FunctionOpInterface function) {
  Seeds seeds;
  for (Strand strand : llvm::make_first_range(placesOf[function]))
    seeds[strand] = addArgument(function, getSeedType(module.getContext()),
                                ipu::getNamedLoc("seed", function->getLoc()),
                                strand, calls.getCallsOf(function),
                                [&](CallOpInterface call) -> Value {
                                  OpBuilder b(call);
                                  Value seed = seedsOfCall[call].lookup(strand);
                                  return copySeed(b, seed, strand);
                                });
  return seeds;
}

/// Gives the ops of `block` seeds that are made of `seeds`, and, if asked for,
/// one more of each strand as `next`. Each strand splits the same seed into
/// seeds of all ops, and uses those of its own ops, so that random bits do not
/// depend on placement.
LogicalResult SeedBuilder::fillBlock(Block &block, const Seeds &seeds,
                                     Seeds *next) {
  SmallVector<std::pair<Operation *, Places>> users;
  llvm::DenseMap<Strand, SmallVector<int64_t>> used;
  Places places;
  for (Operation &op : block) {
    Places own = getPlacesOf(&op);
    for (auto [strand, place] : own) {
      used[strand].push_back(static_cast<int64_t>(users.size()));
      Strand &first = places.try_emplace(strand, strand).first->second;
      first = getEarlier(first, place);
    }
    if (!own.empty())
      users.emplace_back(&op, std::move(own));
  }
  int64_t count = static_cast<int64_t>(users.size()) + (next ? 1 : 0);
  llvm::DenseMap<Strand, SmallVector<Value>> made;
  for (const auto &[strand, value] : seeds) {
    Value seed = value;
    // Right after the seed, or where the block starts.
    OpBuilder b(module.getContext());
    if (seed.getParentBlock() == &block && seed.getDefiningOp())
      b.setInsertionPointAfterValue(seed);
    else
      b.setInsertionPointToStart(&block);
    SmallVector<int64_t> &numbers = used[strand];
    if (next)
      numbers.push_back(count - 1);
    if (!numbers.empty())
      made[strand] = splitSeed(
          b, ipu::getNamedLoc("seed", seed.getLoc()), seed, count, numbers,
          // The condition of a loop may need no seed of the strand.
          places.try_emplace(strand, strand).first->second);
    if (next)
      (*next)[strand] = made[strand].back();
  }
  llvm::DenseMap<Strand, const Value *> nextOf;
  for (const auto &[strand, values] : made)
    nextOf[strand] = values.begin();
  for (const auto &[op, needed] : users) {
    Seeds own;
    for (Strand strand : llvm::make_first_range(needed))
      own[strand] = *nextOf[strand]++;
    if (failed(useSeeds(op, own)))
      return failure();
  }
  return success();
}

LogicalResult SeedBuilder::useSeeds(Operation *op, const Seeds &seeds) {
  if (auto nextSeed = dyn_cast<NextSeedOp>(op)) {
    ++numSeeds;
    OpBuilder b(nextSeed);
    const auto &[strand, seed] = seeds.front();
    nextSeed.replaceAllUsesWith(copySeed(b, seed, strand));
    nextSeed.erase();
    return success();
  }
  if (isa<CallOpInterface>(op)) {
    seedsOfCall[op] = seeds;
    return success();
  }
  for (Region &region : op->getRegions())
    if (!region.empty() && !region.hasOneBlock())
      return op->emitOpError() << "has a region of several blocks, but "
                                  "'pop-random-setup' expects one";
  if (isa<LoopLikeOpInterface>(op))
    return fillLoop(op, seeds);
  auto branch = dyn_cast<RegionBranchOpInterface>(op);
  if (!branch || branch.hasLoop())
    return op->emitOpError()
           << "requests random seeds in a region, but 'pop-random-setup' does "
              "not know how often the region is executed";
  // At most one of the regions of a branch runs.
  for (Region &region : op->getRegions())
    if (!region.empty() &&
        failed(fillBlock(region.front(), seeds, /*next=*/nullptr)))
      return failure();
  return success();
}

//===----------------------------------------------------------------------===//
// Loops
//===----------------------------------------------------------------------===//

LogicalResult SeedBuilder::fillLoop(Operation *op, const Seeds &seeds) {
  if (auto loop = dyn_cast<scf::ForOp>(op))
    return fillFor(loop, seeds);
  if (auto loop = dyn_cast<scf::WhileOp>(op))
    return fillWhile(loop, seeds);
  return op->emitOpError() << "requests random seeds in its body, but "
                              "'pop-random-setup' expects 'scf.for' and "
                              "'scf.while' loops only";
}

static SmallVector<Value>
getValues(const llvm::MapVector<Strand, Value> &seeds) {
  return llvm::map_to_vector(
      seeds, [](const auto &entry) { return Value(entry.second); });
}

/// The strands of `seeds` with the last of `values`.
template <typename Seeds>
static Seeds renameSeeds(const Seeds &seeds, ValueRange values) {
  Seeds renamed;
  for (auto [entry, value] :
       llvm::zip_equal(seeds, values.take_back(seeds.size())))
    renamed[entry.first] = value;
  return renamed;
}

/// The loop carries a seed of each strand.
LogicalResult SeedBuilder::fillFor(scf::ForOp loop, const Seeds &seeds) {
  IRRewriter rewriter(loop);
  DictionaryAttr attributes = loop->getDiscardableAttrDictionary();
  FailureOr<LoopLikeOpInterface> replaced =
      cast<LoopLikeOpInterface>(*loop).replaceWithAdditionalIterOperands(
          rewriter, getValues(seeds), /*replaceInitOperandUsesInLoop=*/false);
  if (failed(replaced))
    return failure();
  auto newLoop = cast<scf::ForOp>(**replaced);
  newLoop->setDiscardableAttrs(attributes);
  Block &body = *newLoop.getBody();
  Seeds next;
  if (failed(fillBlock(body, renameSeeds(seeds, newLoop.getRegionIterArgs()),
                       &next)))
    return failure();
  auto yield = cast<scf::YieldOp>(body.getTerminator());
  unsigned first = yield.getNumOperands() - seeds.size();
  yield->setOperands(first, seeds.size(), getValues(next));
  return success();
}

/// The seeds go from one region to the other.
LogicalResult SeedBuilder::fillWhile(scf::WhileOp loop, const Seeds &seeds) {
  OpBuilder b(loop);
  SmallVector<Value> inits(loop.getInits());
  llvm::append_range(inits, getValues(seeds));
  SmallVector<Type> types(loop.getResultTypes());
  types.append(seeds.size(), getSeedType(b.getContext()));
  auto newLoop = scf::WhileOp::create(b, loop.getLoc(), types, inits);
  newLoop->setDiscardableAttrs(loop->getDiscardableAttrDictionary());
  for (auto [from, to] :
       llvm::zip_equal(loop->getRegions(), newLoop->getRegions()))
    to.takeBody(from);
  auto fill = [&](Block &block, Operation *terminator) -> LogicalResult {
    SmallVector<Value> arguments;
    for (const auto &[strand, seed] : seeds)
      arguments.push_back(block.addArgument(seed.getType(), seed.getLoc()));
    Seeds next;
    if (failed(fillBlock(block, renameSeeds(seeds, arguments), &next)))
      return failure();
    terminator->insertOperands(terminator->getNumOperands(), getValues(next));
    return success();
  };
  loop->replaceAllUsesWith(
      newLoop.getResults().take_front(loop.getNumResults()));
  loop.erase();
  return success(
      succeeded(fill(*newLoop.getBeforeBody(), newLoop.getConditionOp())) &&
      succeeded(fill(*newLoop.getAfterBody(), newLoop.getYieldOp())));
}

//===----------------------------------------------------------------------===//
// The pass
//===----------------------------------------------------------------------===//

FunctionOpInterface SeedBuilder::findEntry() const {
  if (entryName.empty())
    return getMainFunction(module);
  auto named = dyn_cast_or_null<FunctionOpInterface>(
      SymbolTable::lookupSymbolIn(module, entryName));
  return named && !named.isExternal() ? named : nullptr;
}

LogicalResult SeedBuilder::run() {
  if (failed(findStrands()))
    return failure();
  FunctionOpInterface entry = findEntry();
  if (!entry && !placesOf.empty())
    return module.emitError()
           << "'pop-random-setup' expects "
           << (entryName.empty() ? "a function 'main' with a body, or one "
                                   "function only"
                                 : "function '" + entryName + "' with a body");
  if (failed(verifyUses()))
    return failure();
  SmallVector<FunctionOpInterface> order = calls.getPostOrder();
  for (FunctionOpInterface function : llvm::reverse(order)) {
    if (!placesOf.contains(function))
      continue;
    if (!function.getFunctionBody().hasOneBlock())
      return function->emitOpError()
             << "has several blocks, but 'pop-random-setup' expects one";
    if (function == entry && !calls.getCallsOf(entry).empty())
      return function->emitOpError()
             << "is the entry function and has callers, but 'pop-random-setup' "
                "expects none";
    Seeds seeds = function == entry ? createEntrySeeds(function)
                                    : addSeedArguments(function);
    if (failed(fillBlock(function.getFunctionBody().front(), seeds,
                         /*next=*/nullptr)))
      return failure();
  }
  if (numSeeds > 0)
    remark::passed(module.getLoc(), getGraphRemark("RandomSetup"))
        << remark::metric("seeds", numSeeds);
  return success();
}

namespace {
struct RandomSetupPass : pop::impl::RandomSetupPassBase<RandomSetupPass> {
  using RandomSetupPassBase::RandomSetupPassBase;

  void runOnOperation() override {
    if (failed(SeedBuilder(getOperation(), function, stream).run()))
      signalPassFailure();
  }
};
} // namespace
