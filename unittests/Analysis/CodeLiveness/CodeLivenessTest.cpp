//===- CodeLivenessTest.cpp - Code liveness against runs ------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The test runs random programs many times with random branches and trip
// counts. Code must be live at an op if and only if the graph is being executed
// at the op, or some run through the op calls the graph later without loading
// the code before the call.
//
//===----------------------------------------------------------------------===//

#include "ipu-mlir/Analysis/CodeLiveness/CodeLiveness.h"
#include "../GraphTest.h"
#include <random>

using namespace mlir;
using namespace mlir::ipu;

namespace {

constexpr unsigned kNumGraphs = 3;
/// The number of runs in sequence. The needs at the end of the last run are not
/// known.
constexpr unsigned kNumRuns = 4;

/// A point of a trace: the start or the end of an op, with the running graphs,
/// or a call or load of graphs. Graphs are bits.
struct Point {
  Operation *op = nullptr;
  bool isAfter = false;
  unsigned running = 0, called = 0, loaded = 0;
};

class CodeLivenessTest : public GraphTest {
protected:
  CodeLivenessTest() : random(11) {}

  int64_t draw(int64_t low, int64_t high) {
    return std::uniform_int_distribution<int64_t>(low, high)(random);
  }

  /// Appends random ops of a function that only calls and loads graphs from
  /// `first` on.
  void drawSteps(unsigned first, unsigned depth, std::string &text) {
    for (int64_t i = draw(0, 2); i >= 0; --i) {
      int64_t kind = draw(0, depth < 2 ? 4 : 2);
      std::string graph =
          first < kNumGraphs
              ? "@g" + std::to_string(draw(first, kNumGraphs - 1))
              : "";
      if (kind <= 2 && graph.empty())
        continue;
      if (kind <= 1)
        text += "func.call " + graph + "(%p, %n) : (i1, index) -> ()\n";
      else if (kind == 2)
        text += "pop.remote_code_load " + graph + " to executable\n";
      else if (kind == 3) {
        text += "scf.if %p {\n";
        drawSteps(first, depth + 1, text);
        text += "} else {\n";
        drawSteps(first, depth + 1, text);
        text += "}\n";
      } else {
        text +=
            "scf.for %i" + std::to_string(depth) + " = %n to %n step %n {\n";
        drawSteps(first, depth + 1, text);
        text += "}\n";
      }
    }
  }

  std::string drawProgram() {
    std::string text = "func.func @main(%p: i1, %n: index) {\n";
    drawSteps(0, 0, text);
    text += "return\n}\n";
    for (unsigned i = 0; i < kNumGraphs; ++i) {
      text += "func.func private @g" + std::to_string(i) +
              "(%p: i1, %n: index) attributes {no_inline} {\n";
      drawSteps(i + 1, 1, text);
      text += "return\n}\n";
    }
    return text;
  }

  static unsigned getBit(SymbolRefAttr graph) {
    return 1u << (graph.getLeafReference().getValue()[1] - '0');
  }

  /// Runs a block and appends its trace. Returns false if the trace becomes too
  /// long.
  bool run(Block &block, unsigned running, std::vector<Point> &trace) {
    for (Operation &op : block) {
      if (trace.size() > 3000)
        return false;
      trace.push_back({&op, false, running});
      if (auto call = dyn_cast<func::CallOp>(op)) {
        unsigned bit = getBit(call.getCalleeAttr());
        trace.push_back({nullptr, false, running, bit});
        Block &body = getFunction(call.getCallee()).getBody().front();
        if (!run(body, running | bit, trace))
          return false;
      } else if (auto load = dyn_cast<CodeLoadOpInterface>(op)) {
        for (SymbolRefAttr graph : load.getLoadedGraphs())
          trace.push_back({nullptr, false, running, 0, getBit(graph)});
      } else if (isa<scf::IfOp>(op)) {
        if (!run(op.getRegion(draw(0, 1)).front(), running, trace))
          return false;
      } else if (isa<scf::ForOp>(op)) {
        for (int64_t i = draw(0, 2); i > 0; --i)
          if (!run(op.getRegion(0).front(), running, trace))
            return false;
      }
      trace.push_back({&op, true, running});
    }
    return true;
  }

  struct Needed {
    unsigned before = 0, after = 0;
  };
  using NeededAt = llvm::DenseMap<Operation *, Needed>;

  /// Runs the program several times in sequence. Adds the code that the runs
  /// except the last one need before and after each op.
  void addRun(unsigned &atStart, NeededAt &neededAt) {
    std::vector<Point> trace;
    size_t lastRun = 0;
    for (unsigned i = 0; i < kNumRuns; ++i) {
      lastRun = trace.size();
      if (!run(getFunction("main").getBody().front(), 0, trace))
        return;
    }
    unsigned needed = 0;
    for (size_t i = trace.size(); i-- > 0;) {
      const Point &point = trace[i];
      needed = (needed | point.called) & ~point.loaded;
      if (!point.op || i >= lastRun)
        continue;
      Needed &at = neededAt[point.op];
      (point.isAfter ? at.after : at.before) |= needed | point.running;
    }
    atStart |= needed;
  }

