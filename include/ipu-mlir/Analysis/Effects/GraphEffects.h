//===- GraphEffects.h - Effects of graphs on refs and resources -*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The reads and writes of ops, including the reads and writes in their regions
// and in the functions that they call. The accessed objects are elements of
// refs, streams, remote buffers and code. Streams, remote buffers and code are
// identified by symbols. Functions are summarised once, callees first.
// Therefore a query about a call takes as long as a query about any other op.
//
// MemoryEffectOpInterface defines the effects. An effect on a ref is an effect
// on all elements of the ref. If an effect on a resource has a symbol, it is an
// effect on this symbol only. If an effect on a resource of pop has no symbol,
// it is an effect on all symbols that the op names. If there are no such
// symbols, it is an effect on the whole resource. If an op accesses a constant
// row of a remote buffer, the effect is on this row only. An op without known
// effects is *unknown* and may have any effect.
//
// The analysis makes two assumptions about each function. An argument that the
// function modifies does not alias another argument or a variable. A variable
// that the function modifies does not alias an argument of the function.
//
// With N ops, E effects and D levels of nested regions, all summaries together
// take O((N + E) D) time and memory. A query about a call looks at the
// functions that are called directly or indirectly.
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
// Elements and memory locations
//===----------------------------------------------------------------------===//

/// Composes two views. The view `outer` of a buffer is a tensor of `shape`, and
/// `inner` is a view of this tensor. Returns the view of the buffer that
/// selects the elements of `inner`. Returns `outer` if no strides express the
/// result.
StridedView composeViews(const StridedView &outer, ArrayRef<int64_t> shape,
                         const StridedView &inner);

/// A set of elements of a tensor, or of rows of a remote buffer. It is empty,
/// contains all elements, or contains the elements of a few views, whose
/// offsets and strides count elements in row-major order. The set may contain
/// elements that were not added.
class ElementRegions {
public:
  /// The greatest number of views. A set with more views becomes the set of all
  /// elements.
  static constexpr unsigned kMaxViews = 8;

  bool isEmpty() const { return !whole && views.empty(); }
  bool isWhole() const { return whole; }
  /// Returns the views in the order in which they were added. The result is
  /// empty if the set has all elements.
  ArrayRef<StridedView> getViews() const { return views; }

  void addWhole();
  /// Adds the elements of `view`, or all elements if `view` is std::nullopt.
  void add(const std::optional<StridedView> &view);
  void add(const ElementRegions &other);

  /// Returns whether the set may contain an element of `view`. If `view` is
  /// std::nullopt, returns whether the set may contain any element.
  bool overlaps(const std::optional<StridedView> &view) const;
  bool overlaps(const ElementRegions &other) const;

private:
  bool whole = false;
  SmallVector<StridedView, 0> views;
};

/// A memory location. All handles on one variable are one location.
class MemoryLocation {
public:
  /// Returns the location of the tensor to which `root` refers. `root` is an
  /// argument of a function, or the result of an op that creates a ref.
  static MemoryLocation getRoot(Value root);
  /// Returns the location of the variable `symbol`.
  static MemoryLocation getVariable(SymbolRefAttr symbol);
  /// Returns the location of the stream, remote buffer or graph `symbol` of
  /// `resource`. If `symbol` is null, the location is all objects of the
  /// resource.
  static MemoryLocation getResource(SideEffects::Resource *resource,
                                    SymbolRefAttr symbol = {});

  /// Returns the root, or null if the location has none. The other accessors
  /// also return null if the location is of another kind.
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

/// The origin of a ref: the elements to which it refers.
struct RefOrigin {
  /// The value to which views were applied to create the ref: the argument of a
  /// function, or the result of an op that creates refs (such as the handle of
  /// a variable, or an alloc). It is null if it is not known; the ref may then
  /// refer to any memory.
  Value root;
  /// The variable, if the root is a handle on a variable; otherwise null.
  SymbolRefAttr variable;
  /// The elements of the root's tensor, in row-major order, that the ref
  /// selects. It is std::nullopt if no strides can express them.
  std::optional<StridedView> view;

  bool isKnown() const { return static_cast<bool>(root); }
  /// Returns the op that created the root, or null if the root is an argument.
  Operation *getDefiningOp() const {
    return root ? root.getDefiningOp() : nullptr;
  }
  /// Returns the memory location of the root, which must be known.
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

/// The origins of the refs of a program. The origin of a ref is determined at
/// the first query for it.
class RefOrigins {
public:
  /// Returns the origin of `ref`, in O(1) amortised time.
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

/// Translates effects on `argument`, an argument of a function, to effects on
/// the root of the operand that a call passes to `argument`. `operand` is the
/// origin of this operand.
MemoryLocationEffects showThrough(const MemoryLocationEffects &effects,
                                  const RefOrigin &operand, Value argument);

/// The effects of an op or of a function: its own effects and those of other
/// summaries, which it inherits. Summaries of nested calls share what they
/// inherit, so that their size does not grow with the depth of calls.
class EffectSummary {
public:
  using Entry = std::pair<MemoryLocation, MemoryLocationEffects>;

