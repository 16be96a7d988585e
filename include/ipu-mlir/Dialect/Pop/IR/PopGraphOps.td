//===- PopGraphOps.td - State and refs of graphs -----------*- tablegen -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef IPU_MLIR_DIALECT_POP_IR_POPGRAPHOPS
#define IPU_MLIR_DIALECT_POP_IR_POPGRAPHOPS

include "ipu-mlir/Dialect/Pop/IR/PopGraphTraits.td"

//===----------------------------------------------------------------------===//
// Symbols
//===----------------------------------------------------------------------===//

def Pop_VariableOp : Pop_Op<"variable", [Symbol, Pop_SymbolUser, Pop_Replicated,
                                         Pop_HostReplicaState]> {
  let summary = "Declare a tensor that persists while the program is loaded";
  let description = [{
    The op declares a mutable tensor whose initial value the host sets. The host may
    read and write the tensor between runs. `type` is the type on one replica. The
    replicas of one group of `groups` start with the same value. If there are several
    groups, `value` may have a leading dimension with one value for each group. Without
    this dimension, all groups start with the same value. `retrieval` selects the
    replicas whose variable the host reads: the least replica of each group, or all
    replicas.

    With `buffer` and `row`, the variable is row `row` of the remote buffer `buffer`
    and is not on the chip. `pop.remote_load` reads the row, and `pop.remote_store`
    writes it.

    With `sharding`, the tensor is distributed over the replicas of each group of
    `sharding`. The elements of the tensor, in row-major order, are padded with zeros
    to a multiple of the group's size g and split into g parts. The replica with index
    i in its group holds part i, a tensor of one dimension.

    (C1) `value` has the element type and the shape of `type`. `value` may have an
    additional leading dimension; the size of this dimension is the number of groups,
    and is at least 2.
    (C2) `buffer` and `row` are both present or both absent. They name a remote buffer
    and one of its rows. The part of the variable that a replica holds has the type of
    the rows.
    (C3) The replicas of a group of `sharding` are all in the same group of `groups`.

    ```mlir
    pop.variable @w : tensor<2x2xf32> = dense<3.0> : tensor<2x2xf32>
    pop.variable @v : tensor<2xf32> = dense<[[1.0, 2.0], [3.0, 4.0]]> : tensor<2x2xf32> {groups = #pop.replica_groups<stride = 1, size = 2>, retrieval = #pop<retrieval all_replicas>}
    pop.variable @u : tensor<3xf32> = dense<0.0> : tensor<3xf32> {buffer = @b, row = 0 : i64, sharding = #pop.replica_groups<stride = 1, size = 2>}
    ```
  }];
  let arguments = (ins SymbolNameAttr:$sym_name, TypeAttrOf<Pop_Tensor>:$type,
      ElementsAttr:$value, OptionalAttr<Pop_ReplicaGroupsAttr>:$groups,
      DefaultValuedAttr<Pop_RetrievalAttr,
                        "::mlir::ipu::Retrieval::OnePerGroup">:$retrieval,
      OptionalAttr<FlatSymbolRefAttr>:$buffer, OptionalAttr<I64Attr>:$row,
      OptionalAttr<Pop_ReplicaGroupsAttr>:$sharding);
  let assemblyFormat = "$sym_name `:` $type `=` $value attr-dict";
  let hasVerifier = 1;
  let extraClassDeclaration = [{
    ::mlir::RankedTensorType getTensorType() {
      return ::llvm::cast<::mlir::RankedTensorType>(getType());
    }
    /// Returns the type of the tensor that one replica holds. This is the type of one
    /// part if the variable has `sharding`, otherwise `type`.
    ::mlir::RankedTensorType getDeviceType();
  }];
}