  std::mt19937 random;
};

TEST_F(CodeLivenessTest, MatchesRuns) {
  unsigned numLive = 0, numDead = 0;
  for (unsigned round = 0; round < 200; ++round) {
    std::string text = drawProgram();
    parse(text);
    FailureOr<CodeLiveness> liveness = CodeLiveness::create(*module);
    ASSERT_TRUE(succeeded(liveness));
    unsigned atStart = 0;
    NeededAt neededAt;
    for (unsigned i = 0; i < 600; ++i)
      addRun(atStart, neededAt);
    for (FunctionOpInterface graph : liveness->getLoadedGraphs()) {
      unsigned bit = getBit(SymbolRefAttr::get(graph));
      EXPECT_EQ(liveness->isResidentInImage(graph), (atStart & bit) != 0)
          << text;
      for (auto [op, needed] : neededAt) {
        EXPECT_EQ(liveness->isLiveBefore(op, graph), (needed.before & bit) != 0)
            << op->getName().getStringRef().str() << " "
            << graph.getName().str() << "\n"
            << text;
        EXPECT_EQ(liveness->isLiveAfter(op, graph), (needed.after & bit) != 0)
            << op->getName().getStringRef().str() << " "
            << graph.getName().str() << "\n"
            << text;
        ++((needed.after & bit) ? numLive : numDead);
      }
    }
    if (HasFailure())
      return;
  }
  EXPECT_GT(numLive, 500u);
  EXPECT_GT(numDead, 500u);
}

TEST_F(CodeLivenessTest, Entry) {
  parse(R"mlir(
    func.func private @g() attributes {no_inline} {
      return
    }
    func.func @a() {
      pop.remote_code_load @g to executable
      call @g() : () -> ()
      return
    }
    func.func @b() {
      call @g() : () -> ()
      return
    })mlir");
  FunctionOpInterface g = getFunction("g");
  auto fromAny = CodeLiveness::create(*module);
  auto fromA = CodeLiveness::create(*module, getFunction("a"));
  ASSERT_TRUE(succeeded(fromAny) && succeeded(fromA));
  EXPECT_TRUE(fromAny->isResidentInImage(g));
  EXPECT_FALSE(fromA->isResidentInImage(g));
  // No path from the entry leads to this op.
  EXPECT_FALSE(fromA->isLiveBefore(getOp<func::CallOp>("b"), g));
  auto load = getOp<pop::RemoteCodeLoadOp>("a");
  EXPECT_FALSE(fromA->isLiveBefore(load, g));
  EXPECT_TRUE(fromA->isResidentDuring(load, g));
  EXPECT_TRUE(fromA->isAlwaysLive(getFunction("a")));
}

TEST_F(CodeLivenessTest, Buffers) {
  parse(R"mlir(
    func.func private @g() attributes {no_inline} {
      return
    }
    func.func @main() {
      pop.remote_code_load @g to io_buffer
      pop.code_copy @g from io_buffer to executable
      call @g() : () -> ()
      pop.code_copy @g from executable to compute_buffer
      return
    })mlir");
  FunctionOpInterface g = getFunction("g");
  auto load = getOp<pop::RemoteCodeLoadOp>("main");
  auto copy = getOp<pop::CodeCopyOp>("main", 0);
  auto back = getOp<pop::CodeCopyOp>("main", 1);
  auto inBuffer = CodeLiveness::create(*module, {}, CodeLocation::IOBuffer);
  ASSERT_TRUE(succeeded(inBuffer));
  EXPECT_FALSE(inBuffer->isAlwaysLive(g));
  EXPECT_FALSE(inBuffer->isResidentInImage(g));
  EXPECT_TRUE(inBuffer->isLiveAfter(load, g));
  EXPECT_TRUE(inBuffer->isLiveBefore(copy, g));
  EXPECT_FALSE(inBuffer->isLiveAfter(copy, g));
  // A copy from the memory is a use of the code, as a call is.
  auto executable = CodeLiveness::create(*module);
  ASSERT_TRUE(succeeded(executable));
  EXPECT_FALSE(executable->isLiveBefore(copy, g));
  EXPECT_TRUE(executable->isLiveAfter(copy, g));
  EXPECT_TRUE(executable->isLiveBefore(back, g));
  EXPECT_FALSE(executable->isLiveAfter(back, g));
  // No op copies the code from this buffer.
  auto inOther = CodeLiveness::create(*module, {}, CodeLocation::ComputeBuffer);
  ASSERT_TRUE(succeeded(inOther));
  ASSERT_EQ(inOther->getDeadLoads().size(), 1u);
  EXPECT_EQ(inOther->getDeadLoads()[0].load, back.getOperation());
}

} // namespace
