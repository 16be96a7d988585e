//===- EqualReplicasTest.cpp - Values that replicas share -----------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Runs random programs. A run that stores equal values of replicas once must
// have the same results as a checked run, which stores the values of each
// replica separately.
//
//===----------------------------------------------------------------------===//

#include "ProgramTestUtils.h"

#include <numeric>

using namespace mlir;
using namespace mlir::ipu;

namespace {
/// The replicas on which a value is equal: the number of the class of each
/// replica.
using Classes = std::vector<int64_t>;

Classes meet(const Classes &a, const Classes &b) {
  Classes result;
  std::map<std::pair<int64_t, int64_t>, int64_t> numbers;
  for (size_t i = 0; i < a.size(); ++i)
    result.push_back(
        numbers.try_emplace({a[i], b[i]}, numbers.size()).first->second);
  return result;
}

/// Returns whether replicas of a class of `fine` are in one class of `coarse`.
bool isFiner(const Classes &fine, const Classes &coarse) {
  return meet(fine, coarse) == meet(fine, fine);
}

/// The classes of a variable and of each of its halves.
struct Equal {
  Classes whole;
  Classes halves[2];

  void set(const Classes &all) { whole = halves[0] = halves[1] = all; }
};

/// Programs with random steps on the variables v0 to v4 of 12 integers, which
/// are all defined at the start.
class EqualReplicasTest : public ProgramTest {
protected:
  static constexpr unsigned kVars = 5;
  static constexpr unsigned kSteps = 24;

  static std::string var(unsigned i) { return "%v" + std::to_string(i); }

  /// Returns the attributes of an op with a replica-equal annotation.
  static std::string getAnnotation(const Classes &classes,
                                   StringRef others = "") {
    std::string text =
        " {" + others.str() + "ipu.replica_equal = #pop.replica_partition<";
    int64_t numClasses = *llvm::max_element(classes) + 1;
    for (int64_t number = 0; number < numClasses; ++number) {
      StringRef separator = "{";
      for (size_t replica = 0; replica < classes.size(); ++replica) {
        if (classes[replica] != number)
          continue;
        text += separator.str() + std::to_string(replica);
        separator = ", ";
      }
      text += "}";
    }
    return text + ">}";
  }

  /// Returns the classes of a value that each replica computes from the values
  /// of all members of its group. The values of the members have the classes
  /// `source`.
  Classes combine(const Classes &source, unsigned stride) const {
    std::map<std::vector<int64_t>, int64_t> numbers;
    Classes result;
    for (size_t replica = 0; replica < source.size(); ++replica) {
      // A group is two replicas whose numbers differ by `stride` or, if the
      // stride is 0, all replicas.
      std::vector<int64_t> members = source;
      if (stride > 0) {
        size_t first = replica / (2 * stride) * 2 * stride + replica % stride;
        members = {source[first], source[first + stride]};
      }
      result.push_back(
          numbers.try_emplace(members, numbers.size()).first->second);
    }
    return result;
  }

  static std::string getGroups(unsigned stride) {
    return stride == 0 ? ""
                       : "groups = #pop.replica_groups<stride = " +
                             std::to_string(stride) + ", size = 2>, ";
  }

  std::string getStep(uint64_t &seed) {
    unsigned a = draw(seed) % kVars, b = draw(seed) % kVars,
             c = draw(seed) % kVars;
    b = a == b ? (b + 1) % kVars : b;
    unsigned stride = replicas == 2 ? draw(seed) % 2 : draw(seed) % 3;
    std::string cost = getCost();
    switch (draw(seed) % 11) {
    case 0:
      equal[a].set(all);
      return "ipu.host_load @same to " + var(a) + " : !v" + cost +
             getAnnotation(all);
    case 1:
      equal[a].set(none);
      return "ipu.host_load @own to " + var(a) + " : !v" + cost +
             getAnnotation(none);
    case 2:
      equal[b] = equal[a];
      return "ipu.exchange \"all\" {\nipu.move " + var(a) + " to " + var(b) +
             getAnnotation(equal[a].whole) + " : !v to !v\n}" + cost;
    case 3:
      return getPartialMove(a, b, seed);
    case 4: { // Both halves of b: from a, and from a or c.
      c = c == b ? a : c;
      Classes first = equal[a].halves[0], second = equal[c].halves[1];
      equal[b] = {meet(first, second), {first, second}};
      return "ipu.exchange \"halves\" {\nipu.move " + var(a) + "_0 to " +
             var(b) + "_0" + getAnnotation(first) + " : !h0 to !h0\nipu.move " +
             var(c) + "_1 to " + var(b) + "_1" + getAnnotation(second) +
             " : !h1 to !h1\n}" + cost;
    }
    case 5:
    case 6:
      equal[b].set(combine(equal[a].whole, stride));
      return "ipu.collective all_reduce add " + var(a) + " to " + var(b) +
             getAnnotation(equal[b].whole, getGroups(stride)) + " : !v to !v" +
             cost;
    case 7: {
      Classes source = equal[a].whole;
      for (size_t replica = 0; replica < source.size(); replica += 2)
        source[replica + 1] = source[replica];
      equal[b].set(meet(source, source));
      return "ipu.collective broadcast " + var(a) + " to " + var(b) +
             getAnnotation(equal[b].whole, "root = 0 : i64, " + getGroups(1)) +
             " : !v to !v" + cost;
    }
    case 8:
      return getRemote(a, b, seed);
    default:
      c = c == b ? a : c;
      if (draw(seed) % 2) // The vertices update b in place.
        c = b;
      equal[b].set(meet(equal[a].whole, equal[c].whole));
      return "ipu.compute_set \"add\" {\nipu.vertices @add ins(" + var(a) +
             ", " + var(c) + " : !v, !v) outs(" + var(b) +
             " : !v) access [#m, #m, #m]" + getAnnotation(equal[b].whole) +
             "\n}" + cost;
    }
  }

