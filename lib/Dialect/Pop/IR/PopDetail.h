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

// Parses `custom<BroadcastTypes>`: `type` if all three types are equal,
// otherwise `(lhs, rhs) -> result`.
ParseResult parseBroadcastTypes(OpAsmParser &parser, Type &lhs, Type &rhs,
                                Type &result);
void printBroadcastTypes(OpAsmPrinter &printer, Operation *op, Type lhs,
                         Type rhs, Type result);

// Parses `custom<SortOrders>`: the names of orders in brackets.
ParseResult parseSortOrders(OpAsmParser &parser, ArrayAttr &orders);
void printSortOrders(OpAsmPrinter &printer, Operation *op, ArrayAttr orders);

} // namespace mlir::pop

namespace mlir::pop::detail {

/// Infers the result type of an op whose operands broadcast: the shape to which
/// all operands broadcast, with elements of `elementType`.
LogicalResult inferBroadcast(InferError emitError, ValueRange operands,
                             Type elementType,
                             SmallVectorImpl<Type> &inferredTypes);

/// Returns whether `actual` is one type that has the shape of `inferred`, and
/// either the element type of `inferred` or the type in which such elements are
/// accumulated.
bool isRoundedOrNot(TypeRange inferred, TypeRange actual);

/// Checks that `accum` is null or has the order `order`.
LogicalResult checkAccum(InferError emitError, AccumAttr accum,
                         AccumOrder order);

/// Checks that `accum` is null, or that it is `blocked` without the parameters
/// `group`, `kernel` and `partials`. If `numPositions` is greater than 1, its
/// blocks must have at least 2 elements, because blocks of one element would
/// not make the reduction shorter. A `box` must have `numDims` sizes; if
/// `numDims` is 0, there must be no `box`.
LogicalResult checkBlocks(InferError emitError, AccumAttr accum,
                          int64_t numPositions, size_t numDims = 0);

/// Divides the ascending `axes` of a tensor of `shape` into groups of adjacent
/// axes. Other dimensions between adjacent axes have the size 1.
SmallVector<ArrayRef<int64_t>> getAdjacentAxes(ArrayRef<int64_t> shape,
                                               ArrayRef<int64_t> axes);

/// Returns the dimensions over which a batch normalisation of a tensor of
/// `shape` computes statistics: all but dimension 1.
SmallVector<int64_t> getStatisticAxes(ArrayRef<int64_t> shape);

/// Checks that `axes` are ascending dimensions of a tensor of `rank`.
LogicalResult checkAxes(InferError emitError, ArrayRef<int64_t> axes,
                        int64_t rank);

/// Returns `shape` without the dimensions `axes` or, with `keepDims`, with size
/// 1 in these dimensions.
SmallVector<int64_t> getReducedShape(ArrayRef<int64_t> shape,
                                     ArrayRef<int64_t> axes, bool keepDims);

/// Returns a blocked accumulation order for a reduction with `outputs` results
/// of `positions` elements each. It has AccumAttr::kAccumLanes lanes. The
/// blocks depend on the extents of the reduction.
AccumAttr chooseBlocks(MLIRContext *context, int64_t outputs,
                       int64_t positions);

/// Infers the result type of a loss that is computed from the elements of
/// `input`.
LogicalResult inferLoss(InferError emitError, Value input,
                        LossReduction reduction, AccumAttr accum,
                        SmallVectorImpl<Type> &inferredTypes);
/// Infers the result type of a loss that is computed from `input` and `labels`.
/// `weights` may be null.
LogicalResult inferLoss(InferError emitError, Value input, Value labels,
                        Value weights, LossReduction reduction, AccumAttr accum,
                        SmallVectorImpl<Type> &inferredTypes);

/// Checks that the input and the result of a reshape have equal numbers of
/// elements and equal element types.
LogicalResult verifyReshape(Operation *op, ShapedType input, ShapedType result);

/// Return the result type of a transpose or a slice of `input`. Emit an error
/// if its attributes are not valid.
FailureOr<RankedTensorType> inferTranspose(InferError emitError,
                                           ShapedType input,
                                           ArrayRef<int64_t> permutation);
FailureOr<RankedTensorType> inferSlice(InferError emitError, ShapedType input,
                                       ArrayRef<int64_t> starts,
                                       ArrayRef<int64_t> sizes,
                                       ArrayRef<int64_t> steps);

/// Returns whether a slice of `input` consists of all elements of `input` in
/// their order.
bool isWholeSlice(ShapedType input, ArrayRef<int64_t> sizes,
                  ArrayRef<int64_t> steps);

/// Return the view of a buffer that is a transpose or slice of the view
/// `input`.
ipu::StridedView getTransposeView(const ipu::StridedView &input,
                                  ArrayRef<int64_t> permutation);
ipu::StridedView getSliceView(const ipu::StridedView &input,
                              ArrayRef<int64_t> starts, ArrayRef<int64_t> sizes,
                              ArrayRef<int64_t> steps);

/// Checks that a tensor of type `update` can replace a region of a tensor of
/// type `target`. The region starts at `start` along `axes`.
LogicalResult checkUpdate(InferError emitError, ShapedType target,
                          RankedTensorType update, RankedTensorType start,
                          ArrayRef<int64_t> axes);

/// Checks that `value` broadcasts to the tensor to which `target` refers.
LogicalResult verifyBroadcast(Operation *op, Value value, RefType target);

/// Returns the result type of a pooling of `input`. Emits an error, which names
/// the operand `name`, if the attributes are not valid.
FailureOr<RankedTensorType> inferPool(InferError emitError,
                                      RankedTensorType input,
                                      const WindowAttrs &attrs,
                                      StringRef name = "input");

/// Returns, for each window of a mean pooling, the number of positions over
/// which the mean is computed. The result broadcasts to the result of the
/// pooling, and is a single number if all windows have equal numbers.
DenseElementsAttr getWindowCounts(ArrayRef<WindowDim> windows, bool countPads,
                                  FloatType type);
/// The greatest number of windows in the spatial dimensions of a result for
/// which getWindowCounts may be called. The counts are elements of a constant;
/// with this number of windows, the constant has 64 MiB in f32.
constexpr int64_t kMaxWindowCounts = int64_t(1) << 24;

/// Decomposes an op on a ref into `pop.read`, the computation of the op, and
/// `pop.copy_`.
FailureOr<SmallVector<Value>> decomposeInPlace(InPlaceOpInterface op,
                                               OpBuilder &b);

/// Returns the op of type SymbolOp with the symbol `name`. Emits an error at
/// `op` if there is no such op.
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

/// Returns the access of a tensor whose shape is `domain`, the extents of the
/// loops, so that each dimension is indexed by one loop.
ipu::TileAccess getWholeAccess(ArrayRef<int64_t> domain);

/// Returns the tile form of an elementwise op whose operands broadcast to its
/// result.
ipu::TileForm getElementwiseTileForm(Operation *op, ArrayRef<int64_t> domain);

/// The blocks into which the accumulation order of a convolution divides its
/// addends. Each block is summed separately.
struct ConvBlocks {
  /// The number of input channels of a group, and the number of channels of a
  /// block.
  int64_t channels = 0, block = 0;
  /// The sizes of the kernel, and the number of kernel positions of a block
  /// along each dimension of the kernel.
  SmallVector<int64_t> kernel, region;

