//===- IPU.h - The ipu dialect ----------------------------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Programs of an IPU-like machine. See docs/dialects/ipu.md.
//
//===----------------------------------------------------------------------===//

#ifndef IPU_MLIR_DIALECT_IPU_IR_IPU_H
#define IPU_MLIR_DIALECT_IPU_IR_IPU_H

#include "ipu-mlir/Dialect/IPU/IR/IPUEnums.h"
#include "ipu-mlir/Dialect/IPU/IR/Target.h"
#include "ipu-mlir/Interfaces/DeviceEnums.h"
#include "ipu-mlir/Interfaces/DeviceResources.h"
#include "ipu-mlir/Interfaces/TileInterfaces.h"
#include "ipu-mlir/Support/DialectAttributes.h"
#include "mlir/Bytecode/BytecodeOpInterface.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/IR/BuiltinAttributes.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/BuiltinTypes.h"
#include "mlir/IR/Dialect.h"
#include "mlir/IR/OpDefinition.h"
#include "mlir/IR/OpImplementation.h"
#include "mlir/IR/RegionKindInterface.h"
#include "mlir/IR/SymbolTable.h"
#include "mlir/Interfaces/ControlFlowInterfaces.h"
#include "mlir/Interfaces/FunctionInterfaces.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"

namespace mlir::ipu {

/// The part of one dimension that a tile stores. For a tile at coordinates p of
/// the grid of tiles, the part is [p[axis] * step, p[axis] * step + extent),
/// clipped at the end of the dimension. If axis is -1, each tile stores the
/// whole dimension.
struct TileMappingBlock {
  int64_t axis = -1;
  int64_t step = 0;
  int64_t extent = 0;

  bool isAll() const { return axis < 0; }
  bool operator==(const TileMappingBlock &other) const {
    return axis == other.axis && step == other.step && extent == other.extent;
  }
};
llvm::hash_code hash_value(const TileMappingBlock &block);

/// One axis of a grid of tiles. It maps a coordinate along the axis to an
/// offset, which is added to the number of the first tile of the grid. `extent`
/// consecutive coordinates are on one IPU, and their tile numbers differ by
/// `stride`. The axis covers `ipus` IPUs. From one IPU to the next, the number
/// of the first tile of the axis changes by `ipuStride`. Each IPU has
/// `ipuTiles` tiles.
struct GridAxis {
  int64_t extent = 1, stride = 1;
  int64_t ipus = 1, ipuStride = 1;
  int64_t ipuTiles = std::numeric_limits<int64_t>::max();

  int64_t getSize() const { return extent * ipus; }
  int64_t getOffset(int64_t coordinate) const {
    if (ipus == 1)
      return coordinate * stride;
    return coordinate / extent * ipuStride + coordinate % extent * stride;
  }
  int64_t getCoordinate(int64_t tile) const {
    if (ipus == 1 && ipuTiles > tile)
      return tile / stride % extent;
    return tile / ipuStride % ipus * extent + tile % ipuTiles / stride % extent;
  }
};

/// One dimension of the layout in which a tile stores elements of the domain of
/// a tile mapping (see #ipu.map). This storage dimension stores dimension `dim`
/// of the domain. If dimension `dim` is divided into groups of `group`
/// elements, the storage dimension contains the numbers of the groups or, with
/// `isInGroup`, the positions in a group.
struct StorageDim {
  int64_t dim = 0;
  /// The number of elements of a group, or 1 if the dimension is not divided
  /// into groups.
  int64_t group = 1;
  bool isInGroup = false;
};

/// A region of a domain: the elements offsets[d] to offsets[d] + sizes[d] - 1
/// along each dimension d.
struct IndexRegion {
  SmallVector<int64_t> offsets;
  SmallVector<int64_t> sizes;