def Pop_ScratchOp : Pop_Op<"scratch", [Symbol]> {
  let summary = "Declare a tensor that functions share";
  let description = [{
    The op declares a mutable tensor that the host cannot access. Without `value`, the
    tensor is undefined until an op writes it in a run. With `value`, the tensor keeps
    its elements from one run to the next, and gets the elements of `value` each time
    that the host loads or writes variables. `pop.get_variable` returns a ref to the
    tensor. `pop-lower-calls` replaces arguments and results of functions by such
    tensors, and `pop-weights-from-host` keeps values in them.

    (C1) `value` has the type `type`.

    ```mlir
    pop.scratch @f.arg0 : tensor<2x2xf32>
    pop.scratch @loading : tensor<i1> = dense<true> : tensor<i1>
    ```
  }];
  let arguments = (ins SymbolNameAttr:$sym_name, TypeAttrOf<Pop_Tensor>:$type,
                       OptionalAttr<ElementsAttr>:$value);
  let assemblyFormat = "$sym_name `:` $type (`=` $value^)? attr-dict";
  let hasVerifier = 1;
}

def Pop_StreamOp : Pop_Op<"stream", [Symbol, Pop_ReplicaStart]> {
  let summary = "Declare a stream between host and device";
  let description = [{
    In each run, the host sends or receives `transfers` tensors for each replica. With
    `broadcast`, the host sends `transfers` tensors, and all replicas receive the same
    tensors. If `transfers` is absent, the module attribute `pop.host_transfers` gives
    the number of tensors; the default of this attribute is 1. `depth` is the number of
    tensors that the host may prepare in advance. If the host sends nothing, all tensors
    are `default_value`. With `seed`, all tensors are then seeds that the host derives from
    the seed of the session and the number of the run. On the host, all tensors of a run together are one tensor of
    the shape [transfers, replicas, shape of the stream]. The first dimension is omitted
    if there is one transfer. The second dimension is omitted with `broadcast` or if
    there is one replica.

    (C1) Only a stream to the device may have `broadcast`.
    (C2) `depth` is at least 1.
    (C3) Only a stream to the device has a `default_value`, which has the type of the
    stream.
    (C4) `transfers` is at least 1.
    (C5) Only a `broadcast` stream of type tensor<2xui32>, without `default_value`, has
    `seed`.

    ```mlir
    pop.stream @x host_to_device : tensor<2x2xf32>
    pop.stream @lr host_to_device broadcast : tensor<f32> {depth = 2 : i64}
    pop.stream @w host_to_device broadcast : tensor<2xf32> {default_value = dense<[1.0, 2.0]> : tensor<2xf32>}
    pop.stream @y device_to_host : tensor<2x2xf32>
    pop.stream @losses device_to_host : tensor<f32> {transfers = 8 : i64}
    pop.stream @random_seed host_to_device broadcast : tensor<2xui32> {seed}
    ```
  }];
  let arguments = (ins SymbolNameAttr:$sym_name,
      Pop_StreamDirectionAttr:$direction, UnitAttr:$broadcast,
      TypeAttrOf<Pop_Tensor>:$type, DefaultValuedAttr<I64Attr, "1">:$depth,
      OptionalAttr<ElementsAttr>:$default_value,
      OptionalAttr<I64Attr>:$transfers, UnitAttr:$seed);
  let assemblyFormat = [{
    $sym_name `` $direction (`broadcast` $broadcast^)? `:` $type attr-dict
  }];
  let hasVerifier = 1;
}

def Pop_RemoteBufferOp : Pop_Op<"remote_buffer", [Symbol, Pop_ReplicaParts]> {
  let summary = "Declare a remote buffer in streaming memory";
  let description = [{
    The op declares `rows` tensors for each replica in streaming memory. A row that
    holds no `pop.variable` is undefined until an op stores to the row. A load of an
    undefined row gives zeros, and check mode reports the load as an error.

    (C1) `rows` is at least 1, and all rows together have at most 2^56 elements.

    ```mlir
    pop.remote_buffer @b : 3 x tensor<2x2xf32>
    ```
  }];
  let arguments = (ins SymbolNameAttr:$sym_name, I64Attr:$rows,
                       TypeAttrOf<Pop_Tensor>:$type);
  let assemblyFormat = "$sym_name `:` $rows `x` $type attr-dict";
  let hasVerifier = 1;
}

//===----------------------------------------------------------------------===//
// Refs
//===----------------------------------------------------------------------===//

