//===- SplitOps.cpp - Split oversized ops -----------------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// In: decomposed pop functions. Out: the same functions, where ops are
// split whose operands and results do not fit their share of tile
// memory, or which are faster in stages. If some ops do not fit, ops
// are also split for smaller shares, if the whole program is then
// faster. Equal serial parts become calls of one function if the
// program then fits better or is faster.
//
//===----------------------------------------------------------------------===//

#include "PartFunctions.h"

#include "ipu-mlir/Analysis/Exchange/Exchange.h"
#include "ipu-mlir/Analysis/ReplicaEqual/RoundingMethods.h"
#include "ipu-mlir/Analysis/TileCounts/Count.h"
#include "ipu-mlir/Conversion/PopToIPU/Passes.h"
#include "ipu-mlir/Dialect/Pop/IR/Placement.h"
#include "ipu-mlir/Dialect/Pop/IR/PopGraph.h"
#include "ipu-mlir/Dialect/Pop/Transforms/LowerCalls.h"
#include "ipu-mlir/Planner/ProgramPlan.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/Utils/IndexingUtils.h"
#include "mlir/IR/Remarks.h"
#include "llvm/ADT/SetVector.h"
#include "llvm/Support/MathExtras.h"

namespace mlir::ipu {
#define GEN_PASS_DEF_SPLITOPSPASS
#include "ipu-mlir/Conversion/PopToIPU/Passes.h.inc"
} // namespace mlir::ipu

using namespace mlir;
using namespace mlir::ipu;

namespace {
/// What ops cost one after the other, each by its best plan.
struct Rate {
  /// Bytes beyond the share of memory of any of them.
  int64_t excess = 0;
  int64_t cycles = 0;

  bool operator<(const Rate &other) const {
    return std::tie(excess, cycles) < std::tie(other.excess, other.cycles);
  }
};

/// Collects the ops that a builder makes, in order.
struct NewOps : OpBuilder::Listener {
  void notifyOperationInserted(Operation *op, OpBuilder::InsertPoint) override {
    ops.push_back(op);
  }
  SmallVector<Operation *> ops;
};

/// One way to write an op.
struct Variant {
  TileSplit split;
  int64_t parts = 0;
};

/// The number of an op, of all that were looked at, and how it was split.
using SplitChoice = std::tuple<int64_t, StringRef, int64_t>;

/// How ops are split.
struct SplitSettings {
  PlanOptions options;
  /// Whether equal serial parts of an op are calls of one function.
  bool sharesCode = false;
};

class OpSplitter {
public:
  /// A silent splitter emits no diagnostics and remarks.
  OpSplitter(ModuleOp module, const TargetModel &target,
             const SplitSettings &settings, bool isSilent)
      : module(module), target(target), options(settings.options),
        cache(target), isSilent(isSilent) {
    if (settings.sharesCode)
      functions.emplace(module);
  }

  /// Splits all ops of the module that should be.
  void run();

  /// What was split, whether into serial parts somewhere, and whether some op
  /// takes more than its share still. Two splitters that have equal choices
  /// made equal modules of equal modules.
  ArrayRef<SplitChoice> getChoices() const { return choices; }
  bool hasSerialParts() const { return hasSerial; }
  bool takesTooMuch() const { return hasExcess; }
  bool hasSharedCode() const {
    return functions && functions->getNumFunctions() > 0;
  }

private:
  void run(func::FuncOp function);
  Rate rate(Operation *op);
  Rate rate(ArrayRef<Operation *> ops);
  int64_t getMoveCycles(Value value) const;
  int64_t getCallCycles(ArrayRef<Operation *> ops) const;
  SmallVector<Operation *> build(TilePlanOpInterface op, const Variant &variant,
                                 SmallVector<Value> &results);
  void splitOp(TilePlanOpInterface op);
  void warn(Operation *op, const Rate &rate, StringRef reason);
  bool isTooLarge(Operation *op) const;
  PlanOptions getOptions(Operation *op) const;

