//===- ReplicaEqualMemory.h - Mutable tensors and parts ---------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The memory locations that a program can modify, and the regions of each that
// it reads or writes. All regions are collected before the location is split
// into atoms.
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

/// Number of a location, and of all of it or a region.
using MemoryLocationId = unsigned;
using MemoryRegion = unsigned;

/// A region that holds certain elements, and maybe others.
struct MemoryRegionRef {
  MemoryRegion memoryRegion = 0;
  bool isExact = false;
};

class MemoryRegionTable {
public:
  /// A view of more ranges than these, or one with which those of its location
  /// get more, is taken as all elements between its first and its last one.
  static constexpr int64_t kMaxRangesOfView = int64_t(1) << 16,
                           kMaxRanges = int64_t(1) << 20;

  /// Of an argument of a function.
  MemoryLocationId getMemoryLocation(BlockArgument argument) {
    return getMemoryLocation(MemoryLocation::getRoot(argument),
                             dyn_cast<ShapedType>(argument.getType()));
  }
  /// Of what was met before.
  std::optional<MemoryLocationId>
  lookupMemoryLocation(const MemoryLocation &memoryLocation) const;
  const MemoryLocation &getKey(MemoryLocationId memoryLocation) const {
    return memoryLocations[memoryLocation].key;
  }
  unsigned getNumMemoryLocations() const { return memoryLocations.size(); }
  MemoryLocationId getMemoryLocationOf(MemoryRegion memoryRegion) const {
    return memoryRegions[memoryRegion].memoryLocation;
  }

  /// Whether the atoms of a region hold no other elements than its view.
  bool isExact(MemoryRegion memoryRegion) const {
    return memoryRegions[memoryRegion].isExact;
  }

  /// All of a location, which is its first region; the regions of a location.
  MemoryRegion getWhole(MemoryLocationId memoryLocation) const {
    return memoryLocations[memoryLocation].memoryRegions.front();
  }
  ArrayRef<MemoryRegion>
  getMemoryRegions(MemoryLocationId memoryLocation) const {
    return memoryLocations[memoryLocation].memoryRegions;
  }

  /// The region of the elements that `ref`, whose origin is known, shows.
  MemoryRegionRef getMemoryRegion(const RefOrigin &ref);
  /// The region of the state that a symbol names; with `parts`, of these parts.
  MemoryRegionRef
  getMemoryRegion(const ReplicaState &state,
                  const std::optional<StridedView> &parts = std::nullopt);
  /// What `inner`, a region of `argument`, is of the operand for it.
  MemoryRegionRef getMemoryRegionThrough(const RefOrigin &operand,
                                         BlockArgument argument,
                                         MemoryRegion inner);
  /// Whether two regions of one location may have a common element.
  bool mayOverlap(MemoryRegion a, MemoryRegion b) const;

  /// Says that the state of a symbol has so many parts.
  void setNumParts(MemoryLocationId memoryLocation, int64_t count) {
    memoryLocations[memoryLocation].numElements = count;
  }
  /// Splits all locations into atoms. From now on views that were not met
  /// before are taken as their whole place.
  void splitIntoAtoms();
  unsigned getNumAtoms(MemoryLocationId memoryLocation) const {
    return memoryLocations[memoryLocation].numAtoms;
  }
  ArrayRef<AtomRange> getAtoms(MemoryRegion memoryRegion) const {
    return memoryRegions[memoryRegion].atoms;
  }
  /// For each atom of `argument` those of the operand for it, whose origin is
  /// known; null if they do not match.
  const std::vector<AtomRanges> *
  matchAtoms(Value operand, const RefOrigin &origin, BlockArgument argument);

private:
  struct MemoryLocationInfo {
    MemoryLocation key;
    /// Nothing if not known.
    std::optional<int64_t> numElements;
    /// The whole, then parts in the order in which they were met.
    SmallVector<MemoryRegion, 2> memoryRegions;
    unsigned numAtoms = 1;
  };
  struct MemoryRegionInfo {
    MemoryLocationId memoryLocation;
    /// Null for all of the location, which nearly all are.
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

  // Not std::vector, which would copy what is not moved without exceptions.
  SmallVector<MemoryLocationInfo, 0> memoryLocations;
  SmallVector<MemoryRegionInfo, 0> memoryRegions;
  llvm::DenseMap<MemoryLocation, MemoryLocationId> memoryLocationIds;
  /// By the location, and by offset, sizes and strides of the normalized view.
  std::map<std::tuple<MemoryLocationId, int64_t, SmallVector<int64_t>,
                      SmallVector<int64_t>>,
           MemoryRegion>
      known;
  /// By the operand and the argument.
  llvm::DenseMap<std::pair<Value, Value>,
                 std::optional<std::vector<AtomRanges>>>
      matches;
  bool isSplit = false;
};

} // namespace mlir::ipu::replica_equal

#endif // IPU_MLIR_LIB_ANALYSIS_REPLICAEQUAL_REPLICAEQUALMEMORY_H
