//===- StochasticRoundingTest.cpp - Stochastic rounding -------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ProgramTestUtils.h"
#include "Run/ComputeCollective.h"
#include "Support/ScalarValues.h"
#include "ipu-mlir/Executor/Support/RandomBits.h"
#include "mlir/IR/Builders.h"
#include <cmath>

using namespace mlir;
using namespace mlir::ipu;

namespace {
//===----------------------------------------------------------------------===//
// Rounding
//===----------------------------------------------------------------------===//

struct Format {
  ScalarKind kind;
  const char *name;
  RoundedFormat format;
};

std::vector<Format> getFormats() {
  MLIRContext context;
  return {
      {ScalarKind::F16, "f16", getRoundedFormat(Float16Type::get(&context))},
      {ScalarKind::F8E4M3FNUZ, "f8E4M3FNUZ",
       getRoundedFormat(Float8E4M3FNUZType::get(&context))},
      {ScalarKind::F8E5M2FNUZ, "f8E5M2FNUZ",
       getRoundedFormat(Float8E5M2FNUZType::get(&context))}};
}

/// Returns the non-negative numbers of a format in ascending order, and the
/// number that would follow the greatest one.
std::vector<double> getNumbers(const Format &format) {
  std::vector<double> numbers;
  for (uint32_t bits = 0; bits <= format.format.largest; ++bits)
    numbers.push_back(decodeScalar(format.kind, bits));
  numbers.push_back(2 * numbers.back() - numbers[numbers.size() - 2]);
  return numbers;
}

/// Rounds by the definition on numbers. All steps are exact in double.
uint32_t roundByDefinition(const Format &format, ArrayRef<double> numbers,
                           double value, uint32_t bits,
                           RoundingOverflow overflow) {
  double magnitude = std::abs(value);
  if (std::isnan(value))
    return format.format.nan;
  bool hasInfinity = format.kind == ScalarKind::F16;
  uint32_t sign = std::signbit(value) ? 1u << (format.format.width - 1) : 0;
  if (std::isinf(value))
    return hasInfinity ? sign | 0x7C00 : format.format.nan;
  size_t at = llvm::upper_bound(numbers, magnitude) - numbers.begin() - 1;
  if (at + 1 < numbers.size()) {
    double part = (magnitude - numbers[at]) / (numbers[at + 1] - numbers[at]);
    at += bits < std::floor(part * 0x1p32);
  }
  if (at > format.format.largest) {
    if (overflow == RoundingOverflow::NaN)
      return format.format.nan;
    at = format.format.largest;
  }
  return at == 0 && !hasInfinity ? 0 : sign | at;
}

/// Returns bits near the threshold at which the result changes, for a value at
/// `part` of the distance between two numbers.
std::vector<uint32_t> getTurningBits(double part) {
  auto threshold = static_cast<uint64_t>(part * 0x1p32);
  std::vector<uint32_t> result = {0, 0xFFFFFFFF};
  for (int64_t by : {-1, 0, 1}) {
    uint64_t bits = threshold + by;
    if (bits < uint64_t(1) << 32)
      result.push_back(bits);
  }
  return result;
}

TEST(StochasticRoundingTest, IsAsDefined) {
  const double parts[] = {0,         0x1p-40,     0x1p-32,     0x1p-31,
                          0x1.8p-32, 0.25,        0.5,         0x1.55555555p-2,
                          0.75,      1 - 0x1p-33, 1 - 0x1p-32, 1 - 0x1p-42};
  for (const Format &format : getFormats()) {
    std::vector<double> numbers = getNumbers(format);
    int64_t failures = 0;
    auto check = [&](double value, uint32_t bits) {
      for (RoundingOverflow overflow :
           {RoundingOverflow::NaN, RoundingOverflow::Clip})
        for (double signedValue : {value, -value}) {
          uint32_t got =
              roundStochastic(format.format, signedValue, bits, overflow);
          uint32_t expected =
              roundByDefinition(format, numbers, signedValue, bits, overflow);
          if (got != expected && ++failures < 4)
            ADD_FAILURE() << format.name << " of " << signedValue << " by "
                          << bits << ": " << got << " but expected "
                          << expected;
        }
    };
    for (size_t i = 0; i + 1 < numbers.size(); ++i)
      for (double part : parts) {
        double value = numbers[i] + part * (numbers[i + 1] - numbers[i]);
        // Above, half of the bits of the fraction remain.
        double actual = (value - numbers[i]) / (numbers[i + 1] - numbers[i]);
        if (actual >= 1)
          continue;
        for (uint32_t bits : getTurningBits(actual))
          check(value, bits);
        auto single = static_cast<float>(value);
        check(single, static_cast<uint32_t>(i * 0x9E3779B9));
      }
    for (double value :
         {numbers.back(), numbers.back() * 1.5, 0x1p100, 0x1p1023, 0x1p-1074,
          0x1p-149, 0x1p-150, 0x1p-127, double(INFINITY), double(NAN)})
      for (uint32_t bits : {0u, 1u, 0x80000000u, 0xFFFFFFFFu})
        check(value, bits);
    EXPECT_EQ(failures, 0) << format.name;
  }
}

//===----------------------------------------------------------------------===//
// Collectives
//===----------------------------------------------------------------------===//

/// Sums are computed in f32, and each sum is rounded with the bits of its
/// element. If the results are scattered, these are the bits of the element in
/// the part. There is more than one block of elements.
TEST(StochasticRoundingTest, OfCollectives) {
  constexpr int64_t size = 3000;
  Collective collective;
  collective.operation = CollectiveOperator::Add;
  collective.elements.kind = ScalarKind::F16;
  collective.groups = ReplicaGroups::getAll(2);
  collective.sourceShape = collective.targetShape = {size};
  collective.rounding =
      CollectiveRounding{getFormats()[0].format, RoundingOverflow::Clip};
  std::vector<uint16_t> sources[2];
  std::vector<uint32_t> bits;
  for (uint32_t i = 0; i < size; ++i) {
    std::array<uint32_t, 4> block = philox4x32({0, 0}, {i, 0, 0, 0});
    sources[0].push_back(block[0] % 0x7C00);
    sources[1].push_back(block[1] % 0x7C00);
    bits.push_back(block[2]);
  }
  SmallVector<const char *> buffers;
  for (const std::vector<uint16_t> &source : sources)
    buffers.push_back(reinterpret_cast<const char *>(source.data()));
  auto check = [&](int64_t replica, int64_t first, int64_t count) {
    std::vector<uint16_t> results(count);
    computeCollective(collective, buffers, replica,
                      reinterpret_cast<char *>(results.data()), bits);
    int64_t upward = 0;
    for (int64_t i = 0; i < count; ++i) {
      double sum = decodeScalar(ScalarKind::F16, sources[0][first + i]) +
                   decodeScalar(ScalarKind::F16, sources[1][first + i]);
      ASSERT_EQ(results[i], roundStochastic(collective.rounding->format,
                                            static_cast<float>(sum), bits[i],
                                            RoundingOverflow::Clip))
          << i;
      upward += decodeScalar(ScalarKind::F16, results[i]) > sum;
    }
    EXPECT_GT(upward, count / 8);
  };
  check(0, 0, size);
  collective.kind = CollectiveKind::ReduceScatter;
  collective.targetShape = {size / 2};
  check(1, size / 2, size / 2);
}

//===----------------------------------------------------------------------===//
// Statistics
//===----------------------------------------------------------------------===//

/// Returns values between two numbers of `format`, for all kinds of numbers.
std::vector<double> getSamples(const Format &format) {
  std::vector<double> numbers = getNumbers(format);
  uint32_t step = 1 << format.format.mantissaBits;
  std::vector<double> samples;
  auto add = [&](size_t lower, double part) {
    samples.push_back(numbers[lower] +
                      part * (numbers[lower + 1] - numbers[lower]));
  };
  add(0, 0x1.3p-3);   // Below the least number.
  add(step / 2, 0.7); // Subnormal.
  add(step - 1, 0.4); // Below the least normal number.
  add(step, 0.5);     // In several binades.
  add(5 * step + 1, 0x1.9p-6);
  add(format.format.largest / 2 - 1, 0.9);
  add(format.format.largest - 1, 0.3); // Below the largest number.
  return samples;
}

/// Tests of the frequencies of both directions of rounding in kDraws draws.
class StochasticRoundingDrawsTest
    : public ::testing::TestWithParam<RngGenerator> {
protected:
  static constexpr int64_t kDraws = 1000000;

  std::vector<uint32_t> drawBits() {
    std::vector<uint32_t> words(kRngWordsOfTile), bits(kDraws);
    initializeRngState({GetParam(), 42, 1, 2}, 1, words.data());
    if (GetParam() == RngGenerator::Counter)
      for (int64_t i = 0; i < kDraws; ++i)
        bits[i] = getCounterBits(words.data(), i, {});
    else
      getStreamBits(words.data(), kDraws, [&](int64_t place, uint32_t drawn) {
        bits[place] = drawn;
      });
    return bits;
  }
};

TEST_P(StochasticRoundingDrawsTest, MeanErrorIsZero) {
  std::vector<uint32_t> bits = drawBits();
  for (const Format &format : getFormats())
    for (auto [number, sample] : llvm::enumerate(getSamples(format))) {
      double value = number % 2 ? -sample : sample;
      // Each draw has one of two results.
      uint32_t first =
          roundStochastic(format.format, value, bits[0], RoundingOverflow::NaN);
      uint32_t other = first;
      int64_t others = 0;
      for (uint32_t drawn : bits) {
        uint32_t result =
            roundStochastic(format.format, value, drawn, RoundingOverflow::NaN);
        if (result == first)
          continue;
        other = others ? other : result;
        ASSERT_EQ(result, other);
        ++others;
      }
      double low = decodeScalar(format.kind, first) - value;
      double high = decodeScalar(format.kind, other) - value;
      double sum = others * high + (kDraws - others) * low;
      if (low > high)
        std::swap(low, high);
      // Both neighbours occurred. The variance of one draw is -low * high.
      ASSERT_LT(low, 0);
      ASSERT_GT(high, 0);
      EXPECT_LT(std::abs(sum / kDraws), 4 * std::sqrt(-low * high / kDraws))
          << format.name << " of " << value;
    }
}

/// The frequencies of the directions of pairs of successive draws follow their
/// probabilities.
TEST_P(StochasticRoundingDrawsTest, ChiSquareOfDirections) {
  std::vector<uint32_t> bits = drawBits();
  for (const Format &format : getFormats()) {
    double sum = 0;
    int64_t freedom = 0;
    std::vector<double> numbers = getNumbers(format);
    for (double value : getSamples(format)) {
      size_t lower = llvm::upper_bound(numbers, value) - numbers.begin() - 1;
      double up =
          (value - numbers[lower]) / (numbers[lower + 1] - numbers[lower]);
      int64_t counts[4] = {};
      for (int64_t i = 0; i + 1 < kDraws; i += 2) {
        int64_t pair = 0;
        for (int64_t k : {i, i + 1})
          pair = 2 * pair + (roundStochastic(format.format, value, bits[k],
                                             RoundingOverflow::NaN) > lower);
        ++counts[pair];
      }
      for (int64_t pair = 0; pair < 4; ++pair) {
        double expected =
            kDraws / 2 * (pair & 1 ? up : 1 - up) * (pair & 2 ? up : 1 - up);
        sum += (counts[pair] - expected) * (counts[pair] - expected) / expected;
      }
      freedom += 3;
    }
    // The samples share their bits. Therefore the interval is wider than for
    // independent samples.
    EXPECT_LT(sum, freedom + 4 * std::sqrt(2.0 * freedom * 7)) << format.name;
    EXPECT_GT(sum, 0) << format.name;
  }
}

INSTANTIATE_TEST_SUITE_P(Generators, StochasticRoundingDrawsTest,
                         ::testing::Values(RngGenerator::Counter,
                                           RngGenerator::Stream));

//===----------------------------------------------------------------------===//
// Engines
//===----------------------------------------------------------------------===//

/// Programs that round x with the bits r to y, 4096 elements on 4 tiles.
class StochasticRoundingProgramTest : public ProgramTest {
protected:
  static constexpr int64_t kSize = 4096;