  std::string getPartialMove(unsigned a, unsigned b, uint64_t &seed) {
    unsigned from = draw(seed) % 2, to = draw(seed) % 2;
    const Classes &part = equal[a].halves[from];
    equal[b].halves[to] = part;
    equal[b].whole = meet(equal[b].whole, part);
    std::string source = std::to_string(from), target = std::to_string(to);
    return "ipu.exchange \"part\" {\nipu.move " + var(a) + "_" + source +
           " to " + var(b) + "_" + target + getAnnotation(part) + " : !h" +
           source + " to !h" + target + "\n}" + getCost();
  }

  /// Returns steps that store a and load b. Each uses row 0, or the row with
  /// the number of the replica.
  std::string getRemote(unsigned a, unsigned b, uint64_t &seed) {
    bool storesRow = draw(seed) % 2 == 0, loadsRow = draw(seed) % 2 == 0;
    Classes own = all;
    own[0] = 1;
    row = storesRow ? equal[a].whole : meet(row, own);
    Classes loaded = loadsRow ? row : none;
    equal[b].set(loaded);
    return "ipu.remote_exchange \"there\" {\nipu.remote_store " + var(a) +
           " to @b[" + (storesRow ? "0" : "%row : !n") + "] : !v\n}" +
           getCost() + "ipu.remote_exchange \"back\" {\nipu.remote_load @b[" +
           (loadsRow ? "0" : "%row : !n") + "] to " + var(b) +
           getAnnotation(loaded) + " : !v\n}" + getCost();
  }

  std::string getProgram(uint64_t seed, int numReplicas) {
    replicas = numReplicas;
    all.assign(replicas, 0);
    none.resize(replicas);
    std::iota(none.begin(), none.end(), 0);
    row = all;
    std::string text = R"(
#m = #ipu.map<[12], grid = [4], blocks = [p0 * 3 : 3]>
#one = #ipu.map<[1], grid = [1], blocks = [p0 * 1 : 1]>
!b = memref<?xi32, strided<[1], offset: ?>>
!v = memref<12xi32, #m>
!h0 = memref<6xi32, strided<[1]>, #m>
!h1 = memref<6xi32, strided<[1], offset: 6>, #m>
!n = memref<i32, #one>
module attributes {ipu.target = #ipu.target<"gc200", {tiles = 4 : i64, replicas = )" +
                       std::to_string(replicas) + R"( : i64}>} {
  ipu.stream @same host_to_device : tensor<12xi32>
  ipu.stream @own host_to_device replicated : tensor<12xi32>
  ipu.remote_buffer @b : 4 x tensor<12xi32>
  ipu.state @row0 in @b[0] : tensor<12xi32> = dense<7> : tensor<12xi32>
)";
    for (int row = 1; row < 4; ++row)
      text += "ipu.state @row" + std::to_string(row) + " in @b[" +
              std::to_string(row) + "] : tensor<12xi32> = dense<" +
              std::to_string(row) + "> : tensor<12xi32>\n";
    for (unsigned i = 0; i < kVars; ++i)
      text += "ipu.stream @y" + std::to_string(i) +
              " device_to_host replicated : tensor<12xi32>\n";
    text += R"(
  ipu.codelet @add(%x : !b, %y : !b, %z : !b) inputs 2 cost <vector, supervisor = 1, worker = 1, cycles = 1, per = 1> {
    linalg.add ins(%x, %y : !b, !b) outs(%z : !b)
  }
  func.func @main() {
    %row = ipu.var "row" : !n
    ipu.replica_index to %row : !n)" +
            getCost();
    equal.resize(kVars);
    for (Equal &variable : equal)
      variable.set(all);
    for (unsigned i = 0; i < kVars; ++i)
      text += var(i) + " = ipu.var \"v\" : !v\nipu.host_load @same to " +
              var(i) + " : !v" + getCost() + var(i) +
              "_0 = memref.reinterpret_cast " + var(i) +
              " to offset: [0], sizes: [6], strides: [1] : !v to !h0\n" +
              var(i) + "_1 = memref.reinterpret_cast " + var(i) +
              " to offset: [6], sizes: [6], strides: [1] : !v to !h1\n";
    for (unsigned i = 0; i < kSteps; ++i)
      text += getStep(seed);
    for (unsigned i = 0; i < kVars; ++i)
      text += "ipu.host_store " + var(i) + " to @y" + std::to_string(i) +
              " : !v" + getCost();
    return text + "return\n}\n}\n";
  }

