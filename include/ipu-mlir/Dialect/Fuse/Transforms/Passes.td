//===- Passes.td - Passes on fusions ------------------------*- tablegen -*-===//
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
    Creates a `fuse.fusion` of each group of `linalg` ops on tensors in a block
    that are connected as producers and consumers. Ops that decompose into
    linalg ops (`linalg.softmax`) are decomposed, reductions of extent 1 become
    elementwise. Names carry over; ops made of one op named `x` are named `x.0`,
    `x.1`, ... `linalg.fill`, `tensor.empty`, sizes and scalar constants are
    copied into the fusions that use them, and so are slices and reshapes, which
    are views there. If the indexing map of a copy is more than a permutation,
    such as a reverse, the readers of the copy read its operand by this map.
    Values that are used outside become results; results that
    `tensor.insert_slice` only puts together in a new tensor become one.

    Groups that only have an input in common become one if the cost model says
    that fewer bytes are moved then. With `mode=cost`, a reshape between two ops
    without names is removed: both ops get the loops of the side that has more.

    A fusion executes all of its ops as one: an op that depends on another op of
    its group through an op outside of the group starts a new group. Ops whose
    result maps are not permutations of their parallel loops, or that read
    tensors which are not their operands, stay outside. Ops around the fusions
    move where that is needed, those with side effects in their order.

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
           "Which connected ops to put together: all, or those that share loops "
           "where the cost model would compute them (cost)">,
  ];
  let dependentDialects = ["::mlir::fuse::FuseDialect",
                           "::mlir::arith::ArithDialect",
                           "::mlir::math::MathDialect"];
}

//===----------------------------------------------------------------------===//
// Changing schedules
//===----------------------------------------------------------------------===//

/// A pass that changes the schedules of fusions. On any op: on a module, one that
/// names a tensor acts on the functions that have it.
class SchedulePass<string argument> : Pass<argument> {
  let dependentDialects = ["::mlir::fuse::FuseDialect"];
}

class TensorOption<string text = "Name of the tensor to change">
    : Option<"tensor", "tensor", "std::string", /*default=*/"", text>;

def SplitPass : SchedulePass<"fuse-split"> {
  let summary = "Split a loop of a tensor into two";
  let description = [{
    Replaces a loop by two loops, of which the inner (or the outer) one has the
    extent `factor`. The factor need not divide the extent. Loops that other
    tensors share cannot be split.
  }];
  let options = [
    TensorOption<>,
    Option<"axis", "axis", "int64_t", /*default=*/"0",
           "Which loop, from 0; negative: from the end">,
    Option<"factor", "factor", "int64_t", /*default=*/"0",
           "The extent of the inner loop, at least 1">,
    Option<"inner", "inner", "bool", /*default=*/"true",
           "Whether it is the inner loop that has that extent">,
  ];
}

def MergePass : SchedulePass<"fuse-merge"> {
  let summary = "Merge two adjacent loops of a tensor";
  let description = [{
    Replaces two loops by one, whose extent is the product of theirs. Loops that
    other tensors share cannot be merged, nor can a reduction with a loop that
    is none.
  }];
  let options = [
    TensorOption<>,
    Option<"axis", "axis", "int64_t", /*default=*/"0",
           "The outer one of the two, from 0; negative: from the end">,
  ];
}

def ReorderPass : SchedulePass<"fuse-reorder"> {
  let summary = "Reorder the loops of a tensor";
  let description = [{
    The new loop i is the old loop `order[i]`. Loops that other tensors share
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
    Creates an op named `<name>.rf` that reduces only the loops `axes`; the old
    op reduces the rest. The new op has the same iteration space; its result has
    one more dimension per piece that it does not reduce, indexed by quotients
    and remainders of the old dimensions.
  }];
  let options = [
    TensorOption<>,
    ListOption<"axes", "axes", "int64_t", "Which of its reduction loops">,
  ];
  let dependentDialects = ["::mlir::fuse::FuseDialect",
                           "::mlir::affine::AffineDialect",
                           "::mlir::arith::ArithDialect"];
}