  /// Most parts of one split; parts may be split again.
  static constexpr int64_t kMaxParts = 64;
  /// How many parts of one op of the program may be split again.
  static constexpr int64_t kMaxNested = 256;

  ModuleOp module;
  const TargetModel &target;
  PlanOptions options;
  PlanCache cache;
  /// None if each part has code of its own.
  std::optional<PartFunctions> functions;
  /// Whether there may be one for ops of the function at hand.
  bool mayShareCode = false;
  /// Parts of the op at hand that are still to be looked at, and all that may
  /// share code.
  SmallVector<Operation *> worklist;
  llvm::SetVector<Operation *> parts;
  bool warned = false;
  bool isSilent;
  SmallVector<SplitChoice> choices;
  int64_t numLookedAt = 0;
  bool hasSerial = false, hasExcess = false;
};
} // namespace

void OpSplitter::run() {
  llvm::DenseSet<StringAttr> loaded;
  module.walk([&](Operation *op) {
    if (ArrayAttr graphs = pop::getMovedGraphs(op))
      for (auto graph : graphs.getAsRange<FlatSymbolRefAttr>())
        loaded.insert(graph.getAttr());
  });
  // What is made on the way needs no split.
  for (auto function : llvm::to_vector(module.getOps<func::FuncOp>())) {
    // A part of code that is loaded would always be on the tiles.
    mayShareCode = functions && !loaded.contains(function.getSymNameAttr());
    run(function);
  }
}

void OpSplitter::run(func::FuncOp function) {
  SmallVector<Operation *> ops;
  function.walk([&](TilePlanOpInterface op) { ops.push_back(op); });
  for (Operation *op : llvm::reverse(ops)) {
    warned = false;
    worklist.assign(1, op);
    for (int64_t i = 0; i <= kMaxNested && !worklist.empty(); ++i)
      splitOp(cast<TilePlanOpInterface>(worklist.pop_back_val()));
    for (Operation *part : llvm::reverse(worklist))
      if (Rate rated = rate(part); !warned && rated.excess > 0)
        warn(part, rated, "it is split into too many parts");
    if (mayShareCode)
      functions->share(parts.getArrayRef());
    parts.clear();
  }
}

/// Warns that `op` does not fit, once for each op of the program: printing an
/// op takes time for all ops there are.
void OpSplitter::warn(Operation *op, const Rate &rate, StringRef reason) {
  hasExcess = true;
  if (!std::exchange(warned, true) && !isSilent)
    op->emitWarning() << "needs " << rate.excess
                      << " bytes more on a tile than its share of "
                      << getMemoryLimit(target, getOptions(op)) << ", because "
                      << reason;
}

/// Whether a tensor that `op` uses is larger than the memory of all tiles, so
/// that no number of parts makes the program fit.
bool OpSplitter::isTooLarge(Operation *op) const {
  Count memory = Count(target.tile_memory) * target.getTilesPerReplica();
  auto isLarge = [&](Value value) {
    while (auto view = value.getDefiningOp<TileViewOpInterface>())
      value = view->getOperand(0);
    auto type = cast<ShapedType>(value.getType());
    return memory <
           Count(type.getNumElements()) * getStoredBytes(type.getElementType());
  };
  return llvm::any_of(op->getOperands(), isLarge) ||
         llvm::any_of(op->getResults(), isLarge);
}

PlanOptions OpSplitter::getOptions(Operation *op) const {
  PlanOptions own = options;
  if (std::optional<int64_t> perMille = getAvailableMemory(op))
    own.memoryPerMille = *perMille;
  return own;
}

/// Rates views and constants as nothing, moves as an exchange of an even share.
Rate OpSplitter::rate(Operation *op) {
  if (auto codelet = dyn_cast<CodeletOpInterface>(op)) {
    if (failed(codelet.getTileForm({})))
      return {};
    const PartitionProblem *problem = cache.getProblem(codelet, {});
    if (!problem)
      return {};
    PlanOptions own = getOptions(op);
    TilePlan plan = cache.getPlans(problem, own).front();
    return {std::max<int64_t>(plan.bytes - getMemoryLimit(target, own), 0),
            plan.cycles};
  }
  if (!isa<TileMoveOpInterface>(op))
    return {};
  return {0, getMoveCycles(op->getResult(0))};
}

