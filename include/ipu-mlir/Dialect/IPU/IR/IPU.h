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

/// The part of one dimension that a tile holds: [p[axis] * step, p[axis] * step
/// + extent), clipped at the end of the dimension. If axis is -1, the tile
/// holds the whole dimension.
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

/// The relation between the coordinate along one axis of a grid and the numbers
/// of its tiles, counted from the first tile. Parts of `extent` tiles, with
/// distance `stride`, are on `ipus` IPUs, whose first tiles have distance
/// `ipuStride`. Each IPU has `ipuTiles` numbers.
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

/// A dimension of the order in which a tile stores its elements: dimension
/// `dim` of a domain. If this dimension is in groups of `group` elements, it is
/// the number of the group or the position in the group.
struct StorageDim {
  int64_t dim = 0;
  /// 1 if the dimension is not in groups.
  int64_t group = 1;
  bool isInGroup = false;
};

/// A region of a domain: elements offsets[d] to offsets[d] + sizes[d] - 1.
struct IndexRegion {
  SmallVector<int64_t> offsets;
  SmallVector<int64_t> sizes;

  int64_t getNumElements() const;
  bool isEmpty() const { return getNumElements() == 0; }
};

/// The greatest number of tiles of a tile mapping or a target. It is far more
/// than the tiles of any machine. Analyses have arrays of this length.
constexpr int64_t kMaxTiles = 1 << 20;

/// Returns whether `type` is the type of a variable or of a view of one: a
/// memref of at most 2^56 integers or floats, with static shape, strides and
/// offset, and a #ipu.map as memory space.
bool isVariableType(Type type);

/// Returns the names of symbols, with commas between them.
std::string joinSymbols(ArrayAttr symbols);

/// Marks ops that a program may contain, in addition to views of variables.
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

/// Returns the tile mapping of the variable that `type` is or views.
TileMappingAttr getTileMapping(MemRefType type);

/// Returns the elements of its variable that a value of `type` selects.
StridedView getStridedView(MemRefType type);

/// Returns the variable that `value` is, or of which it is a chain of views.
VarOp getVariable(Value value);

/// Returns the target of the module that contains `op`, or the preset gc200 if
/// the module names no target.
TargetModel getTargetModel(Operation *op);

/// Returns the type of a codelet's argument: a tile-local buffer of dynamic
/// sizes.
MemRefType getCodeletBufferType(int64_t rank, Type elementType);

/// Words of RNG state of each tile: four for each worker.
constexpr int64_t kRngWorkers = 6;
constexpr int64_t kRngWords = 4;
constexpr int64_t kRngWordsOfTile = kRngWorkers * kRngWords;

/// The greatest number of draws of a codelet for one element, with generator
/// `counter`. The draw number of its vertices is multiplied by this number to
/// distinguish draws.
constexpr int64_t kMaxCodeletDraws = 16;
/// The greatest number of a draw. Together with the draws of a codelet, it fits
/// 32 bits.
constexpr int64_t kMaxDrawNumber = (int64_t(1) << 32) / kMaxCodeletDraws - 1;

/// Returns the type of a variable with the RNG state on all tiles of a replica,
/// `memref<Tx6x4xi32>`: row t is on tile t.
MemRefType getRngStateType(MLIRContext *context, int64_t numTiles);

/// Returns whether `codelet` draws random bits.
bool drawsRandomBits(CodeletOp codelet);

/// Returns the generator of the module that contains `op`; `counter` if the
/// module names none.
RngGenerator getRngGenerator(Operation *op);

/// Returns whether results of this type can be rounded stochastically.
bool canRoundStochastically(Type elementType);

/// `type` with signless integer elements, in which a tensor is stored.
Type getStorageElementType(Type type);

} // namespace mlir::ipu

#endif // IPU_MLIR_DIALECT_IPU_IR_IPU_H