  /// Returns whether there may be further effects, which are not known.
  bool isUnknown() const { return unknown; }
  /// Returns the memory locations with known effects, and these effects. The
  /// own effects come first, in the order of the first effects on a location. A
  /// location may occur again among the inherited effects.
  auto getMemoryLocations() const { return EntryList(*this); }
  /// Returns the same without inherited effects.
  ArrayRef<Entry> getOwnMemoryLocations() const {
    return memoryLocations.getArrayRef();
  }
  bool inheritsEffects() const { return !inherited.empty(); }
  /// Returns the known effects on a location, or std::nullopt if there are
  /// none.
  std::optional<MemoryLocationEffects>
  lookup(const MemoryLocation &memoryLocation) const;
  /// Return whether elements of `view` may be read or written. Without a view,
  /// return whether any element may be read or written.
  bool mayRead(const MemoryLocation &memoryLocation,
               const std::optional<StridedView> &view = std::nullopt) const;
  bool mayWrite(const MemoryLocation &memoryLocation,
                const std::optional<StridedView> &view = std::nullopt) const;
  /// Return whether there may be an effect on a ref, or on a resource.
  bool hasRefEffects() const { return unknown || hasRefs; }
  bool hasResourceEffects() const { return unknown || hasResources; }
  /// Returns whether the result of the program may depend on the order of two
  /// ops. One op has this summary, and the other op has the summary `other`.
  bool conflictsWith(const EffectSummary &other) const;

  void addUnknown() { unknown = true; }
  void add(const MemoryLocation &memoryLocation,
           const MemoryLocationEffects &effects);
  void addRead(const MemoryLocation &memoryLocation,
               const std::optional<StridedView> &view);
  void addWrite(const MemoryLocation &memoryLocation,
                const std::optional<StridedView> &view);
  /// Adds the effects of `other`, which must outlive this summary.
  void inherit(const EffectSummary &other);
  /// Adds all that `other` inherits.
  void inheritFrom(const EffectSummary &other);

private:
  /// The entries of a summary and of all summaries that it inherits.
  class EntryList {
  public:
    explicit EntryList(const EffectSummary &summary);
    using Iterator = llvm::pointee_iterator<const Entry *const *>;
    Iterator begin() const { return Iterator(entries.begin()); }
    Iterator end() const { return Iterator(entries.end()); }

  private:
    SmallVector<const Entry *> entries;
  };

  MemoryLocationEffects &get(const MemoryLocation &memoryLocation);
  /// Calls `visit` for this summary, and once for each summary that it inherits
  /// directly or through others, until `visit` returns true. Returns whether it
  /// did.
  bool visitAll(function_ref<bool(const EffectSummary &)> visit) const;
  bool mayTouchOwn(const MemoryLocation &memoryLocation,
                   const std::optional<StridedView> &view,
                   ElementRegions MemoryLocationEffects::*regions) const;

  bool unknown = false;
  bool hasRefs = false, hasResources = false;
  llvm::SmallSetVector<const EffectSummary *, 2> inherited;
  llvm::MapVector<MemoryLocation, MemoryLocationEffects> memoryLocations;
  /// For each resource, the union of the effects on all of its symbols.
  llvm::DenseMap<SideEffects::Resource *, MemoryLocationEffects> ofResource;
};

/// Two names under which a called function accesses the same elements. The
/// function modifies the elements under at least one of the names. The names
/// are two operands, or an operand and a variable that the function uses by its
/// symbol.
struct AliasConflict {
  unsigned operand;
  std::optional<unsigned> otherOperand;
  /// The variable that is the second name; null if the second name is an
  /// operand.
  SymbolRefAttr variable;
};

/// The effects of the functions of a module, as they are at the time of
/// construction. The effects of recursive calls, calls of declarations and
/// indirect calls are unknown.
class GraphEffects {
public:
  /// `module` must be a builtin.module. The parameter is an Operation pointer
  /// so that passes can request this class as an analysis.
  explicit GraphEffects(Operation *module);
  ~GraphEffects();
  GraphEffects(GraphEffects &&);

  const FunctionCalls &getCalls() const { return calls; }

  /// Returns the origin of `ref`, in O(1) amortised time.
  const RefOrigin &getOrigin(Value ref) const { return origins.get(ref); }

  /// Returns the effects of any op, in O(1) amortised time. For a call, these
  /// are the effects of its callee. For an op with regions, they include the
  /// effects of the ops in the regions. For a function of the module, they are
  /// the effects on arguments, variables and resources that a caller can
  /// observe.
  const EffectSummary &getEffects(Operation *op) const;

  /// Return whether `op` may read (write) elements to which a ref refers. The
  /// ref is given by its origin or as the value `ref`.
  bool mayRead(Operation *op, const RefOrigin &origin) const;
  bool mayWrite(Operation *op, const RefOrigin &origin) const;
  bool mayRead(Operation *op, Value ref) const {
    return mayRead(op, getOrigin(ref));
  }
  bool mayWrite(Operation *op, Value ref) const {
    return mayWrite(op, getOrigin(ref));
  }

  /// Returns the effects of the callee of `call` on operand number `operand`.
  /// The regions of the result select elements of this operand. Returns reads
  /// and writes of all elements if the callee is unknown.
  MemoryLocationEffects getOperandEffects(CallOpInterface call,
                                          unsigned operand) const;

  /// If a graph modifies a tensor, it must access this tensor under one name
  /// only. Returns the first violation of this rule by `call`, or std::nullopt.
  /// Refs of unknown origin are not checked.
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
  /// The part of each summary in `ofFunction` that is the same for all calls.
  /// This part has no effects on arguments.
  llvm::DenseMap<Operation *, std::unique_ptr<EffectSummary>> ofAllCalls;
};

} // namespace mlir::ipu

#endif // IPU_MLIR_ANALYSIS_EFFECTS_GRAPHEFFECTS_H
