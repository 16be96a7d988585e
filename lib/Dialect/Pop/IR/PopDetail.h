//===- PopDetail.h - Parts of generated op definitions ----------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef IPU_MLIR_LIB_DIALECT_POP_IR_POPDETAIL_H
#define IPU_MLIR_LIB_DIALECT_POP_IR_POPDETAIL_H

#include "ipu-mlir/Dialect/Pop/IR/PopGraph.h"
#include "ipu-mlir/Dialect/Pop/IR/PopUtils.h"

namespace mlir::pop {

// `custom<BroadcastTypes>`: `type` for three equal types or
// `(lhs, rhs) -> result`.
ParseResult parseBroadcastTypes(OpAsmParser &parser, Type &lhs, Type &rhs,
                                Type &result);
void printBroadcastTypes(OpAsmPrinter &printer, Operation *op, Type lhs,
                         Type rhs, Type result);

} // namespace mlir::pop

namespace mlir::pop::detail {

/// Infers the broadcast shape of all operands with the given element type.
LogicalResult inferBroadcast(InferError emitError, ValueRange operands,
                             Type elementType,
                             SmallVectorImpl<Type> &inferredTypes);

/// Returns whether `actual` is one type with the shape of `inferred`, and with
/// its element type or the type in which its elements are accumulated.
bool isRoundedOrNot(TypeRange inferred, TypeRange actual);

/// Checks the accumulation order, if one is chosen.
LogicalResult checkAccum(InferError emitError, AccumAttr accum,
                         AccumOrder order);

/// Checks that `accum` is `blocked`, and that its blocks make a reduction of
/// `numPositions` shorter: with blocks of one element, there would be as many
/// results as elements.
LogicalResult checkBlocks(InferError emitError, AccumAttr accum,
                          int64_t numPositions);

/// Chooses lanes as wide as the machine's vectors, and blocks by the extents of
/// a reduction.
AccumAttr chooseBlocks(MLIRContext *context, int64_t outputs,
                       int64_t positions);

/// Infers the type of losses of the elements of `input`.
LogicalResult inferLoss(InferError emitError, Value input,
                        LossReduction reduction, AccumAttr accum,
                        SmallVectorImpl<Type> &inferredTypes);
/// Infers the type of losses of labels; `weights` may be null.
LogicalResult inferLoss(InferError emitError, Value input, Value labels,
                        Value weights, LossReduction reduction, AccumAttr accum,
                        SmallVectorImpl<Type> &inferredTypes);

/// Checks that a reshape has the same number and type of elements on both
/// sides.
LogicalResult verifyReshape(Operation *op, ShapedType input, ShapedType result);

/// Returns the result type of a transpose or a slice, or an error.
FailureOr<RankedTensorType> inferTranspose(InferError emitError,
                                           ShapedType input,
                                           ArrayRef<int64_t> permutation);
FailureOr<RankedTensorType> inferSlice(InferError emitError, ShapedType input,
                                       ArrayRef<int64_t> starts,
                                       ArrayRef<int64_t> sizes,
                                       ArrayRef<int64_t> steps);

/// Returns whether a slice is all of its operand, in order.
bool isWholeSlice(ShapedType input, ArrayRef<int64_t> sizes,
                  ArrayRef<int64_t> steps);

/// Returns the view of a buffer that corresponds to a reshape, transpose or
/// slice of `input`.
FailureOr<ipu::StridedView> getReshapeView(const ipu::StridedView &input,
                                           ArrayRef<int64_t> shape);
ipu::StridedView getTransposeView(const ipu::StridedView &input,
                                  ArrayRef<int64_t> permutation);
ipu::StridedView getSliceView(const ipu::StridedView &input,
                              ArrayRef<int64_t> starts, ArrayRef<int64_t> sizes,
                              ArrayRef<int64_t> steps);

/// Checks a region `update` that starts at `start` along `axes` of `target`.
LogicalResult checkUpdate(InferError emitError, ShapedType target,
                          RankedTensorType update, RankedTensorType start,
                          ArrayRef<int64_t> axes);

/// Checks that `value` broadcasts to the tensor to which `target` refers.
LogicalResult verifyBroadcast(Operation *op, Value value, RefType target);

/// Returns the result type of a pool of `input`, or an error that calls the
/// operand `name`.
FailureOr<RankedTensorType> inferPool(InferError emitError,
                                      RankedTensorType input,
                                      const WindowAttrs &attrs,
                                      StringRef name = "input");

/// Returns the number of positions that count in each window of a mean, as a
/// tensor that broadcasts to the result. It is one number if all windows are
/// equal.
DenseElementsAttr getWindowCounts(ArrayRef<WindowDim> windows, bool countPads,
                                  FloatType type);
/// The greatest number of windows. No device can hold a plane with more
/// windows, and no host their counts.
constexpr int64_t kMaxWindowCounts = int64_t(1) << 24;

/// Decomposes an op on a ref into `pop.read`, the computation of the op, and
/// `pop.copy_`.
FailureOr<SmallVector<Value>> decomposeInPlace(InPlaceOpInterface op,
                                               OpBuilder &b);

/// Returns the op of one kind with the symbol `name`, or an error of `op`.
template <typename SymbolOp>
FailureOr<SymbolOp> lookupSymbol(Operation *op, FlatSymbolRefAttr name,
                                 SymbolTableCollection &symbolTable) {
  Operation *symbol = symbolTable.lookupNearestSymbolFrom(op, name);
  if (auto found = dyn_cast_or_null<SymbolOp>(symbol))
    return found;
  InFlightDiagnostic error = op->emitOpError()
                             << "expects " << name << " to be a '"
                             << SymbolOp::getOperationName() << "' but ";
  if (!symbol)
    return error << "there is no such symbol";
  error << "got '" << symbol->getName() << "'";
  error.attachNote(symbol->getLoc()) << "the symbol is here";
  return error;
}

/// Returns the access of a tensor whose `domain` has one dimension for each
/// loop.
ipu::TileAccess getWholeAccess(ArrayRef<int64_t> domain);

/// Returns the form of an elementwise op whose operands broadcast to its
/// result.
ipu::TileForm getElementwiseTileForm(Operation *op, ArrayRef<int64_t> domain);

/// The extents of the addends of a convolution, and the regions that are summed
/// separately.
struct ConvBlocks {
  /// The channels of a group, and the number of channels in a block.
  int64_t channels = 0, block = 0;
  /// The kernel, and the positions of a block along each dimension.
  SmallVector<int64_t> kernel, box;

