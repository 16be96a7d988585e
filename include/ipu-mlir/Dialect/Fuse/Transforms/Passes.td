//===- Passes.td - Passes on fusions -----------------------*- tablegen -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef IPU_MLIR_DIALECT_FUSE_TRANSFORMS_PASSES
#define IPU_MLIR_DIALECT_FUSE_TRANSFORMS_PASSES

include "mlir/Pass/PassBase.td"

//===----------------------------------------------------------------------===//
// Making fusions
//===----------------------------------------------------------------------===//

def FormPass : Pass<"fuse-form", "func::FuncOp"> {
  let summary = "Group linalg ops into fusions";
  let description = [{
    In each block, the pass groups `linalg` ops on tensors: producers and consumers
    of a tensor belong to the same group. The pass creates a `fuse.fusion` for each
    group. Before it forms groups, the pass decomposes ops that have a
    decomposition into linalg ops, such as `linalg.softmax`, and turns reductions
    over loops of extent 1 into elementwise ops. An op that replaces another op keeps
    the `fuse.name` of that op; if several ops replace an op `x`, their names are
    `x.0`, `x.1`, ... The pass copies `linalg.fill`, `tensor.empty`, sizes, scalar
    constants, slices and reshapes into the fusions that use them. In a fusion,
    slices and reshapes are views. Some ops only copy their operand, but by an
    indexing map that is not a permutation, for example in order to reverse a
    dimension. The readers of such a copy read the operand by this map instead.
    Values with uses outside of the fusion become results of the fusion. If several
    results are used only by `tensor.insert_slice` ops that assemble a new tensor,
    these results become one result.

    Groups that have only an input in common become one group if the cost model
    estimates that one group moves fewer bytes than separate groups. With
    `mode=cost`, the pass removes a reshape between two ops if these ops have no
    `fuse.name`. Both ops then get the loops of the reshape's operand or of its
    result, whichever has more dimensions.

    All ops of a fusion execute together. An op that depends on another op of its
    group through an op outside of the group therefore starts a new group. Two
    kinds of ops stay outside of fusions: ops whose result maps are not
    permutations of their parallel loops, and ops that read tensors other than
    their operands. Where dependences require it, the pass moves ops that are outside
    of fusions; ops with side effects keep their order.

    Before:
    ```mlir
    func.func @f(%a: tensor<8xf32>, %e: tensor<8xf32>) -> tensor<8xf32> {
      %0 = linalg.exp ins(%a : tensor<8xf32>) outs(%e : tensor<8xf32>) -> tensor<8xf32>
      %1 = linalg.abs ins(%0 : tensor<8xf32>) outs(%e : tensor<8xf32>) -> tensor<8xf32>
      return %1 : tensor<8xf32>
    }
    ```
    After:
    ```mlir
    func.func @f(%a: tensor<8xf32>, %e: tensor<8xf32>) -> tensor<8xf32> {
      %r = fuse.fusion ins(%a, %e : tensor<8xf32>, tensor<8xf32>) -> tensor<8xf32> {
      ^bb0(%b: tensor<8xf32>, %f: tensor<8xf32>):
        %0 = linalg.exp ins(%b : tensor<8xf32>) outs(%f : tensor<8xf32>) -> tensor<8xf32>
        %1 = linalg.abs ins(%0 : tensor<8xf32>) outs(%f : tensor<8xf32>) -> tensor<8xf32>
        fuse.yield %1 : tensor<8xf32>
      }
      return %r : tensor<8xf32>
    }
    ```
  }];
  let options = [
    Option<"mode", "mode", "std::string", /*default=*/"\"all\"",
           "Connected ops that become one group: with `all`, all of them; with "
           "`cost`, ops that share loops at the positions that the cost model "
           "chooses">,
  ];
  let dependentDialects = ["::mlir::fuse::FuseDialect",
                           "::mlir::arith::ArithDialect",
                           "::mlir::math::MathDialect"];
}

