//===- PopRandomOps.td - Random tensors --------------------*- tablegen -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef IPU_MLIR_DIALECT_POP_IR_POPRANDOMOPS
#define IPU_MLIR_DIALECT_POP_IR_POPRANDOMOPS

include "ipu-mlir/Dialect/Pop/IR/PopGraphTraits.td"

/// The type of a seed: two words that are the key of a hash.
def Pop_SeedTensor
  : Type<CPred<"$_self == ::mlir::RankedTensorType::get({2}, "
               "::mlir::IntegerType::get($_self.getContext(), 32, "
               "::mlir::IntegerType::Unsigned))">,
         "tensor<2xui32>", "::mlir::TypedValue<::mlir::RankedTensorType>">,
    BuildableType<"::mlir::RankedTensorType::get({2}, "
                  "$_builder.getIntegerType(32, /*isSigned=*/false))"> {
  let cppType = "::mlir::RankedTensorType";
}

/// A random op, whose result is a function of its operands. Each element is computed
/// from the words of Philox4x32-10 (see `ipu.philox`) with the seed as the key and with
/// the counter (n, 0, 0, k). Here n is the low 32 bits of the element's row-major
/// index, and k distinguishes the kinds of random ops. The result does not depend on
/// tiles or replicas.
class Pop_RandomOp<string mnemonic, list<Trait> traits = []>
    : Pop_PureOp<mnemonic, [Pop_Codelet] # traits> {
  let hasVerifier = 1;
}

def Pop_RandomUniformOp : Pop_RandomOp<"random_uniform"> {
  let summary = "Draw uniformly distributed numbers";
  let description = [{
    Each element is computed from word 0 and word 1 of Philox4x32-10 (see `ipu.philox`).
    The key is the seed, and the counter is (n, 0, 0, 0x80000000), where n is the low 32
    bits of the element's row-major index.

    For floats, an element is low + (high - low) * u, computed in f32 (f64 for f64) and
    rounded to the element type. Here u is the upper 24 bits of word 0, divided by 2^24.
    For f64, u is the upper 53 bits of the number whose high half is word 0 and whose
    low half is word 1, divided by 2^53. The rounding of the element may give `high`
    itself.

    For integers, an element is low + floor(w * (high - low + 1) / 2^64), from `low` to
    `high` inclusive. Here w is the number whose high half is word 0 and whose low half
    is word 1.

    (C1) `low` and `high` are finite, and `low` is at most `high`.
    (C2) For floats, `low` and `high` are finite in the element type, and `high` - `low`
    is finite in f32 (f64 for f64).
    (C3) For integers, `low` and `high` are values of the element type, and the number
    of values from `low` to `high` is at most 2^32. The element type is not i1.

    ```mlir
    %0 = pop.random_uniform %seed {low = 0.0, high = 1.0} : tensor<2xui32> -> tensor<4xf32>
    ```
  }];
  let arguments = (ins Pop_SeedTensor:$seed,
                       DefaultValuedAttr<F64Attr, "0.0">:$low,
                       DefaultValuedAttr<F64Attr, "1.0">:$high);
  let results = (outs Pop_NumberTensor:$result);
  let assemblyFormat = "$seed attr-dict `:` type($seed) `->` type($result)";
}

def Pop_RandomNormalOp : Pop_RandomOp<"random_normal"> {
  let summary = "Draw normally distributed numbers";
  let description = [{
    An element is mean + std_dev * z, computed in f64 and rounded to the element type.
    For types narrower than f32, the element is rounded to f32 first. Here z is the
    inverse of the normal distribution function at u = (m + 0.5) / 2^52. Wichura's AS241
    (PPND16) computes z. The number m is the upper 52 bits of the number whose high half
    is word 0 and whose low half is word 1. The words are computed as for
    `pop.random_uniform`, but the last word of the counter is 0x80000001.

    (C1) `mean` and `std_dev` are finite, and `std_dev` is not negative.

    ```mlir
    %0 = pop.random_normal %seed {std_dev = 0.02} : tensor<2xui32> -> tensor<4xf16>
    ```
  }];
  let arguments = (ins Pop_SeedTensor:$seed,
                       DefaultValuedAttr<F64Attr, "0.0">:$mean,
                       DefaultValuedAttr<F64Attr, "1.0">:$std_dev);
  let results = (outs Pop_FloatTensor:$result);
  let assemblyFormat = "$seed attr-dict `:` type($seed) `->` type($result)";
}

def Pop_RandomBernoulliOp : Pop_RandomOp<"random_bernoulli"> {
  let summary = "Draw ones with a given probability, else zeros";
  let description = [{
    An element is 1 if word 0 is below floor(p * 2^32) or if p is 1, and otherwise 0.
    Word 0 is computed as for `pop.random_uniform`, but the last word of the counter is
    0x80000002.

    (C1) `p` is from 0 to 1.

    ```mlir
    %0 = pop.random_bernoulli %seed, 0.5 : tensor<2xui32> -> tensor<4xi1>
    ```
  }];
  let arguments = (ins Pop_SeedTensor:$seed, F64Attr:$p);
  let results = (outs Pop_Tensor:$result);
  let hasFolder = 1;
  let assemblyFormat = [{
    $seed `,` $p attr-dict `:` type($seed) `->` type($result)
  }];
}

