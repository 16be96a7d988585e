//===- RandomBits.cpp - Random bits and stochastic rounding ---------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ipu-mlir/Executor/Support/RandomBits.h"

#include <cstring>

using namespace mlir;
using namespace mlir::ipu;

//===----------------------------------------------------------------------===//
// Generators
//===----------------------------------------------------------------------===//

std::array<uint32_t, 4> mlir::ipu::philox4x32(std::array<uint32_t, 2> key,
                                              std::array<uint32_t, 4> counter) {
  for (int round = 0; round < 10; ++round) {
    uint64_t even = uint64_t(0xD2511F53) * counter[0];
    uint64_t odd = uint64_t(0xCD9E8D57) * counter[2];
    counter = {static_cast<uint32_t>(odd >> 32) ^ counter[1] ^ key[0],
               static_cast<uint32_t>(odd),
               static_cast<uint32_t>(even >> 32) ^ counter[3] ^ key[1],
               static_cast<uint32_t>(even)};
    key[0] += 0x9E3779B9;
    key[1] += 0xBB67AE85;
  }
  return counter;
}

static uint64_t rotateLeft(uint64_t value, unsigned by) {
  return value << by | value >> (64 - by);
}

uint64_t Xoroshiro128AOX::next() {
  uint64_t x = s0 ^ s1, a = s0 & s1;
  uint64_t result = x ^ (rotateLeft(a, 1) | rotateLeft(a, 2));
  s0 = rotateLeft(s0, 55) ^ x ^ (x << 14);
  s1 = rotateLeft(x, 36);
  return result;
}

Xoroshiro128AOX mlir::ipu::loadRngState(const uint32_t *words) {
  return {words[0] | uint64_t(words[1]) << 32, words[2] | uint64_t(words[3])
                                                              << 32};
}

void mlir::ipu::storeRngState(Xoroshiro128AOX generator, uint32_t *words) {
  words[0] = static_cast<uint32_t>(generator.s0);
  words[1] = static_cast<uint32_t>(generator.s0 >> 32);
  words[2] = static_cast<uint32_t>(generator.s1);
  words[3] = static_cast<uint32_t>(generator.s1 >> 32);
}

//===----------------------------------------------------------------------===//
// States
//===----------------------------------------------------------------------===//

void mlir::ipu::initializeRngState(const RngSeed &seed, int64_t numTiles,
                                   uint32_t *words) {
  std::fill_n(words, numTiles * kRngWordsOfTile, 0);
  if (seed.generator == RngGenerator::Counter) {
    for (int64_t tile = 0; tile < numTiles; ++tile, words += kRngWordsOfTile) {
      words[0] = static_cast<uint32_t>(seed.seed);
      words[1] = static_cast<uint32_t>(seed.seed >> 32);
      words[3] = (seed.modifier << 20) + seed.replica;
    }
    return;
  }
  constexpr int kDropped = 15;
  uint64_t first = seed.seed + seed.replica;
  for (int64_t tile = 0; tile < numTiles; ++tile)
    for (uint32_t worker = 0; worker < kRngWorkers; ++worker) {
      uint32_t low = ((static_cast<uint32_t>(tile) << 4) ^ 0xAAAAAAA0) | worker;
      uint32_t high = seed.modifier ^ 0x55555555;
      Xoroshiro128AOX generator{first, low | uint64_t(high) << 32};
      for (int i = 0; i < kDropped; ++i)
        generator.next();
      storeRngState(generator, words);
      words += kRngWords;
    }
}

uint32_t mlir::ipu::getCounterBits(const uint32_t *words, uint32_t element,
                                   CounterDraw draw) {
  return philox4x32({words[0], words[1]}, {element, words[2] + draw.offset,
                                           words[3], words[4] + draw.word})[0];
}

void mlir::ipu::getStreamBits(
    uint32_t *words, int64_t size,
    llvm::function_ref<void(int64_t position, uint32_t bits)> use) {
  constexpr int64_t kLanes = 4;
  for (int64_t vector = 0; vector * kLanes < size; ++vector) {
    uint32_t *own = words + vector % kRngWorkers * kRngWords;
    Xoroshiro128AOX generator = loadRngState(own);
    uint64_t drawn = generator.next();
    storeRngState(generator, own);
    int64_t end = std::min(size, (vector + 1) * kLanes);
    for (int64_t position = vector * kLanes; position < end;
         ++position, drawn >>= 16)
      use(position, static_cast<uint32_t>(drawn) << 16);
  }
}

//===----------------------------------------------------------------------===//
// Rounding
//===----------------------------------------------------------------------===//

RoundedFormat mlir::ipu::getRoundedFormat(Type type) {
  if (isa<Float8E4M3FNUZType>(type))
    return {8, 3, -7, 0x7F, 0x80, 0x80, false};
  if (isa<Float8E5M2FNUZType>(type))
    return {8, 2, -15, 0x7F, 0x80, 0x80, false};
  return {16, 10, -14, 0x7BFF, 0x7C00, 0x7E00, true};
}

uint32_t mlir::ipu::roundStochastic(const RoundedFormat &format, double value,
                                    uint32_t bits, RoundingOverflow overflow) {
  constexpr int kMantissaBits = 52, kBias = 1023;
  constexpr uint64_t kInfinity = uint64_t(0x7FF) << kMantissaBits;
  uint64_t encoded;
  std::memcpy(&encoded, &value, sizeof(encoded));
  uint32_t sign = static_cast<uint32_t>(encoded >> 63) << (format.width - 1);
  uint64_t magnitude = encoded & ~(uint64_t(1) << 63);
  if (magnitude > kInfinity)
    return format.nan;
  if (magnitude == kInfinity)
    return format.infinity == format.nan ? format.nan : sign | format.infinity;

  uint64_t exponent = magnitude >> kMantissaBits;
  uint64_t significand = magnitude & ((uint64_t(1) << kMantissaBits) - 1);
  if (exponent > 0)
    significand |= uint64_t(1) << kMantissaBits;
  // From that of the least normal result.
  int above = std::max<int>(exponent, 1) - kBias - format.minExponent;
  // `whole` is lo, without its exponent; `rest`, of `dropped` bits, how far the
  // value is on its way to hi.
  unsigned dropped = kMantissaBits - format.mantissaBits + std::max(-above, 0);
  uint64_t whole = dropped < 64 ? significand >> dropped : 0;
  uint64_t rest = dropped < 64 ? significand - (whole << dropped) : significand;
  uint64_t threshold = dropped < 96 ? rest >> (dropped - 32) : 0;
  uint64_t result = (uint64_t(std::max(above, 0)) << format.mantissaBits) +
                    whole + (bits < threshold);
  if (result > format.largest) {
    if (overflow == RoundingOverflow::NaN)
      return format.nan;
    result = format.largest;
  }
  if (result == 0 && !format.hasNegativeZero)
    return 0;
  return sign | static_cast<uint32_t>(result);
}
