//===- PopBase.td - attributes of tensor ops ----------------*- tablegen -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef IPU_MLIR_DIALECT_POP_IR_POPBASE
#define IPU_MLIR_DIALECT_POP_IR_POPBASE

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
  let summary = "Order in which an op accumulates";
  let description = [{
    The order is part of what the op means: engines, targets and tile mappings
    never change it.

    - `chain`: one chain per output, positions in ascending (row-major) order.
      Products are added by fused multiply-add, starting from +0 or from the
      op's `acc`.
    - `blocked`: positions are cut into blocks of `block`. In a block, lane `j`
      of `lanes` combines the positions equal to `j` modulo `lanes` in
      ascending order, starting from the identity of the combiner (-0 for a
      sum); then lane `j` combines with lane `j + lanes / 2`, then with
      `j + lanes / 4`, and so on. Block results are combined in the same way.
      In a matmul or convolution (`lanes` is 1) a block is a chain of fused
      multiply-adds from +0, and block results are added in ascending order,
      one after the other: blocks may then be computed at the same time.

    ```mlir
    #pop.accum<chain>
    #pop.accum<blocked, block = 1024, lanes = 16>
    #pop.accum<blocked, block = 256, lanes = 1>
    ```

    (C1) `lanes` is a power of two that divides `block`; both are positive and
    at most 65536.
    (C2) `chain` has neither.
  }];
  let parameters = (ins "AccumOrder":$order,
                        DefaultValuedParameter<"int64_t", "0">:$block,
                        DefaultValuedParameter<"int64_t", "0">:$lanes);
  let builders = [
    AttrBuilder<(ins "AccumOrder":$order), [{
      bool blocked = order == AccumOrder::Blocked;
      return $_get($_ctxt, order, blocked ? kAccumBlock : 0,
                   blocked ? kAccumLanes : 0);
    }]>,
  ];
  let assemblyFormat = "`<` $order (`,` struct($block, $lanes)^)? `>`";
  let constBuilderCall =
      "::mlir::pop::AccumAttr::get($_builder.getContext(), $0)";
  let genVerifyDecl = 1;
  let extraClassDeclaration = [{
    /// The constants of the `blocked` order; they belong to the specification.
    static constexpr int64_t kAccumBlock = 1024;
    static constexpr int64_t kAccumLanes = 16;
    /// The largest block: a vertex keeps all lanes in its memory.
    static constexpr int64_t kMaxBlock = 65536;
  }];
}

def Pop_ChainByDefault : DefaultValuedAttr<Pop_AccumAttr,
                                 "::mlir::pop::AccumOrder::Chain">;
def Pop_Blocked : DefaultValuedAttr<Pop_AccumAttr,
                                    "::mlir::pop::AccumOrder::Blocked">;

def Pop_ReduceKind : I32EnumAttr<"ReduceKind", "combiner of a reduction", [
    I32EnumAttrCase<"Sum", 0, "sum">, I32EnumAttrCase<"Prod", 1, "prod">,
    I32EnumAttrCase<"Max", 2, "max">, I32EnumAttrCase<"Min", 3, "min">,
    I32EnumAttrCase<"And", 4, "and">, I32EnumAttrCase<"Or", 5, "or">]> {
  let cppNamespace = "::mlir::pop";
  let genSpecializedAttr = 0;
}
def Pop_ReduceKindAttr : EnumAttr<Pop_Dialect, Pop_ReduceKind, "reduce_kind">;

#endif // IPU_MLIR_DIALECT_POP_IR_POPBASE
