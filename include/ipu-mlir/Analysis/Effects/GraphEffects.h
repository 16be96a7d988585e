//===- GraphEffects.h - Effects of graphs on refs and resources -*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The reads and writes of ops, including those of the functions that they call
// and of their regions. The accessed objects are elements of refs, and streams,
// remote buffers and code, each identified by its symbol. Functions are
// summarised once, callees first, so a query about a call costs no more than
// one about any other op.
//
// Effects are those that MemoryEffectOpInterface states. An effect on a value
// is on the ref's elements. An effect on a resource with a symbol is on that
// symbol and, with an integer attribute as parameter, on that row of it. An
// effect on a resource alone is on all of it. An op that states neither is
// *unknown* and may do anything.
//
// If one of two tensors is modified, arguments of a function are
// assumed not to alias each other or variables. pop-verify-graphs
// checks this.
//
// With N ops, E effects and nesting of depth D, all queries take O((N + E) D).
//
//===----------------------------------------------------------------------===//

#ifndef IPU_MLIR_ANALYSIS_EFFECTS_GRAPHEFFECTS_H
#define IPU_MLIR_ANALYSIS_EFFECTS_GRAPHEFFECTS_H

#include "ipu-mlir/Analysis/Effects/FunctionCalls.h"
#include "ipu-mlir/Interfaces/TileInterfaces.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"
#include "llvm/ADT/MapVector.h"
#include <memory>
#include <optional>

namespace mlir::ipu {

//===----------------------------------------------------------------------===//
// Elements and places
//===----------------------------------------------------------------------===//

/// The elements of a buffer that `inner` shows of a tensor of `shape` which
/// lies in the buffer as `outer` shows. If no strides say which, all of
/// `outer`.
StridedView composeViews(const StridedView &outer, ArrayRef<int64_t> shape,
                         const StridedView &inner);

/// Elements of a tensor (rows of a remote buffer): none, those that a few views
/// of its row-major order show, or all. May hold more than was added.
class ElementRegions {
public:
  /// With more views, all elements are taken instead.
  static constexpr unsigned kMaxViews = 8;

  bool isEmpty() const { return !whole && views.empty(); }
  bool isWhole() const { return whole; }
  /// In the order in which they were added; none if all elements are in.
  ArrayRef<StridedView> getViews() const { return views; }

  void addWhole();
  /// Nothing: it is not known which.
  void add(const std::optional<StridedView> &view);
  void add(const ElementRegions &other);

  /// Whether an element of `view`, nothing for any, may be in.
  bool overlaps(const std::optional<StridedView> &view) const;
  bool overlaps(const ElementRegions &other) const;

private:
  bool whole = false;
  SmallVector<StridedView, 0> views;
};

/// A memory location. Equal handles on one variable are one location.
class MemoryLocation {
public:
  /// The tensor after `root`: a function's argument or the result of an op
  /// that makes a ref.
  static MemoryLocation getRoot(Value root);
  /// A variable, by its symbol.
  static MemoryLocation getVariable(SymbolRefAttr symbol);
  /// A stream, buffer or graph of `resource`; all of them if `symbol` is null.
  static MemoryLocation getResource(SideEffects::Resource *resource,
                                    SymbolRefAttr symbol = {});

  /// Null if the location is of another kind; so with the others.
  Value getRoot() const { return root; }
  SymbolRefAttr getSymbol() const { return symbol; }
  SideEffects::Resource *getResource() const { return resource; }
  bool isVariable() const { return symbol && !resource; }

  bool operator==(const MemoryLocation &other) const {
    return root == other.root && symbol == other.symbol &&
           resource == other.resource;
  }
  llvm::hash_code hash() const {
    return llvm::hash_combine(root.getAsOpaquePointer(),
                              symbol.getAsOpaquePointer(), resource);
  }

private:
  Value root;
  SymbolRefAttr symbol;
  SideEffects::Resource *resource = nullptr;
  friend struct llvm::DenseMapInfo<MemoryLocation>;
};

/// Where the elements of a ref are.
struct RefOrigin {
  /// What its views start from: an argument of the function, or the result of
  /// an op that makes refs (a variable's handle, an alloc, ...). Null if that
  /// is not known: the ref may then be any.
  Value root;
  /// The variable that the root is a handle on; null if it is none.
  SymbolRefAttr variable;
  /// Which elements of the root's tensor, in row-major order, the ref shows;
  /// nothing if no strides can express it.
  std::optional<StridedView> view;

  bool isKnown() const { return static_cast<bool>(root); }
  /// The op that made the root; null for arguments.
  Operation *getDefiningOp() const {
    return root ? root.getDefiningOp() : nullptr;
  }
  /// Must be known.
  MemoryLocation getMemoryLocation() const {
    return variable ? MemoryLocation::getVariable(variable)
                    : MemoryLocation::getRoot(root);
  }
};

} // namespace mlir::ipu

template <>
struct llvm::DenseMapInfo<mlir::ipu::MemoryLocation> {
  using MemoryLocation = mlir::ipu::MemoryLocation;
  static MemoryLocation getEmptyKey() {
    MemoryLocation memoryLocation;
    memoryLocation.root = DenseMapInfo<mlir::Value>::getEmptyKey();
    return memoryLocation;
  }
  static MemoryLocation getTombstoneKey() {
    MemoryLocation memoryLocation;
    memoryLocation.root = DenseMapInfo<mlir::Value>::getTombstoneKey();
    return memoryLocation;
  }
  static unsigned getHashValue(const MemoryLocation &memoryLocation) {
    return memoryLocation.hash();
  }
  static bool isEqual(const MemoryLocation &a, const MemoryLocation &b) {
    return a == b;
  }
};

