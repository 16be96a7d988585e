//===- SerializePasses.td - Computation in parts -----------*- tablegen -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The passes that divide ops into parts that run one after the other, and the
// passes that merge such parts.
//
//===----------------------------------------------------------------------===//

#ifndef IPU_MLIR_DIALECT_POP_TRANSFORMS_SERIALIZEPASSES
#define IPU_MLIR_DIALECT_POP_TRANSFORMS_SERIALIZEPASSES

include "ipu-mlir/Dialect/Pop/Transforms/Contracts.td"
include "mlir/Pass/PassBase.td"

def SerializeMatMulsPass
    : Pass<"pop-serialize-matmuls", "::mlir::ModuleOp">, Contract {
  let summary = "Split matrix products into parts that run one after the other";
  let preserves = AllConditions;
  let bitEffect = Exact;
  let drawEffect = ChangesDraws<"the draws of ops without a number, because there are "
                                "more ops">;
  let original = "SerializeMatMuls";
  let differs = "All modes are exact, because sums are only split between blocks of their "
                "accumulation order, and each part continues the sum of the previous one. "
                "There is no precision of partial sums: they are f32. Operands may have "
                "any rank. The number of parts may be chosen by the pass. Updates by "
                "elementwise ops with several operands and several refs are divided, too.";
  let tests = [
    "Dialect/Pop/Serialize/serialize-matmuls.mlir",
    "Dialect/Pop/Serialize/serialize-matmuls-modes.mlir",
    "Dialect/Pop/Serialize/serialize-matmuls-updates.mlir",
    "Dialect/Pop/Serialize/serialize-matmuls-order.mlir",
    "Dialect/Pop/Serialize/serialize-matmuls-choice.mlir",
    "Dialect/Pop/Serialize/serialize-matmuls-invalid.mlir",
    "Integration/Serialize/serialize-matmuls.mlir",
    "Integration/Serialize/serialize-matmuls-memory.test",
    "Tools/ipu-train/serialize-matmuls.test",
  ];
  let description = [{
    Replaces a `pop.matmul` of shapes `[..., m, k]` and `[..., k, n]` by several ones
    that each compute a part of the result, or a part of the sums. The parts run one
    after the other, in the order of the program, so that the tensors of only one part
    are needed at a time.

    | mode | divided dimension | operands of a part | results of the parts |
    | --- | --- | --- | --- |
    | `input_channels` | m | a slice of `lhs`, and `rhs` | are concatenated |
    | `reducing_dim` | k | a slice of each operand | each part adds to the result of the previous part |
    | `output_channels` | n | `lhs`, and a slice of `rhs` | are concatenated |

    The attribute `pop.serialize = {mode = "output_channels", factor = 4 : i64}` of a
    matmul requests `factor` parts. The gradients of a marked matmul are marked, so that
    they are divided along the same dimension: m, k and n of the product `x * w` are m, n
    and k of the gradient of `x`, and k, m and n of the gradient of `w`. Their marks have
    the entry `limit`: they get the greatest possible number of parts of at most
    `factor`. With the option `factor`, the pass also divides each matmul without a mark
    whose operands and result have at least `min-bytes` bytes into at most `factor`
    parts. By default, it chooses the mode for which the operands and the result of one
    part, and what has to be kept of the results of other parts, have the fewest bytes.

    All parts have equal sizes, except that the last one may be shorter if k is divided.
    The number of parts must divide m or n. If k is divided, it must divide the number of
    blocks of the order of accumulation, or of groups of blocks: a sum that is split between
    two blocks and continued has the same bits. A matmul without an order first gets the
    order that `pop-choose-accumulation` chooses for the whole matmul. If the result is
    narrower than f32, the sums of parts are f32, and a `pop.cast` rounds the last ones. If
    the module rounds stochastically, the parts are f32 in all modes, because random bits
    depend on the positions of elements in the whole result.

    If the only use of the result is an update of refs, the update is divided as well, and
    the whole result never exists. The update consists of elementwise ops, optimizer
    steps, reshapes and transposes, and of ops that write refs. The pass moves the update
    of each part to the position after this part, together with the ops on which the
    update depends, and with the ops before the update that use the old value of the ref.
    The update is not divided if one of its ops draws random bits, uses more than one
    element for an element of a ref, or is executed on another IPU or in another stage,
    phase or fragment of the program.

    The pass may run before or after `pop-autodiff`. After it, only marked matmuls and
    their gradients are divided, and updates can be divided. Before it, the gradients of
    slices are pads and sums of whole tensors, which need more memory; this order is only
    useful for programs without gradients.

    Before:
    ```mlir
    func.func @f(%x: tensor<8x16xf32>, %w: tensor<16x32xf32>) -> tensor<8x32xf32> {
      %0 = pop.matmul %x, %w {accum = #pop.accum<chain>, pop.serialize = {factor = 2 : i64, mode = "output_channels"}} : (tensor<8x16xf32>, tensor<16x32xf32>) -> tensor<8x32xf32>
      return %0 : tensor<8x32xf32>
    }
    ```
    After:
    ```mlir
    func.func @f(%x: tensor<8x16xf32>, %w: tensor<16x32xf32>) -> tensor<8x32xf32> {
      %0 = pop.slice %w {sizes = array<i64: 16, 16>, starts = array<i64: 0, 0>, steps = array<i64: 1, 1>} : tensor<16x32xf32> -> tensor<16x16xf32>
      %1 = pop.matmul %x, %0 {accum = #pop.accum<chain>} : (tensor<8x16xf32>, tensor<16x16xf32>) -> tensor<8x16xf32>
      %2 = pop.slice %w {sizes = array<i64: 16, 16>, starts = array<i64: 0, 16>, steps = array<i64: 1, 1>} : tensor<16x32xf32> -> tensor<16x16xf32>
      %3 = pop.matmul %x, %2 {accum = #pop.accum<chain>} : (tensor<8x16xf32>, tensor<16x16xf32>) -> tensor<8x16xf32>
      %4 = pop.concat %1, %3 {axis = 1 : i64} : (tensor<8x16xf32>, tensor<8x16xf32>) -> tensor<8x32xf32>
      return %4 : tensor<8x32xf32>
    }
    ```
  }];
  let options = [
    Option<"factor", "factor", "int64_t", /*default=*/"1",
           "greatest number of parts of a matmul without a mark; with 1, only marked "
           "matmuls are divided">,
    Option<"mode", "mode", "::mlir::pop::ChosenSerializeMode",
           "::mlir::pop::ChosenSerializeMode::Best",
           "mode of matmuls without a mark",
           [{::llvm::cl::values(
             clEnumValN(::mlir::pop::ChosenSerializeMode::Best, "best",
                        "the mode with the fewest live bytes"),
             clEnumValN(::mlir::pop::ChosenSerializeMode::InputChannels, "input-channels",
                        "divide the rows of results"),
             clEnumValN(::mlir::pop::ChosenSerializeMode::ReducingDim, "reducing-dim",
                        "divide sums"),
             clEnumValN(::mlir::pop::ChosenSerializeMode::OutputChannels, "output-channels",
                        "divide the columns of results"))}]>,
    Option<"minBytes", "min-bytes", "int64_t", "::mlir::pop::kMinSerializedBytes",
           "least bytes of the operands and the result of a matmul without a mark that "
           "is divided">,
  ];
  let dependentDialects = ["::mlir::pop::PopDialect"];
}