  static std::string getProgram(const std::string &from, const std::string &to,
                                const std::string &overflow) {
    auto var = [](const std::string &type) {
      return "memref<4096x" + type + ", #m>";
    };
    auto buffer = [](const std::string &type) {
      return "memref<?x" + type + ", strided<[1], offset: ?>>";
    };
    return "#m = #ipu.map<[4096], grid = [4], blocks = [p0 * 1024 : 1024]>\n"
           "module {\n"
           "ipu.stream @x host_to_device : tensor<4096x" +
           from +
           ">\nipu.stream @r host_to_device : tensor<4096xi32>\n"
           "ipu.stream @y device_to_host : tensor<4096x" +
           to + ">\nipu.codelet @c(%x : " + buffer(from) +
           ", %r : " + buffer("i32") + ", %y : " + buffer(to) +
           ") inputs 2 cost <vector, supervisor = 1, worker = 1, cycles = 1, "
           "per = 1> {\nlinalg.generic {indexing_maps = [affine_map<(i) -> "
           "(i)>, affine_map<(i) -> (i)>, affine_map<(i) -> (i)>], "
           "iterator_types = [\"parallel\"]} ins(%x, %r : " +
           buffer(from) + ", " + buffer("i32") + ") outs(%y : " + buffer(to) +
           ") {\n^bb0(%a : " + from + ", %b : i32, %o : " + to +
           "):\n%z = ipu.round_stochastic %a, %b overflow " + overflow + " : " +
           from + " to " + to + "\nlinalg.yield %z : " + to +
           "\n}\n}\nfunc.func @main() {\n%x = ipu.var \"x\" : " + var(from) +
           "\n%r = ipu.var \"r\" : " + var("i32") +
           "\n%y = ipu.var \"y\" : " + var(to) +
           "\nipu.host_load @x to %x : " + var(from) + getCost() +
           "ipu.host_load @r to %r : " + var("i32") + getCost() +
           "ipu.compute_set \"c\" {\nipu.vertices @c ins(%x, %r : " +
           var(from) + ", " + var("i32") + ") outs(%y : " + var(to) +
           ") access [#m, #m, #m]\n}" + getCost() +
           "ipu.host_store %y to @y : " + var(to) + getCost() +
           "func.return\n}\n}\n";
  }

