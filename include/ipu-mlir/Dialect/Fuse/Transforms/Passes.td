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
    Finds groups of `linalg` ops on tensors in a block that are connected as
    producers and consumers, and creates a `fuse.fusion` for each group. Ops that
    have a decomposition into linalg ops (`linalg.softmax`) are decomposed first,
    and reductions of extent 1 become elementwise. New ops keep the name of the op
    that they replace; if there are several, the name `x` becomes `x.0`, `x.1`, ...
    The pass copies `linalg.fill`, `tensor.empty`, sizes, scalar constants, slices
    and reshapes into the fusions that use them; slices and reshapes are views
    there. If the indexing map of a copy is more than a permutation, such as a
    reverse, the readers of the copy read the operand of the copy by this map.
    Values with uses outside of the fusion become results. Results that only
    `tensor.insert_slice` uses, to assemble a new tensor, become one result.

    Groups that have only an input in common become one group if this moves fewer
    bytes according to the cost model. With `mode=cost`, the pass removes a reshape
    between two ops without names: both ops then have the loops of the side with
    more dimensions.

    All ops of a fusion execute together. An op that depends on another op of its
    group through an op outside of the group therefore starts a new group. Two kinds
    of ops stay outside: those whose result maps are not permutations of their
    parallel loops, and those that read tensors other than their operands. The pass
    moves the ops around a fusion where dependences require it; ops with side effects
    keep their order.

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
           "Which connected ops to group: all, or only those that share loops at "
           "the position that the cost model chooses (cost)">,
  ];
  let dependentDialects = ["::mlir::fuse::FuseDialect",
                           "::mlir::arith::ArithDialect",
                           "::mlir::math::MathDialect"];
}

//===----------------------------------------------------------------------===//
// Changing schedules
//===----------------------------------------------------------------------===//

/// A pass that changes the schedules of fusions. It runs on any op, such as a
/// module; it then acts on the functions that have the named tensor.
class SchedulePass<string argument> : Pass<argument> {
  let dependentDialects = ["::mlir::fuse::FuseDialect"];
}

class TensorOption<string text = "Name of the tensor to change">
    : Option<"tensor", "tensor", "std::string", /*default=*/"", text>;

def SplitPass : SchedulePass<"fuse-split"> {
  let summary = "Split a loop of a tensor into two";
  let description = [{
    Replaces a loop by two loops. The inner loop has the extent `factor`, or the
    outer loop with `inner=false`. The factor need not divide the extent. Loops that
    other tensors share cannot be split.

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
           "Extent of the inner (or outer) loop, at least 1">,
    Option<"inner", "inner", "bool", /*default=*/"true",
           "Give the inner loop, not the outer one, the extent">,
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
    Makes the old loop `order[i]` the new loop i. Loops that other tensors share
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
    Creates an op named `<name>.rf` that reduces only the loops `axes`; the old op
    reduces the other loops. The new op has the same iteration space as the old op.
    Its result has one more dimension for each part of a reduction that it does not
    reduce. Quotients and remainders of the old dimensions index these dimensions.
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
    of the input read the copy. Unlike an input, the copy has loops, which its
    readers can share with it and with each other. In this way two sums over one
    array can become one pass over it.
  }];
  let options = [TensorOption<"Name of the input">];
  let dependentDialects = ["::mlir::fuse::FuseDialect",
                           "::mlir::arith::ArithDialect"];
}

def SetTypePass : SchedulePass<"fuse-set-type"> {
  let summary = "Set the loop type of a loop";
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
    the producer through other tensors. All tensors between them, and the tensors
    that common consumers need, get the same loops up to that position. `mode`
    selects the behaviour if the position is not legal:

    - `standard`, the default, fails for the producer and the tensors between.
    - `best_effort` uses the deepest legal position.
    - `most_inlined` ignores `position` and uses the deepest legal position for each
      tensor.

    If other consumers prevent the position, `recompute` clones the producer
    (`<name>.clone`) for those consumers that lead to `consumer`. A remark reports
    the recomputed elements.
  }];
  let options = [
    Option<"producer", "producer", "std::string", /*default=*/"",
           "Name of the tensor to compute">,
    Option<"consumer", "consumer", "std::string", /*default=*/"",
           "Name of the tensor whose loops are used">,
    Option<"position", "position", "int64_t", /*default=*/"-1",
           "Number of the consumer's loops; -1: all, -2: all but one, ...">,
    Option<"mode", "mode", "std::string", /*default=*/"\"standard\"",
           "standard, best_effort or most_inlined">,
    Option<"hoist", "hoist", "std::string", /*default=*/"",
           "Exclude trailing loops over broadcasts: true or false; by default "
           "true only in most_inlined">,
    Option<"recompute", "recompute", "bool", /*default=*/"false",
           "Clone the producer where it cannot be shared">,
  ];
}

def ComputeWithPass : SchedulePass<"fuse-compute-with"> {
  let summary = "Compute a tensor in inner loops and store it in outer ones";
  let description = [{
    Computes the tensor in the first `position` loops of its first consumer, but
    keeps its buffer at the computeAt position of the tensor. Afterwards the loops of
    all consumers up to `position` can no longer change.
  }];
  let options = [
    TensorOption<>,
    Option<"position", "position", "int64_t", /*default=*/"-1",
           "Number of the tensor's loops; -1: all, -2: all but one, ...">,
  ];
}

