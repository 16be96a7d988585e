//===- EngineTest.cpp - Codelets on both engines --------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ProgramTestUtils.h"

using namespace mlir;
using namespace mlir::ipu;

namespace {
/// Runs one codelet with inputs x and w and output y, all of rank 4, which are
/// split as their tile mappings state.
class EngineTest : public ProgramTest {
protected:
  std::string getProgram(const std::string &body, const std::string &x,
                         const std::string &w, const std::string &y,
                         const std::string &grid, const std::string &xBlocks,
                         const std::string &wBlocks, const std::string &yBlocks,
                         const std::string &type = "f32") {
    auto map = [&](const std::string &name, const std::string &domain,
                   const std::string &blocks) {
      return "#" + name + " = #ipu.map<[" + domain + "], grid = [" + grid +
             "], blocks = [" + blocks + "]>\n";
    };
    auto variable = [&](const std::string &name, const std::string &domain) {
      std::string shape = domain;
      for (size_t at; (at = shape.find(", ")) != std::string::npos;)
        shape.replace(at, 2, "x");
      return std::make_pair("memref<" + shape + "x" + type + ", #" + name + ">",
                            "tensor<" + shape + "x" + type + ">");
    };
    auto [xVar, xTensor] = variable("x", x);
    auto [wVar, wTensor] = variable("w", w);
    auto [yVar, yTensor] = variable("y", y);
    auto [xMove, xIgnored] = variable("h", x);
    auto [wMove, wIgnored] = variable("i", w);
    std::string single = "[" + x + "]";
    return map("x", x, xBlocks) + map("w", w, wBlocks) + map("y", y, yBlocks) +
           "#h = #ipu.map<[" + x +
           "], grid = [1], blocks = [all, all, all, "
           "all]>\n#i = #ipu.map<[" +
           w +
           "], grid = [1], blocks = [all, all, "
           "all, all]>\n!b = memref<?x?x?x?x" +
           type +
           ", strided<[?, ?, ?, 1], offset: ?>>\nmodule {\nipu.stream @x "
           "host_to_device : " +
           xTensor + "\nipu.stream @w host_to_device : " + wTensor +
           "\nipu.stream @y device_to_host : " + yTensor +
           "\nipu.codelet @c(%x : !b, %w : !b, %y : !b) inputs 2 cost <vector, "
           "supervisor = 1, worker = 1, cycles = 1, per = 1> {\n" +
           body + "\n}\nfunc.func @main() {\n%hx = ipu.var \"hx\" : " + xMove +
           "\n%hw = ipu.var \"hw\" : " + wMove +
           "\n%x = ipu.var \"x\" copies "
           ": " +
           xVar + "\n%w = ipu.var \"w\" copies : " + wVar +
           "\n%y = ipu.var \"y\" : " + yVar +
           "\nipu.host_load @x to %hx : " + xMove + getCost() +
           "ipu.host_load @w to %hw : " + wMove + getCost() +
           "ipu.exchange \"e\" {\nipu.move %hx to %x : " + xMove + " to " +
           xVar + "\nipu.move %hw to %w : " + wMove + " to " + wVar + "\n}" +
           getCost() +
           "ipu.compute_set \"c\" {\nipu.vertices @c ins("
           "%x, %w : " +
           xVar + ", " + wVar + ") outs(%y : " + yVar +
           ") access [#x, #w, #y]\n}" + getCost() +
           "ipu.host_store %y to @y : " + yVar + getCost() +
           "func.return\n}\n}\n";
  }

  /// Expects that the interpreter, its checked run and compiled code have equal
  /// results, on 1, 2 and 3 threads.
  void check(const std::string &text) {
    usesNumbers = true;
    OwningOpRef<ModuleOp> module = parse(text);
    ASSERT_TRUE(module) << text;
    FailureOr<ExecuteResult> reference = run(*module, EngineKind::Interp);
    ASSERT_TRUE(succeeded(reference));
    std::string profile = getProfile(*reference);
    for (EngineKind engine : {EngineKind::Interp, EngineKind::Jit})
      for (unsigned threads : {1u, 2u, 3u}) {
        FailureOr<ExecuteResult> result = run(*module, engine, threads);
        ASSERT_TRUE(succeeded(result));
        expectSame(*reference, *result);
        EXPECT_EQ(profile, getProfile(*result));
      }
    for (unsigned threads : {1u, 3u}) {
      FailureOr<ExecuteResult> result =
          run(*module, EngineKind::Interp, threads, /*check=*/true);
      ASSERT_TRUE(succeeded(result));
      expectSame(*reference, *result);
      EXPECT_EQ(profile, getProfile(*result));
    }
    const HostBytes &data = reference->outputs[0].tensor.data;
    EXPECT_TRUE(llvm::any_of(data, [](char c) { return c != 0; }));
  }

