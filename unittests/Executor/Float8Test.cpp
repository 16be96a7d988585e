//===- Float8Test.cpp - Conversions of eight-bit floats -------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Compares the results of the engines with APFloat.
//
//===----------------------------------------------------------------------===//

#include "ProgramTestUtils.h"
#include "llvm/ADT/APFloat.h"

using namespace mlir;
using namespace mlir::ipu;
using llvm::APFloat;
using llvm::APInt;

namespace {
struct NamedFormat {
  const char *name;
  const llvm::fltSemantics &(*semantics)();
};
} // namespace

static const NamedFormat kFormats[] = {
    {"f8E4M3FN", &APFloat::Float8E4M3FN},
    {"f8E4M3FNUZ", &APFloat::Float8E4M3FNUZ},
    {"f8E5M2", &APFloat::Float8E5M2},
    {"f8E5M2FNUZ", &APFloat::Float8E5M2FNUZ},
    {"f8E4M3", &APFloat::Float8E4M3},
    {"f8E3M4", &APFloat::Float8E3M4},
    {"f8E4M3B11FNUZ", &APFloat::Float8E4M3B11FNUZ},
};

namespace {
class Float8Test : public ProgramTest {
protected:
  /// Converts `count` elements from one type to another by `op`, on 16 tiles.
  std::vector<char> convert(EngineKind engine, const std::string &op,
                            const std::string &from, const std::string &to,
                            std::vector<char> data, int64_t count) {
    std::string size = std::to_string(count);
    std::string part = std::to_string(count / 16);
    auto buffer = [](const std::string &type) {
      return "memref<?x" + type + ", strided<[1], offset: ?>>";
    };
    auto variable = [&](const std::string &type) {
      return "memref<" + size + "x" + type + ", #m>";
    };
    std::string text =
        "#d = affine_map<(d0) -> (d0)>\n#m = #ipu.map<[" + size +
        "], grid = [16], blocks = [p0 * " + part + " : " + part +
        "]>\nmodule {\nipu.stream @x "
        "host_to_device : tensor<" +
        size + "x" + from + ">\nipu.stream @y device_to_host : tensor<" + size +
        "x" + to + ">\nipu.codelet @c(%x : " + buffer(from) +
        ", %y : " + buffer(to) +
        ") inputs 1 cost <vector, supervisor = 1, worker = 1, cycles = 1, per "
        "= 1> {\nlinalg.generic {indexing_maps = [#d, #d], iterator_types = "
        "[\"parallel\"]} ins(%x : " +
        buffer(from) + ") outs(%y : " + buffer(to) + ") {\n^bb0(%p : " + from +
        ", %o : " + to + "):\n%v = " + op + " %p : " + from + " to " + to +
        "\nlinalg.yield %v : " + to +
        "\n}\n}\nfunc.func @main() {\n%x = ipu.var \"x\" : " + variable(from) +
        "\n%y = ipu.var \"y\" : " + variable(to) +
        "\nipu.host_load @x to %x : " + variable(from) + getCost() +
        "ipu.compute_set \"c\" {\nipu.vertices @c ins(%x : " + variable(from) +
        ") outs(%y : " + variable(to) + ") access [#m, #m]\n}" + getCost() +
        "ipu.host_store %y to @y : " + variable(to) + getCost() +
        "func.return\n}\n}\n";
    inputs["x"] = std::move(data);
    OwningOpRef<ModuleOp> module = parse(text);
    EXPECT_TRUE(module) << text;
    if (!module)
      return {};
    FailureOr<ExecuteResult> result = run(*module, engine);
    EXPECT_TRUE(succeeded(result));
    if (failed(result))
      return {};
    const HostBytes &bytes = result->outputs[0].tensor.data;
    return std::vector<char>(bytes.begin(), bytes.end());
  }
};
} // namespace

static APFloat convertTo(APFloat value, const llvm::fltSemantics &semantics) {
  bool losesInfo;
  value.convert(semantics, APFloat::rmNearestTiesToEven, &losesInfo);
  return value;
}

static uint32_t loadWord(const std::vector<char> &data, size_t index) {
  uint32_t word;
  std::memcpy(&word, data.data() + 4 * index, 4);
  return word;
}

