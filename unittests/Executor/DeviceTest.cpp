//===- DeviceTest.cpp - Replicas, exchanges, clocks and rounding ----------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ProgramTestUtils.h"
#include "llvm/ADT/APFloat.h"

using namespace mlir;
using namespace mlir::ipu;

namespace {
using DeviceTest = ProgramTest;
} // namespace

/// Returns a program that computes y = x + x on IPUs of four tiles for each
/// replica, with a sync of `kind` between steps of 5 and 7 cycles on IPU 0, and
/// of 6 and 8 cycles on IPU 1.
static std::string getReplicated(unsigned ipus, const std::string &kind) {
  std::string tiles = std::to_string(4 * ipus);
  return "#m = #ipu.map<[16], grid = [" + tiles + "], blocks = [p0 * " +
         std::to_string(16 / (4 * ipus)) + " : " +
         std::to_string(16 / (4 * ipus)) + "]>\n" + R"(
!b = memref<?xi32, strided<[1], offset: ?>>
module attributes {ipu.target = #ipu.target<"gc200", {tiles = 4 : i64, replicas = 2 : i64, ipus = )" +
         std::to_string(ipus) + R"( : i64}>} {
  ipu.stream @x host_to_device replicated : tensor<16xi32>
  ipu.stream @k host_to_device : tensor<16xi32>
  ipu.stream @y device_to_host replicated : tensor<16xi32>
  ipu.stream @z device_to_host : tensor<16xi32>
  ipu.codelet @add(%x : !b, %k : !b, %y : !b) inputs 2 cost <vector, supervisor = 1, worker = 1, cycles = 1, per = 1> {
    linalg.add ins(%x, %k : !b, !b) outs(%y : !b)
  }
  func.func @main() {
    %x = ipu.var "x" : memref<16xi32, #m>
    %k = ipu.var "k" : memref<16xi32, #m>
    %y = ipu.var "y" : memref<16xi32, #m>
    ipu.host_load @x to %x : memref<16xi32, #m>)" +
         getCost(ipus, 100) + "ipu.host_load @k to %k : memref<16xi32, #m>" +
         getCost(ipus, 100) + R"(
    ipu.compute_set "add" {
      ipu.vertices @add ins(%x, %k : memref<16xi32, #m>, memref<16xi32, #m>) outs(%y : memref<16xi32, #m>) access [#m, #m, #m]
    })" + getCost(ipus, 5) +
         "ipu.sync " + kind + getCost(ipus, 10) + R"(
    ipu.compute_set "add" {
      ipu.vertices @add ins(%y, %k : memref<16xi32, #m>, memref<16xi32, #m>) outs(%x : memref<16xi32, #m>) access [#m, #m, #m]
    })" + getCost(ipus, 7) +
         "ipu.host_store %x to @y : memref<16xi32, #m>" + getCost(ipus, 1) +
         "ipu.host_store %y to @z : memref<16xi32, #m>" + getCost(ipus, 1) +
         "func.return\n}\n}\n";
}

template <typename T>
static std::vector<char> getBytes(const std::vector<T> &values) {
  std::vector<char> bytes(values.size() * sizeof(T));
  std::memcpy(bytes.data(), values.data(), bytes.size());
  return bytes;
}

TEST_F(DeviceTest, ReplicasHoldDifferentValues) {
  std::vector<int32_t> x(32), k(16), y(32), z(16);
  for (int i = 0; i < 32; ++i)
    x[i] = 1000 * i;
  for (int i = 0; i < 16; ++i)
    k[i] = i;
  for (int i = 0; i < 32; ++i)
    y[i] = x[i] + 2 * k[i % 16];
  for (int i = 0; i < 16; ++i)
    z[i] = x[i] + k[i];
  inputs["x"] = getBytes(x);
  inputs["k"] = getBytes(k);
  for (unsigned ipus : {1u, 2u}) {
    OwningOpRef<ModuleOp> module = parse(getReplicated(ipus, "ipus"));
    ASSERT_TRUE(module);
    for (EngineKind engine : {EngineKind::Interp, EngineKind::Jit})
      for (unsigned threads : {1u, 2u, 3u}) {
        FailureOr<ExecuteResult> result = run(*module, engine, threads);
        ASSERT_TRUE(succeeded(result));
        EXPECT_EQ(getElements<int32_t>(*result, 0), y);
        EXPECT_EQ(getElements<int32_t>(*result, 1), z);
      }
  }
}

TEST_F(DeviceTest, EachIPUHasItsClock) {
  // Steps take n cycles on IPU 0 and n + 1 on IPU 1. The IPUs wait for each
  // other before each load and store. internal: load 100/101, wait 1/0, load ->
  // 201/202, add 206/208, sync 216/219, add 223/227, wait 4/0 -> 227, store
  // 228/229, wait 1/0 -> 229, store 230/231.
  for (auto [kind, wait] :
       {std::make_pair("internal", 1 + 4 + 1), {"ipus", 1 + 2 + 2 + 1}}) {
    OwningOpRef<ModuleOp> module = parse(getReplicated(2, kind));
    ASSERT_TRUE(module);
    FailureOr<ExecuteResult> result = run(*module, EngineKind::Interp);
    ASSERT_TRUE(succeeded(result));
    const Profile &profile = result->profile;
    ASSERT_EQ(profile.clocks.size(), 4u);
    EXPECT_EQ(profile.clocks[0].wait, wait) << kind;
    EXPECT_EQ(profile.clocks[1].wait, 0);
    EXPECT_EQ(profile.clocks[2].wait, wait);
    EXPECT_EQ(profile.clocks[3].now, 231);
    EXPECT_EQ(profile.clocks[0].now,
              profile.clocks[0].wait + 2 * 101 + 12 + 10);
    EXPECT_EQ(profile.cycles, 231);
    EXPECT_EQ(profile.slowestClock, 1);
  }
}

TEST_F(DeviceTest, SummaryTellsWhereTimeWent) {
  OwningOpRef<ModuleOp> module = parse(getReplicated(2, "ipus"));
  ASSERT_TRUE(module);
  FailureOr<ExecuteResult> result = run(*module, EngineKind::Interp);
  ASSERT_TRUE(succeeded(result));
  std::string text;
  llvm::raw_string_ostream os(text);
  printSummary(result->profile, os);
  for (const char *part :
       {"fits: the fullest tile needs 4,904 of 638,976 bytes (0.7 %)\n",
        "time: 231 cycles, 0.173 us, on gc200 at 1.330 GHz: 2 replica(s) x 2 "
        "IPU(s) x 4 tiles\n",
        "  compute                          14     6.0 %       2\n"
        "  sync                             11     4.7 %       1\n"
        "  (of replica 0, IPU 1, the slowest of 4)\n",
        "ops with most cycles "})
    EXPECT_NE(text.find(part), std::string::npos) << part << text;
}

TEST_F(DeviceTest, MovesFollowStrides) {
  OwningOpRef<ModuleOp> module = parse(R"(
#m = #ipu.map<[24], grid = [4], blocks = [p0 * 6 : 6]>
#n = #ipu.map<[48], grid = [5], blocks = [p0 * 10 : 10]>
module {
  ipu.stream @x host_to_device : tensor<24xi32>
  ipu.stream @y device_to_host : tensor<48xi32>
  func.func @main() {
    %x = ipu.var "x" : memref<24xi32, #m>
    %y = ipu.var "y" : memref<48xi32, #n>
    ipu.host_load @x to %x : memref<24xi32, #m>)" +
                                       getCost() + R"(
    // Three copies of the first row of 4.
    %a = memref.reinterpret_cast %x to offset: [0], sizes: [3, 4], strides: [0, 1] : memref<24xi32, #m> to memref<3x4xi32, strided<[0, 1]>, #m>
    %b = memref.reinterpret_cast %y to offset: [0], sizes: [3, 4], strides: [4, 1] : memref<48xi32, #n> to memref<3x4xi32, strided<[4, 1]>, #n>
    // All elements in reverse order, as columns of 12.
    %c = memref.reinterpret_cast %x to offset: [23], sizes: [12, 2], strides: [-1, -12] : memref<24xi32, #m> to memref<12x2xi32, strided<[-1, -12], offset: 23>, #m>
    %d = memref.reinterpret_cast %y to offset: [12], sizes: [12, 2], strides: [2, 1] : memref<48xi32, #n> to memref<12x2xi32, strided<[2, 1], offset: 12>, #n>
    // To every second element, the last one first.
    %e = memref.reinterpret_cast %x to offset: [5], sizes: [6], strides: [1] : memref<24xi32, #m> to memref<6xi32, strided<[1], offset: 5>, #m>
    %f = memref.reinterpret_cast %y to offset: [47], sizes: [6], strides: [-2] : memref<48xi32, #n> to memref<6xi32, strided<[-2], offset: 47>, #n>
    // One element.
    %g = memref.reinterpret_cast %x to offset: [7], sizes: [], strides: [] : memref<24xi32, #m> to memref<i32, strided<[], offset: 7>, #m>
    %h = memref.reinterpret_cast %y to offset: [36], sizes: [], strides: [] : memref<48xi32, #n> to memref<i32, strided<[], offset: 36>, #n>
    ipu.exchange "e" {
      ipu.move %a to %b : memref<3x4xi32, strided<[0, 1]>, #m> to memref<3x4xi32, strided<[4, 1]>, #n>
      ipu.move %c to %d : memref<12x2xi32, strided<[-1, -12], offset: 23>, #m> to memref<12x2xi32, strided<[2, 1], offset: 12>, #n>
      ipu.move %e to %f : memref<6xi32, strided<[1], offset: 5>, #m> to memref<6xi32, strided<[-2], offset: 47>, #n>
      ipu.move %g to %h : memref<i32, strided<[], offset: 7>, #m> to memref<i32, strided<[], offset: 36>, #n>
    })" + getCost() + R"(
    ipu.host_store %y to @y : memref<48xi32, #n>)" +
                                       getCost() + R"(
    func.return
  }
})");
  ASSERT_TRUE(module);
  std::vector<int32_t> x(24), y(48);
  for (int i = 0; i < 24; ++i)
    x[i] = 100 + i;
  for (int i = 0; i < 12; ++i) {
    y[i] = x[i % 4];
    y[12 + 2 * i] = x[23 - i];
    y[13 + 2 * i] = x[11 - i];
  }
  for (int i = 0; i < 6; ++i)
    y[47 - 2 * i] = x[5 + i];
  y[36] = x[7];
  inputs["x"] = getBytes(x);
  for (unsigned threads : {1u, 2u, 3u}) {
    FailureOr<ExecuteResult> result = run(*module, EngineKind::Interp, threads);
    ASSERT_TRUE(succeeded(result));
    EXPECT_EQ(getElements<int32_t>(*result, 0), y);
  }
}

//===----------------------------------------------------------------------===//
// Rounding
//===----------------------------------------------------------------------===//

/// Returns a program that converts elements from one type to another by `op`.
static std::string getConversion(const std::string &op, const std::string &from,
                                 const std::string &to, int64_t size) {
  std::string n = std::to_string(size);
  return "#m = #ipu.map<[" + n + "], grid = [8], blocks = [p0 * " +
         std::to_string(size / 8) + " : " + std::to_string(size / 8) +
         "]>\n!x = memref<?x" + from +
         ", strided<[1], offset: ?>>\n!y = "
         "memref<?x" +
         to +
         ", strided<[1], offset: ?>>\nmodule {\nipu.stream "
         "@x host_to_device : tensor<" +
         n + "x" + from + ">\nipu.stream @y device_to_host : tensor<" + n +
         "x" + to +
         ">\nipu.codelet @c(%x : !x, %y : !y) inputs 1 cost <vector, "
         "supervisor = 1, worker = 1, cycles = 1, per = 1> {\nlinalg.generic "
         "{indexing_maps = [affine_map<(d0) -> (d0)>, affine_map<(d0) -> "
         "(d0)>], iterator_types = [\"parallel\"]} ins(%x : !x) outs(%y : !y) "
         "{\n^bb0(%p : " +
         from + ", %o : " + to + "):\n%r = " + op + " %p : " + from + " to " +
         to + "\nlinalg.yield %r : " + to +
         "\n}\n}\nfunc.func @main() {\n%x = ipu.var \"x\" : memref<" + n + "x" +
         from + ", #m>\n%y = ipu.var \"y\" : memref<" + n + "x" + to +
         ", #m>\nipu.host_load @x to %x : memref<" + n + "x" + from + ", #m>" +
         getCost() +
         "ipu.compute_set \"c\" {\nipu.vertices @c ins(%x : memref<" + n + "x" +
         from + ", #m>) outs(%y : memref<" + n + "x" + to +
         ", #m>) access [#m, #m]\n}" + getCost() +
         "ipu.host_store %y to @y : memref<" + n + "x" + to + ", #m>" +
         getCost() + "func.return\n}\n}\n";
}

static uint64_t convert(uint64_t bits, const llvm::fltSemantics &from,
                        const llvm::fltSemantics &to) {
  llvm::APFloat value(
      from, llvm::APInt(llvm::APFloat::semanticsSizeInBits(from), bits));
  if (value.isNaN())
    return llvm::APFloat::getNaN(to).bitcastToAPInt().getZExtValue();
  bool losesInfo;
  value.convert(to, llvm::APFloat::rmNearestTiesToEven, &losesInfo);
  return value.bitcastToAPInt().getZExtValue();
}

TEST_F(DeviceTest, AllOfF16AndBF16Extend) {
  std::vector<uint16_t> all(65536);
  for (unsigned i = 0; i < 65536; ++i)
    all[i] = i;
  inputs["x"] = getBytes(all);
  for (const char *type : {"f16", "bf16"}) {
    const llvm::fltSemantics &semantics = type == StringRef("f16")
                                              ? llvm::APFloat::IEEEhalf()
                                              : llvm::APFloat::BFloat();
    OwningOpRef<ModuleOp> module =
        parse(getConversion("arith.extf", type, "f32", 65536));
    ASSERT_TRUE(module);
    for (EngineKind engine : {EngineKind::Interp, EngineKind::Jit}) {
      FailureOr<ExecuteResult> result = run(*module, engine);
      ASSERT_TRUE(succeeded(result));
      std::vector<uint32_t> y = getElements<uint32_t>(*result, 0);
      for (unsigned i = 0; i < 65536; ++i)
        ASSERT_EQ(y[i], convert(i, semantics, llvm::APFloat::IEEEsingle()))
            << type << " " << i;
    }
  }
}

TEST_F(DeviceTest, F32RoundsToF16AndBF16) {
  // Values near every second representable number and near every tie.
  constexpr unsigned size = 1 << 19;
  std::vector<uint32_t> x(size);
  uint64_t state = 7;
  for (const char *type : {"f16", "bf16"}) {
    bool isHalf = type == StringRef("f16");
    const llvm::fltSemantics &semantics =
        isHalf ? llvm::APFloat::IEEEhalf() : llvm::APFloat::BFloat();
    for (unsigned i = 0; i < size; ++i) {
      uint32_t near = convert(i / 8, semantics, llvm::APFloat::IEEEsingle());
      uint32_t tie = uint32_t(1) << (isHalf ? 12 : 15);
      uint32_t offsets[] = {
          0, tie - 1, tie, tie + 1, 1, 0u - 1, uint32_t(draw(state)), tie * 2};
      x[i] = near + offsets[i % 8];
    }
    inputs["x"] = getBytes(x);
    OwningOpRef<ModuleOp> module =
        parse(getConversion("arith.truncf", "f32", type, size));
    ASSERT_TRUE(module);
    for (EngineKind engine : {EngineKind::Interp, EngineKind::Jit}) {
      FailureOr<ExecuteResult> result = run(*module, engine);
      ASSERT_TRUE(succeeded(result));
      std::vector<uint16_t> y = getElements<uint16_t>(*result, 0);
      for (unsigned i = 0; i < size; ++i)
        ASSERT_EQ(y[i], convert(x[i], llvm::APFloat::IEEEsingle(), semantics))
            << type << " " << x[i];
    }
  }
}