  static std::string getProfile(const ExecuteResult &result) {
    std::string text;
    llvm::raw_string_ostream os(text);
    writeProfile(result.profile, os);
    return text;
  }
};
} // namespace

/// Returns a linalg.generic that sums products. Its maps of x, w and y are in
/// d0, d1, ..., and `iterators` has a letter for each iterator.
static std::string getGeneric(unsigned dims, const std::string &x,
                              const std::string &w, const std::string &y,
                              const std::string &iterators,
                              const std::string &op,
                              const std::string &type = "f32") {
  std::string list, kinds;
  for (unsigned i = 0; i < dims; ++i)
    list += (i ? ", d" : "d") + std::to_string(i);
  for (char c : iterators)
    kinds += std::string(kinds.empty() ? "" : ", ") +
             (c == 'p' ? "\"parallel\"" : "\"reduction\"");
  auto map = [&](const std::string &results) {
    return "affine_map<(" + list + ") -> (" + results + ")>";
  };
  return "linalg.generic {indexing_maps = [" + map(x) + ", " + map(w) + ", " +
         map(y) + "], iterator_types = [" + kinds +
         "]} ins(%x, %w : !b, !b) outs(%y : !b) {\n^bb0(%p : " + type +
         ", %q : " + type + ", %s : " + type + "):\n" + op +
         "\nlinalg.yield %r : " + type + "\n}\n";
}

static std::string getFill(const std::string &type = "f32") {
  return "%z = arith.constant 0.5 : " + type +
         "\nlinalg.fill ins(%z : " + type + ") outs(%y : !b)\n";
}

TEST_F(EngineTest, Matmul) {
  // Regions of 7 x 21, of which the last tiles have smaller parts. They have
  // fewer and more rows than a block, and fewer and more columns than a vector.
  std::string body = getFill() + getGeneric(4, "d0, 0, d1, d2", "0, d0, d2, d3",
                                            "d0, 0, d1, d3", "pprp",
                                            "%r = math.fma %p, %q, %s : f32");
  check(getProgram(body, "2, 1, 30, 19", "1, 2, 19, 50", "2, 1, 30, 50", "3, 3",
                   "all, all, p0 * 13 : 13, all", "all, all, all, p1 * 21 : 21",
                   "all, all, p0 * 13 : 13, p1 * 21 : 21"));
}

TEST_F(EngineTest, NarrowMatmul) {
  for (const char *type : {"f16", "bf16", "f64"}) {
    std::string t = type;
    std::string body =
        getFill(t) + getGeneric(4, "d0, 0, d1, d2", "0, d0, d2, d3",
                                "d0, 0, d1, d3", "pprp",
                                "%t = arith.mulf %p, %q : " + t +
                                    "\n%r = arith.addf %t, %s : " + t,
                                t);
    check(getProgram(body, "1, 1, 9, 5", "1, 1, 5, 40", "1, 1, 9, 40", "2, 1",
                     "all, all, p0 * 5 : 5, all", "all, all, all, p1 * 40 : 40",
                     "all, all, p0 * 5 : 5, p1 * 40 : 40", t));
  }
}

TEST_F(EngineTest, Convolution) {
  // The loops are output channel, kernel, input channel and position. The
  // strides are 1 and 2.
  for (int stride : {1, 2}) {
    std::string at = "d4 * " + std::to_string(stride) + " + d2";
    std::string size = std::to_string(36 * stride + 2);
    std::string block = "p1 * " + std::to_string(20 * stride) + " : " +
                        std::to_string(19 * stride + 3);
    std::string body =
        getFill() + getGeneric(5, "0, d3, 0, " + at, "0, d1, d3, d2",
                               "0, 0, d1, d4", "pprrp",
                               "%r = math.fma %p, %q, %s : f32");
    // d0 is the batch, which has size 1.
    body.replace(body.find("(0, 0, d1, d4)"), 14, "(d0, 0, d1, d4)");
    check(getProgram(body, "1, 3, 1, " + size, "1, 11, 3, 3", "1, 1, 11, 36",
                     "2, 2", "all, all, all, " + block,
                     "all, p0 * 6 : 6, all, all",
                     "all, all, p0 * 6 : 6, p1 * 20 : 20"));
  }
}

