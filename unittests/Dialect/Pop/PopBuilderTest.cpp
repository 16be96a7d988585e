//===- PopBuilderTest.cpp - Builder of pop ops ------------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ipu-mlir/Dialect/Pop/IR/PopBuilder.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/Matchers.h"
#include "mlir/IR/Verifier.h"
#include "mlir/Parser/Parser.h"
#include "mlir/Transforms/DialectConversion.h"
#include "gtest/gtest.h"

using namespace mlir;
using namespace mlir::pop;

namespace {
std::string toText(ModuleOp module) {
  std::string text;
  llvm::raw_string_ostream stream(text);
  module.print(stream);
  return text;
}

class PopBuilderTest : public testing::Test {
protected:
  PopBuilderTest() {
    context.loadDialect<PopDialect, func::FuncDialect>();
    module = parseSourceString<ModuleOp>(R"(
      func.func @f(%x: tensor<4x3xf16>, %y: tensor<3xf16>) {
        %s = pop.exp %x {pop.stage = 1 : i64, pop.vgraph = 2 : i64} : tensor<4x3xf16>
        return
      })",
                                         &context);
    auto function = *module->getOps<func::FuncOp>().begin();
    x = function.getArgument(0);
    y = function.getArgument(1);
    source = &function.getBody().front().front();
    terminator = function.getBody().front().getTerminator();
  }

  RankedTensorType getType(ArrayRef<int64_t> shape, Type elementType) {
    return RankedTensorType::get(shape, elementType);
  }

  /// Returns the value of a constant.
  static DenseElementsAttr getConstant(Value value) {
    DenseElementsAttr constant;
    EXPECT_TRUE(matchPattern(value, m_Constant(&constant)));
    return constant;
  }

  MLIRContext context;
  OwningOpRef<ModuleOp> module;
  Value x, y;
  Operation *source, *terminator;
};

TEST_F(PopBuilderTest, ArithmeticBroadcasts) {
  OpBuilder outer(terminator);
  PopBuilder b(outer, terminator->getLoc());
  Value sum = b.add(x, y);
  EXPECT_TRUE(sum.getDefiningOp<AddOp>());
  EXPECT_EQ(sum.getType(), x.getType());
  Value isLess = b.less(y, sum);
  EXPECT_EQ(isLess.getType(), getType({4, 3}, b.getI1Type()));
  EXPECT_EQ(b.mask(isLess, y).getType(), x.getType());
  EXPECT_EQ(b.mul(sum, b.splatLike(0.5, sum)).getType(), x.getType());
  EXPECT_EQ(b.concat({x, sum}, 1).getType(), getType({4, 6}, b.getF16Type()));
  EXPECT_EQ(b.reduce(ReduceKind::Sum, x, {0}, /*keepDims=*/true, AccumAttr(),
                     b.getF32Type())
                .getType(),
            getType({1, 3}, b.getF32Type()));
  EXPECT_EQ(b.sumOfAll(x).getType(), getType({}, b.getF16Type()));
  EXPECT_TRUE(succeeded(verify(*module)));
}

TEST_F(PopBuilderTest, Constants) {
  PopBuilder b(OpBuilder(terminator), terminator->getLoc());
  auto getFloat = [&](double value, Type type) {
    DenseElementsAttr constant = getConstant(b.splat(value, type));
    EXPECT_EQ(constant.getType(), getType({}, type));
    return constant.getSplatValue<APFloat>().convertToDouble();
  };
  // 1/3 is rounded to the nearest number of each type.
  EXPECT_EQ(getFloat(1.0 / 3, b.getF16Type()), 0x1.554p-2);
  EXPECT_EQ(getFloat(1.0 / 3, b.getBF16Type()), 0x1.56p-2);
  EXPECT_EQ(getFloat(1.0 / 3, b.getF32Type()), 0x1.555556p-2);
  EXPECT_EQ(getFloat(1.0 / 3, b.getF64Type()), 1.0 / 3);
  auto getInteger = [&](double value, Type type) {
    return getConstant(b.splat(value, type)).getSplatValue<APInt>();
  };
  Type unsignedByte = b.getIntegerType(8, /*isSigned=*/false);
  EXPECT_EQ(getInteger(-2.75, b.getI32Type()).getSExtValue(), -2);
  EXPECT_EQ(getInteger(1e20, b.getI32Type()).getSExtValue(), 0x7fffffff);
  EXPECT_EQ(getInteger(-1, unsignedByte).getZExtValue(), 0u);
  EXPECT_EQ(getInteger(300, unsignedByte).getZExtValue(), 255u);
  EXPECT_TRUE(getInteger(0.5, b.getI1Type()).isOne());

  Value zeros = b.zeros(getType({2, 3}, b.getI64Type()));
  EXPECT_EQ(zeros.getType(), getType({2, 3}, b.getI64Type()));
  EXPECT_TRUE(getConstant(zeros).getSplatValue<APInt>().isZero());
  Value numbers = b.iota(3, b.getI32Type(), /*axis=*/1, /*rank=*/3);
  EXPECT_EQ(numbers.getType(), getType({1, 3, 1}, b.getI32Type()));
  EXPECT_EQ(llvm::to_vector(getConstant(numbers).getValues<int32_t>()),
            (SmallVector<int32_t>{0, 1, 2}));
}

