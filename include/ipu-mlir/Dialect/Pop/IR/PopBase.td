//===- PopBase.td - Attributes of tensor ops ---------------*- tablegen -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef IPU_MLIR_DIALECT_POP_IR_POPBASE
#define IPU_MLIR_DIALECT_POP_IR_POPBASE

include "ipu-mlir/Dialect/Pop/IR/PopAccumInterface.td"
include "ipu-mlir/Dialect/Pop/IR/PopComputeInterface.td"
include "ipu-mlir/Dialect/Pop/IR/PopDialect.td"

//===----------------------------------------------------------------------===//
// Attributes
//===----------------------------------------------------------------------===//

def Pop_AccumOrder : I32EnumAttr<"AccumOrder", "order of accumulation", [
    I32EnumAttrCase<"Chain", 0, "chain">,
    I32EnumAttrCase<"Blocked", 1, "blocked">]> {
  let cppNamespace = "::mlir::pop";
  let genSpecializedAttr = 0;
}

def Pop_AccumAttr : Pop_Attr<"Accum", "accum"> {
  let summary = "Accumulation order of an op";
  let description = [{
    The order is part of the op's semantics: engines, targets and tile mappings never
    change the order. `pop-choose-accumulation` chooses an order for each op that has
    none, and no later pass changes this order. Below, the reduction elements of each
    output element are numbered in row-major order; these numbers are the positions
    of the reduction elements.

    - `chain`: the reduction elements of each output element are combined one after
      the other, in ascending order of their positions. Products are added by fused
      multiply-add, starting from +0 or from the op's `acc`.
    - `blocked`: the reduction elements are divided into blocks of `block` elements;
      the last block may be shorter. In a block, lane `j` of `lanes` combines the
      elements whose position is equal to `j` modulo `lanes`. It combines them in
      ascending order, starting from the neutral element of the combiner (-0 for a
      sum). Then lane `j` is combined with lane `j + lanes / 2`, then with lane
      `j + lanes / 4`, and so on. The results of all blocks are then combined by the
      same rule, as if they were the reduction elements, until one result is left.

    In a matmul or convolution, `lanes` is 1, and a block is a chain of fused
    multiply-adds that starts from +0. The results of the blocks are added one after
    the other in ascending order, starting from `acc` if there is one. Tiles may
    compute blocks at the same time. With `group`, every `group` consecutive blocks
    form a group. The results of the blocks in a group are added first, in ascending
    order, and then the sums of the groups are added in ascending order.

    In a convolution, a block is a region of the weights: `block` channels at a region
    of kernel positions. `kernel` is the shape of the region of positions; without
    `kernel`, the region has all kernel positions. Blocks are ordered by their kernel
    positions in row-major order, and then by their channels. With `partials`, the
    result of each block is rounded to this type before the result is added in f32.

    With `box`, the order of a reduction over several axes is a tree, and `lanes` is 1.
    Adjacent reduction axes count as one dimension, and `box` has one size for each
    dimension, outermost first. The innermost dimension is reduced first: each sequence
    of at most `box` positions is combined by a chain, and then sequences of at most
    `block` results are combined by chains, until one result is left. The other
    dimensions are reduced in the same way, one after the other.

    ```mlir
    #pop.accum<chain>
    #pop.accum<blocked, block = 1024, lanes = 16>
    #pop.accum<blocked, block = 256, lanes = 1>
    #pop.accum<blocked, block = 64, lanes = 1, group = 128>
    #pop.accum<blocked, block = 16, lanes = 1, kernel = [4, 56], partials = f16>
    #pop.accum<blocked, block = 14, lanes = 1, box = [20, 28]>
    ```

    (C1) `lanes` is a power of two that divides `block`; both are positive and at most
    65536.
    (C2) `chain` has none of the other parameters.
    (C3) `group` is 0 (no groups), or from 2 to 65535 with one lane.
    (C4) `kernel` has positive values; if it is present, `lanes` is 1.
    (C5) `partials` is f16; if it is present, `lanes` is 1.
    (C6) `box` has values from 1 to 65536; if it is present, `lanes` is 1, and there is
    neither `group` nor `kernel` nor `partials`.
  }];
  let parameters = (ins
    "AccumOrder":$order, DefaultValuedParameter<"int64_t", "0">:$block,
    DefaultValuedParameter<"int64_t", "0">:$lanes,
    DefaultValuedParameter<"int64_t", "0">:$group,
    OptionalParameter<"::mlir::DenseI64ArrayAttr">:$kernel,
    OptionalParameter<"::mlir::Type">:$partials,
    OptionalParameter<"::mlir::DenseI64ArrayAttr">:$box);
  let builders = [
    AttrBuilder<(ins "AccumOrder":$order), [{
      bool blocked = order == AccumOrder::Blocked;
      return $_get($_ctxt, order, blocked ? kAccumBlock : 0,
                   blocked ? kAccumLanes : 0, /*group=*/0, ::mlir::DenseI64ArrayAttr(),
                   ::mlir::Type(), ::mlir::DenseI64ArrayAttr());
    }]>,
    AttrBuilder<(ins "int64_t":$block, "int64_t":$lanes), [{
      return $_get($_ctxt, AccumOrder::Blocked, block, lanes, /*group=*/0,
                   ::mlir::DenseI64ArrayAttr(), ::mlir::Type(),
                   ::mlir::DenseI64ArrayAttr());
    }]>,
    AttrBuilder<(ins "int64_t":$block, "::llvm::ArrayRef<int64_t>":$box), [{
      return $_get($_ctxt, AccumOrder::Blocked, block, /*lanes=*/1, /*group=*/0,
                   ::mlir::DenseI64ArrayAttr(), ::mlir::Type(),
                   ::mlir::DenseI64ArrayAttr::get($_ctxt, box));
    }]>,
  ];
  let assemblyFormat = [{
    `<` $order (`,` struct($block, $lanes, $group, $kernel, $partials, $box)^)? `>`
  }];
  let genVerifyDecl = 1;
  let extraClassDeclaration = [{
    /// Parameters of the default `blocked` order; they are part of its definition.
    static constexpr int64_t kAccumBlock = ::mlir::ipu::kReductionBlock;
    static constexpr int64_t kAccumLanes = ::mlir::ipu::kReductionLanes;
    /// The largest value of `block`. The limit exists because a vertex keeps all
    /// lanes in the memory of its tile.
    static constexpr int64_t kMaxBlock = 65536;
    /// The largest number of blocks of a sum of products. The results of all
    /// blocks, together with `acc`, are added as one block of at most kMaxBlock.
    static constexpr int64_t kMaxParts = kMaxBlock - 1;

    bool isChain() { return getOrder() == AccumOrder::Chain; }
  }];
}

