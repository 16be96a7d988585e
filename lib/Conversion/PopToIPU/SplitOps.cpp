//===- SplitOps.cpp - Split oversized ops -----------------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// In: decomposed pop functions. Out: the same functions, in which an op is
// split if its operands and results do not fit its share of tile memory, or if
// it is faster in stages. If some ops do not fit, splits for smaller shares are
// also tried; they are used if the whole program is then faster. Equal serial
// parts become calls of one function if the program then fits better or is
// faster.
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
/// The cost of ops that are executed one after the other with their best plans.
struct Rate {
  /// The greatest number of bytes by which an op exceeds its share of memory.
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

/// A split of an op, and the number of parts.
struct Variant {
  TileSplit split;
  int64_t parts = 0;
};

/// The number of an op among all visited ops, the name of its split, and the
/// number of parts.
using SplitChoice = std::tuple<int64_t, StringRef, int64_t>;

/// The settings of a splitter.
struct SplitSettings {
  PlanOptions options;
  /// Whether equal serial parts of an op are calls of one function.
  bool sharesCode = false;
};

class OpSplitter {
public:
  /// Creates a splitter. A silent splitter emits no diagnostics and remarks.
  OpSplitter(ModuleOp module, const TargetModel &target,
             const SplitSettings &settings, bool isSilent)
      : module(module), target(target), options(settings.options),
        cache(target), isSilent(isSilent) {
    if (settings.sharesCode)
      functions.emplace(module);
  }

  /// Splits the ops of the module that do not fit or that are faster in stages.
  void run();

  /// Return the splits, whether some split has serial parts, and whether some
  /// op still exceeds its share. If two splitters with equal settings for
  /// shared code start from equal modules and have equal choices, their
  /// resulting modules are equal.
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

  /// The greatest number of parts of one split whose parts are different ops.
  /// Parts may be split again.
  static constexpr int64_t kMaxParts = 64;
  /// The greatest number of parts of one op of the program that may be split
  /// again.
  static constexpr int64_t kMaxNested = 256;