def Pop_DropoutOp
    : Pop_RandomOp<"dropout", [
          AllTypesMatch<["input", "result"]>,
          Pop_Gradient<"dx = dropout of dy with the same seed">]> {
  let summary = "Drop elements at random and scale the others";
  let description = [{
    An element becomes 0 if word 0 is below floor(ratio * 2^32); the probability of this
    is `ratio`. Otherwise the element is multiplied by the factor 1 / (1 - ratio), which
    is rounded to f32. The multiplication is in f32 (f64 for f64), and the result is
    rounded to the element type. A NaN that is dropped becomes 0. If two tensors have
    the same shape, the same seed drops the same elements of both tensors; the gradient
    relies on this. Word 0 is computed as for `pop.random_uniform`, but the last word of
    the counter is 0x80000003.

    (C1) `ratio` is at least 0 and below 1.

    ```mlir
    %0 = pop.dropout %x, %seed, 0.1 : tensor<4xf16>, tensor<2xui32>
    ```
  }];
  let arguments = (ins Pop_FloatTensor:$input, Pop_SeedTensor:$seed,
                       F64Attr:$ratio);
  let results = (outs Pop_FloatTensor:$result);
  let hasFolder = 1;
  let assemblyFormat = [{
    $input `,` $seed `,` $ratio attr-dict `:` type($input) `,` type($seed)
  }];
}

def Pop_SplitSeedOp : Pop_RandomOp<"split_seed"> {
  let summary = "Derive several seeds from one";
  let description = [{
    Seed i consists of the words 0 and 1 of Philox4x32-10 (see `ipu.philox`) with the
    key `seed` and the counter (i, 0, 0, 0x80000004). Different values of `seed`
    therefore give different results, unless the hash has a collision.

    (C1) The result has the shape [n, 2] and the element type ui32.

    ```mlir
    %0 = pop.split_seed %seed : tensor<2xui32> -> tensor<3x2xui32>
    ```
  }];
  let arguments = (ins Pop_SeedTensor:$seed);
  let results = (outs Pop_NumberTensor:$result);
  let assemblyFormat = "$seed attr-dict `:` type($seed) `->` type($result)";
}

def Pop_NextSeedOp : Pop_Op<"next_seed", [
    Pop_ReplicaEqual, UsesResource<RngResource>]> {
  let summary = "Request a seed that no other op has";
  let description = [{
    The op stands for the seed of a random op in programs that users or importers write.
    `pop-random-setup` derives a seed from the seed that the host gives the program, and
    replaces the op by the derived seed. Each op, call, loop iteration and replica gets
    a different seed. The op itself has no lowering.

    ```mlir
    %seed = pop.next_seed
    %0 = pop.dropout %x, %seed, 0.1 : tensor<4xf16>, tensor<2xui32>
    ```
  }];
  let results = (outs Pop_SeedTensor:$result);
  let assemblyFormat = "attr-dict";
}

//===----------------------------------------------------------------------===//
// Draws of stochastic rounding
//===----------------------------------------------------------------------===//

def Pop_AdvanceDrawsOp : Pop_Op<"advance_draws", [
    Pop_NoReplicaState, UsesResource<RngResource>]> {
  let summary = "Advance the random bits of ops that are executed again";
  let description = [{
    Random bits depend on how often the replica has executed `pop.advance_draws` since
    the replica's RNG states were set. An op with a given `#pop.draw` therefore draws
    other bits after a `pop.advance_draws` than before it. `pop-number-draws` inserts a
    `pop.advance_draws` at the end of each function and loop body that draws random bits
    and does not contain the op yet. In a module that rounds to nearest, or that has the
    generator `stream`, the op has no effect.

    An execution counts as `count` advances. A negative `count` takes advances back, so
    that later ops draw the bits of an earlier position (`pop-pipeline`). It also adds `shift` to the numbers of all
    draws that come later. With a shift before a call, and the opposite shift after it,
    the callee draws the bits of other numbers in each call. Such a callee ends with an
    advance by 0, because the advances of the caller are enough (`pop-outline`).

    The attribute `pop.stochastic_rounding_method` states which replicas execute the op
    equally often. Several replicas may have the same RNG state. If one of these
    replicas does not execute the op, the op does not advance this state on the other
    replicas either, because otherwise the state would differ between these replicas. No
    op of the same function or loop body draws from such a state.
    `pop-verify-stochastic-rounding` ensures this. It checks each op that draws: all
    replicas that draw the bits of this op from one state must execute this op equally
    often. These replicas then also execute the `pop.advance_draws` of the body equally
    often, so it advances their state. Hence all draws of a body differ between two
    executions of the body.

    (C1) `count` is from 1 - 2^31 to 2^31 - 1, and `shift` is from 1 - 2^24 to 2^24 - 1.

    ```mlir
    pop.advance_draws
    pop.advance_draws by 0 shift 12
    ```
  }];
  let arguments = (ins DefaultValuedOptionalAttr<I64Attr, "1">:$count,
                       DefaultValuedOptionalAttr<I64Attr, "0">:$shift);
  let assemblyFormat = "(`by` $count^)? (`shift` $shift^)? attr-dict";
  let hasVerifier = 1;
}

#endif // IPU_MLIR_DIALECT_POP_IR_POPRANDOMOPS
