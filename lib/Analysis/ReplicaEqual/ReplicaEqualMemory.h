//===- ReplicaEqualMemory.h - Mutable tensors and parts ---------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// MemoryRegionTable contains the memory locations that a program can modify,
// and the regions of each location that the program reads or writes. All
// regions of a location are collected before the location is divided into
// atoms.
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

/// MemoryLocationId is the number of a location. MemoryRegion is the number of
/// a region of a location; a location as a whole is also a region.
using MemoryLocationId = unsigned;
using MemoryRegion = unsigned;

/// A region that contains all elements that a ref or an access may refer to. If
/// `isExact` is false, the region may also contain other elements.
struct MemoryRegionRef {
  MemoryRegion memoryRegion = 0;
  bool isExact = false;
};

class MemoryRegionTable {
public:
  /// The maximum number of ranges of one view, and of all views of a location.
  /// A view that exceeds a limit is replaced by all elements between its first
  /// and its last element.
  static constexpr int64_t kMaxRangesOfView = int64_t(1) << 16,
                           kMaxRanges = int64_t(1) << 20;

  /// Returns the location of an argument of a function.
  MemoryLocationId getMemoryLocation(BlockArgument argument) {
    return getMemoryLocation(MemoryLocation::getRoot(argument),
                             dyn_cast<ShapedType>(argument.getType()));
  }
  /// Returns the number of a location, or std::nullopt if the location was not
  /// added before.
  std::optional<MemoryLocationId>
  lookupMemoryLocation(const MemoryLocation &memoryLocation) const;
  const MemoryLocation &getKey(MemoryLocationId memoryLocation) const {
    return memoryLocations[memoryLocation].key;
  }
  unsigned getNumMemoryLocations() const { return memoryLocations.size(); }
  MemoryLocationId getMemoryLocationOf(MemoryRegion memoryRegion) const {
    return memoryRegions[memoryRegion].memoryLocation;
  }

  /// Returns whether the atoms of a region contain only elements of its view.
  bool isExact(MemoryRegion memoryRegion) const {
    return memoryRegions[memoryRegion].isExact;
  }

  /// getWhole() returns the region of all elements of a location, which is its
  /// first region. getMemoryRegions() returns all regions of a location.
  MemoryRegion getWhole(MemoryLocationId memoryLocation) const {
    return memoryLocations[memoryLocation].memoryRegions.front();
  }
  ArrayRef<MemoryRegion>
  getMemoryRegions(MemoryLocationId memoryLocation) const {
    return memoryLocations[memoryLocation].memoryRegions;
  }

  /// Returns the region of the elements to which `ref` refers. The origin of
  /// `ref` must be known.
  MemoryRegionRef getMemoryRegion(const RefOrigin &ref);
  /// Returns the region of the state of a symbol. With `parts`, returns the
  /// region of these parts of the state.
  MemoryRegionRef
  getMemoryRegion(const ReplicaState &state,
                  const std::optional<StridedView> &parts = std::nullopt);
  /// `inner` is a region of `argument`, an argument of a callee. Returns the
  /// region of the caller's `operand` with the corresponding elements.
  MemoryRegionRef getMemoryRegionThrough(const RefOrigin &operand,
                                         BlockArgument argument,
                                         MemoryRegion inner);
  /// Returns whether two regions of one location may have a common element.
  bool mayOverlap(MemoryRegion a, MemoryRegion b) const;

  /// Sets the number of parts of the state of a symbol.
  void setNumParts(MemoryLocationId memoryLocation, int64_t count) {
    memoryLocations[memoryLocation].numElements = count;
  }
  /// Divides all locations into atoms. Afterwards, a view that was not added
  /// before is replaced by its whole location.
  void splitIntoAtoms();
  unsigned getNumAtoms(MemoryLocationId memoryLocation) const {
    return memoryLocations[memoryLocation].numAtoms;
  }
  ArrayRef<AtomRange> getAtoms(MemoryRegion memoryRegion) const {
    return memoryRegions[memoryRegion].atoms;
  }
  /// Returns, for each atom of `argument`, the corresponding atoms of the
  /// operand. The origin of the operand must be known. Returns null if the
  /// atoms do not match.
  const std::vector<AtomRanges> *
  matchAtoms(Value operand, const RefOrigin &origin, BlockArgument argument);

private:
  struct MemoryLocationInfo {
    MemoryLocation key;
    /// The number of elements, if it is known.
    std::optional<int64_t> numElements;
    /// The whole location, followed by its parts in the order in which they
    /// were added.
    SmallVector<MemoryRegion, 2> memoryRegions;
    unsigned numAtoms = 1;
  };
  struct MemoryRegionInfo {
    MemoryLocationId memoryLocation;
    /// Null for the whole location, because most regions are whole locations.
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

  // These are not std::vectors, because a std::vector would copy elements whose
  // move constructor may throw.
  SmallVector<MemoryLocationInfo, 0> memoryLocations;
  SmallVector<MemoryRegionInfo, 0> memoryRegions;
  llvm::DenseMap<MemoryLocation, MemoryLocationId> memoryLocationIds;
  /// The known regions. The key consists of the location, and of the offset,
  /// sizes and strides of the normalized view.
  std::map<std::tuple<MemoryLocationId, int64_t, SmallVector<int64_t>,
                      SmallVector<int64_t>>,
           MemoryRegion>
      known;
  /// The results of matchAtoms(). The key consists of the operand and the
  /// argument.
  llvm::DenseMap<std::pair<Value, Value>,
                 std::optional<std::vector<AtomRanges>>>
      matches;
  bool isSplit = false;
};

} // namespace mlir::ipu::replica_equal

#endif // IPU_MLIR_LIB_ANALYSIS_REPLICAEQUAL_REPLICAEQUALMEMORY_H