def CacheReadPass : SchedulePass<"fuse-cache-read"> {
  let summary = "Cache an input in a new tensor";
  let description = [{
    Creates an op named `<name>.cache` that copies the input, and lets all
    readers of the input read the copy. An input has no loops, but the copy has,
    so that its readers can share loops with it and with each other: two sums of
    one array become one pass over it.
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
           "Which loop, from 0; negative: from the end">,
    Option<"type", "type", "std::string", /*default=*/"",
           "serial, parallel, vectorize or unroll">,
  ];
  let description = [{
    Sets the type of a loop to serial, parallel, vectorize or unroll. A
    vectorized loop is not shared with another tensor.
  }];
}

def ComputeAtPass : SchedulePass<"fuse-compute-at"> {
  let summary = "Compute a tensor inside loops of a consumer";
  let description = [{
    Computes `producer` in the first `position` loops of `consumer`, which need
    not read it directly. All tensors between them, and those that common
    consumers need, get equal loops up to that position. `mode` says what
    happens where the position is not legal: `standard` fails for the producer
    and the tensors between, `best_effort` uses the deepest legal position, and
    `most_inlined` uses the deepest legal position everywhere, whatever
    `position` is.

    With `recompute`, a producer that cannot be computed there because of other
    consumers is cloned (`<name>.clone`) for those that lead to `consumer`, and
    a remark says how much is computed twice.
  }];
  let options = [
    Option<"producer", "producer", "std::string", /*default=*/"",
           "Name of the tensor to compute">,
    Option<"consumer", "consumer", "std::string", /*default=*/"",
           "Name of the tensor in whose loops">,
    Option<"position", "position", "int64_t", /*default=*/"-1",
           "In how many of them; -1: all, -2: all but one, ...">,
    Option<"mode", "mode", "std::string", /*default=*/"\"standard\"",
           "standard, best_effort or most_inlined">,
    Option<"hoist", "hoist", "std::string", /*default=*/"",
           "Whether to leave trailing loops over broadcasts: true or false; "
           "only in most_inlined by default">,
    Option<"recompute", "recompute", "bool", /*default=*/"false",
           "Clone the producer where it cannot be shared">,
  ];
}

def ComputeWithPass : SchedulePass<"fuse-compute-with"> {
  let summary = "Compute a tensor in inner loops and store it in outer ones";
  let description = [{
    Computes the tensor in the first `position` loops of its first consumer, but
    keeps its buffer where it is. The loops of all consumers up to there are
    fixed from then on.
  }];
  let options = [
    TensorOption<>,
    Option<"position", "position", "int64_t", /*default=*/"-1",
           "In how many of its loops; -1: all, -2: all but one, ...">,
  ];
}

def InlineMostPass : SchedulePass<"fuse-inline-most"> {
  let summary = "Compute all tensors at their deepest legal positions";
  let description = [{
    Gives each tensor of each fusion the greatest position at which its first
    loops are those of all its consumers. No loops change.
  }];
  let options = [
    Option<"hoist", "hoist", "bool", /*default=*/"true",
           "Leave trailing loops over broadcasts">,
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
    TensorOption<"Name of the tensor to take the loops of">,
    Option<"position", "position", "int64_t", /*default=*/"-1",
           "How many of its loops; -1: all, -2: all but one, ...">,
  ];
}

def AutoSchedulePass : Pass<"fuse-auto-schedule", "func::FuncOp"> {
  let summary = "Schedule fusions by a cost model";
  let description = [{
    Gives each fusion a schedule: the loop along which most accesses of the
    largest iteration space are contiguous is split into vectors, all tensors
    get matching loops, and each gets the deepest legal position at which
    recomputing it costs less than moving its bytes. A reduction over the
    contiguous loop is split into lanes by rfactor, if that is allowed.
    `reduction-order=serial` keeps the order of the program, so that only
    reductions whose result does not depend on the order (integers, maxima and
    minima, ops with `fastmath<reassoc>`) are split. `reduction-order=blocked`
    gives float sums and products the order that `pop-choose-accumulation` gives
    to a reduction of these extents, `#pop.accum<blocked, block = B, lanes =
    16>` (docs/dialects/pop.md), over all reduced loops in the order of the
    program. B is 1024 where an extent is known only at run time; products of
    matrices stay in ascending order, and so do reductions of which a loop other
    than the first has a size known at run time. A sum that starts from 0
    instead of -0 gives 0 where pop gives -0, if all addends are -0. If several
    tensors read one input and share loops profitably, an op `<name>.cache`
    reads the input for all of them. A remark of category `ipu-fuse` says for
    each fusion how many bytes of memory traffic it saves (`bytesSaved`) and how
    many operations it adds by recomputation (`recompute`).
  }];
  let options = [
    Option<"vectorWidth", "vector-width", "int64_t", /*default=*/"16",
           "Lanes of vectors, a power of two up to 64; 1: no vectors">,
    Option<"reductionOrder", "reduction-order", "std::string",
           /*default=*/"\"serial\"",
           "In which order floats are summed: serial or blocked">,
    Option<"cacheBytes", "cache-bytes", "int64_t", /*default=*/"262144",
           "Buffers up to this size count as not moved">,
  ];
  let dependentDialects = ["::mlir::fuse::FuseDialect",
                           "::mlir::affine::AffineDialect",
                           "::mlir::arith::ArithDialect"];
}

//===----------------------------------------------------------------------===//
// Looking at schedules
//===----------------------------------------------------------------------===//

def VerifyPass : SchedulePass<"fuse-verify"> {
  let summary = "Verify that schedules form loop nests";
  let description = [{
    Fails, with notes at the ops on the path that forbids it, if a loop that
    tensors share cannot be one loop: a dependence leaves it and comes back, an
    op in it needs a reduction that is not complete, two loops of one tensor
    would be the same, or two loops would each be inside of the other. Remarks
    at tensors inside of loops in which `fuse-compute-at` would not have put
    them say how often they are computed.
  }];
}

// On any op, so that all functions of a module are printed in order.
def PrintSchedulePass : Pass<"fuse-print-schedule"> {
  let summary = "Print the loops of all tensors";
  let description = [{
    Prints one line per tensor in program order, as `T2 [i0, r:i1] @1/2`: its
    loops, outermost first, reductions marked `r:` and broadcasts `b:`, loops
    other than serial ones with their type after (`i1:vectorize`), how many of
    them its consumers share, and how many loops it shares with its producers.
    Goes to the standard output.
  }];
}

//===----------------------------------------------------------------------===//
// Lowering
//===----------------------------------------------------------------------===//

def ToLoopsPass : Pass<"fuse-to-loops", "func::FuncOp"> {
  let summary = "Lower each fusion to one loop nest";
  let description = [{
    Replaces each `fuse.fusion` by loops on memrefs: operands are read through
    `bufferization.to_buffer`, results are fresh buffers, which
    `bufferization.to_tensor` makes tensors again. Each operand is read in the
    layout that `one-shot-bufferize{bufferize-function-boundaries}` will give
    it, so that nothing is copied afterwards. By default bufferization gives
    arguments of functions any strides and offset; use `layout=dynamic` then:
    elements are read one at a time, and collapsed dimensions by quotients and
    remainders. With `function-boundary-type-conversion=identity-layout-map` use
    `layout=identity`: vectors are read.

    A tensor without own loops becomes a value; others get a buffer with the
    extents of their own loops, on the stack if it is small and of constant
    size. A reduction into one element becomes a value that the loops carry.
    Statements run only where the axes of uneven splits are in bounds: loops are
    split there (`peel`), or end there, or have conditions in them.

    A `vectorize` loop becomes vectors, of as many lanes as its extent, if all
    ops in it have vector forms; a reduction over it adds the upper half of the
    lanes to the lower half until one lane is left, and combines that with the
    accumulated value. Otherwise it stays serial. An `unroll` loop of a constant
    extent up to 256 is unrolled. A `parallel` loop must not be crossed by a
    reduction.

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
           "Which loops and accesses to make: affine or scf">,
    Option<"peel", "peel", "bool", /*default=*/"true",
           "Split loops where the last full tile ends">,
    Option<"layout", "layout", "std::string", /*default=*/"\"dynamic\"",
           "Which layout arguments of functions will have: dynamic or identity">,
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