def InlineMostPass : SchedulePass<"fuse-inline-most"> {
  let summary = "Compute all tensors at their deepest legal positions";
  let description = [{
    Gives each tensor of each fusion the deepest position at which all consumers
    have the same loops as the tensor. No loops change.
  }];
  let options = [
    Option<"hoist", "hoist", "bool", /*default=*/"true",
           "Exclude trailing loops over broadcasts">,
  ];
}

def PropagatePass : SchedulePass<"fuse-propagate"> {
  let summary = "Propagate the loop transforms of one tensor to all";
  let description = [{
    Splits, merges and reorders the loops of the fusion's other tensors so that
    they match the first `position` loops of `tensor`. No computeAt position
    changes.
  }];
  let options = [
    TensorOption<"Name of the tensor whose loops are propagated">,
    Option<"position", "position", "int64_t", /*default=*/"-1",
           "Number of its loops; -1: all, -2: all but one, ...">,
  ];
}

def AutoSchedulePass : Pass<"fuse-auto-schedule", "func::FuncOp"> {
  let summary = "Schedule fusions by a cost model";
  let description = [{
    Chooses a schedule for each fusion. The pass takes the tensor with the largest
    iteration space, finds the loop along which most of its accesses are contiguous,
    and splits this loop into vectors. It gives all tensors matching loops, and each
    tensor the deepest legal position at which recomputing the tensor costs less than
    moving its bytes. If several tensors read one input and sharing their loops
    saves memory traffic, the pass creates an op `<name>.cache` that reads the input
    for all of them.

    The pass splits a reduction over the contiguous loop into lanes by rfactor, if
    `reduction-order` allows it:

    - `serial` keeps the order of the program. Only reductions whose result does not
      depend on the order (integers, maxima and minima, ops with `fastmath<reassoc>`)
      are split.
    - `blocked` gives float sums and products the order that
      `pop-choose-accumulation` gives a reduction with these extents,
      `#pop.accum<blocked, block = B, lanes = 16>` (docs/dialects/pop.md), over all
      reduced loops in the order of the program. If an extent is known only at run
      time, B is 1024. Products of matrices keep ascending order. So does a reduction
      in which a loop other than the first has an extent known only at run time. A
      sum that starts from 0 instead of -0 gives 0 where pop gives -0, if all addends
      are -0.

    For each fusion, a remark of category `ipu-fuse` reports the bytes of memory
    traffic that the schedule saves (`bytesSaved`) and the operations that
    recomputation adds (`recompute`).
  }];
  let options = [
    Option<"vectorWidth", "vector-width", "int64_t", /*default=*/"16",
           "Number of vector lanes, a power of two up to 64; 1: no vectors">,
    Option<"reductionOrder", "reduction-order", "std::string",
           /*default=*/"\"serial\"",
           "Order in which floats are reduced: serial or blocked">,
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
    such cases: a dependence leaves the loop and comes back, an op in the loop reads
    a reduction that is not complete, two loops of one tensor would be the same loop,
    or each of two loops would be inside of the other. Notes show the ops on the path
    that causes the error. A remark at each tensor that is inside of more loops than
    `fuse-compute-at` would choose says how often the tensor is computed.
  }];
}

// Runs on any op, so that the functions of a module are printed in order.
def PrintSchedulePass : Pass<"fuse-print-schedule"> {
  let summary = "Print the loops of all tensors";
  let description = [{
    Prints one line for each tensor to the standard output, in program order, such
    as `T2 [i0, r:i1] @1/2`. The list has the loops of the tensor, outermost first.
    `r:` marks a reduction and `b:` a broadcast, and a loop that is not serial is
    followed by its type (`i1:vectorize`). The two numbers after `@` count the loops
    that the tensor shares with its consumers and those that it shares with its
    producers.
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
    `bufferization.to_tensor` converts these to tensors. The layout of each operand
    is the one that `one-shot-bufferize{bufferize-function-boundaries}` will give
    it, so that bufferization inserts no copy. By default bufferization gives
    arguments of functions dynamic strides and a dynamic offset. For this default
    use `layout=dynamic`: elements are read one at a time, and collapsed dimensions
    by quotients and remainders. With
    `function-boundary-type-conversion=identity-layout-map` use `layout=identity`:
    vectors are read.

    A tensor without loops of its own becomes an SSA value. Any other tensor gets a
    buffer with the extents of its own loops, on the stack if the buffer is small and
    of constant size. A reduction into one element becomes a value that the loops
    carry. If a split is uneven, its statements run only where the axes are in
    bounds: the lowering splits the loops there (`peel`), ends them there, or inserts
    conditions.

    A `vectorize` loop becomes vectors with as many lanes as its extent if all ops in
    it have vector forms. Otherwise the loop stays serial. A reduction over a
    vectorized loop adds the upper half of the lanes to the lower half until one lane
    is left, and combines this lane with the accumulated value. An `unroll` loop is
    unrolled if its extent is a constant of at most 256. A reduction over a
    `parallel` loop is an error.

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
           "Dialect of the loops and accesses: affine or scf">,
    Option<"peel", "peel", "bool", /*default=*/"true",
           "Split a loop at the end of its last full tile">,
    Option<"layout", "layout", "std::string", /*default=*/"\"dynamic\"",
           "Layout that arguments of functions will have: dynamic or identity">,
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