def Pop_GetVariableOp : Pop_PureOp<"get_variable", [Pop_SymbolUser,
                                                    Pop_RefOrigin]> {
  let summary = "Get a ref to a variable";
  let description = [{
    (C1) `variable` names a variable on the chip, or a `pop.scratch`.
    (C2) `result` is a ref to the part of the variable that the replica holds.

    ```mlir
    %w = pop.get_variable @w : !pop.ref<2x2xf32>
    ```
  }];
  let arguments = (ins FlatSymbolRefAttr:$variable);
  let results = (outs Pop_Ref:$result);
  let assemblyFormat = "$variable attr-dict `:` type($result)";
}

def Pop_AllocOp : Pop_Op<"alloc", [Pop_RefOrigin]> {
  let summary = "Allocate a tensor and return a ref to it";
  let description = [{
    The tensor is filled with zeros (`zero`), or undefined until it is written
    (`undef`). Each execution of the op allocates a new tensor.

    ```mlir
    %r = pop.alloc zero : !pop.ref<2x2xf32>
    ```
  }];
  let arguments = (ins Pop_AllocInitAttr:$init);
  let results = (outs Res<Pop_Ref, "", [MemAlloc, MemWrite]>:$result);
  let assemblyFormat = "`` $init attr-dict `:` type($result)";
}

def Pop_FromTensorOp : Pop_Op<"from_tensor", [
    Pop_RefOrigin,
    Pop_Gradient<"dx = dy, where dy is the gradient of the tensor that the ref refers to">,
    TypesMatchWith<"`result` refers to the type of `input`",
        "input", "result",
        "::mlir::pop::RefType::get("
        "::llvm::cast<::mlir::RankedTensorType>($_self))">]> {
  let summary = "Allocate a copy of a tensor and return a ref to it";
  let description = [{
    ```mlir
    %r = pop.from_tensor %t : tensor<2x2xf32>
    ```
  }];
  let arguments = (ins Pop_Tensor:$input);
  let results = (outs Res<Pop_Ref, "", [MemAlloc, MemWrite]>:$result);
  let assemblyFormat = "$input attr-dict `:` type($input)";
}

def Pop_ReadOp : Pop_Op<"read", [
    Pop_View,
    Pop_Gradient<"dx = dy, where dx is the gradient of the tensor that the ref refers to">,
    TypesMatchWith<"`result` has the type that `target` refers to", "target",
        "result", "::llvm::cast<::mlir::pop::RefType>($_self).getTensorType()">]> {
  let summary = "Read the tensor that a ref refers to";
  let description = [{
    Later writes to the ref do not change the result.

    ```mlir
    %t = pop.read %r : !pop.ref<2x2xf32>
    ```
  }];
  let arguments = (ins Arg<Pop_Ref, "", [MemRead]>:$target);
  let results = (outs Pop_Tensor:$result);
  let assemblyFormat = "$target attr-dict `:` type($target)";
}

def Pop_CopyOp : Pop_PureOp<"copy", [SameOperandsAndResultType, Pop_Move,
                                     Pop_Gradient<"dx = dy">]> {
  let summary = "Copy a tensor to new storage";
  let description = [{
    `pop-snapshot-reads` inserts the op if a tensor that was read from a ref has uses
    after a write to the ref. The op is never folded.

    ```mlir
    %1 = pop.copy %0 : tensor<2x2xf32>
    ```
  }];
  let arguments = (ins Pop_Tensor:$input);
  let results = (outs Pop_Tensor:$result);
  let assemblyFormat = "$input attr-dict `:` type($input)";
}

//===----------------------------------------------------------------------===//
// Views of refs
//===----------------------------------------------------------------------===//

class Pop_RefViewOp<string mnemonic, list<Trait> traits = []>
    : Pop_PureOp<mnemonic, [
          Pop_View, DeclareOpInterfaceMethods<ViewLikeOpInterface>] # traits> {
  let results = (outs Pop_Ref:$result);
  let hasFolder = 1;
  let extraClassDefinition = [{
    ::mlir::Value $cppClass::getViewSource() { return getInput(); }
  }];
}