/// Cycles of an exchange of an even share of `value`.
int64_t OpSplitter::getMoveCycles(Value value) const {
  auto type = cast<RankedTensorType>(value.getType());
  int64_t elements =
      llvm::divideCeil(type.getNumElements(), target.getTilesPerReplica());
  int64_t bytes = elements * getStoredBytes(type.getElementType());
  return getExchangeSyncCycles(target) + target.exchange_setup_cycles +
         target.exchange_run_cycles +
         static_cast<int64_t>(
             llvm::divideCeil(bytes, target.exchange_bytes_per_cycle));
}

/// Cycles of calls in place of the serial parts among `ops`: each passes the
/// part's operands, but those that all of them read, and its result.
int64_t OpSplitter::getCallCycles(ArrayRef<Operation *> ops) const {
  SmallVector<Operation *> calls = llvm::filter_to_vector(
      ops, [](Operation *op) { return isa<TilePlanOpInterface>(op); });
  Count sum;
  Operation *previous = nullptr;
  for (Operation *op : calls) {
    sum += target.call_cycles;
    for (Value operand : op->getOperands())
      if (!previous || !llvm::is_contained(previous->getOperands(), operand))
        sum += getMoveCycles(operand);
    sum += getMoveCycles(op->getResult(0));
    previous = op;
  }
  return sum.get();
}

Rate OpSplitter::rate(ArrayRef<Operation *> ops) {
  Rate sum;
  for (Operation *op : ops) {
    Rate own = rate(op);
    sum.excess = std::max(sum.excess, own.excess);
    sum.cycles = std::min(sum.cycles + own.cycles, INT64_MAX / 4);
  }
  return sum;
}

/// Builds `op` split, decomposed, before it. Returns all ops that were made.
SmallVector<Operation *> OpSplitter::build(TilePlanOpInterface op,
                                           const Variant &variant,
                                           SmallVector<Value> &results) {
  NewOps listener;
  OpBuilder builder(op->getContext(), &listener);
  builder.setInsertionPoint(op);
  results = op.buildTileSplit(builder, variant.split, variant.parts);
  // What is decomposed makes more ops.
  for (size_t next = 0; next < listener.ops.size();) {
    auto part = dyn_cast<DecomposableOpInterface>(listener.ops[next++]);
    if (!part)
      continue;
    builder.setInsertionPoint(part);
    FailureOr<SmallVector<Value>> simpler = part.decompose(builder);
    if (failed(simpler))
      continue;
    for (auto [old, replacement] :
         llvm::zip_equal(part->getResults(), *simpler))
      llvm::replace(results, Value(old), replacement);
    part->replaceAllUsesWith(*simpler);
    part->erase();
    listener.ops[next - 1] = nullptr;
  }
  llvm::erase(listener.ops, nullptr);
  for (Operation *made : listener.ops) {
    pop::inheritPlacement(op, made);
    if (Attribute draw = op->getAttr(pop::PopDialect::kDrawAttrName);
        draw && mayRoundStochastically(made))
      made->setAttr(pop::PopDialect::kDrawAttrName, draw);
    if (Attribute share = op->getAttr(IPUDialect::kAvailableMemoryAttrName))
      if (isa<TilePlanOpInterface>(made))
        made->setAttr(IPUDialect::kAvailableMemoryAttrName, share);
  }
  return std::move(listener.ops);
}

static void eraseAll(ArrayRef<Operation *> ops) {
  // Uses are after definitions, but not always in the order of creation.
  for (Operation *op : ops)
    op->dropAllReferences();
  for (Operation *op : ops)
    op->erase();
}

