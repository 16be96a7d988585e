//===- IPUReplicaOps.td - Replicas, streaming memory, code --*- tablegen -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef IPU_MLIR_DIALECT_IPU_IR_IPUREPLICAOPS
#define IPU_MLIR_DIALECT_IPU_IR_IPUREPLICAOPS

include "ipu-mlir/Dialect/IPU/IR/IPUBase.td"
include "ipu-mlir/Interfaces/AttrConstraints.td"
include "ipu-mlir/Interfaces/CodeInterfaces.td"
include "ipu-mlir/Interfaces/DeviceResources.td"
include "ipu-mlir/Interfaces/ReplicaAttrInterfaces.td"
include "mlir/IR/BuiltinAttributes.td"
include "mlir/IR/RegionKindInterface.td"
include "mlir/IR/SymbolInterfaces.td"
include "mlir/Interfaces/SideEffectInterfaces.td"

//===----------------------------------------------------------------------===//
// Streaming memory
//===----------------------------------------------------------------------===//

def IPU_RemoteExchangeOp : IPU_StepOp<"remote_exchange", "Remote", [
    NoTerminator, SingleBlock, NoRegionArguments, RecursiveMemoryEffects]> {
  let summary = "Exchange elements with streaming memory";
  let description = [{
    All copies happen at the same time: all stores read their variables, and all
    loads read their rows, before any copy writes.

    (C1) The body holds only `ipu.remote_load` and `ipu.remote_store`.
    (C2) If a load writes a variable, no other copy of the exchange uses this
    variable.
    (C3) If a store writes a row, no other copy of the exchange loads or stores this
    row. If the number of a row is in a variable, the verifier assumes that the copy
    uses every row of the buffer.

    ```mlir
    ipu.remote_exchange "weights" {
      ipu.remote_load @b[0] to %v : memref<2x2xf32, #m>
      ipu.remote_store %w to @b[%row : memref<i32, #s>] : memref<2x2xf32, #m>
    }
    ```
  }];
  let arguments = !con((ins StrAttr:$name), costArgument);
  let regions = (region SizedRegion<1>:$body);
  let assemblyFormat = "$name $body (`cost` $cost^)? attr-dict";
  let hasRegionVerifier = 1;
  let stepName = "getName()";
  let sourceOp = stepName;
}

class IPU_RemoteCopyOp<string mnemonic> : IPU_Op<mnemonic, [
    HasParent<"RemoteExchangeOp">, UsesResource<RemoteMemoryResource>,
    DeclareOpInterfaceMethods<SymbolUserOpInterface>]>;

def IPU_RemoteLoadOp : IPU_RemoteCopyOp<"remote_load"> {
  let summary = "Copy from streaming memory into a variable";
  let description = [{
    Copies a row of a remote buffer to a variable.

    (C1) `buffer` names an `ipu.remote_buffer`.
    (C2) Either `row` is the number of a row of this buffer, or `row_variable` is a
    whole variable of one i32. A run fails if the variable does not hold the number
    of a row.
    (C3) `variable` is a whole variable, and its `ipu.var` has no `copies`. The
    variable has the shape and, except for signedness, the element type of a row.
  }];
  let arguments = (ins FlatSymbolRefAttr:$buffer, OptionalAttr<I64Attr>:$row,
                       Arg<Optional<IPU_Var>, "", [MemRead]>:$row_variable,
                       Arg<IPU_Var, "", [MemWrite]>:$variable);
  let assemblyFormat = [{
    $buffer `` custom<Row>($row, $row_variable, type($row_variable)) `to` $variable
    attr-dict `:` type($variable)
  }];
}

def IPU_RemoteStoreOp : IPU_RemoteCopyOp<"remote_store"> {
  let summary = "Copy from a variable to streaming memory";
  let description = [{
    Copies a variable to a row of a remote buffer.

    (C1) `buffer` names an `ipu.remote_buffer`.
    (C2) Either `row` is the number of a row of this buffer, or `row_variable` is a
    whole variable of one i32. A run fails if the variable does not hold the number
    of a row.
    (C3) `variable` is a whole variable. Each of its elements is on some tile. The
    variable has the shape and, except for signedness, the element type of a row.
  }];
  let arguments = (ins Arg<IPU_Var, "", [MemRead]>:$variable,
                       FlatSymbolRefAttr:$buffer, OptionalAttr<I64Attr>:$row,
                       Arg<Optional<IPU_Var>, "", [MemRead]>:$row_variable);
  let assemblyFormat = [{
    $variable `to` $buffer `` custom<Row>($row, $row_variable, type($row_variable))
    attr-dict `:` type($variable)
  }];
}

//===----------------------------------------------------------------------===//
// Replicas
//===----------------------------------------------------------------------===//