  /// Creates the blocks of the accumulation order `accum` for a convolution
  /// whose weights have the shape `weights`. There is one block if `accum` is
  /// null or `chain`.
  ConvBlocks(ArrayRef<int64_t> weights, AccumAttr accum);
  /// Returns the number of blocks along each dimension of the kernel, not
  /// counting the blocks of channels.
  SmallVector<int64_t> getNumKernelBlocks() const;
  int64_t getNumChannelBlocks() const {
    return llvm::divideCeilSigned(channels, block);
  }
  int64_t getNumBlocks() const;
};

/// Returns whether each result element of a contraction is accumulated as one
/// chain in the type of the result, so that the accumulated value needs no
/// further rounding.
bool isSimpleChain(RankedTensorType operand, RankedTensorType result,
                   AccumAttr accum);

/// Return the windows of a convolution, one for each spatial dimension.
SmallVector<WindowDim> getWindows(ConvOp op);
SmallVector<WindowDim> getWindows(ConvPartialsOp op);

/// Returns the number of matrices in a tensor of rank 2 or more.
int64_t getBatch(RankedTensorType type);

/// The positions `start` to `start + size - 1` of a loop or a dimension.
struct Chunk {
  int64_t start = 0;
  int64_t size = 0;
};

/// Splits `size` positions into `parts` chunks of nearly equal size that start
/// at multiples of `grain`. There are at most ceil(size / grain) chunks, and at
/// least one.
SmallVector<Chunk> getChunks(int64_t size, int64_t parts, int64_t grain = 1);

/// Appends to `splits` a split of the loop `name`, which has `size` positions,
/// at multiples of `grain`. Appends nothing if the split would have only one
/// part.
void addSplit(SmallVectorImpl<ipu::TileSplit> &splits, StringRef name,
              int64_t size, int64_t grain = 1, bool isSerial = true);

/// The sizes of a gather. In each of `batch` tables, `indices` indices select
/// from `rows` rows of `columns` elements.
struct GatherSizes {
  int64_t batch, indices, rows, columns;
};
GatherSizes getGatherSizes(RankedTensorType table, RankedTensorType indices,
                           int64_t numBatch);

/// The greatest number of blocks into which splits of gathers and scatters
/// divide the rows.
constexpr int64_t kMaxRowBlocks = 64;
/// The number of indices that one worker lists for all blocks of rows.
constexpr int64_t kBucketChunk = 64;

/// Returns the number of rows of a block if `rows` rows are divided into at
/// most `parts` blocks. It is a power of two, because a shift of a row number
/// takes less time than a division.
int64_t getRowBlock(int64_t rows, int64_t parts);

/// Appends to `splits` the split `buckets` of a scatter with these sizes, if it
/// is possible.
void addBucketSplit(SmallVectorImpl<ipu::TileSplit> &splits,
                    const GatherSizes &sizes);

/// Checks that a scatter may combine elements of `elementType` by `kind`.
LogicalResult checkScatterKind(InferError emitError, ScatterKind kind,
                               Type elementType);

/// Returns the type in which a scatter combines elements of `elementType`.
Type getCombineType(ScatterKind kind, Type elementType);

/// Builds the combination of `row` with `update` by `kind`. Both are views that
/// buildRow() returns.
void buildRowUpdate(OpBuilder &b, Location loc, ScatterKind kind,
                    Type elementType, Value update, Value row);

/// Returns the cost of a scatter whose result has `rows` rows.
ipu::CodeletCost getScatterCost(ipu::CodeletCostKind costKind, ScatterKind kind,
                                int64_t rows);

/// Checks that a tensor of type `indices` can select rows of `table`, the type
/// of the operand `name`.
LogicalResult checkRowIndices(InferError emitError, StringRef name,
                              RankedTensorType table, RankedTensorType indices,
                              int64_t numBatch);

/// Returns the shape of the tensor of all rows of `table` that `indices`
/// select.
SmallVector<int64_t> getRowsShape(RankedTensorType table,
                                  RankedTensorType indices, int64_t numBatch);

/// Builds a view [1, 1, columns] of the row of `buffer` at [position..., 0...].
/// `position` has a number for each dimension of `buffer` except the last one.
Value buildRow(OpBuilder &b, Location loc, Value buffer, ValueRange position);

/// Returns whether the numbers of the elements of a tensor of shape `domain`
/// have at most 32 bits, so that a codelet can compute them.
bool hasElementNumbers(ArrayRef<int64_t> domain);

/// Builds the position along dimension `dim` of the first element of `buffer`
/// in its variable, as an index. `buffer` is an output of the codelet, and its
/// domain is `domain`, which has element numbers.
Value buildFirstPosition(OpBuilder &b, Location loc, Value buffer,
                         ArrayRef<int64_t> domain, unsigned dim);

/// Builds a load of the row number at `position` of the buffer `indices`, as an
/// index.
Value buildRowNumber(OpBuilder &b, Location loc, Value indices,
                     ValueRange position, bool isUnsigned);

/// Returns the type in which row numbers of element type `type` are computed.
/// The type can represent the numbers of `rows` rows, and a difference of such
/// numbers never wraps to a valid row number.
Type getIndexType(Type type, int64_t rows);

using ScalarBuilder = function_ref<Value(OpBuilder &, Location, ValueRange)>;

/// Builds the body of a codelet as one linalg.generic over the result. `scalar`
/// builds the computation of one element.
void buildElementwiseCodelet(OpBuilder &builder, Location loc,
                             ValueRange buffers, const ipu::TileForm &form,
                             ScalarBuilder scalar);

/// Returns the cost of the codelet whose name in the table of codelet costs is
/// the mnemonic of `op`.
ipu::CodeletCost getCost(Operation *op, ipu::CodeletCostKind kind);

/// Builds the combination of two scalars by `kind`. `lhs` is the scalar that is
/// earlier in the accumulation order. The pop type `elementType` determines the
/// signedness of integers.
Value buildCombine(OpBuilder &b, Location loc, ReduceKind kind,
                   Type elementType, Value lhs, Value rhs);

/// Builds whether `x` is greater (`max`) or less (`min`) than `other`. A NaN is
/// more extreme than every number, but not than another NaN. The pop type
/// `elementType` determines the signedness of integers.
Value buildIsMoreExtreme(OpBuilder &b, Location loc, ReduceKind kind,
                         Type elementType, Value x, Value other);

/// Builds the inverse of the normal distribution function at `probability`, an
/// f64 between 0 and 1 (exclusive) for which 1 - `probability` is exact in f64.
Value buildInverseNormal(OpBuilder &b, Location loc, Value probability);

/// Extends `scalar` to f32 if it is a narrow float. Returns other scalars
/// unchanged.
Value buildExtend(OpBuilder &b, Location loc, Value scalar);

/// Builds a scalar constant with the value of the attribute `value`. Its type
/// is the signless type in which buffers store such elements.
Value buildScalarConstant(OpBuilder &b, Location loc, TypedAttr value);

} // namespace mlir::pop::detail

#endif // IPU_MLIR_LIB_DIALECT_POP_IR_POPDETAIL_H