TEST_F(EngineTest, ReductionsOfTheInnermostLoop) {
  std::string body =
      getFill() + getGeneric(4, "d0, d1, d2, d3", "d0, d1, d2, d3",
                             "d0, d1, d2, 0", "pppr",
                             "%t = arith.addf %p, %q : f32\n"
                             "%r = arith.addf %s, %t : f32");
  check(getProgram(body, "3, 2, 4, 33", "3, 2, 4, 33", "3, 2, 4, 1", "3",
                   "p0 * 1 : 1, all, all, all", "p0 * 1 : 1, all, all, all",
                   "p0 * 1 : 1, all, all, all"));
}

TEST_F(EngineTest, LoopsBranchesViewsAndLocalMemory) {
  std::string body = R"(
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c3 = arith.constant 3 : index
    %n = memref.dim %x, %c3 : !b
    %zero = arith.constant 0.0 : f32
    %one = arith.constant 1.0 : f32
    %half = arith.divui %n, %c3 : index
    %v = memref.subview %x[0, 0, 0, %half] [1, 1, 1, %half] [1, 1, 1, 2] : !b to memref<?xf32, strided<[2], offset: ?>>
    %m = memref.dim %v, %c0 : memref<?xf32, strided<[2], offset: ?>>
    scf.for %i = %c0 to %n step %c1 {
      %a = memref.alloca() : memref<2xf32>
      %w0 = memref.load %w[%c0, %c0, %c0, %i] : !b
      memref.store %w0, %a[%c1] : memref<2xf32>
      %s:2 = scf.for %j = %c0 to %m step %c1 iter_args(%p = %zero, %q = %one) -> (f32, f32) {
        %e = memref.load %v[%j] : memref<?xf32, strided<[2], offset: ?>>
        %t = arith.addf %p, %e : f32
        scf.yield %q, %t : f32, f32
      }
      %a0 = memref.load %a[%c0] : memref<2xf32>
      %a1 = memref.load %a[%c1] : memref<2xf32>
      memref.store %one, %a[%c0] : memref<2xf32>
      %b = arith.cmpf olt, %a1, %zero : f32
      %r = scf.if %b -> f32 {
        scf.yield %s#0 : f32
      } else {
        %d = arith.addf %s#1, %a0 : f32
        scf.yield %d : f32
      }
      memref.store %r, %y[%c0, %c0, %c0, %i] : !b
    })";
  check(getProgram(body, "1, 1, 5, 30", "1, 1, 5, 30", "1, 1, 5, 30", "5",
                   "all, all, p0 * 1 : 1, all", "all, all, p0 * 1 : 1, all",
                   "all, all, p0 * 1 : 1, all"));
}

TEST_F(EngineTest, IndicesAndGathers) {
  std::string body = R"(
    linalg.generic {indexing_maps = [affine_map<(d0, d1) -> (0, 0, d0, d1)>, affine_map<(d0, d1) -> (0, 0, d0, d1)>], iterator_types = ["parallel", "parallel"]} ins(%w : !b) outs(%y : !b) {
    ^bb0(%p : i32, %o : i32):
      %c0 = arith.constant 0 : index
      %c3 = arith.constant 3 : index
      %n = memref.dim %x, %c3 : !b
      %i = linalg.index 0 : index
      %j = linalg.index 1 : index
      %k = arith.index_castui %p : i32 to index
      %at = arith.remui %k, %n : index
      %e = memref.load %x[%c0, %c0, %i, %at] : !b
      %s = arith.addi %i, %j : index
      %t = arith.index_cast %s : index to i32
      %r = arith.addi %e, %t : i32
      linalg.yield %r : i32
    })";
  check(getProgram(body, "1, 1, 6, 9", "1, 1, 6, 20", "1, 1, 6, 20", "3",
                   "all, all, p0 * 2 : 2, all", "all, all, p0 * 2 : 2, all",
                   "all, all, p0 * 2 : 2, all", "i32"));
}
