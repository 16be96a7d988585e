//===- ReplicaEqualMemory.h - Mutable tensors and parts ---------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The memory locations that a program can modify, and the regions of each
// location that it reads or writes. All regions are collected before the
// location is split into atoms.
//
//===----------------------------------------------------------------------===//

#ifndef IPU_MLIR_LIB_ANALYSIS_REPLICAEQUAL_REPLICAEQUALMEMORY_H
#define IPU_MLIR_LIB_ANALYSIS_REPLICAEQUAL_REPLICAEQUALMEMORY_H

#include "ReplicaEqualAtoms.h"
#include "ipu-mlir/Analysis/Effects/GraphEffects.h"
#include "ipu-mlir/Interfaces/ReplicaEqualInterfaces.h"
#include <map>
#include <memory>

namespace mlir::ipu::replica_equal {

/// The number of a location; the number of a location as a whole or of a
/// region.
using MemoryLocationId = unsigned;
using MemoryRegion = unsigned;

/// A region that contains certain elements, and possibly others.
struct MemoryRegionRef {
  MemoryRegion memoryRegion = 0;
  bool isExact = false;
};

class MemoryRegionTable {
public:
  /// The greatest number of ranges of a view, and of all views of a location. A
  /// view that exceeds a limit is replaced by all elements between its first
  /// and its last element.
  static constexpr int64_t kMaxRangesOfView = int64_t(1) << 16,
                           kMaxRanges = int64_t(1) << 20;

  /// The location of an argument of a function.
  MemoryLocationId getMemoryLocation(BlockArgument argument) {
    return getMemoryLocation(MemoryLocation::getRoot(argument),
                             dyn_cast<ShapedType>(argument.getType()));
  }
  /// The location, if it was added before.
  std::optional<MemoryLocationId>
  lookupMemoryLocation(const MemoryLocation &memoryLocation) const;
  const MemoryLocation &getKey(MemoryLocationId memoryLocation) const {
    return memoryLocations[memoryLocation].key;
  }
  unsigned getNumMemoryLocations() const { return memoryLocations.size(); }
  MemoryLocationId getMemoryLocationOf(MemoryRegion memoryRegion) const {
    return memoryRegions[memoryRegion].memoryLocation;
  }

  /// Whether the atoms of a region contain only the elements of its view.
  bool isExact(MemoryRegion memoryRegion) const {
    return memoryRegions[memoryRegion].isExact;
  }

  /// The whole of a location, which is its first region; all regions of a
  /// location.
  MemoryRegion getWhole(MemoryLocationId memoryLocation) const {
    return memoryLocations[memoryLocation].memoryRegions.front();
  }
  ArrayRef<MemoryRegion>
  getMemoryRegions(MemoryLocationId memoryLocation) const {
    return memoryLocations[memoryLocation].memoryRegions;
  }

  /// The region of the elements to which `ref`, whose origin is known, refers.
  MemoryRegionRef getMemoryRegion(const RefOrigin &ref);
  /// The region of the state of a symbol; with `parts`, the region of these
  /// parts.
  MemoryRegionRef
  getMemoryRegion(const ReplicaState &state,
                  const std::optional<StridedView> &parts = std::nullopt);
  /// The region of the operand that corresponds to `inner`, a region of
  /// `argument`.
  MemoryRegionRef getMemoryRegionThrough(const RefOrigin &operand,
                                         BlockArgument argument,
                                         MemoryRegion inner);
  /// Whether two regions of one location may have a common element.
  bool mayOverlap(MemoryRegion a, MemoryRegion b) const;

  /// Sets the number of parts of the state of a symbol.
  void setNumParts(MemoryLocationId memoryLocation, int64_t count) {
    memoryLocations[memoryLocation].numElements = count;
  }
  /// Splits all locations into atoms. From now on, new views are replaced by
  /// their whole location.
  void splitIntoAtoms();
  unsigned getNumAtoms(MemoryLocationId memoryLocation) const {
    return memoryLocations[memoryLocation].numAtoms;
  }
  ArrayRef<AtomRange> getAtoms(MemoryRegion memoryRegion) const {
    return memoryRegions[memoryRegion].atoms;
  }
  /// For each atom of `argument`, the corresponding atoms of the operand, whose
  /// origin is known; null if they do not match.
  const std::vector<AtomRanges> *
  matchAtoms(Value operand, const RefOrigin &origin, BlockArgument argument);

private:
  struct MemoryLocationInfo {
    MemoryLocation key;
    /// None if the number is not known.
    std::optional<int64_t> numElements;
    /// The whole location, then its parts in the order in which they were
    /// added.
    SmallVector<MemoryRegion, 2> memoryRegions;
    unsigned numAtoms = 1;
  };
  struct MemoryRegionInfo {
    MemoryLocationId memoryLocation;
    /// Null for the whole location, which is the most frequent region.
    std::unique_ptr<StridedView> view;
    bool isExact = true;
    AtomRanges atoms;
  };

  MemoryLocationId getMemoryLocation(const MemoryLocation &memoryLocation,
                                     ShapedType type);
  MemoryRegionRef getPart(MemoryLocationId memoryLocation,
                          const std::optional<StridedView> &view);
  MemoryRegion addMemoryRegion(MemoryLocationId memoryLocation,
                               std::unique_ptr<StridedView> view = nullptr);
  void splitIntoAtoms(MemoryLocationInfo &info);
  std::optional<std::vector<AtomRanges>> computeMatch(const RefOrigin &origin,
                                                      BlockArgument argument);

  // Not a std::vector, which would copy elements whose move constructor may
  // throw.
  SmallVector<MemoryLocationInfo, 0> memoryLocations;
  SmallVector<MemoryRegionInfo, 0> memoryRegions;
  llvm::DenseMap<MemoryLocation, MemoryLocationId> memoryLocationIds;
  /// Indexed by the location, and by offset, sizes and strides of the
  /// normalized view.
  std::map<std::tuple<MemoryLocationId, int64_t, SmallVector<int64_t>,
                      SmallVector<int64_t>>,
           MemoryRegion>
      known;
  /// Indexed by the operand and the argument.
  llvm::DenseMap<std::pair<Value, Value>,
                 std::optional<std::vector<AtomRanges>>>
      matches;
  bool isSplit = false;
};

} // namespace mlir::ipu::replica_equal

#endif // IPU_MLIR_LIB_ANALYSIS_REPLICAEQUAL_REPLICAEQUALMEMORY_H