namespace mlir::ipu {

/// The origins of the refs of a program, as it was when they were asked for.
class RefOrigins {
public:
  /// What `ref` shows of what. O(1) amortised.
  const RefOrigin &get(Value ref) const;

private:
  mutable llvm::DenseMap<Value, std::unique_ptr<RefOrigin>> origins;
};

//===----------------------------------------------------------------------===//
// Summaries
//===----------------------------------------------------------------------===//

struct MemoryLocationEffects {
  ElementRegions reads, writes;
};

/// Effects on `argument` of a function as effects on what is after the operand
/// for it, whose origin is `operand`.
MemoryLocationEffects showThrough(const MemoryLocationEffects &effects,
                                  const RefOrigin &operand, Value argument);

/// What an op or a function does.
class EffectSummary {
public:
  /// Whether it may do anything else as well.
  bool isUnknown() const { return unknown; }
  /// In the order of first effects.
  auto getMemoryLocations() const {
    return llvm::make_range(memoryLocations.begin(), memoryLocations.end());
  }
  /// Null if it has no effect there, unless it is unknown.
  const MemoryLocationEffects *
  lookup(const MemoryLocation &memoryLocation) const;
  /// Whether it may read or write elements of `view`, nothing for any.
  bool mayRead(const MemoryLocation &memoryLocation,
               const std::optional<StridedView> &view = std::nullopt) const;
  bool mayWrite(const MemoryLocation &memoryLocation,
                const std::optional<StridedView> &view = std::nullopt) const;
  /// Whether there is an effect on refs, and on resources.
  bool hasRefEffects() const { return unknown || numRefs > 0; }
  bool hasResourceEffects() const {
    return unknown || numRefs < memoryLocations.size();
  }
  /// Whether what this and `other` do may depend on their order.
  bool conflictsWith(const EffectSummary &other) const;

  void addUnknown() { unknown = true; }
  void add(const MemoryLocation &memoryLocation,
           const MemoryLocationEffects &effects);
  void addRead(const MemoryLocation &memoryLocation,
               const std::optional<StridedView> &view);
  void addWrite(const MemoryLocation &memoryLocation,
                const std::optional<StridedView> &view);

private:
  MemoryLocationEffects &get(const MemoryLocation &memoryLocation);
  bool mayTouch(const MemoryLocation &memoryLocation,
                const std::optional<StridedView> &view,
                ElementRegions MemoryLocationEffects::*regions) const;

  bool unknown = false;
  unsigned numRefs = 0;
  llvm::MapVector<MemoryLocation, MemoryLocationEffects> memoryLocations;
  /// Of each resource, what is done to any symbol of it.
  llvm::DenseMap<SideEffects::Resource *, MemoryLocationEffects> ofResource;
};

/// Two ways to the same elements in a called function, at least one of which
/// modifies them: two operands, or an operand and a variable that the function
/// uses by its name.
struct AliasConflict {
  unsigned operand;
  std::optional<unsigned> otherOperand;
  /// Null if there is another operand.
  SymbolRefAttr variable;
};

/// The effects of the functions of a module, as they were when this was made.
/// Calls that lead back to their function, calls of declarations and indirect
/// calls are unknown.
class GraphEffects {
public:
  /// `module` is a builtin.module. Usable as an analysis of passes.
  explicit GraphEffects(Operation *module);
  ~GraphEffects();
  GraphEffects(GraphEffects &&);

  const FunctionCalls &getCalls() const { return calls; }

  /// What `ref` shows of what. O(1) amortised.
  const RefOrigin &getOrigin(Value ref) const { return origins.get(ref); }

  /// Effects of any op: of calls those of the callee, of ops with regions those
  /// of what is in them, and of functions of the module those that a caller
  /// sees: on arguments, variables and resources. O(1) amortised.
  const EffectSummary &getEffects(Operation *op) const;

  /// Whether `op` may read or modify elements that `origin`, or a ref, shows.
  bool mayRead(Operation *op, const RefOrigin &origin) const;
  bool mayWrite(Operation *op, const RefOrigin &origin) const;
  bool mayRead(Operation *op, Value ref) const {
    return mayRead(op, getOrigin(ref));
  }
  bool mayWrite(Operation *op, Value ref) const {
    return mayWrite(op, getOrigin(ref));
  }

  /// What the callee of `call` does to operand `operand`, in elements of that
  /// ref. All of it both ways if the callee is unknown.
  MemoryLocationEffects getOperandEffects(CallOpInterface call,
                                          unsigned operand) const;

  /// The first way in which `call` breaks the rule that graphs meet each tensor
  /// that they modify under one name. Refs of unknown origin are left out.
  std::optional<AliasConflict> findAliasConflict(CallOpInterface call) const;

private:
  void addEffectsOf(Operation *op, EffectSummary &summary) const;
  void addEffectsOfOne(Operation *op, EffectSummary &summary) const;
  void addEffectsOfCall(CallOpInterface call, EffectSummary &summary) const;
  void addEffectsOfRegions(Operation *op, EffectSummary &summary) const;

  ModuleOp module;
  FunctionCalls calls;
  RefOrigins origins;
  mutable llvm::DenseMap<Operation *, std::unique_ptr<EffectSummary>> ofOp;
  llvm::DenseMap<Operation *, std::unique_ptr<EffectSummary>> ofFunction;
};

} // namespace mlir::ipu

#endif // IPU_MLIR_ANALYSIS_EFFECTS_GRAPHEFFECTS_H
