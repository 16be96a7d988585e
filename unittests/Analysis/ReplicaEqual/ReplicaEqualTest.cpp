//===- ReplicaEqualTest.cpp - Queries of the replica-equal analysis -------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Tests queries that the printing and annotating passes do not use;
// test/Dialect/Pop tests the rules themselves.
//
//===----------------------------------------------------------------------===//

#include "ipu-mlir/Analysis/ReplicaEqual/ReplicaEqual.h"
#include "../GraphTest.h"

using namespace mlir;
using namespace mlir::ipu;

namespace {

class ReplicaEqualTest : public GraphTest {
protected:
  /// Returns the analysis of a module for four replicas.
  ReplicaEqual analyze(StringRef text,
                       const ReplicaEqualSemantics &semantics = {}) {
    FailureOr<ReplicaEqual> analysis =
        ReplicaEqual::create(parse(text), 4, semantics);
    EXPECT_TRUE(succeeded(analysis));
    return std::move(*analysis);
  }

  static std::string print(ReplicaPartition partition) {
    std::string text;
    llvm::raw_string_ostream(text) << partition;
    return text;
  }
};

constexpr char kProgram[] = R"(
pop.stream @x host_to_device : tensor<2xf32>
pop.stream @y device_to_host : tensor<2xf32>
pop.remote_buffer @b : 1 x tensor<2xf32>
func.func @main(%a: tensor<2xf32>) {
  %x = pop.host_load @x : tensor<2xf32>
  %r = pop.alloc zero : !pop.ref<2xf32>
  pop.add_ %r, %x : !pop.ref<2xf32>, tensor<2xf32>
  pop.mul_ %r, %a : !pop.ref<2xf32>, tensor<2xf32>
  %0 = pop.add %a, %a : tensor<2xf32>
  pop.host_store %x, @y : tensor<2xf32>
  pop.host_store %a, @y : tensor<2xf32>
  pop.remote_store %a, @b[0] : tensor<2xf32>
  return
}
)";

TEST_F(ReplicaEqualTest, inputs) {
  ReplicaEqual analysis = analyze(kProgram);
  Operation *add = getOp<pop::AddInPlaceOp>("main"),
            *mul = getOp<pop::MulInPlaceOp>("main");
  EXPECT_EQ(print(analysis.getInput(add->getOpOperand(0))), "all");
  EXPECT_EQ(print(analysis.getInput(add->getOpOperand(1))), "none");
  EXPECT_EQ(print(analysis.getInput(mul->getOpOperand(0))), "none");
  EXPECT_EQ(print(analysis.getInput(mul->getOpOperand(1))), "all");
}

// The overall partition of an op without results is the partition of the
// elements that it modifies or, if there are none, of its inputs.
TEST_F(ReplicaEqualTest, overall) {
  ReplicaEqual analysis = analyze(kProgram);
  EXPECT_EQ(print(analysis.getOverall(getOp<pop::AddInPlaceOp>("main"))),
            "none");
  EXPECT_EQ(print(analysis.getOverall(getOp<pop::AddOp>("main"))), "all");
  EXPECT_EQ(print(analysis.getOverall(getOp<pop::HostStoreOp>("main", 0))),
            "none");
  EXPECT_EQ(print(analysis.getOverall(getOp<pop::HostStoreOp>("main", 1))),
            "all");
  EXPECT_EQ(print(analysis.getOverall(getOp<pop::RemoteStoreOp>("main"))),
            "all");
}

// A call that only modifies its operands.
TEST_F(ReplicaEqualTest, overallOfCall) {
  ReplicaEqual analysis = analyze(R"(
    pop.stream @x host_to_device : tensor<2xf32>
    func.func private @f(%r: !pop.ref<2xf32>) {
      pop.neg_ %r : !pop.ref<2xf32>
      return
    }
    func.func @main() {
      %x = pop.host_load @x : tensor<2xf32>
      %r = pop.from_tensor %x : tensor<2xf32>
      call @f(%r) : (!pop.ref<2xf32>) -> ()
      return
    })");
  EXPECT_EQ(print(analysis.getOverall(getOp<func::CallOp>("main"))), "none");
  EXPECT_TRUE(analysis.getDisagreements().empty());
}