void OpSplitter::splitOp(TilePlanOpInterface op) {
  ++numLookedAt;
  auto codelet = dyn_cast<CodeletOpInterface>(op.getOperation());
  if (!codelet || failed(codelet.getTileForm({})) ||
      op->hasAttr(IPUDialect::kTileMappingAttrName))
    return;
  Rate whole = rate(op), best = whole;
  if (whole.excess > 0 && isTooLarge(op))
    return warn(op, whole,
                "it uses a tensor that is larger than the memory of all tiles");
  std::optional<Variant> choice;
  auto rateVariant = [&](const Variant &variant) {
    SmallVector<Value> results;
    SmallVector<Operation *> made = build(op, variant, results);
    Rate rated = rate(made);
    if (mayShareCode && variant.split.isSerial)
      rated.cycles = (Count(rated.cycles) + getCallCycles(made)).get();
    eraseAll(made);
    return rated;
  };
  auto consider = [&](const Variant &variant, const Rate &rated) {
    if (!(rated < best))
      return;
    best = rated;
    choice = variant;
  };
  for (const TileSplit &split : op.getTileSplits()) {
    // What fits stays whole, unless stages are faster.
    if (split.isSerial && whole.excess == 0)
      continue;
    int64_t most = std::min(split.maxParts, kMaxParts), parts = 2;
    Rate rated = rateVariant({split, parts});
    while (parts < most && (!split.isSerial || rated.excess > 0)) {
      consider({split, parts}, rated);
      parts = std::min(2 * parts, most);
      rated = rateVariant({split, parts});
    }
    consider({split, parts}, rated);
    if (!split.isSerial || rated.excess > 0)
      continue;
    // More serial parts of what fits only take longer: find the fewest.
    for (int64_t tooFew = parts / 2; parts - tooFew > 1;) {
      int64_t middle = (parts + tooFew) / 2;
      rated = rateVariant({split, middle});
      (rated.excess == 0 ? parts : tooFew) = middle;
      // Equal parts lie together where they are computed, others are moved:
      // hardly more of these take less.
      auto isEqual = [&](int64_t number) {
        return split.maxParts % number == 0;
      };
      if (llvm::none_of(llvm::seq_inclusive(middle, middle * 4 / 3), isEqual) ||
          isEqual(middle))
        consider({split, middle}, rated);
    }
  }
  if (!choice) {
    if (whole.excess > 0)
      warn(op, whole, "no split of it needs less memory");
    return;
  }
  choices.emplace_back(numLookedAt, choice->split.name, choice->parts);
  hasSerial |= choice->split.isSerial;
  if (!isSilent)
    remark::passed(
        op->getLoc(),
        remark::RemarkOpts::name(choice->split.name).category("ipu-split"))
        << remark::metric("parts", choice->parts);
  SmallVector<Value> results;
  SmallVector<Operation *> made = build(op, *choice, results);
  for (Operation *part : made) {
    if (!isa<TilePlanOpInterface>(part))
      continue;
    if (best.excess > 0)
      worklist.push_back(part);
    if (choice->split.isSerial)
      parts.insert(part);
  }
  op->replaceAllUsesWith(results);
  parts.remove(op);
  op->erase();
  if (mayShareCode && choice->split.isSerial)
    sinkUsesIntoParts(results.front());
}

namespace {
/// How good a plan is.
struct PlanRate {
  /// Bytes of code, and of code and tensors, that do not fit.
  int64_t code, memory;
  /// As planned, and where ops share what they move.
  int64_t cycles, sharedCycles;

  /// What splits for other shares are compared by.
  std::pair<int64_t, int64_t> getKey() const { return {code, cycles}; }
  /// Whether calls of this rate are better than `ops` with code of their own:
  /// they fit where those do not, or take fewer cycles in both ways.
  bool isBetterThan(const PlanRate &ops) const {
    auto excess = std::pair(code, memory),
         ofOps = std::pair(ops.code, ops.memory);
    return excess != ofOps
               ? excess < ofOps
               : cycles < ops.cycles && sharedCycles < ops.sharedCycles;
  }
};
} // namespace