  int64_t getNumElements() const;
  bool isEmpty() const { return getNumElements() == 0; }
};

/// The greatest number of tiles of a tile mapping or a target. This number
/// exceeds the number of tiles of any machine. Analyses allocate arrays with up
/// to this many elements.
constexpr int64_t kMaxTiles = 1 << 20;

/// Returns whether `type` is the type of a variable or of a view of a variable.
/// Such a type is a memref of at most 2^56 integers or floats, with static
/// shape, strides and offset, and with a #ipu.map as memory space.
bool isVariableType(Type type);

/// Returns the names of `symbols`, separated by commas.
std::string joinSymbols(ArrayAttr symbols);

/// Returns the name in the profile of the host copies of a stream.
std::string getHostCopyName(StringRef stream);

/// Marks the ops that a program may contain. A program may also contain ops
/// that create views of variables.
template <typename ConcreteOp>
class InProgram : public OpTrait::TraitBase<ConcreteOp, InProgram> {};
} // namespace mlir::ipu

#include "ipu-mlir/Dialect/IPU/IR/IPUDialect.h.inc"

#define GET_ATTRDEF_CLASSES
#include "ipu-mlir/Dialect/IPU/IR/IPUAttrs.h.inc"

#include "ipu-mlir/Dialect/IPU/IR/IPUInterfaces.h.inc"

#define GET_OP_CLASSES
#include "ipu-mlir/Dialect/IPU/IR/IPUOps.h.inc"

#define GET_OP_CLASSES
#include "ipu-mlir/Dialect/IPU/IR/IPURandomOps.h.inc"

namespace mlir::ipu {

/// Returns the tile mapping in the memory space of `type`, which is the type of
/// a variable or of a view of a variable.
TileMappingAttr getTileMapping(MemRefType type);

/// Returns the elements of a variable that a value of `type` selects.
StridedView getStridedView(MemRefType type);

/// Returns the variable that `value` is, or of which `value` is a view,
/// directly or through other views. Returns null if there is no such variable.
VarOp getVariable(Value value);

/// Returns the target of the module that contains `op`, or the preset gc200 if
/// the module names no target.
TargetModel getTargetModel(Operation *op);

/// Returns the type of a codelet's buffer argument: a buffer of rank `rank` in
/// tile memory whose sizes are dynamic. The last stride is 1 or, with
/// `isStrided`, dynamic.
MemRefType getCodeletBufferType(int64_t rank, Type elementType,
                                bool isStrided = false);

/// The number of workers of a tile that have an RNG state, and the number of
/// 32-bit words of the state of one worker.
constexpr int64_t kRngWorkers = 6;
constexpr int64_t kRngWords = 4;
constexpr int64_t kRngWordsOfTile = kRngWorkers * kRngWords;

/// The greatest number of times that a codelet may draw random bits for one
/// element with the generator `counter`. The number in the #ipu.draw of
/// vertices is multiplied by this constant, so that all draws of a codelet have
/// different numbers.
constexpr int64_t kMaxCodeletDraws = 16;
/// The greatest value of the number in a #ipu.draw. The product of this value
/// and kMaxCodeletDraws fits 32 bits.
constexpr int64_t kMaxDrawNumber = (int64_t(1) << 32) / kMaxCodeletDraws - 1;

/// Returns the type of a variable that stores the RNG state of all tiles of a
/// replica: `memref<Tx6x4xi32>`, where T is the number of tiles and row t is on
/// tile t.
MemRefType getRngStateType(MLIRContext *context, int64_t numTiles);

/// Returns whether `codelet` draws random bits.
bool drawsRandomBits(CodeletOp codelet);

/// Returns the random number generator of the module that contains `op`, or
/// `counter` if the module names no generator.
RngGenerator getRngGenerator(Operation *op);

/// Returns whether results of type `elementType` can be rounded stochastically.
bool canRoundStochastically(Type elementType);

/// Returns the element type in which a variable stores elements of `type`: for
/// integers, the signless type of the same width.
Type getStorageElementType(Type type);

} // namespace mlir::ipu

#endif // IPU_MLIR_DIALECT_IPU_IR_IPU_H
