//===- GraphEffects.cpp - Effects of graphs on refs and resources ---------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ipu-mlir/Analysis/Effects/GraphEffects.h"

#include "ipu-mlir/Dialect/Pop/IR/PopGraph.h"
#include "mlir/Interfaces/ViewLikeInterface.h"

using namespace mlir;
using namespace mlir::ipu;

//===----------------------------------------------------------------------===//
// Origins
//===----------------------------------------------------------------------===//

/// The origin of what no view makes.
static RefOrigin getRootOrigin(Value ref) {
  RefOrigin origin;
  if (auto argument = dyn_cast<BlockArgument>(ref)) {
    if (!argument.getOwner()->isEntryBlock() ||
        !isa_and_nonnull<FunctionOpInterface>(
            argument.getOwner()->getParentOp()))
      return origin;
  } else if (!ref.getDefiningOp()->hasTrait<pop::RefOrigin>()) {
    return origin;
  }
  origin.root = ref;
  if (auto variable = ref.getDefiningOp<pop::GetVariableOp>())
    origin.variable = variable.getVariableAttr();
  auto type = dyn_cast<ShapedType>(ref.getType());
  if (type && type.hasStaticShape())
    origin.view = StridedView::identity(type.getShape());
  return origin;
}

/// The origin of the result of `view`, given that of its source.
static RefOrigin getViewOrigin(Operation *view, RefOrigin source) {
  auto tileView = dyn_cast<TileViewOpInterface>(view);
  FailureOr<StridedView> elements = failure();
  if (source.view && tileView)
    elements = tileView.getTileView(*source.view);
  source.view.reset();
  if (succeeded(elements))
    source.view = std::move(*elements);
  return source;
}

const RefOrigin &RefOrigins::get(Value ref) const {
  // Down the chain of views to what is known, and up again.
  SmallVector<ViewLikeOpInterface> views;
  Value at = ref;
  auto known = origins.find(at);
  while (known == origins.end()) {
    auto view = at.getDefiningOp<ViewLikeOpInterface>();
    if (!view || view.getViewDest() != at)
      break;
    views.push_back(view);
    at = view.getViewSource();
    known = origins.find(at);
  }
  if (known == origins.end())
    known =
        origins.try_emplace(at, std::make_unique<RefOrigin>(getRootOrigin(at)))
            .first;
  RefOrigin *origin = known->second.get();
  for (ViewLikeOpInterface view : llvm::reverse(views)) {
    auto next = std::make_unique<RefOrigin>(getViewOrigin(view, *origin));
    origin = next.get();
    origins[view.getViewDest()] = std::move(next);
  }
  return *origin;
}

//===----------------------------------------------------------------------===//
// Effects of one op
//===----------------------------------------------------------------------===//

/// What `op`, which touches `resource`, touches of it: the streams, buffers or
/// graphs that it names. Their resources belong to pop, whose ops name what
/// they use; of others all is touched.
static SmallVector<MemoryLocation>
getMemoryLocationsOfResource(Operation *op, SideEffects::Resource *resource) {
  SmallVector<MemoryLocation> memoryLocations;
  if (isa<HostStreamResource, RemoteMemoryResource, CodeResource>(resource))
    op->getAttrDictionary().walk([&](SymbolRefAttr symbol) {
      memoryLocations.push_back(MemoryLocation::getResource(resource, symbol));
    });
  if (memoryLocations.empty())
    memoryLocations.push_back(MemoryLocation::getResource(resource));
  return memoryLocations;
}

/// The row of a remote buffer that `op` touches; nothing for any.
static std::optional<StridedView> getRow(Operation *op) {
  std::optional<uint64_t> row;
  if (auto load = dyn_cast<pop::RemoteLoadOp>(op))
    row = load.getStaticRow();
  else if (auto store = dyn_cast<pop::RemoteStoreOp>(op))
    row = store.getStaticRow();
  if (!row)
    return std::nullopt;
  return StridedView{static_cast<int64_t>(*row), {1}, {1}};
}

void GraphEffects::addEffectsOfOne(Operation *op,
                                   EffectSummary &summary) const {
  SmallVector<MemoryEffects::EffectInstance> effects;
  cast<MemoryEffectOpInterface>(op).getEffects(effects);
  for (const MemoryEffects::EffectInstance &effect : effects) {
    bool isRead = isa<MemoryEffects::Read>(effect.getEffect());
    // Because of the write that a load declares, `cse` does not merge loads of
    // a row that was loaded again to save tile memory. A load writes no row.
    if (!isRead && isa<pop::RemoteLoadOp>(op))
      continue;
    auto add = [&](const MemoryLocation &memoryLocation,
                   const std::optional<StridedView> &view) {
      if (isRead)
        summary.addRead(memoryLocation, view);
      else
        summary.addWrite(memoryLocation, view);
    };
    SideEffects::Resource *resource = effect.getResource();
    if (Value value = effect.getValue()) {
      const RefOrigin &origin = getOrigin(value);
      if (origin.isKnown())
        add(origin.getMemoryLocation(), origin.view);
      else
        summary.addUnknown();
    } else if (resource == SideEffects::DefaultResource::get()) {
      summary.addUnknown();
    } else if (SymbolRefAttr symbol = effect.getSymbolRef()) {
      add(MemoryLocation::getResource(resource, symbol), getRow(op));
    } else {
      for (const MemoryLocation &memoryLocation :
           getMemoryLocationsOfResource(op, resource))
        add(memoryLocation, getRow(op));
    }
  }
}