def Pop_OptionalAccum : OptionalAttr<Pop_AccumAttr>;
defvar Pop_Accum = DeclareOpInterfaceMethods<
    Pop_AccumOpInterface, ["chooseAccum", "getDefaultAccum"]>;

/// The element type in which an op computes (Pop_ComputeOpInterface).
def Pop_OptionalCompute : OptionalAttr<TypeAttrOf<F16>>;

def Pop_ReduceKind : I32EnumAttr<"ReduceKind", "combiner of a reduction", [
    I32EnumAttrCase<"Sum", 0, "sum">, I32EnumAttrCase<"Prod", 1, "prod">,
    I32EnumAttrCase<"Max", 2, "max">, I32EnumAttrCase<"Min", 3, "min">,
    I32EnumAttrCase<"And", 4, "and">, I32EnumAttrCase<"Or", 5, "or">,
    I32EnumAttrCase<"Mean", 6, "mean">]> {
  let cppNamespace = "::mlir::pop";
  let genSpecializedAttr = 0;
}
def Pop_ReduceKindAttr : EnumAttr<Pop_Dialect, Pop_ReduceKind, "reduce_kind">;

def Pop_ScatterKind : I32EnumAttr<"ScatterKind", "combiner of a scatter", [
    I32EnumAttrCase<"Replace", 0, "replace">, I32EnumAttrCase<"Add", 1, "add">,
    I32EnumAttrCase<"Mul", 2, "mul">, I32EnumAttrCase<"Max", 3, "max">,
    I32EnumAttrCase<"Min", 4, "min">]> {
  let cppNamespace = "::mlir::pop";
  let genSpecializedAttr = 0;
}
def Pop_ScatterKindAttr : EnumAttr<Pop_Dialect, Pop_ScatterKind, "scatter_kind">;

def Pop_SortOrder : I32EnumAttr<"SortOrder", "order of the keys of a sort", [
    I32EnumAttrCase<"Ascending", 0, "ascending">,
    I32EnumAttrCase<"Descending", 1, "descending">,
    I32EnumAttrCase<"TotalAscending", 2, "total_ascending">,
    I32EnumAttrCase<"TotalDescending", 3, "total_descending">]> {
  let cppNamespace = "::mlir::pop";
  let genSpecializedAttr = 0;
}
def Pop_SortOrderAttr : EnumAttr<Pop_Dialect, Pop_SortOrder, "sort_order">;

def Pop_LossReduction : I32EnumAttr<"LossReduction", "reduction of losses", [
    I32EnumAttrCase<"None", 0, "none">, I32EnumAttrCase<"Sum", 1, "sum">,
    I32EnumAttrCase<"Mean", 2, "mean">]> {
  let cppNamespace = "::mlir::pop";
  let genSpecializedAttr = 0;
}
def Pop_LossReductionAttr
    : EnumAttr<Pop_Dialect, Pop_LossReduction, "loss_reduction">;

#endif // IPU_MLIR_DIALECT_POP_IR_POPBASE