TEST_F(PopBuilderTest, NothingToChange) {
  PopBuilder b(OpBuilder(terminator), terminator->getLoc());
  std::string before = toText(*module);
  EXPECT_EQ(b.cast(x, b.getF16Type()), x);
  EXPECT_EQ(b.reshape(x, {4, 3}), x);
  EXPECT_EQ(b.expand(x, {4, 3}), x);
  EXPECT_EQ(b.transpose(x, {0, 1}), x);
  EXPECT_EQ(b.slice(x, /*axis=*/1, /*start=*/0, /*size=*/3), x);
  EXPECT_EQ(b.pad(x, {0, 0}, {0, 0}), x);
  EXPECT_EQ(b.concat(x, 0), x);
  EXPECT_EQ(toText(*module), before);

  EXPECT_EQ(b.widen(x).getType(), getType({4, 3}, b.getF32Type()));
  EXPECT_EQ(b.widen(b.iota(2, b.getI32Type())).getType(),
            getType({2}, b.getI32Type()));
  EXPECT_EQ(b.reshape(x, {12}).getType(), getType({12}, b.getF16Type()));
  EXPECT_EQ(b.transpose(x, {1, 0}).getType(), getType({3, 4}, b.getF16Type()));
  EXPECT_EQ(b.slice(x, 1, 2, 3, -1).getType(), x.getType());
  EXPECT_EQ(b.pad(x, {1, 0}, {0, 2}).getType(),
            getType({5, 5}, b.getF16Type()));
  EXPECT_TRUE(succeeded(verify(*module)));
}

/// A listener that counts inserted ops.
struct Counter : OpBuilder::Listener {
  void notifyOperationInserted(Operation *, OpBuilder::InsertPoint) override {
    ++numOps;
  }
  unsigned numOps = 0;
};

TEST_F(PopBuilderTest, PlacementAndLocation) {
  source->setLoc(NameLoc::get(StringAttr::get(&context, "exponential")));
  Counter counter;
  OpBuilder outer(terminator, &counter);
  PopBuilder placed(outer, source);
  Value product = placed.mul(x, placed.splatLike(2.0, x));
  EXPECT_EQ(counter.numOps, 2u);
  EXPECT_EQ(product.getLoc(), source->getLoc());
  EXPECT_EQ(getPlacement(product.getDefiningOp()), getPlacement(source));
  EXPECT_TRUE(source->isBeforeInBlock(product.getDefiningOp()));

  Value before = PopBuilder(source).neg(x);
  EXPECT_EQ(getPlacement(before.getDefiningOp()), getPlacement(source));
  EXPECT_TRUE(before.getDefiningOp()->isBeforeInBlock(source));

  PopBuilder plain(outer, terminator->getLoc());
  Value other = plain.abs(x);
  EXPECT_EQ(counter.numOps, 3u);
  EXPECT_EQ(other.getLoc(), terminator->getLoc());
  EXPECT_TRUE(getPlacement(other.getDefiningOp()).empty());
}

/// Converts an op of another dialect with two operands, as a front end does.
/// The pattern fails after it has built ops if `fails` is set.
struct ConvertAverage : ConversionPattern {
  ConvertAverage(MLIRContext *context, bool fails)
      : ConversionPattern("foreign.average", /*benefit=*/1, context),
        fails(fails) {}

  LogicalResult
  matchAndRewrite(Operation *op, ArrayRef<Value> operands,
                  ConversionPatternRewriter &rewriter) const override {
    PopBuilder b(rewriter, op);
    Value wide = b.add(b.widen(operands[0]), b.widen(operands[1]));
    Value half = b.mul(wide, b.splatLike(0.5, wide));
    Value average = b.cast(
        half,
        cast<RankedTensorType>(op->getResult(0).getType()).getElementType());
    if (fails)
      return rewriter.notifyMatchFailure(op, "built in vain");
    rewriter.replaceOp(op, average);
    return success();
  }

  bool fails;
};

class ConversionTest : public testing::Test {
protected:
  ConversionTest() {
    context.allowUnregisteredDialects();
    context.loadDialect<PopDialect, func::FuncDialect>();
    module = parseSourceString<ModuleOp>(R"(
      func.func @f(%x: tensor<4xf16>, %y: tensor<4xf16>) -> tensor<4xf16> {
        %a = "foreign.average"(%x, %y) {pop.stage = 1 : i64}
          : (tensor<4xf16>, tensor<4xf16>) -> tensor<4xf16>
        return %a : tensor<4xf16>
      })",
                                         &context);
  }

  LogicalResult convert(bool fails) {
    RewritePatternSet patterns(&context);
    patterns.add<ConvertAverage>(&context, fails);
    ConversionTarget target(context);
    target.addLegalDialect<PopDialect, func::FuncDialect>();
    target.addIllegalOp(OperationName("foreign.average", &context));
    ScopedDiagnosticHandler quiet(&context,
                                  [](Diagnostic &) { return success(); });
    return applyPartialConversion(*module, target, std::move(patterns));
  }

  MLIRContext context;
  OwningOpRef<ModuleOp> module;
};

TEST_F(ConversionTest, BuildsFromConversionRewriter) {
  ASSERT_TRUE(succeeded(convert(/*fails=*/false)));
  EXPECT_TRUE(succeeded(verify(*module)));
  SmallVector<StringRef> names;
  module->walk([&](Operation *op) {
    if (!isa<PopDialect>(op->getDialect()))
      return;
    names.push_back(op->getName().stripDialect());
    EXPECT_EQ(getStage(op), 1);
  });
  EXPECT_EQ(names, (SmallVector<StringRef>{"cast", "cast", "add", "constant",
                                           "mul", "cast"}));
}

TEST_F(ConversionTest, FailedPatternIsRolledBack) {
  std::string before = toText(*module);
  EXPECT_TRUE(failed(convert(/*fails=*/true)));
  EXPECT_EQ(toText(*module), before);
}

} // namespace