void GraphEffects::addEffectsOfCall(CallOpInterface call,
                                    EffectSummary &summary) const {
  if (auto symbol = dyn_cast<SymbolRefAttr>(call.getCallableForCallee()))
    summary.addRead(MemoryLocation::getResource(CodeResource::get(), symbol),
                    std::nullopt);
  FunctionOpInterface callee = calls.getCallee(call);
  auto it = ofFunction.find(callee);
  if (!callee || callee.isExternal() || it == ofFunction.end())
    return summary.addUnknown();
  const EffectSummary &inside = *it->second;
  if (inside.isUnknown())
    summary.addUnknown();
  summary.inheritFrom(inside);
  for (const auto &[memoryLocation, effects] : inside.getOwnMemoryLocations()) {
    auto argument = cast<BlockArgument>(memoryLocation.getRoot());
    const RefOrigin &origin =
        getOrigin(call.getArgOperands()[argument.getArgNumber()]);
    if (!origin.isKnown()) {
      summary.addUnknown();
      continue;
    }
    summary.add(origin.getMemoryLocation(),
                showThrough(effects, origin, argument));
  }
}

void GraphEffects::addEffectsOfRegions(Operation *op,
                                       EffectSummary &summary) const {
  for (Region &region : op->getRegions())
    for (Operation &inner : region.getOps()) {
      if (inner.getNumRegions() == 0 && !isa<CallOpInterface>(inner)) {
        addEffectsOf(&inner, summary);
        continue;
      }
      const EffectSummary &effects = getEffects(&inner);
      if (effects.isUnknown())
        summary.addUnknown();
      for (const auto &[memoryLocation, inPlace] :
           effects.getOwnMemoryLocations())
        summary.add(memoryLocation, inPlace);
      summary.inheritFrom(effects);
    }
}

void GraphEffects::addEffectsOf(Operation *op, EffectSummary &summary) const {
  // What only defines something does nothing where it stands.
  if (isa<FunctionOpInterface>(op) || op->hasTrait<OpTrait::SymbolTable>())
    return;
  if (auto call = dyn_cast<CallOpInterface>(op))
    return addEffectsOfCall(call, summary);
  bool isRecursive = op->hasTrait<OpTrait::HasRecursiveMemoryEffects>();
  if (isa<MemoryEffectOpInterface>(op))
    addEffectsOfOne(op, summary);
  else if (!isRecursive)
    summary.addUnknown();
  if (isRecursive)
    addEffectsOfRegions(op, summary);
}

//===----------------------------------------------------------------------===//
// Summaries
//===----------------------------------------------------------------------===//

GraphEffects::GraphEffects(Operation *module)
    : module(cast<ModuleOp>(module)), calls(this->module) {
  for (FunctionOpInterface function : calls.getPostOrder()) {
    EffectSummary inside;
    addEffectsOfRegions(function, inside);
    // What the function makes is its own.
    auto onArguments = std::make_unique<EffectSummary>();
    auto elsewhere = std::make_unique<EffectSummary>();
    if (inside.isUnknown())
      elsewhere->addUnknown();
    elsewhere->inheritFrom(inside);
    for (const auto &[memoryLocation, effects] : inside.getOwnMemoryLocations())
      if (!memoryLocation.getRoot())
        elsewhere->add(memoryLocation, effects);
      else if (isa<BlockArgument>(memoryLocation.getRoot()))
        onArguments->add(memoryLocation, effects);
    onArguments->inherit(*elsewhere);
    ofFunction[function] = std::move(onArguments);
    ofAllCalls[function] = std::move(elsewhere);
  }
}

GraphEffects::~GraphEffects() = default;
GraphEffects::GraphEffects(GraphEffects &&) = default;

const EffectSummary &GraphEffects::getEffects(Operation *op) const {
  if (auto function = ofFunction.find(op); function != ofFunction.end())
    return *function->second;
  if (auto known = ofOp.find(op); known != ofOp.end())
    return *known->second;
  auto summary = std::make_unique<EffectSummary>();
  addEffectsOf(op, *summary);
  return *(ofOp[op] = std::move(summary));
}
