//===- CallSiteInfoTest.cpp - Values and effects of a call site -----------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ipu-mlir/Analysis/Effects/CallSiteInfo.h"
#include "../GraphTest.h"

using namespace mlir;
using namespace mlir::ipu;

namespace {

class CallSiteInfoTest : public GraphTest {
protected:
  CallSiteInfoTest() {
    parse(R"mlir(
      func.func private @g(%a: !pop.ref<4xf32>, %b: !pop.ref<4xf32>, %t: tensor<4xf32>, %u: tensor<4xf32>) -> (tensor<4xf32>, tensor<4xf32>, tensor<4xf32>) {
        %half = pop.ref_slice %a {starts = array<i64: 0>, sizes = array<i64: 2>, steps = array<i64: 1>} : !pop.ref<4xf32> -> !pop.ref<2xf32>
        pop.zero_ %half : !pop.ref<2xf32>
        %0 = pop.read %b : !pop.ref<4xf32>
        %1 = pop.add %0, %t : tensor<4xf32>
        return %1, %u, %0 : tensor<4xf32>, tensor<4xf32>, tensor<4xf32>
      }
      func.func private @declared()
      func.func @main(%a: !pop.ref<4xf32>, %b: !pop.ref<4xf32>, %t: tensor<4xf32>) {
        %0:3 = call @g(%a, %b, %t, %t) : (!pop.ref<4xf32>, !pop.ref<4xf32>, tensor<4xf32>, tensor<4xf32>) -> (tensor<4xf32>, tensor<4xf32>, tensor<4xf32>)
        call @declared() : () -> ()
        return
      })mlir");
    effects.emplace(*module);
    call = getOp<func::CallOp>("main");
  }

  CallSiteInfo getInfo() {
    llvm::Expected<CallSiteInfo> info = CallSiteInfo::get(call, *effects);
    return llvm::cantFail(std::move(info));
  }
  template <typename T>
  static std::string getError(llvm::Expected<T> value) {
    return value ? "" : llvm::toString(value.takeError());
  }

  std::optional<GraphEffects> effects;
  func::CallOp call;
};

TEST_F(CallSiteInfoTest, Maps) {
  CallSiteInfo info = getInfo();
  func::FuncOp graph = getFunction("g"), main = getFunction("main");
  EXPECT_EQ(info.getCalledGraph(), graph);
  EXPECT_EQ(info.getNumInputs(), 4u);
  EXPECT_EQ(info.getNumOutputs(), 3u);
  for (unsigned i = 0; i < 4; ++i) {
    EXPECT_EQ(llvm::cantFail(info.getParentInput(i)), call.getOperand(i));
    EXPECT_EQ(llvm::cantFail(info.getGraphInput(i)), graph.getArgument(i));
  }
  Value sum = getOp<pop::AddOp>("g").getResult();
  EXPECT_EQ(llvm::cantFail(info.getParentOutput(0)), call.getResult(0));
  EXPECT_EQ(llvm::cantFail(info.getGraphOutput(0)), sum);
  EXPECT_EQ(llvm::cantFail(info.parentToGraph(main.getArgument(1))),
            graph.getArgument(1));
  EXPECT_EQ(llvm::cantFail(info.parentToGraph(call.getResult(0))), sum);
  EXPECT_EQ(llvm::cantFail(info.graphToParent(graph.getArgument(2))),
            call.getOperand(2));
  EXPECT_EQ(llvm::cantFail(info.graphToParent(sum)), call.getResult(0));
}

TEST_F(CallSiteInfoTest, Modified) {
  CallSiteInfo info = getInfo();
  EXPECT_EQ(info.getModifiedInputs(), SmallVector<unsigned>({0}));
  EXPECT_TRUE(llvm::cantFail(info.isModified(0)));
  EXPECT_FALSE(llvm::cantFail(info.isModified(1)));
  EXPECT_FALSE(llvm::cantFail(info.isModified(2)));
  ElementRegions regions = llvm::cantFail(info.getModifiedRegions(0));
  ASSERT_EQ(regions.getViews().size(), 1u);
  EXPECT_EQ(regions.getViews()[0].offset, 0);
  EXPECT_EQ(regions.getViews()[0].getNumElements(), 2);
}

TEST_F(CallSiteInfoTest, Errors) {
  CallSiteInfo info = getInfo();
  Value sum = getOp<pop::AddOp>("g").getResult();
  EXPECT_EQ(getError(info.getParentInput(4)),
            "call of @g: expects an input number below 4 but got 4");
  EXPECT_EQ(getError(info.getGraphOutput(3)),
            "call of @g: expects an output number below 3 but got 3");
  EXPECT_EQ(getError(info.isModified(7)),
            "call of @g: expects an input number below 4 but got 7");
  EXPECT_EQ(getError(info.parentToGraph(sum)),
            "call of @g: the value is not an input or output of the call");
  EXPECT_EQ(getError(info.parentToGraph(call.getOperand(2))),
            "call of @g: expects the value to be exactly one input of the call "
            "but it is 2 inputs");
  EXPECT_EQ(getError(info.graphToParent(call.getResult(0))),
            "call of @g: the value is not an input or output of the graph");
  EXPECT_EQ(
      getError(info.graphToParent(getFunction("g").getArgument(3))),
      "call of @g: expects the value to be exactly one input or output of "
      "the graph but it is 2 inputs or outputs");
  EXPECT_EQ(
      getError(CallSiteInfo::get(getOp<func::CallOp>("main", 1), *effects)),
      "call of @declared: expects a graph with a body of one block");
}

} // namespace