  int replicas = 0;
  Classes all, none;
  /// The classes of each variable, and of row 0 of the remote buffer.
  std::vector<Equal> equal;
  Classes row;
};
} // namespace

TEST_F(EqualReplicasTest, RandomProgramsAgreeWithCheckedRuns) {
  for (uint64_t seed = 1; seed <= 60; ++seed) {
    int replicas = seed % 2 ? 4 : 2;
    std::string text = getProgram(seed, replicas);
    OwningOpRef<ModuleOp> module = parse(text);
    ASSERT_TRUE(module) << text;
    FailureOr<ExecuteResult> apart =
        run(*module, EngineKind::Interp, 1, /*check=*/true);
    ASSERT_TRUE(succeeded(apart)) << text;
    for (unsigned threads : {1u, 3u}) {
      FailureOr<ExecuteResult> together =
          run(*module, EngineKind::Interp, threads);
      ASSERT_TRUE(succeeded(together)) << text;
      expectSame(*apart, *together);
      if (HasFailure()) {
        ADD_FAILURE() << text;
        return;
      }
    }
  }
}

/// With checks, annotated values are equal on the stated replicas. Without
/// checks, these replicas store them once.
TEST_F(EqualReplicasTest, WhatIsEqualIsStoredOnce) {
  unsigned numAnnotations = 0, numPartly = 0;
  for (uint64_t seed = 1; seed <= 80; ++seed) {
    std::string text = getProgram(seed, 4);
    OwningOpRef<ModuleOp> module = parse(text);
    ASSERT_TRUE(module) << text;
    ReplicaEqualReport found;
    report = &found;
    for (bool checks : {true, false}) {
      checksReplicaEqual = checks;
      ASSERT_TRUE(succeeded(run(*module, EngineKind::Interp, 1 + seed % 3)))
          << text;
      EXPECT_EQ(found.isCompared, checks);
      EXPECT_GE(found.annotations.size(), kSteps);
      for (const ReplicaEqualAnnotationReport &annotation : found.annotations) {
        EXPECT_EQ(annotation.executions, 1);
        if (!isFiner(annotation.annotated, annotation.observed)) {
          ADD_FAILURE() << "line " << annotation.location << " of\n" << text;
          return;
        }
        ++numAnnotations;
        numPartly +=
            annotation.annotated != all && annotation.annotated != none;
      }
    }
  }
  // Enough annotations have several classes, so that the test is not trivial.
  EXPECT_GT(numPartly, numAnnotations / 10);
}

/// A small program on more replicas than practical programs have.
TEST_F(EqualReplicasTest, CheckNeedsValues) {
  OwningOpRef<ModuleOp> module = parse(getProgram(5, 2));
  ASSERT_TRUE(module);
  checksReplicaEqual = true;
  std::string error;
  ScopedDiagnosticHandler handler(&context, [&](Diagnostic &diagnostic) {
    error = diagnostic.str();
    return success();
  });
  EXPECT_TRUE(failed(run(*module, EngineKind::None)));
  EXPECT_EQ(error, "expects an engine that computes values, to check that "
                   "values are replica-equal");
}

TEST_F(EqualReplicasTest, ManyReplicas) {
  // The remote buffer only has rows for replicas 0 to 3.
  std::string text = getProgram(5, 1024);
  size_t at;
  while ((at = text.find("%row : !n]")) != std::string::npos)
    text.replace(at, 9, "1");
  OwningOpRef<ModuleOp> module = parse(text);
  ASSERT_TRUE(module);
  FailureOr<ExecuteResult> result = run(*module, EngineKind::Interp, 2);
  ASSERT_TRUE(succeeded(result));
  EXPECT_EQ(result->profile.clocks.size(), 1024u);
  EXPECT_EQ(result->outputs[0].tensor.type.getDimSize(0), 1024);
}
