//===- EffectDependencesTest.cpp - Dependences by effects -----------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Compares the dependences of random sequences of ops with the conflicts
// between all pairs of ops.
//
//===----------------------------------------------------------------------===//

#include "ipu-mlir/Analysis/Effects/EffectDependences.h"
#include "../GraphTest.h"
#include "llvm/ADT/BitVector.h"
#include <random>

using namespace mlir;
using namespace mlir::ipu;

static constexpr StringLiteral kDeclarations = R"mlir(
  pop.variable @v : tensor<4xf32> = dense<1.0> : tensor<4xf32>
  pop.variable @w : tensor<4xf32> = dense<1.0> : tensor<4xf32>
  pop.stream @x host_to_device : tensor<4xf32>
  pop.stream @y device_to_host : tensor<4xf32>
  pop.remote_buffer @b : 2 x tensor<4xf32>
  pop.remote_buffer @c : 2 x tensor<4xf32>
  func.func private @external(tensor<4xf32>)
  func.func private @callee(%r: !pop.ref<4xf32>) {
    %v = pop.get_variable @v : !pop.ref<4xf32>
    %0 = pop.read %v : !pop.ref<4xf32>
    pop.copy_ %r, %0 : !pop.ref<4xf32>, tensor<4xf32>
    return
  }
)mlir";

static constexpr StringLiteral kRefs = R"mlir(
    %v = pop.get_variable @v : !pop.ref<4xf32>
    %w = pop.get_variable @w : !pop.ref<4xf32>
    %r = pop.alloc zero : !pop.ref<4xf32>
    %lo = pop.ref_slice %w {starts = array<i64: 0>, sizes = array<i64: 2>, steps = array<i64: 1>} : !pop.ref<4xf32> -> !pop.ref<2xf32>
    %hi = pop.ref_slice %w {starts = array<i64: 2>, sizes = array<i64: 2>, steps = array<i64: 1>} : !pop.ref<4xf32> -> !pop.ref<2xf32>
)mlir";

/// Ops that do not use results of each other. `$` stands for a number.
static constexpr StringLiteral kOps[] = {
    "%a$ = pop.read %v : !pop.ref<4xf32>",
    "%a$ = pop.read %w : !pop.ref<4xf32>",
    "%a$ = pop.read %lo : !pop.ref<2xf32>",
    "%a$ = pop.read %hi : !pop.ref<2xf32>",
    "pop.exp_ %v : !pop.ref<4xf32>",
    "pop.exp_ %w : !pop.ref<4xf32>",
    "pop.exp_ %lo : !pop.ref<2xf32>",
    "pop.zero_ %hi : !pop.ref<2xf32>",
    "pop.copy_ %r, %t : !pop.ref<4xf32>, tensor<4xf32>",
    "%a$ = pop.host_load @x : tensor<4xf32>",
    "pop.host_store %t, @y : tensor<4xf32>",
    "%a$ = pop.remote_load @b[0] : tensor<4xf32>",
    "%a$ = pop.remote_load @b[%row] : tensor<4xf32>",
    "pop.remote_store %t, @b[0] : tensor<4xf32>",
    "pop.remote_store %t, @b[1] : tensor<4xf32>",
    "pop.remote_store %t, @c[%row] : tensor<4xf32>",
    "pop.advance_draws",
    "%a$ = pop.next_seed",
    "call @callee(%r) : (!pop.ref<4xf32>) -> ()",
    "%a$ = pop.exp %t : tensor<4xf32>",
    "call @external(%t) : (tensor<4xf32>) -> ()",
};

/// Returns whether both locations may have common elements. `isSame` is set if
/// they are equal; otherwise, regions of elements have no common meaning.
static bool mayOverlap(const MemoryLocation &a, const MemoryLocation &b,
                       bool &isSame) {
  isSame = a == b;
  return isSame || (a.getResource() && a.getResource() == b.getResource() &&
                    (!a.getSymbol() || !b.getSymbol()));
}