  ModuleOp module;
  const TargetModel &target;
  PlanOptions options;
  PartitionCache cache;
  /// Functions for equal parts; std::nullopt if each part has its own code.
  std::optional<PartFunctions> functions;
  /// Whether parts of ops of the current function may become calls.
  bool mayShareCode = false;
  /// The parts of the current op that may be split again, and all parts that
  /// may share code.
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
  // The list excludes functions that the splitter creates, which need no split.
  for (auto function : llvm::to_vector(module.getOps<func::FuncOp>())) {
    // The function of a part is not loaded together with its caller. Its code
    // would always be on the tiles. Therefore functions whose code is loaded
    // have no such parts.
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
        warn(part, rated, "the limit on splits per op is reached");
    if (mayShareCode)
      functions->share(parts.getArrayRef());
    parts.clear();
  }
}

/// Warns that `op` does not fit, once for each op of the program. This limit
/// saves time, because the time to print an op is proportional to the number of
/// all ops.
void OpSplitter::warn(Operation *op, const Rate &rate, StringRef reason) {
  hasExcess = true;
  if (!std::exchange(warned, true) && !isSilent)
    op->emitWarning() << "needs " << rate.excess
                      << " bytes more on a tile than its share of "
                      << getMemoryLimit(target, getOptions(op))
                      << " bytes, because " << reason;
}

/// Returns whether a tensor that `op` uses is larger than the memory of all
/// tiles. The program then does not fit with any number of parts.
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

/// Returns the cost of `op`. Views and constants have no cost. A move costs as
/// much as an exchange of an even share of its result.
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

/// Returns the cycles of an exchange of an even share of `value`.
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

/// Returns the additional cycles if calls replace the serial parts among `ops`.
/// Each call passes its result and the operands of the part that the previous
/// part does not read.
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

/// Builds the split `variant` of `op` before `op`, and decomposes the new ops.
/// Returns all new ops.
SmallVector<Operation *> OpSplitter::build(TilePlanOpInterface op,
                                           const Variant &variant,
                                           SmallVector<Value> &results) {
  NewOps listener;
  OpBuilder builder(op->getContext(), &listener);
  builder.setInsertionPoint(op);
  results = op.buildTileSplit(builder, variant.split, variant.parts);
  // A decomposition adds new ops to the list.
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
  // The order of creation is not always the order of definitions and uses.
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
    return warn(
        op, whole,
        "the op uses a tensor that is larger than the memory of all tiles");
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
    // An op that fits is not split into serial parts.
    if (split.isSerial && whole.excess == 0)
      continue;
    int64_t most =
        split.isBatched ? split.maxParts : std::min(split.maxParts, kMaxParts);
    int64_t parts = 2;
    Rate rated = rateVariant({split, parts});
    while (parts < most && (!split.isSerial || rated.excess > 0)) {
      consider({split, parts}, rated);
      parts = std::min(2 * parts, most);
      rated = rateVariant({split, parts});
    }
    consider({split, parts}, rated);
    if (!split.isSerial || rated.excess > 0)
      continue;
    // If the parts fit, more serial parts only take longer. Find the smallest
    // number of parts that fit.
    for (int64_t tooFew = parts / 2; parts - tooFew > 1;) {
      int64_t middle = (parts + tooFew) / 2;
      rated = rateVariant({split, middle});
      (rated.excess == 0 ? parts : tooFew) = middle;
      // Equal parts stay on the tiles that compute them, but unequal parts are
      // moved. Therefore unequal parts are not considered if a number of equal
      // parts is at most a third greater.
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
      warn(op, whole, "no split of the op needs less memory");
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
/// The quality of a plan.
struct PlanRate {
  /// The bytes of code that do not fit, and the bytes of code and tensors
  /// together that do not fit.
  int64_t code, memory;
  /// The planned cycles, and the cycles if ops share data that they move.
  int64_t cycles, sharedCycles;

  /// Returns the key by which splits for different shares are compared.
  std::pair<int64_t, int64_t> getKey() const { return {code, cycles}; }
  /// Returns whether this plan, whose parts are calls, is better than the plan
  /// `ops`, whose parts have their own code. It is better if fewer bytes do not
  /// fit or, if these numbers are equal, if both numbers of cycles are smaller.
  bool isBetterThan(const PlanRate &ops) const {
    auto excess = std::pair(code, memory),
         ofOps = std::pair(ops.code, ops.memory);
    return excess != ofOps
               ? excess < ofOps
               : cycles < ops.cycles && sharedCycles < ops.sharedCycles;
  }
};
} // namespace

/// Returns the quality of the plan of the split `module` with the share of
/// `options`. Returns std::nullopt if planning fails; pop-map-tensors will
/// report the error.
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
  if (failed(planModule(module, planOptions, variables,
                        [&](func::FuncOp, const ProgramPlan &plan) {
                          auto [more, takes] = getPlanKey(target, plan);
                          code += more;
                          // A sixteenth of the data is for gaps.
                          Count bytes = Count(plan.codeBytes) +
                                        plan.vertexBytes + plan.dataBytes +
                                        plan.dataBytes / 16;
                          memory += std::max<int64_t>(bytes.get() - room, 0);
                          cycles += takes;
                          sharedCycles += plan.sharedCycles;
                        })))
    return std::nullopt;
  return PlanRate{code.get(), memory.get(), cycles.get(), sharedCycles.get()};
}

/// The distance of shares of memory, per mille, for which splits are tried.
static constexpr int64_t kShareStep = 50;

/// Chooses the splits for the share of `settings`. If ops are split into serial
/// parts, also tries the smaller multiples of kShareStep, until two different
/// results in a row do not make the program faster: smaller parts may have
/// better regions than whole ops that barely fit. Returns the quality of the
/// best splits, or std::nullopt if no op is split into serial parts.
static std::optional<PlanRate> chooseShare(ModuleOp module,
                                           const TargetModel &target,
                                           const PlanOptions &options,
                                           SplitSettings &settings) {
  std::optional<PlanRate> best;
  SmallVector<SplitChoice> last;
  int64_t numWorse = 0;
  // Returns whether smaller shares may be better.
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
    if (!rate)
      return false;
    if (best && !(rate->getKey() < best->getKey()))
      return ++numWorse < 2;
    best = rate;
    settings = tried;
    numWorse = 0;
    return true;
  };
  if (!trySplits(settings))
    return best;
  int64_t share = (options.memoryPerMille - 1) / kShareStep * kShareStep;
  for (; share > 0; share -= kShareStep) {
    SplitSettings less = settings;
    less.options.memoryPerMille = share;
    if (!trySplits(less))
      break;
  }
  return best;
}

/// Returns the best settings of the splitter for the share of `options` or for
/// smaller shares, and with or without calls of equal parts.
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
