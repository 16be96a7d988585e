//===- PopBuilder.cpp - Builder of pop ops ----------------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// This file is compiled with exceptions: buildOp of a front end may throw. No
// exception passes through a function of MLIR.
//
//===----------------------------------------------------------------------===//

#include "ipu-mlir/Dialect/Pop/IR/PopBuilder.h"

#include "mlir/Dialect/Utils/IndexingUtils.h"
#include "mlir/Interfaces/InferTypeOpInterface.h"
#include "llvm/ADT/APSInt.h"
#include "llvm/Support/MathExtras.h"
#include <numeric>

using namespace mlir;
using namespace mlir::pop;

/// The greatest number of elements of a constant that iota() builds.
static constexpr int64_t kMaxIotaConstant = int64_t(1) << 24;

static RankedTensorType getTypeOf(Value tensor) {
  return cast<RankedTensorType>(tensor.getType());
}

PopBuilder::PopBuilder(const OpBuilder &b, Operation *source)
    : ImplicitLocOpBuilder(source->getLoc(), b) {
  placer.emplace(b.getListener(), source);
  setListener(&*placer);
}

PopBuilder::PopBuilder(Operation *source)
    : ImplicitLocOpBuilder(source->getLoc(), source) {
  placer.emplace(/*listener=*/nullptr, source);
  setListener(&*placer);
}

void PopBuilder::Placer::notifyOperationInserted(Operation *op,
                                                 InsertPoint previous) {
  // An op that is moved keeps its placement.
  if (!previous.isSet())
    inheritPlacement(source, op);
  ForwardingListener::notifyOperationInserted(op, previous);
}

//===----------------------------------------------------------------------===//
// Ops
//===----------------------------------------------------------------------===//

Value PopBuilder::buildOp(OperationState &state) {
  if (!state.types.front()) {
    state.types.clear();
    auto *infer = state.name.getInterface<InferTypeOpInterface>();
    if (failed(infer->inferReturnTypes(
            getContext(), state.location, state.operands,
            state.attributes.getDictionary(getContext()),
            state.getRawProperties(), state.regions, state.types)))
      mlir::detail::reportFatalInferReturnTypesError(state);
  }
  return OpBuilder::create(state)->getResult(0);
}

template <typename OpT, typename... Args>
Value PopBuilder::build(Type type, Args &&...args) {
  auto name = RegisteredOperationName::lookup(TypeID::get<OpT>(), getContext());
  assert(name && "the pop dialect is not loaded");
  OperationState state(getLoc(), *name);
  OpT::build(*this, state, type, std::forward<Args>(args)...);
  return buildOp(state);
}

//===----------------------------------------------------------------------===//
// Constants
//===----------------------------------------------------------------------===//

Value PopBuilder::constant(ElementsAttr value) {
  return build<ConstantOp>(value.getType(), value);
}

Value PopBuilder::splat(TypedAttr value, ArrayRef<int64_t> shape) {
  auto type = RankedTensorType::get(shape, value.getType());
  return constant(DenseElementsAttr::get(type, static_cast<Attribute>(value)));
}

Value PopBuilder::splat(const APFloat &value, Type elementType,
                        ArrayRef<int64_t> shape) {
  bool isExact;
  if (auto type = dyn_cast<FloatType>(elementType)) {
    APFloat rounded = value;
    rounded.convert(type.getFloatSemantics(), APFloat::rmNearestTiesToEven,
                    &isExact);
    return splat(getFloatAttr(type, rounded), shape);
  }
  if (elementType.isInteger(1))
    return splat(getBoolAttr(!value.isZero()), shape);
  llvm::APSInt integer(elementType.getIntOrFloatBitWidth(),
                       elementType.isUnsignedInteger());
  value.convertToInteger(integer, APFloat::rmTowardZero, &isExact);
  return splat(getIntegerAttr(elementType, integer), shape);
}

Value PopBuilder::zeros(RankedTensorType type) {
  Attribute zero = getZeroAttr(type.getElementType());
  return splat(llvm::cast<TypedAttr>(zero), type.getShape());
}

Value PopBuilder::splatLike(double value, Value like) {
  return splat(value, getTypeOf(like).getElementType());
}