/// Returns whether one op writes elements that the other one reads or writes.
/// EffectSummary::conflictsWith() ignores which elements are accessed.
static bool conflict(const EffectSummary &a, const EffectSummary &b) {
  if (a.isUnknown() || b.isUnknown())
    return a.conflictsWith(b);
  for (const auto &[locationA, ofA] : a.getMemoryLocations())
    for (const auto &[locationB, ofB] : b.getMemoryLocations()) {
      bool isSame = false;
      if (!mayOverlap(locationA, locationB, isSame))
        continue;
      auto overlap = [&](const ElementRegions &x, const ElementRegions &y) {
        return isSame ? x.overlaps(y) : !x.isEmpty() && !y.isEmpty();
      };
      if (overlap(ofA.writes, ofB.writes) || overlap(ofA.writes, ofB.reads) ||
          overlap(ofA.reads, ofB.writes))
        return true;
    }
  return false;
}

namespace {
class EffectDependencesTest : public GraphTest {
protected:
  /// Parses a function with `numOps` random ops, and checks their dependences.
  /// If `isExact` is set, dependent ops must conflict.
  void check(unsigned numOps, unsigned numKinds, bool isExact);

  std::mt19937 random{1};
};
} // namespace

void EffectDependencesTest::check(unsigned numOps, unsigned numKinds,
                                  bool isExact) {
  std::string text = kDeclarations.str() +
                     "func.func @main(%t: tensor<4xf32>, %row: tensor<i32>) {" +
                     kRefs.str();
  for (unsigned i = 0; i < numOps; ++i) {
    std::string op = kOps[random() % numKinds].str();
    if (size_t at = op.find('$'); at != std::string::npos)
      op.replace(at, 1, std::to_string(i));
    text += "    " + op + "\n";
  }
  GraphEffects effects(parse(text + "    return\n  }\n"));
  EffectDependences dependences;
  std::vector<const EffectSummary *> summaries;
  // For each op, the ops before it directly or through others.
  std::vector<llvm::BitVector> before;
  for (Operation &op : getFunction("main").front().without_terminator()) {
    unsigned number = summaries.size();
    const EffectSummary &summary = effects.getEffects(&op);
    llvm::BitVector reached(numOps + 16);
    dependences.add(number, summary, [&](unsigned other) {
      reached |= before[other];
      reached.set(other);
      EXPECT_TRUE(!isExact || conflict(summary, *summaries[other])) << text;
    });
    for (unsigned other = 0; other < number; ++other)
      EXPECT_TRUE(reached.test(other) || !conflict(summary, *summaries[other]))
          << other << " " << number << text;
    summaries.push_back(&summary);
    before.push_back(reached);
  }
}

TEST_F(EffectDependencesTest, ShortSequencesHaveTheDependencesOfConflicts) {
  for (unsigned i = 0; i < 150; ++i)
    check(/*numOps=*/14, std::size(kOps), /*isExact=*/true);
}

// Accesses to parts of a location are merged if there are many.
TEST_F(EffectDependencesTest, LongSequencesKeepTheOrderOfConflicts) {
  for (unsigned i = 0; i < 10; ++i) {
    check(/*numOps=*/200, std::size(kOps), /*isExact=*/false);
    check(/*numOps=*/200, std::size(kOps) - 1, /*isExact=*/false);
  }
}

TEST_F(EffectDependencesTest, AddsReadsOfSharedStorage) {
  GraphEffects effects(parse(kDeclarations.str() + R"mlir(
    func.func @main() {
      %v = pop.get_variable @v : !pop.ref<4xf32>
      pop.exp_ %v : !pop.ref<4xf32>
      return
    })mlir"));
  const RefOrigin &origin =
      effects.getOrigin(getOp<pop::GetVariableOp>("main").getResult());
  const EffectSummary &write =
      effects.getEffects(getOp<pop::GetVariableOp>("main")->getNextNode());
  EffectDependences dependences;
  SmallVector<unsigned> before;
  auto notify = [&](unsigned other) { before.push_back(other); };
  dependences.add(0, write, notify);
  dependences.addRead(1, origin.getMemoryLocation(), origin.view, notify);
  dependences.addRead(2, origin.getMemoryLocation(), origin.view, notify);
  EXPECT_EQ(before, SmallVector<unsigned>({0, 0}));
  before.clear();
  dependences.add(3, write, notify);
  EXPECT_EQ(before, SmallVector<unsigned>({0, 1, 2}));
}