  /// The blocks of the accumulation order `accum` of a convolution with these
  /// weights. One block if `accum` is null or `chain`.
  ConvBlocks(ArrayRef<int64_t> weights, AccumAttr accum);
  /// Returns the number of blocks along each dimension of the kernel.
  SmallVector<int64_t> getNumKernelBlocks() const;
  int64_t getNumChannelBlocks() const {
    return llvm::divideCeilSigned(channels, block);
  }
  int64_t getNumBlocks() const;
};

/// Returns whether each output of a contraction is one chain in the result's
/// type, so that no further rounding is necessary.
bool isSimpleChain(RankedTensorType operand, RankedTensorType result,
                   AccumAttr accum);

/// Returns the windows of a convolution.
SmallVector<WindowDim> getWindows(ConvOp op);
SmallVector<WindowDim> getWindows(ConvPartialsOp op);

/// Returns the number of matrices in a tensor of rank 2 or more.
int64_t getBatch(RankedTensorType type);

/// Positions `start` to `start + size - 1`.
struct Chunk {
  int64_t start = 0;
  int64_t size = 0;
};

/// Splits `size` positions at multiples of `grain` into `parts` nearly equal
/// chunks. There are at most as many parts as grains, and at least one.
SmallVector<Chunk> getChunks(int64_t size, int64_t parts, int64_t grain = 1);

/// Adds the split of a loop of `size` positions at multiples of `grain`, unless
/// there would only be one part.
void addSplit(SmallVectorImpl<ipu::TileSplit> &splits, StringRef name,
              int64_t size, int64_t grain = 1, bool isSerial = true);

/// The sizes of a gather: `indices` select from `rows` rows of `columns`
/// elements, in each of `batch` tables.
struct GatherSizes {
  int64_t batch, indices, rows, columns;
};
GatherSizes getGatherSizes(RankedTensorType table, RankedTensorType indices,
                           int64_t numBatch);

/// Checks that `indices` can select rows of the operand `name`, `table`.
LogicalResult checkRowIndices(InferError emitError, StringRef name,
                              RankedTensorType table, RankedTensorType indices,
                              int64_t numBatch);

/// Returns the shape of the rows of `table` that `indices` select.
SmallVector<int64_t> getRowsShape(RankedTensorType table,
                                  RankedTensorType indices, int64_t numBatch);

/// Returns the row at [batch, index, 0...] of a buffer.
Value buildRow(OpBuilder &b, Location loc, Value buffer, Value batch,
               Value index);

/// Returns the integer at `position` of a buffer of row numbers, as an index.
Value buildRowNumber(OpBuilder &b, Location loc, Value indices,
                     ValueRange position, bool isUnsigned);

/// Returns the type in which row numbers of element type `type` are computed.
/// It can hold the numbers of `rows` rows. Differences of such numbers never
/// wrap to a valid row number.
Type getIndexType(Type type, int64_t rows);

using ScalarBuilder = function_ref<Value(OpBuilder &, Location, ValueRange)>;

/// Builds one linalg.generic over the result. `scalar` builds one element.
void buildElementwiseCodelet(OpBuilder &builder, Location loc,
                             ValueRange buffers, const ipu::TileForm &form,
                             ScalarBuilder scalar);

/// Returns the cost with the name of the op's mnemonic in the table.
ipu::CodeletCost getCost(Operation *op, ipu::CodeletCostKind kind);

/// Builds the combination of two scalars by `kind`. `lhs` is the earlier one.
/// The pop type `elementType` determines the signedness of integers.
Value buildCombine(OpBuilder &b, Location loc, ReduceKind kind,
                   Type elementType, Value lhs, Value rhs);

/// Returns the inverse of the normal distribution function of p, an f64 above 0
/// and below 1 for which 1 - p is exact in f64.
Value buildInverseNormal(OpBuilder &b, Location loc, Value probability);

/// Extends a narrow float to f32; other scalars do not change.
Value buildExtend(OpBuilder &b, Location loc, Value scalar);

/// `value` with elements of another type; `value` itself if it has this type.
Value buildCast(OpBuilder &b, Location loc, Value value, Type elementType);

/// Returns a tensor all of whose elements are `value`.
Value buildSplat(OpBuilder &b, Location loc, ArrayRef<int64_t> shape,
                 TypedAttr value);

/// `value` in another shape; `value` itself if it has this shape.
Value buildReshape(OpBuilder &b, Location loc, Value value,
                   ArrayRef<int64_t> shape);

/// `value` with permuted dimensions; `value` itself if the order does not
/// change.
Value buildTranspose(OpBuilder &b, Location loc, Value value,
                     ArrayRef<int64_t> permutation);

/// Elements `start` to `start + size - 1` of dimension `axis`.
Value buildSlice(OpBuilder &b, Location loc, Value value, int64_t axis,
                 int64_t start, int64_t size);

/// Positions `chunk` of each of the `groups` equal parts of dimension `axis`.
Value buildSliceOfGroups(OpBuilder &b, Location loc, Value value, int64_t axis,
                         int64_t groups, Chunk chunk);

/// `value` with `count` elements `fill` appended to dimension `axis`.
Value buildPadAfter(OpBuilder &b, Location loc, Value value, int64_t axis,
                    int64_t count, TypedAttr fill);

/// Returns the value of the attribute as a scalar of the signless type of
/// buffers.
Value buildScalarConstant(OpBuilder &b, Location loc, TypedAttr value);

} // namespace mlir::pop::detail

#endif // IPU_MLIR_LIB_DIALECT_POP_IR_POPDETAIL_H