template <typename T>
static DenseElementsAttr getIota(RankedTensorType type) {
  std::vector<T> values(type.getNumElements());
  std::iota(values.begin(), values.end(), T(0));
  return DenseElementsAttr::get(type, ArrayRef<T>(values));
}

/// Builds the numbers 0 to `count` - 1 of rank 1: adds their high and their low
/// digits in base kBase, so that the host need not store all numbers.
static Value buildLongIota(PopBuilder &b, int64_t count, Type elementType) {
  constexpr int64_t kBase = 1 << 16;
  int64_t numHigh = llvm::divideCeilSigned(count, kBase);
  Value high = b.iota(numHigh, elementType, /*axis=*/0, /*rank=*/2);
  Value low = b.iota(kBase, elementType, /*axis=*/1, /*rank=*/2);
  Value numbers = b.add(b.mul(high, b.splatLike(kBase, high)), low);
  return b.slice(b.reshape(numbers, {numHigh * kBase}), /*axis=*/0, 0, count);
}

Value PopBuilder::iota(int64_t count, Type elementType, int64_t axis,
                       int64_t rank) {
  SmallVector<int64_t> shape(rank, 1);
  shape[axis] = count;
  if (count > kMaxIotaConstant)
    return reshape(buildLongIota(*this, count, elementType), shape);
  auto type = RankedTensorType::get(shape, elementType);
  if (elementType.isSignlessInteger(32))
    return constant(getIota<int32_t>(type));
  if (elementType.isSignlessInteger(64))
    return constant(getIota<int64_t>(type));
  unsigned width = elementType.getIntOrFloatBitWidth();
  SmallVector<APInt> values;
  values.reserve(count);
  for (int64_t i = 0; i < count; ++i)
    values.emplace_back(width, i, /*isSigned=*/false, /*implicitTrunc=*/true);
  return constant(DenseElementsAttr::get(type, values));
}

//===----------------------------------------------------------------------===//
// Arithmetic
//===----------------------------------------------------------------------===//

Value PopBuilder::add(Value a, Value b) { return build<AddOp>({}, a, b); }
Value PopBuilder::sub(Value a, Value b) { return build<SubOp>({}, a, b); }
Value PopBuilder::mul(Value a, Value b) { return build<MulOp>({}, a, b); }
Value PopBuilder::div(Value a, Value b) { return build<DivOp>({}, a, b); }
Value PopBuilder::max(Value a, Value b) { return build<MaxOp>({}, a, b); }
Value PopBuilder::min(Value a, Value b) { return build<MinOp>({}, a, b); }
Value PopBuilder::neg(Value x) { return build<NegOp>({}, x); }
Value PopBuilder::abs(Value x) { return build<AbsOp>({}, x); }
Value PopBuilder::exp(Value x) { return build<ExpOp>({}, x); }
Value PopBuilder::log(Value x) { return build<LogOp>({}, x); }
Value PopBuilder::sqrt(Value x) { return build<SqrtOp>({}, x); }
Value PopBuilder::equal(Value a, Value b) { return build<EqualOp>({}, a, b); }
Value PopBuilder::less(Value a, Value b) { return build<LessOp>({}, a, b); }
Value PopBuilder::greater(Value a, Value b) {
  return build<GreaterOp>({}, a, b);
}

Value PopBuilder::select(Value condition, Value a, Value b) {
  return build<SelectOp>({}, condition, a, b);
}

Value PopBuilder::mask(Value condition, Value x) {
  return select(condition, x, splatLike(0.0, x));
}

//===----------------------------------------------------------------------===//
// Element types
//===----------------------------------------------------------------------===//

Value PopBuilder::cast(Value x, Type elementType) {
  RankedTensorType type = getTypeOf(x);
  if (type.getElementType() == elementType)
    return x;
  return build<CastOp>(type.clone(elementType), x);
}

Value PopBuilder::widen(Value x) {
  return cast(x, getComputeType(getTypeOf(x).getElementType()));
}

//===----------------------------------------------------------------------===//
// Shapes
//===----------------------------------------------------------------------===//

