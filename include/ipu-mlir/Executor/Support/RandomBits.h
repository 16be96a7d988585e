//===- RandomBits.h - Random bits and stochastic rounding -------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// C++ functions that compute the ops of IPURandomOps.td and `ipu.rng_state` bit
// for bit. Codelets use the ops of RandomArithmetic.cpp instead.
//
//===----------------------------------------------------------------------===//

#ifndef IPU_MLIR_EXECUTOR_SUPPORT_RANDOMBITS_H
#define IPU_MLIR_EXECUTOR_SUPPORT_RANDOMBITS_H

#include "ipu-mlir/Dialect/IPU/IR/IPU.h"
#include <array>
#include <cstdint>

namespace mlir::ipu {

//===----------------------------------------------------------------------===//
// Generators
//===----------------------------------------------------------------------===//

/// The block of Philox4x32-10: `ipu.philox`.
std::array<uint32_t, 4> philox4x32(std::array<uint32_t, 2> key,
                                   std::array<uint32_t, 4> counter);

/// The generator of a worker.
struct Xoroshiro128AOX {
  uint64_t s0 = 0, s1 = 0;

  uint64_t next();
};

/// Conversions between the words of a state and a generator; the low half comes
/// first.
Xoroshiro128AOX loadRngState(const uint32_t *words);
void storeRngState(Xoroshiro128AOX generator, uint32_t *words);

//===----------------------------------------------------------------------===//
// States
//===----------------------------------------------------------------------===//

/// The inputs of the initial state of `ipu.rng_state`.
struct RngSeed {
  RngGenerator generator = RngGenerator::Counter;
  uint64_t seed = 0;
  /// Distinguishes the states of a program.
  uint32_t modifier = 0;
  /// The least replica of the class.
  uint32_t replica = 0;
};

/// Writes kRngWordsOfTile words for each tile of a replica, one tile after the
/// other.
void initializeRngState(const RngSeed &seed, int64_t numTiles, uint32_t *words);

/// The inputs of the bits that are drawn from a state: the word that
/// distinguishes draws, and the number that is added to the number of advances.
struct CounterDraw {
  uint32_t word = 0;
  uint32_t offset = 0;

  /// The first draw of a codelet for vertices with `draw`.
  static CounterDraw get(DrawAttr draw) {
    return {static_cast<uint32_t>(draw.getNumber() * kMaxCodeletDraws),
            static_cast<uint32_t>(draw.getOffset())};
  }
};

/// `ipu.random_bits` of one element, with generator `counter`. `words` are the
/// words of the tile that holds the element.
uint32_t getCounterBits(const uint32_t *words, uint32_t element,
                        CounterDraw draw);

/// The same with generator `stream`, for all `size` elements of a tile in
/// order. Advances the generators.
void getStreamBits(
    uint32_t *words, int64_t size,
    llvm::function_ref<void(int64_t position, uint32_t bits)> use);

/// `ipu.advance_rng` on one tile.
inline void advanceCounter(uint32_t *words) { ++words[2]; }

//===----------------------------------------------------------------------===//
// Rounding
//===----------------------------------------------------------------------===//

/// The encoding of a float type of at most 16 bits.
struct RoundedFormat {
  unsigned width, mantissaBits;
  /// The exponent of the least normal number.
  int minExponent;
  /// Encodings without sign: of the largest finite number, of infinity (NaN in
  /// a type without infinity), and of the single NaN.
  uint32_t largest, infinity, nan;
  bool hasNegativeZero;
};

/// The format of a type that canRoundStochastically() allows.
RoundedFormat getRoundedFormat(Type type);

/// `ipu.round_stochastic`: the encoding of one of the two neighbours of
/// `value`. A float gives the same result as the equal double.
uint32_t roundStochastic(const RoundedFormat &format, double value,
                         uint32_t bits, RoundingOverflow overflow);

} // namespace mlir::ipu

#endif // IPU_MLIR_EXECUTOR_SUPPORT_RANDOMBITS_H