TEST_F(Float8Test, AllNumbersToF32) {
  std::vector<char> all(256);
  for (int i = 0; i < 256; ++i)
    all[i] = static_cast<char>(i);
  for (EngineKind engine : {EngineKind::Interp, EngineKind::Jit})
    for (const NamedFormat &format : kFormats) {
      std::vector<char> data =
          convert(engine, "arith.extf", format.name, "f32", all, 256);
      ASSERT_EQ(data.size(), 1024u);
      for (int i = 0; i < 256; ++i) {
        APFloat value = convertTo(APFloat(format.semantics(), APInt(8, i)),
                                  APFloat::IEEEsingle());
        APFloat actual(APFloat::IEEEsingle(), APInt(32, loadWord(data, i)));
        if (value.isNaN()) {
          EXPECT_TRUE(actual.isNaN()) << format.name << " " << i;
        } else {
          EXPECT_TRUE(actual.bitwiseIsEqual(value)) << format.name << " " << i;
        }
      }
    }
}

/// Returns bit patterns of f32: near each number of the format and each tie,
/// special values, and random patterns. Half of the random patterns have a
/// magnitude in the range of the format.
static std::vector<uint32_t> getPatterns(const NamedFormat &format,
                                         int64_t count, uint64_t seed) {
  std::vector<uint32_t> patterns = {0,          1,          0x7FFFFF,
                                    0x800000,   0x7F7FFFFF, 0x7F800000,
                                    0x7F800001, 0x7FC00000, 0x7FFFFFFF};
  uint32_t last = 0;
  for (int i = 0; i < 128; ++i) {
    APFloat value(format.semantics(), APInt(8, i));
    if (!value.isFinite())
      continue;
    uint32_t bits =
        convertTo(value, APFloat::IEEEsingle()).bitcastToAPInt().getZExtValue();
    float low, high;
    std::memcpy(&low, &last, 4);
    std::memcpy(&high, &bits, 4);
    // This includes the tie beyond the greatest number.
    for (float middle : {(low + high) / 2, high, high + (high - low) / 2}) {
      uint32_t center;
      std::memcpy(&center, &middle, 4);
      for (int32_t by = -2; by <= 2; ++by)
        patterns.push_back(center + by);
    }
    last = bits;
  }
  for (size_t i = 0, e = patterns.size(); i < e; ++i)
    patterns.push_back(patterns[i] ^ 0x80000000);
  auto draw = [&]() {
    uint64_t z = (seed += 0x9E3779B97F4A7C15u);
    z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9u;
    z = (z ^ (z >> 27)) * 0x94D049BB133111EBu;
    return z ^ (z >> 31);
  };
  while (static_cast<int64_t>(patterns.size()) < count) {
    uint32_t bits = draw();
    if (draw() & 1)
      bits = (bits & 0x807FFFFF) | static_cast<uint32_t>(100 + draw() % 50)
                                       << 23;
    patterns.push_back(bits);
  }
  return patterns;
}

TEST_F(Float8Test, RoundsF32) {
  constexpr int64_t kCount = 1 << 18;
  for (const NamedFormat &format : kFormats) {
    std::vector<uint32_t> patterns = getPatterns(format, kCount, 7);
    std::vector<char> input(4 * kCount);
    std::memcpy(input.data(), patterns.data(), input.size());
    for (EngineKind engine : {EngineKind::Interp, EngineKind::Jit}) {
      std::vector<char> data =
          convert(engine, "arith.truncf", "f32", format.name, input, kCount);
      ASSERT_EQ(data.size(), patterns.size());
      unsigned shown = 0;
      for (int64_t i = 0; i < kCount && shown < 3; ++i) {
        APFloat expected =
            convertTo(APFloat(APFloat::IEEEsingle(), APInt(32, patterns[i])),
                      format.semantics());
        APFloat actual(format.semantics(),
                       APInt(8, static_cast<uint8_t>(data[i])));
        if (expected.isNaN() ? actual.isNaN() : actual.bitwiseIsEqual(expected))
          continue;
        ++shown;
        ADD_FAILURE() << format.name << " of 0x" << llvm::utohexstr(patterns[i])
                      << ": 0x"
                      << llvm::utohexstr(static_cast<uint8_t>(data[i]));
      }
    }
  }
}