//===----------------------------------------------------------------------===//
// Changing schedules
//===----------------------------------------------------------------------===//

/// A pass that changes the schedules of fusions. It runs on any op. If the op is
/// a module, the pass changes the functions that have the named tensor.
class SchedulePass<string argument> : Pass<argument> {
  let dependentDialects = ["::mlir::fuse::FuseDialect"];
}

class TensorOption<string text = "Name of the tensor to change">
    : Option<"tensor", "tensor", "std::string", /*default=*/"", text>;

def SplitPass : SchedulePass<"fuse-split"> {
  let summary = "Split a loop of a tensor into two";
  let description = [{
    Replaces a loop by two loops. The inner loop has the extent `factor`. With
    `inner=false`, the outer loop has this extent instead. The factor need not
    divide the extent of the old loop. Loops that other tensors share cannot be
    split.

    Before, with `tensor=T1 axis=1 factor=4`, as `fuse-print-schedule` prints it:
    ```
    T1 [i0, i1] @0/0
    ```
    After:
    ```
    T1 [i0, i1o, i1i] @0/0
    ```
  }];
  let options = [
    TensorOption<>,
    Option<"axis", "axis", "int64_t", /*default=*/"0",
           "Number of the loop, from 0; negative numbers count from the end">,
    Option<"factor", "factor", "int64_t", /*default=*/"0",
           "Extent of the inner loop, or with `inner=false` of the outer loop; at "
           "least 1">,
    Option<"inner", "inner", "bool", /*default=*/"true",
           "Give the extent `factor` to the inner loop; false: to the outer loop">,
  ];
}

def MergePass : SchedulePass<"fuse-merge"> {
  let summary = "Merge two adjacent loops of a tensor";
  let description = [{
    Replaces two adjacent loops by one loop, whose extent is the product of their
    extents. Loops that other tensors share cannot be merged. A reduction cannot be
    merged with a loop that is not a reduction.
  }];
  let options = [
    TensorOption<>,
    Option<"axis", "axis", "int64_t", /*default=*/"0",
           "Number of the outer loop, from 0; negative numbers count from the end">,
  ];
}

def ReorderPass : SchedulePass<"fuse-reorder"> {
  let summary = "Reorder the loops of a tensor";
  let description = [{
    The old loop `order[i]` becomes the new loop i. Loops that other tensors share
    cannot move.
  }];
  let options = [
    TensorOption<>,
    ListOption<"order", "order", "int64_t", "A permutation of all loops">,
  ];
}

def RFactorPass : SchedulePass<"fuse-rfactor"> {
  let summary = "Split a reduction into two ops";
  let description = [{
    Creates an op named `<name>.rf` that reduces only the loops `axes`. The old op
    reduces the other reduction loops. The new op has the same iteration space as
    the old op. The result of the new op has an additional dimension for each
    reduction loop that the new op does not reduce. The index in an additional
    dimension is a quotient or a remainder of indices of the iteration space.
  }];
  let options = [
    TensorOption<>,
    ListOption<"axes", "axes", "int64_t", "Reduction loops that the new op reduces">,
  ];
  let dependentDialects = ["::mlir::fuse::FuseDialect",
                           "::mlir::affine::AffineDialect",
                           "::mlir::arith::ArithDialect"];
}

def CacheReadPass : SchedulePass<"fuse-cache-read"> {
  let summary = "Cache an input in a new tensor";
  let description = [{
    Creates an op named `<name>.cache` that copies the input, and makes all readers
    of the input read the copy. Unlike an input, the copy has loops. Readers can
    share these loops with the copy and with each other. For example, two sums over
    one array can become one pass over the array.
  }];
  let options = [TensorOption<"Name of the input">];
  let dependentDialects = ["::mlir::fuse::FuseDialect",
                           "::mlir::arith::ArithDialect"];
}

