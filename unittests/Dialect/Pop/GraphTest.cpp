//===- GraphTest.cpp - Ops of graphs ----------------------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Properties that parsing and printing do not show: verification for a number
// of replicas, results of interfaces, and views of refs.
//
//===----------------------------------------------------------------------===//

#include "ipu-mlir/Dialect/Pop/IR/PopGraph.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/Parser/Parser.h"
#include "gtest/gtest.h"

using namespace mlir;
using namespace mlir::pop;
using mlir::ipu::StridedView;

namespace {

class GraphTest : public testing::Test {
protected:
  GraphTest() { context.loadDialect<PopDialect, func::FuncDialect>(); }

  OwningOpRef<ModuleOp> parse(StringRef source) {
    OwningOpRef<ModuleOp> module =
        parseSourceString<ModuleOp>(source, &context);
    EXPECT_TRUE(module);
    return module;
  }

  /// Returns the errors of all ops of `source` for `numReplicas` replicas.
  std::string verify(const Twine &source, int64_t numReplicas) {
    OwningOpRef<ModuleOp> module = parse(source.str());
    std::string errors;
    ScopedDiagnosticHandler handler(&context, [&](Diagnostic &diagnostic) {
      errors += diagnostic.str();
      return success();
    });
    bool isValid = true;
    if (module)
      module->walk([&](ReplicatedOpInterface op) {
        isValid &= succeeded(op.verifyReplicas(numReplicas));
      });
    EXPECT_EQ(isValid, errors.empty());
    return errors;
  }

  /// Returns the errors of an op with one tensor operand. `op` is the text
  /// before the operand.
  std::string verifyOp(StringRef op, StringRef input, int64_t numReplicas) {
    return verify("func.func @f(%x: " + input + ") { %y = " + op + " return }",
                  numReplicas);
  }

