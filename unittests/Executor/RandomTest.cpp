//===- RandomTest.cpp - Generators of random numbers ----------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ipu-mlir/Executor/Support/RandomBits.h"

#include "mlir/IR/MLIRContext.h"
#include "gtest/gtest.h"

using namespace mlir;
using namespace mlir::ipu;

namespace {
//===----------------------------------------------------------------------===//
// Generators
//===----------------------------------------------------------------------===//

using Block = std::array<uint32_t, 4>;

/// The test vectors for philox4x32 with 10 rounds in Random123's kat_vectors.
TEST(RandomTest, PhiloxKnownAnswers) {
  constexpr uint32_t ones = 0xFFFFFFFF;
  EXPECT_EQ(philox4x32({0, 0}, {0, 0, 0, 0}),
            (Block{0x6627E8D5, 0xE169C58D, 0xBC57AC4C, 0x9B00DBD8}));
  EXPECT_EQ(philox4x32({ones, ones}, {ones, ones, ones, ones}),
            (Block{0x408F276D, 0x41C83B0E, 0xA20BC7C6, 0x6D5451FD}));
  EXPECT_EQ(philox4x32({0xA4093822, 0x299F31D0},
                       {0x243F6A88, 0x85A308D3, 0x13198A2E, 0x03707344}),
            (Block{0xD16CFE09, 0x94FDCCEB, 0x5001E420, 0x24126EA1}));
}

TEST(RandomTest, XoroshiroStep) {
  Xoroshiro128AOX generator{1, 2};
  // x = 3, and the operands of the other operations have no common bits.
  EXPECT_EQ(generator.next(), 3u);
  EXPECT_EQ(generator.s0, uint64_t(1) << 55 ^ 3 ^ 3 << 14);
  EXPECT_EQ(generator.s1, uint64_t(3) << 36);
  // All bits are set: x = 0 and a = ~0.
  generator = {~uint64_t(0), ~uint64_t(0)};
  EXPECT_EQ(generator.next(), ~uint64_t(0));
  EXPECT_EQ(generator.s1, 0u);
}

TEST(RandomTest, InitialStates) {
  std::vector<uint32_t> words(3 * kRngWordsOfTile, 7);
  RngSeed seed{RngGenerator::Counter, 0x123456789ABCDEF0, 5, 9};
  initializeRngState(seed, 3, words.data());
  for (int64_t i = 0; i < static_cast<int64_t>(words.size()); ++i) {
    constexpr uint32_t first[] = {0x9ABCDEF0, 0x12345678, 0, 5 << 20 | 9};
    int64_t at = i % kRngWordsOfTile;
    EXPECT_EQ(words[i], at < 4 ? first[at] : 0) << i;
  }

  seed.generator = RngGenerator::Stream;
  initializeRngState(seed, 3, words.data());
  for (uint32_t tile = 0; tile < 3; ++tile)
    for (uint32_t worker = 0; worker < kRngWorkers; ++worker) {
      uint32_t low = 0xAAAAAAA0 ^ (tile * 16 + worker);
      Xoroshiro128AOX expected{0x123456789ABCDEF9,
                               low | uint64_t(0x55555555 ^ 5) << 32};
      for (int i = 0; i < 15; ++i)
        expected.next();
      Xoroshiro128AOX got = loadRngState(
          words.data() + (tile * kRngWorkers + worker) * kRngWords);
      EXPECT_EQ(got.s0, expected.s0);
      EXPECT_EQ(got.s1, expected.s1);
    }
}

/// The words follow the definition. An offset has the same effect as the same
/// number of advances.
TEST(RandomTest, DrawsOfCounters) {
  MLIRContext context;
  context.loadDialect<IPUDialect>();
  std::vector<uint32_t> words(kRngWordsOfTile);
  initializeRngState({RngGenerator::Counter, 0x123456789ABCDEF0, 5, 9}, 1,
                     words.data());
  auto draw = [&](int64_t number, int64_t offset) {
    return getCounterBits(
        words.data(), 77,
        CounterDraw::get(DrawAttr::get(&context, number, offset)));
  };
  EXPECT_EQ(draw(3, -2), philox4x32({0x9ABCDEF0, 0x12345678},
                                    {77, 0xFFFFFFFE, 5 << 20 | 9, 48})[0]);
  EXPECT_EQ(draw(kMaxDrawNumber, 0),
            philox4x32({0x9ABCDEF0, 0x12345678},
                       {77, 0, 5 << 20 | 9, 0xFFFFFFF0})[0]);
  uint32_t later = draw(4, 2), now = draw(4, 0);
  advanceCounter(words.data());
  EXPECT_EQ(draw(4, -1), now);
  EXPECT_NE(draw(4, 0), now);
  advanceCounter(words.data());
  EXPECT_EQ(draw(4, 0), later);
}

/// Vectors of four elements are assigned to the workers in turn. A shorter
/// vector ends the draw.
TEST(RandomTest, StreamOrder) {
  std::vector<uint32_t> words(kRngWordsOfTile);
  initializeRngState({RngGenerator::Stream, 3, 0, 0}, 1, words.data());
  std::vector<Xoroshiro128AOX> workers;
  workers.reserve(kRngWorkers);
  for (int64_t worker = 0; worker < kRngWorkers; ++worker)
    workers.push_back(loadRngState(words.data() + worker * kRngWords));
  int64_t next = 0;
  for (int64_t size : {1, 26, 4, 0, 31}) {
    std::vector<uint32_t> expected;
    for (int64_t vector = 0; vector * 4 < size; ++vector) {
      uint64_t drawn = workers[vector % 6].next();
      for (int64_t lane = 0; lane < 4 && vector * 4 + lane < size; ++lane)
        expected.push_back((drawn >> (16 * lane) & 0xFFFF) << 16);
    }
    next = 0;
    getStreamBits(words.data(), size, [&](int64_t place, uint32_t bits) {
      EXPECT_EQ(place, next);
      EXPECT_EQ(bits, expected[next++]) << place;
    });
    EXPECT_EQ(next, size);
  }
  for (int64_t worker = 0; worker < kRngWorkers; ++worker)
    EXPECT_EQ(loadRngState(words.data() + worker * kRngWords).s0,
              workers[worker].s0);
}
} // namespace