/// How good the plan of `module`, split, is with the share of `options`; none
/// if it cannot be planned, which pop-map-tensors will tell.
static std::optional<PlanRate> ratePlan(ModuleOp module,
                                        const PlanOptions &options) {
  ScopedDiagnosticHandler drop(module.getContext(),
                               [](Diagnostic &) { return success(); });
  if (failed(pop::lowerCalls(module, /*entry=*/nullptr)))
    return std::nullopt;
  TargetModel target = getTargetModel(module);
  ProgramPlanOptions planOptions;
  planOptions.plan = options;
  VariableTileMappings variables;
  int64_t room = target.tile_memory - target.runtime_bytes - target.stack_bytes;
  Count code, memory, cycles, sharedCycles;
  if (failed(planModule(
          module, planOptions, variables,
          [&](func::FuncOp, const ProgramPlan &plan) {
            auto [more, takes] = getPlanKey(target, plan);
            code += more;
            memory += std::max<int64_t>(
                (Count(plan.codeBytes) + plan.dataBytes).get() - room, 0);
            cycles += takes;
            sharedCycles += plan.sharedCycles;
          })))
    return std::nullopt;
  return PlanRate{code.get(), memory.get(), cycles.get(), sharedCycles.get()};
}

/// The splits for the share of `tried` or, if there are some at all, for the
/// next smaller ones of the fixed list as long as the program gets faster: a
/// tighter split may have better regions than whole ops that only just fit.
/// Returns how good they are; none if nothing is split so.
static std::optional<PlanRate> chooseShare(ModuleOp module,
                                           const TargetModel &target,
                                           const PlanOptions &options,
                                           SplitSettings &settings) {
  std::optional<PlanRate> best;
  SmallVector<SplitChoice> last;
  auto trySplits = [&](const SplitSettings &tried) {
    OwningOpRef<ModuleOp> copy = module.clone();
    OpSplitter splitter(*copy, target, tried, /*isSilent=*/true);
    splitter.run();
    if (!splitter.hasSerialParts() || (best && splitter.takesTooMuch()) ||
        (tried.sharesCode && !splitter.hasSharedCode()))
      return false;
    if (splitter.getChoices() == ArrayRef(last))
      return true;
    last = llvm::to_vector(splitter.getChoices());
    std::optional<PlanRate> rate = ratePlan(*copy, options);
    if (!rate || (best && !(rate->getKey() < best->getKey())))
      return false;
    best = rate;
    settings = tried;
    return true;
  };
  if (!trySplits(settings))
    return best;
  for (int64_t share : getPlanShares()) {
    SplitSettings less = settings;
    less.options.memoryPerMille = share;
    if (share < options.memoryPerMille && !trySplits(less))
      break;
  }
  return best;
}

/// How ops are split for the share of `options`, or for a smaller one, and
/// whether equal parts are calls.
static SplitSettings chooseSplits(ModuleOp module, const TargetModel &target,
                                  const PlanOptions &options,
                                  SerialPartsKind kind) {
  SplitSettings ops{options, /*sharesCode=*/false};
  SplitSettings calls{options, /*sharesCode=*/true};
  std::optional<PlanRate> rateOfOps, rateOfCalls;
  if (kind != SerialPartsKind::Calls)
    rateOfOps = chooseShare(module, target, options, ops);
  if (kind == SerialPartsKind::Calls ||
      (rateOfOps && kind != SerialPartsKind::Ops))
    rateOfCalls = chooseShare(module, target, options, calls);
  if (kind == SerialPartsKind::Calls)
    return calls;
  return rateOfCalls && rateOfCalls->isBetterThan(*rateOfOps) ? calls : ops;
}

namespace {
struct SplitOps : ipu::impl::SplitOpsPassBase<SplitOps> {
  using SplitOpsPassBase::SplitOpsPassBase;

  void runOnOperation() override {
    ModuleOp module = getOperation();
    PlanOptions options;
    FailureOr<int64_t> perMille =
        getMemoryPerMille(availableMemoryProportion, module.getLoc());
    if (failed(perMille))
      return signalPassFailure();
    options.memoryPerMille = *perMille;
    TargetModel target = getTargetModel(module);
    OpSplitter(module, target,
               chooseSplits(module, target, options, serialParts),
               /*isSilent=*/false)
        .run();
  }
};
} // namespace