  /// Returns random bits, special values, and numbers in the range of `format`.
  template <typename T>
  std::vector<T> getValues(const Format &format) {
    auto type = RankedTensorType::get(
        {kSize}, sizeof(T) == 4 ? Type(Float32Type::get(&context))
                                : Type(Float64Type::get(&context)));
    HostTensor tensor = getRandomBits("x", type);
    std::vector<T> values(kSize);
    std::memcpy(values.data(), tensor.data.data(), tensor.data.size());
    std::vector<double> numbers = getNumbers(format);
    uint64_t state = 3;
    for (int64_t i = 0; i < kSize; i += 2) {
      size_t at = draw(state) % (numbers.size() - 1);
      double part = (draw(state) >> 11) * 0x1p-53;
      if (i % 8 == 0)
        at = numbers.size() - 2 - at % 4;
      double value = numbers[at] + part * (numbers[at + 1] - numbers[at]);
      values[i] = static_cast<T>(draw(state) % 2 ? -value : value);
    }
    return values;
  }

  template <typename T>
  void check(const std::string &from) {
    for (const Format &format : getFormats())
      for (RoundingOverflow overflow :
           {RoundingOverflow::NaN, RoundingOverflow::Clip}) {
        std::vector<T> values = getValues<T>(format);
        std::vector<uint32_t> bits(kSize);
        uint64_t state = 5;
        for (uint32_t &word : bits)
          word = draw(state) % 8 ? draw(state) : 0;
        auto set = [&](const std::string &name, const auto &data) {
          auto *begin = reinterpret_cast<const char *>(data.data());
          inputs[name].assign(begin, begin + data.size() * sizeof(data[0]));
        };
        set("x", values);
        set("r", bits);
        OwningOpRef<ModuleOp> module = parse(getProgram(
            from, format.name, stringifyRoundingOverflow(overflow).str()));
        ASSERT_TRUE(module);
        FailureOr<ExecuteResult> result = run(*module, EngineKind::Interp);
        FailureOr<ExecuteResult> jit = run(*module, EngineKind::Jit);
        ASSERT_TRUE(succeeded(result) && succeeded(jit));
        expectSame(*result, *jit);
        const HostBytes &data = result->outputs[0].tensor.data;
        int64_t bytes = format.format.width / 8, failures = 0;
        for (int64_t i = 0; i < kSize && failures < 4; ++i) {
          uint32_t got = 0;
          std::memcpy(&got, data.data() + i * bytes, bytes);
          uint32_t expected =
              roundStochastic(format.format, values[i], bits[i], overflow);
          if (got != expected) {
            ++failures;
            ADD_FAILURE() << format.name << " of " << values[i] << " by "
                          << bits[i] << ": " << got << " but expected "
                          << expected;
          }
        }
      }
  }
};

TEST_F(StochasticRoundingProgramTest, F32) { check<float>("f32"); }
TEST_F(StochasticRoundingProgramTest, F64) { check<double>("f64"); }
} // namespace
