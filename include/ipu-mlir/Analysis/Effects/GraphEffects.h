//===- GraphEffects.h - Effects of graphs on refs and resources -*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The reads and writes of ops, including those of the functions that they call
// and of their regions. The accessed objects are elements of refs, and streams,
// remote buffers and code, each identified by its symbol. Functions are
// summarised once, callees first, so a query about a call is no more expensive
// than a query about another op.
//
// Effects come from MemoryEffectOpInterface. An effect on a value is an effect
// on the elements of the ref. An effect on a resource with a symbol is an
// effect on this symbol; with an integer attribute as parameter, it is an
// effect on the row with this number. An effect on a resource alone is an
// effect on all of the resource. An op whose effects are not known is *unknown*
// and may do anything.
//
// The analysis assumes that arguments of a function do not alias each other or
// variables if one of the two tensors is modified. pop-verify-graphs checks
// this.
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

/// The view of a buffer that results from viewing, through `inner`, a tensor of
/// `shape` that itself is the view `outer` of the buffer. If no strides express
/// the result, all of `outer`.
StridedView composeViews(const StridedView &outer, ArrayRef<int64_t> shape,
                         const StridedView &inner);

/// A set of elements of a tensor (or rows of a remote buffer): none, the
/// elements of a few views in row-major order, or all. The set may contain more
/// elements than were added.
class ElementRegions {
public:
  /// A set with more views becomes the set of all elements.
  static constexpr unsigned kMaxViews = 8;

  bool isEmpty() const { return !whole && views.empty(); }
  bool isWhole() const { return whole; }
  /// In the order in which they were added. Empty if the set has all elements.
  ArrayRef<StridedView> getViews() const { return views; }

  void addWhole();
  /// Adds the elements of `view`; all elements if the view is not known.
  void add(const std::optional<StridedView> &view);
  void add(const ElementRegions &other);

  /// Whether the set may contain an element of `view`, or any element if the
  /// view is not known.
  bool overlaps(const std::optional<StridedView> &view) const;
  bool overlaps(const ElementRegions &other) const;

private:
  bool whole = false;
  SmallVector<StridedView, 0> views;
};

/// A memory location. Equal handles on one variable are one location.
class MemoryLocation {
public:
  /// The tensor to which `root` refers: an argument of a function, or the
  /// result of an op that creates a ref.
  static MemoryLocation getRoot(Value root);
  /// A variable, by its symbol.
  static MemoryLocation getVariable(SymbolRefAttr symbol);
  /// A stream, buffer or graph of `resource`; all objects of the resource if
  /// `symbol` is null.
  static MemoryLocation getResource(SideEffects::Resource *resource,
                                    SymbolRefAttr symbol = {});

  /// Null if the location is of another kind. The other accessors do the same.
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

/// The elements to which a ref refers.
struct RefOrigin {
  /// The value from which the chain of views starts: the argument of a
  /// function, or the result of an op that creates refs (the handle of a
  /// variable, an alloc, ...). Null if it is not known; the ref may then refer
  /// to any memory.
  Value root;
  /// The variable to which the root is a handle; null if the root is not such a
  /// handle.
  SymbolRefAttr variable;
  /// The elements of the root's tensor, in row-major order, that the ref
  /// selects. None if no strides can express them.
  std::optional<StridedView> view;

  bool isKnown() const { return static_cast<bool>(root); }
  /// The op that created the root; null for arguments.
  Operation *getDefiningOp() const {
    return root ? root.getDefiningOp() : nullptr;
  }
  /// The root must be known.
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

/// The origins of the refs of a program, as they were at the time of the first
/// query.
class RefOrigins {
public:
  /// The origin of `ref`. O(1) amortised.
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

/// Translates effects on `argument` of a function to effects on the tensor of
/// the operand that is passed to it. The origin of the operand is `operand`.
MemoryLocationEffects showThrough(const MemoryLocationEffects &effects,
                                  const RefOrigin &operand, Value argument);

/// The effects of an op or of a function.
class EffectSummary {
public:
  /// Whether there may be other effects in addition.
  bool isUnknown() const { return unknown; }
  /// In the order of the first effects.
  auto getMemoryLocations() const {
    return llvm::make_range(memoryLocations.begin(), memoryLocations.end());
  }
  /// Null if there is no effect on this location, apart from unknown effects.
  const MemoryLocationEffects *
  lookup(const MemoryLocation &memoryLocation) const;
  /// Whether elements of `view` may be read or written; any elements if there
  /// is no view.
  bool mayRead(const MemoryLocation &memoryLocation,
               const std::optional<StridedView> &view = std::nullopt) const;
  bool mayWrite(const MemoryLocation &memoryLocation,
                const std::optional<StridedView> &view = std::nullopt) const;
  /// Whether there is an effect on refs, and on resources.
  bool hasRefEffects() const { return unknown || numRefs > 0; }
  bool hasResourceEffects() const {
    return unknown || numRefs < memoryLocations.size();
  }
  /// Whether the result of executing this op and `other` may depend on their
  /// order.
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
  /// For each resource, the effects on any of its symbols.
  llvm::DenseMap<SideEffects::Resource *, MemoryLocationEffects> ofResource;
};

/// Two names for the same elements in a called function, which modifies them
/// through at least one of the names: two operands, or an operand and a
/// variable that the function uses by its name.
struct AliasConflict {
  unsigned operand;
  std::optional<unsigned> otherOperand;
  /// Null if the second name is another operand.
  SymbolRefAttr variable;
};

/// The effects of the functions of a module, at the time of construction. The
/// effects of recursive calls, calls of declarations and indirect calls are
/// unknown.
class GraphEffects {
public:
  /// `module` is a builtin.module. This class can be an analysis of passes.
  explicit GraphEffects(Operation *module);
  ~GraphEffects();
  GraphEffects(GraphEffects &&);

  const FunctionCalls &getCalls() const { return calls; }

  /// The origin of `ref`. O(1) amortised.
  const RefOrigin &getOrigin(Value ref) const { return origins.get(ref); }

  /// Effects of any op: for a call, the effects of its callee; for an op with
  /// regions, the effects of the ops in them; for a function of the module, the
  /// effects that a caller can observe, on arguments, variables and resources.
  /// O(1) amortised.
  const EffectSummary &getEffects(Operation *op) const;

  /// Whether `op` may read or modify elements of `origin` or of a ref.
  bool mayRead(Operation *op, const RefOrigin &origin) const;
  bool mayWrite(Operation *op, const RefOrigin &origin) const;
  bool mayRead(Operation *op, Value ref) const {
    return mayRead(op, getOrigin(ref));
  }
  bool mayWrite(Operation *op, Value ref) const {
    return mayWrite(op, getOrigin(ref));
  }

  /// The effects of the callee of `call` on operand `operand`, as elements of
  /// this ref. Reads and writes of all elements if the callee is unknown.
  MemoryLocationEffects getOperandEffects(CallOpInterface call,
                                          unsigned operand) const;

  /// The first violation by `call` of the rule that a graph accesses each
  /// tensor that it modifies under one name. Refs of unknown origin are not
  /// checked.
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