def SetTypePass : SchedulePass<"fuse-set-type"> {
  let summary = "Set the type of a loop";
  let options = [
    TensorOption<>,
    Option<"axis", "axis", "int64_t", /*default=*/"0",
           "Number of the loop, from 0; negative numbers count from the end">,
    Option<"type", "type", "std::string", /*default=*/"",
           "serial, parallel, vectorize or unroll">,
  ];
  let description = [{
    Sets the type of a loop to serial, parallel, vectorize or unroll. A vectorized
    loop must not be shared with another tensor.
  }];
}

def ComputeAtPass : SchedulePass<"fuse-compute-at"> {
  let summary = "Compute a tensor inside loops of a consumer";
  let description = [{
    Computes `producer` in the first `position` loops of `consumer`, which may read
    the producer through other tensors. Let D be the first tensor that is `consumer`
    or depends on `consumer`, and that lies on every path from the producer to a
    tensor without consumers. The first `position` loops of `consumer` become loops of
    the producer and of all other tensors on paths from the producer to D, except D. If
    there is no tensor D, they become loops of the producer and of all tensors that
    depend on the producer and have a consumer. `mode` selects the behaviour if the
    position is not legal:

    - `standard`, the default, fails if the position is not legal for the producer or
      for a tensor between `producer` and `consumer`.
    - `best_effort` uses the deepest legal position up to `position`.
    - `most_inlined` ignores `position` and uses the deepest legal position for each
      tensor.

    If the position is not legal, `recompute` clones the producer (`<name>.clone`).
    Those readers of the producer on which `consumer` depends, including `consumer`
    itself, then read the clone. The other readers still read the producer, so they no
    longer restrict the position. A remark reports the number of recomputed elements.
  }];
  let options = [
    Option<"producer", "producer", "std::string", /*default=*/"",
           "Name of the tensor to compute">,
    Option<"consumer", "consumer", "std::string", /*default=*/"",
           "Name of the tensor in whose loops the producer is computed">,
    Option<"position", "position", "int64_t", /*default=*/"-1",
           "Number of outer loops of the consumer in which the producer is "
           "computed; -1: all, -2: all but one, ...">,
    Option<"mode", "mode", "std::string", /*default=*/"\"standard\"",
           "standard, best_effort or most_inlined">,
    Option<"hoist", "hoist", "std::string", /*default=*/"",
           "Do not share loops over broadcasts that would be the innermost shared "
           "loops: true or false; the default is true in most_inlined, otherwise false">,
    Option<"recompute", "recompute", "bool", /*default=*/"false",
           "Clone the producer for the consumer if the position is not legal "
           "because of other readers of the producer">,
  ];
}

def ComputeWithPass : SchedulePass<"fuse-compute-with"> {
  let summary = "Compute a tensor in inner loops and store it in outer loops";
  let description = [{
    Computes the tensor in the first `position` loops of the tensor's first consumer.
    The buffer of the tensor is still allocated at the tensor's computeAt position.
    Afterwards the first `position` loops of all consumers can no longer change.
  }];
  let options = [
    TensorOption<>,
    Option<"position", "position", "int64_t", /*default=*/"-1",
           "Number of outer loops in which the tensor is computed; -1: all, "
           "-2: all but one, ...">,
  ];
}

def InlineMostPass : SchedulePass<"fuse-inline-most"> {
  let summary = "Compute all tensors at their deepest legal positions";
  let description = [{
    Gives each tensor of each fusion the deepest position at which all consumers
    have the same loops as the tensor. The loops do not change.
  }];
  let options = [
    Option<"hoist", "hoist", "bool", /*default=*/"true",
           "Do not share loops over broadcasts that would be the innermost shared "
           "loops">,
  ];
}

def PropagatePass : SchedulePass<"fuse-propagate"> {
  let summary = "Propagate the loop transforms of one tensor to all";
  let description = [{
    Splits, merges and reorders the loops of all other tensors of the fusion. The
    loops of these tensors then match the first `position` loops of `tensor`. The
    computeAt positions do not change.
  }];
  let options = [
    TensorOption<"Name of the tensor whose loops are propagated">,
    Option<"position", "position", "int64_t", /*default=*/"-1",
           "Number of outer loops that are propagated; -1: all, -2: all but one, ...">,
  ];
}

