//===- RandomBits.h - Random bits and stochastic rounding -------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// C++ functions that have the same results, bit for bit, as `ipu.rng_state` and
// the ops of IPURandomOps.td. Codelets use the ops of RandomArithmetic.cpp
// instead.
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

/// Returns the block of Philox4x32-10 for `key` and `counter`, as `ipu.philox`
/// does.
std::array<uint32_t, 4> philox4x32(std::array<uint32_t, 2> key,
                                   std::array<uint32_t, 4> counter);

/// The random number generator of a worker.
struct Xoroshiro128AOX {
  uint64_t s0 = 0, s1 = 0;

  uint64_t next();
};

/// Convert the words of a state to a generator, and back. The low half of each
/// 64-bit number comes first.
Xoroshiro128AOX loadRngState(const uint32_t *words);
void storeRngState(Xoroshiro128AOX generator, uint32_t *words);

//===----------------------------------------------------------------------===//
// States
//===----------------------------------------------------------------------===//

/// The numbers that determine the initial RNG state of an `ipu.rng_state`.
struct RngSeed {
  RngGenerator generator = RngGenerator::Counter;
  uint64_t seed = 0;
  /// A number that distinguishes the RNG states of a program.
  uint32_t modifier = 0;
  /// The least replica of the class of replicas that share the state.
  uint32_t replica = 0;
};

/// Writes the initial RNG state: kRngWordsOfTile words for each tile of a
/// replica, one tile after the other.
void initializeRngState(const RngSeed &seed, int64_t numTiles, uint32_t *words);

/// The numbers that determine the bits of a draw, together with the RNG state.
/// `word` distinguishes draws, and `offset` is added to the number of advances.
struct CounterDraw {
  uint32_t word = 0;
  uint32_t offset = 0;

  /// The vertices of a codelet have the attribute `draw`, and the codelet may
  /// draw several times. Returns the numbers of its first draw.
  static CounterDraw get(DrawAttr draw) {
    return {static_cast<uint32_t>(draw.getNumber() * kMaxCodeletDraws),
            static_cast<uint32_t>(draw.getOffset())};
  }
};

/// Returns the bits of one element by generator `counter`, as `ipu.random_bits`
/// does. `words` are the words of the RNG state of the tile that holds the
/// element.
uint32_t getCounterBits(const uint32_t *words, uint32_t element,
                        CounterDraw draw);

/// Generates the bits of all `size` elements of a tile with generator `stream`,
/// and calls `use` for each element, in order. Updates the RNG state `words` of
/// the tile.
void getStreamBits(
    uint32_t *words, int64_t size,
    llvm::function_ref<void(int64_t position, uint32_t bits)> use);

/// Numbers that `ipu.advance_rng` adds to an RNG state of generator `counter`.
struct CounterAdvance {
  /// The number of advances.
  uint32_t count = 1;
  /// The number that is added to the word of each draw.
  uint32_t word = 0;

  static CounterAdvance get(AdvanceRngOp op) {
    return {static_cast<uint32_t>(op.getCount()),
            static_cast<uint32_t>(op.getShift() * kMaxCodeletDraws)};
  }
};

/// Advances the RNG state of one tile, as `ipu.advance_rng` does.
inline void advanceCounter(uint32_t *words, CounterAdvance advance = {}) {
  words[2] += advance.count;
  words[4] += advance.word;
}

//===----------------------------------------------------------------------===//
// Rounding
//===----------------------------------------------------------------------===//

/// The encoding of a float type of at most 16 bits.
struct RoundedFormat {
  unsigned width, mantissaBits;
  /// The exponent of the least normal number.
  int minExponent;
  /// The encodings, without sign, of the largest finite number, of infinity
  /// (NaN in a type without infinity), and of the single NaN.
  uint32_t largest, infinity, nan;
  bool hasNegativeZero;
};

/// Returns the format of a type for which canRoundStochastically() holds.
RoundedFormat getRoundedFormat(Type type);

/// Returns the encoding of one of the two neighbours of `value`, as
/// `ipu.round_stochastic` does. A float and the equal double have the same
/// result.
uint32_t roundStochastic(const RoundedFormat &format, double value,
                         uint32_t bits, RoundingOverflow overflow);

} // namespace mlir::ipu

#endif // IPU_MLIR_EXECUTOR_SUPPORT_RANDOMBITS_H