def Pop_RefReshapeOp : Pop_RefViewOp<"ref_reshape", [
    Pop_Gradient<"dx = dy in the shape of x">]> {
  let summary = "View a tensor in another shape";
  let description = [{
    Returns a ref to the same elements in another shape. Elements keep their
    row-major order, as in `pop.reshape`.

    (C1) `result` has the same number of elements and the same element type as
    `input`.

    ```mlir
    %v = pop.ref_reshape %r : !pop.ref<2x6xf32> to !pop.ref<3x4xf32>
    ```
  }];
  let arguments = (ins Pop_Ref:$input);
  let assemblyFormat = "$input attr-dict `:` type($input) `to` type($result)";
  let hasVerifier = 1;
}

def Pop_RefTransposeOp : Pop_RefViewOp<"ref_transpose", [
    Pop_Infer, Pop_Gradient<"dx = dy, transposed back">]> {
  let summary = "View a tensor with permuted dimensions";
  let description = [{
    Returns a ref to the same elements with permuted dimensions: dimension `i` of the
    result is dimension `permutation[i]` of `input`.

    (C1) `permutation` is a permutation of the dimensions of `input`.
    (C2) `result` has the permuted shape.

    ```mlir
    %v = pop.ref_transpose %r {permutation = array<i64: 1, 0>} : !pop.ref<2x3xf32> -> !pop.ref<3x2xf32>
    ```
  }];
  let arguments = (ins Pop_Ref:$input, DenseI64ArrayAttr:$permutation);
  let assemblyFormat = "$input attr-dict `:` type($input) `->` type($result)";
}

def Pop_RefSliceOp : Pop_RefViewOp<"ref_slice", [
    Pop_Infer, Pop_Gradient<"dx = dy at the positions of the slice, else 0">]> {
  let summary = "View a strided slice of a tensor";
  let description = [{
    Returns a ref to the elements at the positions `starts + i * steps`, where `i` is
    from 0 to `sizes - 1` in each dimension. `pop.slice` extracts the same elements. A
    write to the ref writes only these elements.

    (C1) `starts`, `sizes` and `steps` have one value for each dimension. Sizes are
    not negative, and steps are not 0.
    (C2) In each dimension in which `sizes` is not 0, the first and the last position
    are inside `input`.
    (C3) `result` has the shape `sizes`.

    ```mlir
    %v = pop.ref_slice %r {sizes = array<i64: 1, 4>, starts = array<i64: 1, 0>, steps = array<i64: 1, 1>} : !pop.ref<2x4xf32> -> !pop.ref<1x4xf32>
    ```
  }];
  let arguments = (ins Pop_Ref:$input, DenseI64ArrayAttr:$starts,
                       DenseI64ArrayAttr:$sizes, DenseI64ArrayAttr:$steps);
  let assemblyFormat = "$input attr-dict `:` type($input) `->` type($result)";
}

def Pop_RefRowOp : Pop_RefViewOp<"ref_row", [
    Pop_Infer, Pop_Gradient<"dx = dy at the positions of the row, else 0">]> {
  let summary = "View a row of a tensor";
  let description = [{
    Returns a ref to the elements whose first indices are `indices`. The ref does not
    have the dimensions of these indices. A write to the ref writes only these
    elements.

    (C1) The number of `indices` is at least 1 and at most the rank of `input`. Each
    index is not negative and less than the size of its dimension.
    (C2) `result` has the shape of the dimensions that have no index.

    ```mlir
    %v = pop.ref_row %r[1] : !pop.ref<2x3x4xf32> -> !pop.ref<3x4xf32>
    %x = pop.ref_row %r[1, 0, 3] : !pop.ref<2x3x4xf32> -> !pop.ref<f32>
    ```
  }];
  let arguments = (ins Pop_Ref:$input, DenseI64ArrayAttr:$indices);
  let assemblyFormat = [{
    $input `` $indices attr-dict `:` type($input) `->` type($result)
  }];
}

#endif // IPU_MLIR_DIALECT_POP_IR_POPGRAPHOPS
