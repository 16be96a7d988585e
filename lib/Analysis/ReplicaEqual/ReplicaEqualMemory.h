//===- ReplicaEqualMemory.h - Mutable tensors and parts ---------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The places that a program can modify, and of each place the parts that it
// reads or writes. What is known of a part holds for all of its elements.
//
//===----------------------------------------------------------------------===//

#ifndef IPU_MLIR_LIB_ANALYSIS_REPLICAEQUAL_REPLICAEQUALMEMORY_H
#define IPU_MLIR_LIB_ANALYSIS_REPLICAEQUAL_REPLICAEQUALMEMORY_H

#include "ipu-mlir/Analysis/Effects/GraphEffects.h"
#include "ipu-mlir/Interfaces/ReplicaEqualInterfaces.h"

namespace mlir::ipu::replica_equal {

/// Number of a place, and of all of it or a part.
using MemoryLocationId = unsigned;
using MemoryRegion = unsigned;

/// How what is written to one cell changes another one of its place.
enum class Cover { None, Some, All };

/// A cell that holds certain elements, and maybe others.
struct MemoryRegionRef {
  MemoryRegion memoryRegion = 0;
  bool isExact = false;
};

class MemoryRegionTable {
public:
  /// With more parts than these, those found later are their whole place. Parts
  /// of symbols (rows) do not overlap and are cheaper.
  static constexpr unsigned kMaxParts = 16, kMaxRows = 256;

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
  MemoryLocationId getMemoryLocationOf(MemoryRegion memoryRegion) const {
    return memoryRegions[memoryRegion].memoryLocation;
  }

  /// All of a place, which is its first cell; the cells of a place.
  MemoryRegion getWhole(MemoryLocationId memoryLocation) const {
    return memoryLocations[memoryLocation].memoryRegions.front();
  }
  ArrayRef<MemoryRegion>
  getMemoryRegions(MemoryLocationId memoryLocation) const {
    return memoryLocations[memoryLocation].memoryRegions;
  }

  /// The cell of the elements that `ref`, whose origin is known, shows.
  MemoryRegionRef getMemoryRegion(const RefOrigin &ref);
  /// The memory region of the state that a symbol names.
  MemoryRegionRef getMemoryRegion(const ReplicaState &state);
  /// What `inner`, a cell of `argument`, is of the operand for it.
  MemoryRegionRef getMemoryRegionThrough(const RefOrigin &operand,
                                         BlockArgument argument,
                                         MemoryRegion inner);

  Cover getCover(MemoryRegion written, MemoryRegion other);

private:
  struct MemoryLocationInfo {
    MemoryLocation key;
    /// Null for what is no ref, whose parts are rows.
    ShapedType type;
    SmallVector<MemoryRegion, 2> memoryRegions;
    llvm::DenseMap<int64_t, MemoryRegion> rows;
  };
  struct MemoryRegionInfo {
    MemoryLocationId memoryLocation;
    /// Nothing for all of the place.
    std::optional<StridedView> view;
  };

  MemoryLocationId getMemoryLocation(const MemoryLocation &memoryLocation,
                                     ShapedType type);
  MemoryRegionRef getPart(MemoryLocationId memoryLocation,
                          const std::optional<StridedView> &view);
  MemoryRegion addMemoryRegion(MemoryLocationId memoryLocation,
                               std::optional<StridedView> view);
  Cover computeCover(const StridedView &written, const StridedView &other,
                     int64_t size) const;

  std::vector<MemoryLocationInfo> memoryLocations;
  std::vector<MemoryRegionInfo> memoryRegions;
  llvm::DenseMap<MemoryLocation, MemoryLocationId> memoryLocationIds;
  llvm::DenseMap<std::pair<MemoryRegion, MemoryRegion>, Cover> covers;
};

} // namespace mlir::ipu::replica_equal

#endif // IPU_MLIR_LIB_ANALYSIS_REPLICAEQUAL_REPLICAEQUALMEMORY_H