def GroupMatMulsPass : Pass<"pop-group-matmuls", "::mlir::ModuleOp">, Contract {
  let summary = "Merge matrix products that have equal shapes";
  let preserves = AllConditions;
  let bitEffect = Exact;
  let drawEffect = ChangesDraws<"the draws of ops without a number, because there are "
                                "fewer matmuls">;
  let original = "GroupMatMuls";
  let differs = "PopART's notes describe the transform, but PopART no longer has it. The "
                "number of matmuls in a group is limited by an option.";
  let tests = [
    "Dialect/Pop/Serialize/group-matmuls.mlir",
    "Dialect/Pop/Serialize/group-matmuls-invalid.mlir",
    "Integration/Serialize/group-matmuls.mlir",
  ];
  let description = [{
    Replaces several `pop.matmul` ops of a block by one batched `pop.matmul` of their
    operands, which are concatenated. The ops of a group
    - have operands of equal types with static batch dimensions of equal sizes, or the
      transposed shapes `[n, k]` and `[k, m]` instead of `[m, k]` and `[k, n]`: the
      operands of such an op are transposed and swapped, and its result is transposed;
    - have equal result types and attributes, including the order of accumulation and the
      placement, and no operand `acc`;
    - do not depend on each other, neither by values nor by effects.

    The batched matmul is at the position of the first op of the group. Ops without
    effects on which operands of the other ops depend are moved to positions before it.
    An op stays alone if its operands depend on other ops between.

    A matmul without an order counts as if `pop-choose-accumulation` had chosen its
    order. If the ops draw random bits, the batched matmul is not rounded, and a `pop.cast` with
    the draw of each op rounds its slice.

    A group has one step of computation instead of several, which is faster if each op
    uses few tiles. The concatenation copies all operands, so that the pass does harm if
    operands are large, or if one operand is the same for all ops: a single matmul with a
    wider operand would then be better. All results are live at the same time.

    Before:
    ```mlir
    func.func @f(%a: tensor<8x16xf32>, %b: tensor<16x4xf32>, %c: tensor<8x16xf32>, %d: tensor<16x4xf32>) -> (tensor<8x4xf32>, tensor<8x4xf32>) {
      %0 = pop.matmul %a, %b {accum = #pop.accum<chain>} : (tensor<8x16xf32>, tensor<16x4xf32>) -> tensor<8x4xf32>
      %1 = pop.matmul %c, %d {accum = #pop.accum<chain>} : (tensor<8x16xf32>, tensor<16x4xf32>) -> tensor<8x4xf32>
      return %0, %1 : tensor<8x4xf32>, tensor<8x4xf32>
    }
    ```
    After:
    ```mlir
    func.func @f(%a: tensor<8x16xf32>, %b: tensor<16x4xf32>, %c: tensor<8x16xf32>, %d: tensor<16x4xf32>) -> (tensor<8x4xf32>, tensor<8x4xf32>) {
      %0 = pop.reshape %a : tensor<8x16xf32> to tensor<1x8x16xf32>
      %1 = pop.reshape %c : tensor<8x16xf32> to tensor<1x8x16xf32>
      %2 = pop.concat %0, %1 {axis = 0 : i64} : (tensor<1x8x16xf32>, tensor<1x8x16xf32>) -> tensor<2x8x16xf32>
      %3 = pop.reshape %b : tensor<16x4xf32> to tensor<1x16x4xf32>
      %4 = pop.reshape %d : tensor<16x4xf32> to tensor<1x16x4xf32>
      %5 = pop.concat %3, %4 {axis = 0 : i64} : (tensor<1x16x4xf32>, tensor<1x16x4xf32>) -> tensor<2x16x4xf32>
      %6 = pop.matmul %2, %5 {accum = #pop.accum<chain>} : (tensor<2x8x16xf32>, tensor<2x16x4xf32>) -> tensor<2x8x4xf32>
      %7 = pop.slice %6 {sizes = array<i64: 1, 8, 4>, starts = array<i64: 0, 0, 0>, steps = array<i64: 1, 1, 1>} : tensor<2x8x4xf32> -> tensor<1x8x4xf32>
      %8 = pop.reshape %7 : tensor<1x8x4xf32> to tensor<8x4xf32>
      %9 = pop.slice %6 {sizes = array<i64: 1, 8, 4>, starts = array<i64: 1, 0, 0>, steps = array<i64: 1, 1, 1>} : tensor<2x8x4xf32> -> tensor<1x8x4xf32>
      %10 = pop.reshape %9 : tensor<1x8x4xf32> to tensor<8x4xf32>
      return %8, %10 : tensor<8x4xf32>, tensor<8x4xf32>
    }
    ```
  }];
  let options = [
    Option<"maxGroup", "max-group", "int64_t", /*default=*/"8",
           "greatest number of matmuls in a group">,
    Option<"maxBytes", "max-bytes", "int64_t", /*default=*/"1 << 20",
           "greatest bytes of the operands of one matmul in a group; larger operands "
           "are not worth their copies">,
  ];
  let dependentDialects = ["::mlir::pop::PopDialect"];
}

#endif // IPU_MLIR_DIALECT_POP_TRANSFORMS_SERIALIZEPASSES