def AutoSchedulePass : Pass<"fuse-auto-schedule", "func::FuncOp"> {
  let summary = "Choose schedules of fusions by a cost model";
  let description = [{
    Chooses a schedule for each fusion. The pass takes the tensor with the largest
    iteration space, finds the loop along which most accesses of this tensor are
    contiguous, and splits this loop into vectors. The pass transforms the loops of
    all other tensors to match. It then computes each tensor at the deepest legal
    position at which recomputing the tensor costs less than moving its bytes. If
    several tensors read one input, and sharing the loops of these tensors saves
    memory traffic, the pass creates an op `<name>.cache` that reads the input for
    all these tensors.

    The pass splits a reduction over the contiguous loop into lanes by rfactor, if
    `reduction-order` allows it:

    - `serial` keeps the order of the program. The pass splits only reductions that
      may be reordered: integer reductions, maxima, minima, and ops with
      `fastmath<reassoc>`.
    - `blocked` gives float sums and products the order
      `#pop.accum<blocked, block = B, lanes = 16>` (docs/dialects/pop.md). The
      elements are numbered over all reduced loops, with the loops in the order of
      the program. B is the block size that `pop-choose-accumulation` gives a
      reduction with these extents. If an extent is known only at run time, B is
      1024. Two kinds of reductions keep ascending order: products of matrices, and
      reductions in which a loop other than the first has an extent known only at
      run time. There is one difference from `pop`: if all addends are -0, a sum that
      starts from 0 is 0 here, but -0 in `pop`.

    For each fusion, a remark of category `ipu-fuse` reports the bytes of memory
    traffic that the schedule saves (`bytesSaved`) and the number of operations
    that recomputation adds (`recompute`).
  }];
  let options = [
    Option<"vectorWidth", "vector-width", "int64_t", /*default=*/"16",
           "Number of vector lanes, a power of two up to 64; 1: no vectors">,
    Option<"reductionOrder", "reduction-order", "std::string",
           /*default=*/"\"serial\"",
           "Order in which floats are reduced: serial, as in the program, or "
           "blocked, as in pop">,
    Option<"cacheBytes", "cache-bytes", "int64_t", /*default=*/"262144",
           "Largest buffer, in bytes, that the cost model counts as cached">,
  ];
  let dependentDialects = ["::mlir::fuse::FuseDialect",
                           "::mlir::affine::AffineDialect",
                           "::mlir::arith::ArithDialect"];
}

//===----------------------------------------------------------------------===//
// Verification and printing of schedules
//===----------------------------------------------------------------------===//

def VerifyPass : SchedulePass<"fuse-verify"> {
  let summary = "Verify that schedules form loop nests";
  let description = [{
    Emits an error if a loop that tensors share cannot be one loop. There are four
    such cases: a dependence leaves the loop and comes back, an op in the loop
    reads a reduction that is not complete, two loops of one tensor would be the
    same loop, or each of two loops would be inside of the other. Notes show the
    ops on the path that causes the error.

    If a tensor is computed inside of a loop over which the tensor has no dimension,
    each element is computed several times, and a remark at the tensor says how
    often.
  }];
}

// This pass runs on any op. On a module, the pass prints the functions in order.
def PrintSchedulePass : Pass<"fuse-print-schedule"> {
  let summary = "Print the loops of all tensors";
  let description = [{
    Prints one line for each tensor to the standard output, in program order, such
    as `T2 [i0, r:i1] @1/2`. The list in brackets contains the loops of the tensor,
    outermost first. `r:` marks a loop over a reduction, and `b:` marks a loop over
    a broadcast. The type of a loop follows its name if the loop is not serial
    (`i1:vectorize`). The first number after `@` is the number of loops that the
    tensor shares with its consumers. The second number is the number of loops that
    the tensor shares with its producers.
  }];
}

//===----------------------------------------------------------------------===//
// Lowering
//===----------------------------------------------------------------------===//

