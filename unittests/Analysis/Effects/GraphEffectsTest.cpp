//===- GraphEffectsTest.cpp - Effects of graphs ---------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ipu-mlir/Analysis/Effects/GraphEffects.h"
#include "../GraphTest.h"
#include <random>

using namespace mlir;
using namespace mlir::ipu;

namespace {

class GraphEffectsTest : public GraphTest {
protected:
  SymbolRefAttr symbol(StringRef name) {
    return FlatSymbolRefAttr::get(&context, name);
  }
};

TEST_F(GraphEffectsTest, Origins) {
  GraphEffects effects(parse(R"mlir(
    pop.variable @w : tensor<4x4xf32> = dense<1.0> : tensor<4x4xf32>
    func.func @main(%arg: !pop.ref<4x4xf32>) {
      %w = pop.get_variable @w : !pop.ref<4x4xf32>
      %row = pop.ref_slice %w {starts = array<i64: 1, 0>, sizes = array<i64: 1, 4>, steps = array<i64: 1, 1>} : !pop.ref<4x4xf32> -> !pop.ref<1x4xf32>
      %column = pop.ref_slice %arg {starts = array<i64: 0, 2>, sizes = array<i64: 4, 1>, steps = array<i64: 1, 1>} : !pop.ref<4x4xf32> -> !pop.ref<4x1xf32>
      %flat = pop.ref_reshape %row : !pop.ref<1x4xf32> to !pop.ref<4xf32>
      %new = pop.alloc zero : !pop.ref<4xf32>
      pop.zero_ %flat : !pop.ref<4xf32>
      return
    })mlir"));
  auto flat = getOp<pop::RefReshapeOp>("main");
  const RefOrigin &origin = effects.getOrigin(flat.getResult());
  EXPECT_EQ(origin.variable, symbol("w"));
  EXPECT_EQ(origin.getDefiningOp(), getOp<pop::GetVariableOp>("main"));
  ASSERT_TRUE(origin.view);
  EXPECT_EQ(origin.view->offset, 4);
  EXPECT_EQ(origin.view->sizes, SmallVector<int64_t>({4}));
  EXPECT_EQ(origin.view->strides, SmallVector<int64_t>({1}));

  auto column = getOp<pop::RefSliceOp>("main", 1);
  const RefOrigin &ofColumn = effects.getOrigin(column.getResult());
  EXPECT_EQ(ofColumn.root, getFunction("main").getArgument(0));
  EXPECT_FALSE(ofColumn.variable);
  EXPECT_EQ(ofColumn.view->offset, 2);

  Value alloc = getOp<pop::AllocOp>("main").getResult();
  EXPECT_EQ(effects.getOrigin(alloc).root, alloc);

  // The call only writes this row of the variable.
  auto zero = getOp<pop::ZeroInPlaceOp>("main");
  auto row = getOp<pop::RefSliceOp>("main", 0);
  EXPECT_TRUE(effects.mayWrite(zero, flat.getResult()));
  EXPECT_TRUE(effects.mayWrite(zero, row.getResult()));
  EXPECT_TRUE(effects.mayWrite(zero, getOp<pop::GetVariableOp>("main")));
  EXPECT_FALSE(effects.mayWrite(zero, column.getResult()));
  EXPECT_FALSE(effects.mayWrite(zero, alloc));
}

TEST_F(GraphEffectsTest, CallsAndRegions) {
  GraphEffects effects(parse(R"mlir(
    pop.variable @w : tensor<4xf32> = dense<1.0> : tensor<4xf32>
    pop.stream @s host_to_device : tensor<4xf32>
    pop.remote_buffer @b : 3 x tensor<4xf32>
    func.func private @inner(%a: !pop.ref<4xf32>, %b: !pop.ref<4xf32>) {
      %t = pop.read %b : !pop.ref<4xf32>
      %half = pop.ref_slice %a {starts = array<i64: 2>, sizes = array<i64: 2>, steps = array<i64: 1>} : !pop.ref<4xf32> -> !pop.ref<2xf32>
      pop.zero_ %half : !pop.ref<2xf32>
      %local = pop.from_tensor %t : tensor<4xf32>
      pop.zero_ %local : !pop.ref<4xf32>
      %u = pop.host_load @s : tensor<4xf32>
      pop.remote_store %u, @b[1] : tensor<4xf32>
      return
    }
    func.func @main(%p: i1) {
      %w = pop.get_variable @w : !pop.ref<4xf32>
      %x = pop.alloc zero : !pop.ref<8xf32>
      %y = pop.ref_slice %x {starts = array<i64: 0>, sizes = array<i64: 4>, steps = array<i64: 2>} : !pop.ref<8xf32> -> !pop.ref<4xf32>
      %element = pop.ref_slice %x {starts = array<i64: 4>, sizes = array<i64: 1>, steps = array<i64: 1>} : !pop.ref<8xf32> -> !pop.ref<1xf32>
      %other = pop.ref_slice %x {starts = array<i64: 2>, sizes = array<i64: 1>, steps = array<i64: 1>} : !pop.ref<8xf32> -> !pop.ref<1xf32>
      scf.if %p {
        func.call @inner(%y, %w) : (!pop.ref<4xf32>, !pop.ref<4xf32>) -> ()
      }
      return
    })mlir"));
  Operation *branch = getOp<scf::IfOp>("main");
  Value w = getOp<pop::GetVariableOp>("main");
  EXPECT_TRUE(effects.mayRead(branch, w));
  EXPECT_FALSE(effects.mayWrite(branch, w));
  // Elements 2 and 3 of the view with stride 2 are elements 4 and 6.
  EXPECT_TRUE(effects.mayWrite(branch, getOp<pop::RefSliceOp>("main", 1)));
  EXPECT_FALSE(effects.mayWrite(branch, getOp<pop::RefSliceOp>("main", 2)));
  EXPECT_FALSE(effects.mayRead(branch, getOp<pop::AllocOp>("main")));

  const EffectSummary &inner = effects.getEffects(getFunction("inner"));
  EXPECT_FALSE(inner.isUnknown());
  // The locations are two arguments, the stream and the buffer. A caller cannot
  // observe effects on a ref that the function creates.
  EXPECT_EQ(llvm::range_size(inner.getMemoryLocations()), 4);
  auto *remote = RemoteMemoryResource::get();
  auto row = [](int64_t i) { return StridedView{i, {1}, {1}}; };
  EXPECT_TRUE(
      inner.mayWrite(MemoryLocation::getResource(remote, symbol("b")), row(1)));
  EXPECT_FALSE(
      inner.mayWrite(MemoryLocation::getResource(remote, symbol("b")), row(2)));
  EXPECT_FALSE(
      inner.mayWrite(MemoryLocation::getResource(remote, symbol("c"))));
  EXPECT_TRUE(inner.mayWrite(MemoryLocation::getResource(remote)));
  const EffectSummary &main = effects.getEffects(branch);
  EXPECT_TRUE(main.mayRead(
      MemoryLocation::getResource(CodeResource::get(), symbol("inner"))));
  EXPECT_TRUE(main.mayWrite(
      MemoryLocation::getResource(HostStreamResource::get(), symbol("s"))));
}

/// The summaries of callers share those of their callees.
TEST_F(GraphEffectsTest, NestedCalls) {
  GraphEffects effects(parse(R"mlir(
    pop.variable @u : tensor<4xf32> = dense<1.0> : tensor<4xf32>
    pop.variable @v : tensor<4xf32> = dense<1.0> : tensor<4xf32>
    pop.variable @w : tensor<4xf32> = dense<1.0> : tensor<4xf32>
    func.func private @inner(%a: !pop.ref<4xf32>) {
      %v = pop.get_variable @v : !pop.ref<4xf32>
      %t = pop.read %v : !pop.ref<4xf32>
      pop.copy_ %a, %t : !pop.ref<4xf32>, tensor<4xf32>
      return
    }
    func.func private @middle(%b: !pop.ref<4xf32>) {
      %u = pop.get_variable @u : !pop.ref<4xf32>
      call @inner(%u) : (!pop.ref<4xf32>) -> ()
      call @inner(%b) : (!pop.ref<4xf32>) -> ()
      return
    }
    func.func @main(%c: !pop.ref<4xf32>) {
      call @middle(%c) : (!pop.ref<4xf32>) -> ()
      return
    })mlir"));
  Value c = getFunction("main").getArgument(0);
  auto call = getOp<func::CallOp>("main");
  EXPECT_TRUE(effects.mayWrite(call, c));
  EXPECT_FALSE(effects.mayRead(call, c));
  const EffectSummary &summary = effects.getEffects(call);
  auto variable = [&](StringRef name) {
    return MemoryLocation::getVariable(symbol(name));
  };
  EXPECT_TRUE(summary.mayWrite(variable("u")));
  EXPECT_FALSE(summary.mayRead(variable("u")));
  EXPECT_TRUE(summary.mayRead(variable("v")));
  EXPECT_FALSE(summary.mayWrite(variable("v")));
  EXPECT_FALSE(summary.mayRead(variable("w")));
  EXPECT_FALSE(summary.lookup(variable("w")));
  ASSERT_TRUE(summary.lookup(variable("v")));
  EXPECT_FALSE(summary.lookup(variable("v"))->reads.isEmpty());
  // The call itself touches the code of its callee and its operand.
  EXPECT_EQ(summary.getOwnMemoryLocations().size(), 2u);
  EXPECT_TRUE(summary.inheritsEffects());
  EXPECT_TRUE(summary.hasRefEffects());
  EXPECT_TRUE(summary.hasResourceEffects());
  // In addition: the code of the inner function, and two variables.
  EXPECT_EQ(llvm::range_size(summary.getMemoryLocations()), 5);
}

TEST_F(GraphEffectsTest, Unknown) {
  GraphEffects effects(parse(R"mlir(
    func.func private @declared(!pop.ref<4xf32>)
    func.func private @loop(%a: !pop.ref<4xf32>) {
      call @loop(%a) : (!pop.ref<4xf32>) -> ()
      return
    }
    func.func @main(%a: !pop.ref<4xf32>, %b: !pop.ref<4xf32>) {
      call @declared(%a) : (!pop.ref<4xf32>) -> ()
      call @loop(%a) : (!pop.ref<4xf32>) -> ()
      %t = pop.read %a : !pop.ref<4xf32>
      return
    })mlir"));
  Value b = getFunction("main").getArgument(1);
  for (unsigned i : {0, 1}) {
    auto call = getOp<func::CallOp>("main", i);
    EXPECT_TRUE(effects.mayWrite(call, b));
    EXPECT_TRUE(effects.getOperandEffects(call, 0).writes.isWhole());
  }
  EXPECT_FALSE(effects.mayRead(getOp<pop::ReadOp>("main"), b));
}

/// Appends the elements that a view selects, one by one.
void addElements(const StridedView &view, SmallVectorImpl<int64_t> &elements) {
  elements.push_back(view.offset);
  for (auto [size, stride] : llvm::zip(view.sizes, view.strides)) {
    SmallVector<int64_t> all;
    for (int64_t element : elements)
      for (int64_t i = 0; i < size; ++i)
        all.push_back(element + i * stride);
    elements.assign(all);
  }
}

TEST_F(GraphEffectsTest, ComposedViewsHoldAllElements) {
  std::mt19937 random(3);
  auto draw = [&](int64_t low, int64_t high) {
    return std::uniform_int_distribution<int64_t>(low, high)(random);
  };
  unsigned numExact = 0;
  for (unsigned round = 0; round < 500; ++round) {
    // A strided region of an 8 x 8 buffer, and a region of its elements.
    SmallVector<int64_t> shape = {draw(1, 4), draw(1, 4)};
    int64_t steps[] = {draw(1, 2), draw(1, 2)};
    StridedView outer{
        draw(0, 1) * 8 + draw(0, 1), shape, {8 * steps[0], steps[1]}};
    StridedView inner;
    if (draw(0, 1))
      std::swap(outer.strides[0], outer.strides[1]);
    for (auto [size, stride] :
         llvm::zip(shape, StridedView::identity(shape).strides)) {
      int64_t start = draw(0, size - 1);
      inner.offset += start * stride;
      inner.sizes.push_back(draw(1, size - start));
      inner.strides.push_back(stride);
    }
    SmallVector<int64_t> ofOuter, ofInner, composed;
    addElements(outer, ofOuter);
    addElements(inner, ofInner);
    StridedView result = composeViews(outer, shape, inner);
    addElements(result, composed);
    for (int64_t element : ofInner)
      EXPECT_TRUE(llvm::is_contained(composed, ofOuter[element]));
    numExact += composed.size() == ofInner.size();
  }
  EXPECT_EQ(numExact, 500u);
}

TEST_F(GraphEffectsTest, ManyViewsAreAll) {
  ElementRegions regions;
  EXPECT_TRUE(regions.isEmpty());
  for (int64_t i = 0; i < ElementRegions::kMaxViews; ++i)
    regions.add(StridedView{2 * i, {1}, {1}});
  EXPECT_FALSE(regions.overlaps(StridedView{1, {1}, {1}}));
  EXPECT_TRUE(regions.overlaps(StridedView{2, {1}, {1}}));
  regions.add(StridedView{100, {1}, {1}});
  EXPECT_TRUE(regions.isWhole());
  EXPECT_TRUE(regions.overlaps(StridedView{1, {1}, {1}}));
  EXPECT_FALSE(regions.overlaps(StridedView{1, {0}, {1}}));
}

} // namespace