  MLIRContext context;
};

TEST_F(GraphTest, VariablesOfReplicas) {
  StringRef grouped =
      "pop.variable @w : tensor<2xf32> = dense<1.0> : tensor<2x2xf32> "
      "{groups = #pop.replica_groups<stride = 1, size = 2>}";
  EXPECT_EQ(verify(grouped, 4), "");
  EXPECT_EQ(verify(grouped, 8),
            "'pop.variable' op expects `value` of shape [4, 2] for 4 groups of "
            "replicas but got [2, 2]");
  EXPECT_EQ(verify(grouped, 2),
            "'pop.variable' op expects `value` of shape [2] for 1 group of "
            "replicas but got [2, 2]");
  EXPECT_EQ(
      verify(grouped, 3),
      "'pop.variable' op expects groups whose stride times size divides 3 "
      "replicas but got #pop.replica_groups<stride = 1, size = 2>, with the "
      "product 2");
  StringRef sharded =
      "pop.variable @w : tensor<2xf32> = dense<1.0> : tensor<2x2xf32> "
      "{groups = #pop.replica_groups<stride = 1, size = 2>, "
      "sharding = #pop.replica_groups<";
  EXPECT_EQ(verify(sharded + "stride = 1, size = 2>}", 4), "");
  EXPECT_EQ(
      verify(sharded + "stride = 2, size = 2>}", 4),
      "'pop.variable' op expects each group of `sharding` in one group of "
      "`groups` but got #pop.replica_groups<stride = 2, size = 2> and "
      "#pop.replica_groups<stride = 1, size = 2>");
  EXPECT_EQ(
      verify(sharded + "stride = 1, size = 3>}", 4),
      "'pop.variable' op expects groups whose stride times size divides 4 "
      "replicas but got #pop.replica_groups<stride = 1, size = 3>, with the "
      "product 3");
}

TEST_F(GraphTest, CollectivesOfReplicas) {
  EXPECT_EQ(
      verifyOp("pop.all_reduce add %x {groups = "
               "#pop.replica_groups<stride = 2, size = 2>} : tensor<4xf32>",
               "tensor<4xf32>", 4),
      "");
  EXPECT_EQ(
      verifyOp("pop.all_reduce add %x {groups = "
               "#pop.replica_groups<stride = 2, size = 2>} : tensor<4xf32>",
               "tensor<4xf32>", 6),
      "'pop.all_reduce' op expects groups whose stride times size divides "
      "6 replicas but got #pop.replica_groups<stride = 2, size = 2>, with the "
      "product 4");
  StringRef gather = "pop.all_gather %x : tensor<2xf32> to tensor<5xf32>";
  EXPECT_EQ(verifyOp(gather, "tensor<2xf32>", 3), "");
  // With four parts of two elements, the last part has only zeros.
  EXPECT_EQ(verifyOp(gather, "tensor<2xf32>", 4), "");
  EXPECT_EQ(
      verifyOp(gather, "tensor<2xf32>", 2),
      "'pop.all_gather' op expects 'tensor<5xf32>' to be divided into parts of "
      "type 'tensor<3xf32>' in groups of 2 but got 'tensor<2xf32>'");
  EXPECT_EQ(
      verifyOp("pop.reduce_scatter add %x : tensor<5xf32> to tensor<2xf32>",
               "tensor<5xf32>", 5),
      "'pop.reduce_scatter' op expects 'tensor<5xf32>' to be divided into "
      "parts of type 'tensor<1xf32>' in groups of 5 but got 'tensor<2xf32>'");
  EXPECT_EQ(
      verifyOp("pop.replica_slice %x : tensor<5xf32> to tensor<2xf32>",
               "tensor<5xf32>", 1),
      "'pop.replica_slice' op expects 'tensor<5xf32>' to be divided into parts "
      "of type 'tensor<5xf32>' in groups of 1 but got 'tensor<2xf32>'");
  StringRef exchange =
      "pop.all_to_all %x {concat_axis = 1 : i64} : tensor<4x3xf32> to "
      "tensor<2x6xf32>";
  EXPECT_EQ(verifyOp(exchange, "tensor<4x3xf32>", 2), "");
  EXPECT_EQ(
      verifyOp(exchange, "tensor<4x3xf32>", 4),
      "'pop.all_to_all' op expects `result` of type 'tensor<1x12xf32>' for "
      "groups of 4 but got 'tensor<2x6xf32>'");
  StringRef broadcast = "pop.broadcast %x {root = 2 : i64} : tensor<f32>";
  EXPECT_EQ(verifyOp(broadcast, "tensor<f32>", 3), "");
  EXPECT_EQ(
      verifyOp(broadcast, "tensor<f32>", 2),
      "'pop.broadcast' op expects `root` less than 2, the size of groups, "
      "but got 2");
  StringRef permute =
      "pop.collective_permute %x {pairs = [[0, 2], [2, 1]]} : tensor<f32>";
  EXPECT_EQ(verifyOp(permute, "tensor<f32>", 3), "");
  EXPECT_EQ(verifyOp(permute, "tensor<f32>", 2),
            "'pop.collective_permute' op expects replicas from 0 to 1 in "
            "`pairs` but got 2");
}

TEST_F(GraphTest, LoadedCode) {
  OwningOpRef<ModuleOp> module = parse(R"mlir(
    func.func @g() attributes {no_inline} { return }
    func.func @h() attributes {no_inline} { return }
    func.func @f() {
      pop.remote_code_load [@g, @h] to executable
      pop.remote_code_load @g to io_buffer
      pop.code_copy @h from io_buffer to executable
      pop.code_copy @h from executable to compute_buffer
      return
    })mlir");
  SmallVector<size_t> counts;
  module->walk([&](ipu::CodeLoadOpInterface op) {
    counts.push_back(op.getLoadedGraphs().size());
  });
  EXPECT_EQ(counts, (SmallVector<size_t>{2, 0, 1, 0}));
}

TEST_F(GraphTest, HostTransfers) {
  auto getTransfers = [&](StringRef ofModule, StringRef ofStream) {
    OwningOpRef<ModuleOp> module = parse(
        ("module attributes {" + ofModule +
         "} { pop.stream @x host_to_device : tensor<f32> {" + ofStream + "} }")
            .str());
    return getHostTransfers(module->lookupSymbol<StreamOp>("x"));
  };
  StringRef eight = "pop.host_transfers = 8 : i64";
  EXPECT_EQ(getTransfers("", ""), 1);
  EXPECT_EQ(getTransfers(eight, ""), 8);
  EXPECT_EQ(getTransfers(eight, "transfers = 1 : i64"), 1);
  EXPECT_EQ(getTransfers("", "transfers = 3 : i64"), 3);
}

TEST_F(GraphTest, ViewsOfRefs) {
  OwningOpRef<ModuleOp> module = parse(R"mlir(
    func.func @f(%r: !pop.ref<4x6xf32>) {
      %0 = pop.ref_slice %r {sizes = array<i64: 2, 3>, starts = array<i64: 3, 1>, steps = array<i64: -2, 2>} : !pop.ref<4x6xf32> -> !pop.ref<2x3xf32>
      %1 = pop.ref_transpose %0 {permutation = array<i64: 1, 0>} : !pop.ref<2x3xf32> -> !pop.ref<3x2xf32>
      %2 = pop.ref_reshape %1 : !pop.ref<3x2xf32> to !pop.ref<3x1x2xf32>
      %3 = pop.ref_reshape %1 : !pop.ref<3x2xf32> to !pop.ref<6xf32>
      return
    })mlir");
  SmallVector<Operation *> ops;
  module->walk([&](ipu::TileViewOpInterface op) { ops.push_back(op); });
  ASSERT_EQ(ops.size(), 4u);
  StridedView view = StridedView::identity({4, 6});
  for (Operation *op : ArrayRef(ops).take_front(2)) {
    FailureOr<StridedView> next =
        cast<ipu::TileViewOpInterface>(op).getTileView(view);
    ASSERT_TRUE(succeeded(next));
    view = *next;
  }
  // Element [i, j] of %1 is element [3 - 2 * j, 1 + 2 * i] of %r.
  EXPECT_EQ(view.offset, 19);
  EXPECT_EQ(view.sizes, (SmallVector<int64_t>{3, 2}));
  EXPECT_EQ(view.strides, (SmallVector<int64_t>{2, -12}));
  FailureOr<StridedView> reshaped =
      cast<ipu::TileViewOpInterface>(ops[2]).getTileView(view);
  ASSERT_TRUE(succeeded(reshaped));
  EXPECT_EQ(reshaped->sizes, (SmallVector<int64_t>{3, 1, 2}));
  // No strides express the view as one dimension.
  EXPECT_TRUE(failed(cast<ipu::TileViewOpInterface>(ops[3]).getTileView(view)));
  EXPECT_EQ(getRefOrigin(ops[3]->getResult(0)), Value(ops[0]->getOperand(0)));
}

TEST_F(GraphTest, PlacesOfCopies) {
  OwningOpRef<ModuleOp> module = parse(R"mlir(
    func.func @f(%a: tensor<2xf32>, %b: tensor<3xf16>) {
      %0, %1 = pop.ipu_copy %a, %b from [0, 3] to 2 : tensor<2xf32>, tensor<3xf16>
      %2 = pop.io_tile_copy %a to io : tensor<2xf32>
      %3 = pop.io_tile_copy %2 to compute : tensor<2xf32>
      return
    })mlir");
  SmallVector<PlacementOpInterface> ops;
  module->walk([&](PlacementOpInterface op) { ops.push_back(op); });
  ASSERT_EQ(ops.size(), 3u);
  SmallVector<int64_t> sources = {0, 3};
  for (auto [i, source] : llvm::enumerate(sources)) {
    EXPECT_EQ(ops[0].getVgraphOfOperand(ops[0]->getOpOperand(i)), source);
    EXPECT_EQ(ops[0].getVgraphOfResult(ops[0]->getOpResult(i)), 2);
    EXPECT_EQ(ops[0].getTileSetOfOperand(ops[0]->getOpOperand(i)),
              std::nullopt);
    EXPECT_EQ(ops[0].getTileSetOfResult(ops[0]->getOpResult(i)), std::nullopt);
  }
  TileSet from = TileSet::Compute, to = TileSet::IO;
  for (PlacementOpInterface op : ArrayRef(ops).drop_front()) {
    EXPECT_EQ(op.getTileSetOfOperand(op->getOpOperand(0)), from);
    EXPECT_EQ(op.getTileSetOfResult(op->getOpResult(0)), to);
    EXPECT_EQ(op.getVgraphOfOperand(op->getOpOperand(0)), std::nullopt);
    EXPECT_EQ(op.getVgraphOfResult(op->getOpResult(0)), std::nullopt);
    std::swap(from, to);
  }
}

TEST_F(GraphTest, InPlaceOps) {
  OwningOpRef<ModuleOp> module = parse(R"mlir(
    func.func @f(%r: !pop.ref<2xf32>, %t: tensor<2xf32>) {
      pop.copy_ %r, %t : !pop.ref<2xf32>, tensor<2xf32>
      pop.zero_ %r : !pop.ref<2xf32>
      pop.exp_ %r : !pop.ref<2xf32>
      return
    })mlir");
  SmallVector<bool> reads;
  module->walk([&](InPlaceOpInterface op) {
    EXPECT_EQ(op.getTarget().getType().getTensorType(),
              RankedTensorType::get(2, Float32Type::get(&context)));
    EXPECT_TRUE(hasEffect<MemoryEffects::Write>(op, op.getTarget()));
    reads.push_back(hasEffect<MemoryEffects::Read>(op, op.getTarget()));
  });
  EXPECT_EQ(reads, (SmallVector<bool>{false, false, true}));
}

} // namespace