def IPU_CollectiveOp : IPU_StepOp<"collective", "Collective", [
    DeclareOpInterfaceMethods<MemoryEffectsOpInterface>,
    DeclareOpInterfaceMethods<SymbolUserOpInterface>]> {
  let summary = "Exchange or combine data within replica groups";
  let description = [{
    Executes the collective `kind` of the pop dialect on `source` and writes the
    result to `target`. The op has the attributes of the pop op: `groups` (without
    `groups`, all replicas are one group), `reduction` (of all_reduce and
    reduce_scatter), `axis` (of all_gather and reduce_scatter), `split_axis` and
    `concat_axis` (of all_to_all), `root` (of broadcast), and `pairs` (of permute).
    With `is_unsigned`, integers are unsigned. The flag changes minima, maxima and
    means; it is needed because variables have signless types.

    With `rng`, results are rounded as by `ipu.round_stochastic`. The random bits are
    the bits that `ipu.random_bits` would draw in a codelet whose output has the tile
    mapping of `target`.

    (C1) The op has the attributes of its kind, as listed above, and no attributes of
    other kinds. Axes are dimensions of `source`.
    (C2) `groups` are groups of the replicas of the target machine. `root` is at
    least 0 and less than the size of a group. Each replica is the source of at most
    one pair and the target of at most one pair.
    (C3) Both operands have the same element type. If the op has a `reduction`, this
    operator accepts the element type. The shape of `target` follows from the kind
    and the shape of `source`.
    (C4) Both operands are whole variables. They are results of different `ipu.var`s.
    `target` has no `copies`, and each element of `source` is on some tile.
    (C5) `rng` is a whole variable of the type that getRngStateType() returns. With
    `rng`, the op has an `overflow`, its kind is all_reduce or reduce_scatter, its
    operator is not `local`, and its elements are f16 or 8-bit floats that the
    machine has.
    (C6) There is a `draw` if and only if there is an `rng` and the generator of the
    module is `counter`.

    ```mlir
    ipu.collective all_reduce add %x to %y : memref<4xf32, #m> to memref<4xf32, #m>
    ```
  }];
  let arguments = !con((ins IPU_CollectiveKindAttr:$kind,
                            OptionalAttr<IPU_CollectiveOperatorAttr>:$reduction,
                            IPU_Var:$source, IPU_Var:$target,
                            Optional<IPU_Var>:$rng,
                            OptionalAttr<IPU_DrawAttr>:$draw,
                            OptionalAttr<IPU_RoundingOverflowAttr>:$overflow,
                            OptionalAttr<ReplicaGroupsAttrInterface>:$groups,
                            OptionalAttr<I64Attr>:$axis,
                            OptionalAttr<I64Attr>:$split_axis,
                            OptionalAttr<I64Attr>:$concat_axis,
                            OptionalAttr<I64Attr>:$root,
                            OptionalAttr<PairsAttr>:$pairs,
                            UnitAttr:$is_unsigned),
                       costArgument);
  let assemblyFormat = [{
    `` $kind `` custom<CollectiveOperator>($reduction) $source `to` $target
    (`rng` `(` $rng^ `:` type($rng) `)`)? (`draw` `` $draw^)? attr-dict
    `:` type($source) `to` type($target) (`cost` $cost^)?
  }];
  let hasVerifier = 1;
  let stepName = "::mlir::ipu::stringifyCollectiveKind(getKind())";
  let sourceOp = stepName;
  let extraClassDeclaration = stepDeclaration # [{
    ::llvm::SmallVector<::mlir::OpOperand *> getRngOperands();
  }];
}

def IPU_ReplicaIndexOp : IPU_StepOp<"replica_index", "Compute"> {
  let summary = "Write the index of the replica into a variable";
  let description = [{
    (C1) `variable` is a whole variable of one i32, and its `ipu.var` has no
    `copies`.

    ```mlir
    ipu.replica_index to %0 : memref<i32, #m>
    ```
  }];
  let arguments = !con((ins Arg<IPU_Var, "", [MemWrite]>:$variable),
                       costArgument);
  let assemblyFormat = [{
    `to` $variable `:` type($variable) (`cost` $cost^)? attr-dict
  }];
  let hasVerifier = 1;
}

//===----------------------------------------------------------------------===//
// Code
//===----------------------------------------------------------------------===//

class IPU_CodeOp<string mnemonic> : IPU_StepOp<mnemonic, "Code", [
    UsesResource<CodeResource>,
    DeclareOpInterfaceMethods<SymbolUserOpInterface>,
    DeclareOpInterfaceMethods<CodeLoadOpInterface,
                              ["getWrittenGraphs", "getReadGraphs"]>]>;

def IPU_CodeLoadOp : IPU_CodeOp<"code_load"> {
  let summary = "Load the code of functions from streaming memory";
  let description = [{
    After the op, the tiles hold the code of each function. With the destination
    `executable`, the functions can be called. With any other destination, the code
    is in a buffer, and an `ipu.code_copy` must make the code executable.

    An `overlapping` load uses the I/O tiles while the other tiles continue.

    (C1) There is at least one function, and no function is named twice. Each
    function is a `func.func` with a body and without arguments and results.

    ```mlir
    ipu.code_load [@f, @g] to executable
    ```
  }];
  let arguments = !con((ins SymbolsAttr:$functions,
                            IPU_CodeLocationAttr:$destination,
                            UnitAttr:$overlapping), costArgument);
  let assemblyFormat = [{
    $functions `to` `` $destination (`overlapping` $overlapping^)? (`cost` $cost^)? attr-dict
  }];
  let stepName = "::mlir::ipu::joinSymbols(getFunctions())";
  let extraClassDeclaration = stepDeclaration # [{
    bool isOnIOTilesOnly() { return getOverlapping(); }
  }];
}

def IPU_CodeCopyOp : IPU_CodeOp<"code_copy"> {
  let summary = "Copy the code of a function between memory locations of tiles";
  let description = [{
    Copies code between executable memory and the buffers `compute_buffer` and
    `io_buffer`.

    (C1) `source` and `destination` differ.
    (C2) `function` names a `func.func` with a body and without arguments and results.

    ```mlir
    ipu.code_copy @f from io_buffer to executable
    ```
  }];
  let arguments = !con((ins FlatSymbolRefAttr:$function,
                            IPU_CodeLocationAttr:$source,
                            IPU_CodeLocationAttr:$destination), costArgument);
  let assemblyFormat = [{
    $function `from` `` $source `to` `` $destination (`cost` $cost^)? attr-dict
  }];
  let stepName = "getFunction()";
  let hasVerifier = 1;
}

#endif // IPU_MLIR_DIALECT_IPU_IR_IPUREPLICAOPS