static bool areAll(ArrayRef<int64_t> values, int64_t value) {
  return llvm::all_of(values, [&](int64_t each) { return each == value; });
}

Value PopBuilder::reshape(Value x, ArrayRef<int64_t> shape) {
  RankedTensorType type = getTypeOf(x);
  if (type.getShape() == shape)
    return x;
  return build<ReshapeOp>(type.clone(shape), x);
}

Value PopBuilder::expand(Value x, ArrayRef<int64_t> shape) {
  RankedTensorType type = getTypeOf(x);
  if (type.getShape() == shape)
    return x;
  return build<ExpandOp>(type.clone(shape), x);
}

Value PopBuilder::transpose(Value x, ArrayRef<int64_t> permutation) {
  if (isIdentityPermutation(permutation) &&
      static_cast<int64_t>(permutation.size()) == getTypeOf(x).getRank())
    return x;
  return build<TransposeOp>({}, x, permutation);
}

Value PopBuilder::slice(Value x, ArrayRef<int64_t> starts,
                        ArrayRef<int64_t> sizes, ArrayRef<int64_t> steps) {
  // The attributes may not be valid: those that are not compared must fit.
  if (getTypeOf(x).getShape() == sizes && steps.size() == sizes.size() &&
      starts.size() == sizes.size() && areAll(starts, 0) && areAll(steps, 1))
    return x;
  return build<SliceOp>({}, x, starts, sizes, steps);
}

Value PopBuilder::slice(Value x, int64_t axis, int64_t start, int64_t size,
                        int64_t step) {
  RankedTensorType type = getTypeOf(x);
  SmallVector<int64_t> starts(type.getRank(), 0), sizes(type.getShape()),
      steps(type.getRank(), 1);
  starts[axis] = start;
  sizes[axis] = size;
  steps[axis] = step;
  return slice(x, starts, sizes, steps);
}

Value PopBuilder::concat(ValueRange values, int64_t axis) {
  if (values.size() == 1)
    return values.front();
  return build<ConcatOp>({}, values, axis);
}

Value PopBuilder::pad(Value x, ArrayRef<int64_t> low, ArrayRef<int64_t> high,
                      TypedAttr value) {
  if (areAll(low, 0) && areAll(high, 0))
    return x;
  if (!value)
    value = llvm::cast<TypedAttr>(getZeroAttr(getTypeOf(x).getElementType()));
  return build<PadOp>({}, x, low, high, value);
}

//===----------------------------------------------------------------------===//
// Reductions
//===----------------------------------------------------------------------===//

Value PopBuilder::reduce(ReduceKind kind, Value x, ArrayRef<int64_t> axes,
                         bool keepDims, AccumAttr order, Type elementType) {
  RankedTensorType input = getTypeOf(x), type;
  if (elementType && elementType != input.getElementType()) {
    SmallVector<int64_t> shape;
    for (auto [i, size] : llvm::enumerate(input.getShape()))
      if (!llvm::is_contained(axes, static_cast<int64_t>(i)))
        shape.push_back(size);
      else if (keepDims)
        shape.push_back(1);
    type = RankedTensorType::get(shape, elementType);
  }
  return build<ReduceOp>(type, kind, x, axes, keepDims, order);
}

Value PopBuilder::sumOfAll(Value x, AccumAttr order) {
  auto axes = llvm::to_vector(llvm::seq<int64_t>(getTypeOf(x).getRank()));
  return reduce(ReduceKind::Sum, x, axes, /*keepDims=*/false, order);
}

Value PopBuilder::mean(Value x, ArrayRef<int64_t> axes, bool keepDims) {
  RankedTensorType type = getTypeOf(x);
  if (isa<FloatType>(type.getElementType()))
    return reduce(ReduceKind::Mean, x, axes, keepDims);
  int64_t count = 1;
  for (int64_t axis : axes)
    count *= type.getDimSize(axis);
  Value total = sum(x, axes, keepDims);
  return div(total, splatLike(static_cast<double>(count), total));
}

Value PopBuilder::softmax(Value x, int64_t axis) {
  return build<SoftmaxOp>({}, x, axis, /*accum=*/AccumAttr(),
                          /*compute=*/TypeAttr());
}