def ToLoopsPass : Pass<"fuse-to-loops", "func::FuncOp"> {
  let summary = "Lower each fusion to one loop nest";
  let description = [{
    Replaces each `fuse.fusion` by loops on memrefs. `bufferization.to_buffer`
    converts the operands. The results are new buffers, and
    `bufferization.to_tensor` converts these buffers to tensors. The layout of each
    operand must be the layout that `one-shot-bufferize` (with
    `bufferize-function-boundaries`) gives the operand, so that bufferization inserts
    no copy. By default, bufferization gives arguments of functions dynamic strides
    and a dynamic offset. For this default, set `layout=dynamic`. The loops then read
    one element at a time, and compute the indices of collapsed dimensions as
    quotients and remainders. If bufferization has the option
    `function-boundary-type-conversion=identity-layout-map`, use `layout=identity`.
    The loops can then read vectors.

    The storage of a tensor depends on the loops that the tensor does not share,
    except reductions and broadcasts. A tensor without such loops becomes an SSA
    value. Any other tensor gets a buffer with the extents of these loops. The buffer
    is on the stack if it is small and of constant size. A reduction into one element
    becomes a value that the loops carry.

    If the factor of a split does not divide the extent of the loop, the statements
    in the loop run only for indices in bounds. With `peel`, the lowering splits a
    loop into the iterations for which no inner loop exceeds its bound, and the other
    iterations. In the other iterations, and without `peel`, the lowering ends loops
    at their bounds or, where this is not possible, inserts conditions.

    If all ops in a `vectorize` loop have vector forms, the loop becomes vectors with
    as many lanes as the loop has iterations. Otherwise the loop stays serial. A
    reduction over a vectorized loop combines the upper half of the lanes with the
    lower half until one lane is left, and combines this lane with the accumulated
    value. An `unroll` loop is unrolled if its extent is a constant of at most 256. A
    reduction over a `parallel` loop is an error.

    Before:
    ```mlir
    %r = fuse.fusion ins(%x : tensor<8xf32>) -> tensor<8xf32> {
    ^bb0(%a: tensor<8xf32>):
      %e = tensor.empty() : tensor<8xf32>
      %0 = linalg.exp ins(%a : tensor<8xf32>) outs(%e : tensor<8xf32>) -> tensor<8xf32>
      fuse.yield %0 : tensor<8xf32>
    }
    ```
    After:
    ```mlir
    %b = bufferization.to_buffer %x read_only : tensor<8xf32> to memref<8xf32, strided<[?], offset: ?>>
    %o = memref.alloc() {alignment = 64 : i64} : memref<8xf32>
    affine.for %i = 0 to 8 {
      %0 = affine.load %b[%i] : memref<8xf32, strided<[?], offset: ?>>
      %1 = math.exp %0 : f32
      affine.store %1, %o[%i] : memref<8xf32>
    }
    %r = bufferization.to_tensor %o restrict writable : memref<8xf32> to tensor<8xf32>
    ```
  }];
  let options = [
    Option<"loops", "loops", "std::string", /*default=*/"\"affine\"",
           "Dialect of loops and memory accesses: affine or scf">,
    Option<"peel", "peel", "bool", /*default=*/"true",
           "Split a loop into the iterations for which no inner loop exceeds its "
           "bound, and the other iterations">,
    Option<"layout", "layout", "std::string", /*default=*/"\"dynamic\"",
           "Layout of function arguments after bufferization: dynamic or "
           "identity">,
  ];
  let dependentDialects = ["::mlir::affine::AffineDialect",
                           "::mlir::arith::ArithDialect",
                           "::mlir::bufferization::BufferizationDialect",
                           "::mlir::complex::ComplexDialect",
                           "::mlir::memref::MemRefDialect",
                           "::mlir::scf::SCFDialect",
                           "::mlir::vector::VectorDialect"];
}

#endif // IPU_MLIR_DIALECT_FUSE_TRANSFORMS_PASSES