TEST_F(ReplicaEqualTest, control) {
  ReplicaEqual analysis = analyze(R"(
    func.func @main(%same: i1) {
      %i = pop.replica_index : tensor<i32>
      %pairs = pop.all_reduce add %i {groups = #pop.replica_groups<stride = 1, size = 2>} : tensor<i32>
      %n = tensor.extract %pairs[] : tensor<i32>
      %p = arith.trunci %n : i32 to i1
      scf.if %p {
        scf.if %same {
        }
      }
      return
    })");
  auto outer = getOp<scf::IfOp>("main", 0), inner = getOp<scf::IfOp>("main", 1);
  EXPECT_EQ(print(analysis.getControl(outer->getBlock())), "all");
  EXPECT_EQ(print(analysis.getControl(inner->getBlock())), "{0,1}{2,3}");
  EXPECT_EQ(print(analysis.getControl(inner.thenBlock())), "{0,1}{2,3}");
}

// Ops whose results the caller refines, for example because of separate seeds.
TEST_F(ReplicaEqualTest, refined) {
  struct Semantics : ReplicaEqualSemantics {
    ReplicaPartition
    getRefinement(Operation *op, ReplicaEqualContext &context) const override {
      if (isa<pop::AddOp>(op))
        return context.partitions.get({0, 0, 1, 1});
      return isa<pop::MulInPlaceOp>(op) ? context.partitions.getNone()
                                        : ReplicaPartition();
    }
  };
  ReplicaEqual analysis = analyze(R"(
    func.func @main(%a: tensor<2xf32>) {
      %r = pop.alloc zero : !pop.ref<2xf32>
      pop.mul_ %r, %a : !pop.ref<2xf32>, tensor<2xf32>
      %0 = pop.add %a, %a : tensor<2xf32>
      %1 = pop.neg %0 : tensor<2xf32>
      %2 = pop.neg %a : tensor<2xf32>
      return
    })",
                                  Semantics());
  auto modified = analysis.getModified(getOp<pop::MulInPlaceOp>("main"));
  ASSERT_EQ(modified.size(), 1u);
  EXPECT_EQ(modified[0].first->getOperandNumber(), 0u);
  EXPECT_EQ(print(modified[0].second), "none");
  EXPECT_EQ(print(analysis.get(getOp<pop::NegOp>("main", 0))), "{0,1}{2,3}");
  EXPECT_EQ(print(analysis.get(getOp<pop::NegOp>("main", 1))), "all");
}

// Facts that only the caller of the program knows.
TEST_F(ReplicaEqualTest, flowAndStarts) {
  constexpr char kCounter[] = R"(
    pop.variable @w : tensor<2xf32> = dense<0.0> : tensor<2xf32>
    pop.stream @x host_to_device : tensor<2xf32>
    func.func @main() {
      %w = pop.get_variable @w : !pop.ref<2xf32>
      %0 = pop.read %w : !pop.ref<2xf32>
      %x = pop.host_load @x : tensor<2xf32>
      pop.add_ %w, %x : !pop.ref<2xf32>, tensor<2xf32>
      return
    })";
  struct OneRun : ReplicaEqualSemantics {
    bool passes(ReplicaFlow flow, Operation *) const override {
      return flow != ReplicaFlow::Run;
    }
  };
  struct EqualInputs : ReplicaEqualSemantics {
    SmallVector<ReplicaStateStart>
    getStarts(ReplicaStateOpInterface symbol,
              ReplicaEqualContext &context) const override {
      SmallVector<ReplicaStateStart> starts =
          ReplicaEqualSemantics::getStarts(symbol, context);
      for (ReplicaStateStart &start : starts)
        start.partition = context.partitions.getAll();
      return starts;
    }
  };
  auto printRead = [&](const ReplicaEqualSemantics &semantics) {
    ReplicaEqual analysis = analyze(kCounter, semantics);
    return print(analysis.get(getOp<pop::ReadOp>("main")));
  };
  EXPECT_EQ(printRead(ReplicaEqualSemantics()), "none");
  EXPECT_EQ(printRead(OneRun()), "all");
  EXPECT_EQ(printRead(EqualInputs()), "all");
}

TEST_F(ReplicaEqualTest, disagreements) {
  ReplicaEqual analysis = analyze(R"(
    func.func private @f(%a: tensor<i32>, %b: tensor<i32>) {
      return
    }
    func.func @main(%a: tensor<i32>) {
      %i = pop.replica_index : tensor<i32>
      call @f(%a, %i) : (tensor<i32>, tensor<i32>) -> ()
      call @f(%a, %a) : (tensor<i32>, tensor<i32>) -> ()
      call @f(%a, %i) : (tensor<i32>, tensor<i32>) -> ()
      return
    })");
  ASSERT_EQ(analysis.getDisagreements().size(), 1u);
  const ReplicaDisagreement &found = analysis.getDisagreements().front();
  EXPECT_EQ(found.argument, 1u);
  EXPECT_EQ(print(found.partition), "none");
  ASSERT_EQ(found.calls.size(), 3u);
  for (unsigned i = 0; i < 3; ++i) {
    EXPECT_EQ(found.calls[i].first, getOp<func::CallOp>("main", i));
    EXPECT_EQ(print(found.calls[i].second), i == 1 ? "all" : "none");
  }
}

TEST_F(ReplicaEqualTest, numberOfReplicas) {
  ScopedDiagnosticHandler handler(&context,
                                  [](Diagnostic &) { return success(); });
  ModuleOp module = parse("func.func @main() { return }");
  EXPECT_TRUE(failed(ReplicaEqual::create(module, 0)));
  EXPECT_TRUE(failed(ReplicaEqual::create(module, int64_t(1) << 21)));
  EXPECT_TRUE(succeeded(ReplicaEqual::create(module, 1)));
}

} // namespace
