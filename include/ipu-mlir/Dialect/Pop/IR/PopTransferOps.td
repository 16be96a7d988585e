//===- PopTransferOps.td - Transfers of data and code ------*- tablegen -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef IPU_MLIR_DIALECT_POP_IR_POPTRANSFEROPS
#define IPU_MLIR_DIALECT_POP_IR_POPTRANSFEROPS

include "ipu-mlir/Dialect/Pop/IR/PopGraphTraits.td"

//===----------------------------------------------------------------------===//
// Streams and remote memory
//===----------------------------------------------------------------------===//

def Pop_HostLoadOp : Pop_Op<"host_load", [
    Pop_SymbolUser, Pop_Transfer, Pop_UsesReplicaState,
    UsesResource<HostStreamResource>]> {
  let summary = "Load the next tensor of a stream from the host";
  let description = [{
    (C1) `stream` names a stream to the device.
    (C2) `result` has the stream's type.

    ```mlir
    %x = pop.host_load @x : tensor<2x2xf32>
    ```
  }];
  let arguments = (ins FlatSymbolRefAttr:$stream);
  let results = (outs Pop_Tensor:$result);
  let assemblyFormat = "$stream attr-dict `:` type($result)";
}

def Pop_HostStoreOp : Pop_Op<"host_store", [
    Pop_SymbolUser, Pop_Transfer, Pop_NoReplicaState,
    UsesResource<HostStreamResource>]> {
  let summary = "Store the next tensor of a stream to the host";
  let description = [{
    (C1) `stream` names a stream to the host.
    (C2) `input` has the stream's type.

    ```mlir
    pop.host_store %y, @y : tensor<2x2xf32>
    ```
  }];
  let arguments = (ins Pop_Tensor:$input, FlatSymbolRefAttr:$stream);
  let assemblyFormat = "$input `,` $stream attr-dict `:` type($input)";
}

/// An op that loads or stores a row of a remote buffer. `example` is the example in
/// the description. The description is concatenated from several strings. The lines
/// start at column 0, because the generator of the reference cannot indent the strings
/// together.
class Pop_RemoteRowOp<string mnemonic, string example>
    : Pop_Op<mnemonic, [Pop_SymbolUser, Pop_Transfer, Pop_UsesReplicaState,
                        UsesResource<RemoteMemoryResource>]> {
  let hasVerifier = 1;
  let description = [{
If a tensor gives the number of the row and the buffer has no such row, the run fails.

(C1) Either `row` or `static_row` is given.
(C2) `buffer` names a remote buffer, and `static_row` is one of its rows.
(C3) The tensor that is loaded or stored has the type of the rows.

```mlir
}] # example # "\n```\n";
}

def Pop_RemoteLoadOp : Pop_RemoteRowOp<"remote_load",
    "%t = pop.remote_load @b[2] : tensor<2x2xf32>\n"
    "%u = pop.remote_load @b[%row] : tensor<2x2xf32>"> {
  let summary = "Load a row of a remote buffer";
  let arguments = (ins FlatSymbolRefAttr:$buffer,
                       Optional<Pop_IndexTensor>:$row,
                       OptionalAttr<I64Attr>:$static_row);
  let results = (outs Pop_Tensor:$result);
  let assemblyFormat = [{
    $buffer `[` custom<Row>($row, $static_row) `]` attr-dict `:` type($result)
  }];
}

def Pop_RemoteStoreOp : Pop_RemoteRowOp<"remote_store",
    "pop.remote_store %t, @b[2] : tensor<2x2xf32>\n"
    "pop.remote_store %t, @b[%row] : tensor<2x2xf32>"> {
  let summary = "Store a row of a remote buffer";
  let arguments = (ins Pop_Tensor:$input, FlatSymbolRefAttr:$buffer,
                       Optional<Pop_IndexTensor>:$row,
                       OptionalAttr<I64Attr>:$static_row);
  let assemblyFormat = [{
    $input `,` $buffer `[` custom<Row>($row, $static_row) `]` attr-dict `:`
    type($input)
  }];
}

//===----------------------------------------------------------------------===//
// Regions
//===----------------------------------------------------------------------===//

class Pop_RegionOp<string mnemonic>
    : Pop_Op<mnemonic, [
          SingleBlockImplicitTerminator<"::mlir::pop::YieldOp">,
          NoRegionArguments, RecursiveMemoryEffects,
          DeclareOpInterfaceMethods<RegionBranchOpInterface,
                                    ["getRegionInvocationBounds"]>]> {
  let results = (outs Variadic<Pop_Tensor>:$results);
  let regions = (region SizedRegion<1>:$body);
  let assemblyFormat = "$body attr-dict (`:` type($results)^)?";
  code regionBranch = [{
    void $cppClass::getSuccessorRegions(
        ::mlir::RegionBranchPoint point,
        ::llvm::SmallVectorImpl<::mlir::RegionSuccessor> &regions) {
      if (point.isParent())
        regions.emplace_back(&getBody());
      else
        regions.emplace_back(getOperation(), getOperation()->getResults());
    }
    void $cppClass::getRegionInvocationBounds(
        ::llvm::ArrayRef<::mlir::Attribute>,
        ::llvm::SmallVectorImpl<::mlir::InvocationBounds> &bounds) {
      bounds.emplace_back(1, 1);
    }
  }];
  let extraClassDefinition = regionBranch;
}

def Pop_RemoteExchangeOp : Pop_RegionOp<"remote_exchange"> {
  let summary = "Perform several transfers at the same time";
  let description = [{
    All transfers of the region happen at the same time.

    (C1) The region holds only `pop.host_load`, `pop.host_store`, `pop.remote_load`,
    `pop.remote_store` and `pop.remote_code_load`.
    (C2) No transfer uses the result of another transfer.
    (C3) If a transfer stores to a row of a remote buffer, no other transfer loads or
    stores this row. If a tensor gives the number of a transfer's row, the transfer
    counts as a transfer of every row of the buffer.

    ```mlir
    %a, %b = pop.remote_exchange {
      %0 = pop.remote_load @b[0] : tensor<2xf32>
      %1 = pop.host_load @x : tensor<2xf32>
      pop.remote_store %t, @b[1] : tensor<2xf32>
      pop.yield %0, %1 : tensor<2xf32>, tensor<2xf32>
    } : tensor<2xf32>, tensor<2xf32>
    ```
  }];
  let hasRegionVerifier = 1;
}

def Pop_InSequenceOp : Pop_RegionOp<"in_sequence"> {
  let summary = "Keep ops adjacent and in order";
  let description = [{
    No pass inserts another op between the ops of the region or changes their order. The
    exception is `pop-merge-code-loads`, which may merge loads of code in the region.

    ```mlir
    %y = pop.in_sequence {
      pop.add_ %r, %t : !pop.ref<2xf32>, tensor<2xf32>
      %0 = pop.read %r : !pop.ref<2xf32>
      pop.yield %0 : tensor<2xf32>
    } : tensor<2xf32>
    ```
  }];
}

def Pop_YieldOp : Pop_PureOp<"yield", [
    Terminator, ReturnLike, ParentOneOf<["RemoteExchangeOp", "InSequenceOp"]>]> {
  let summary = "Yield the results of a region";
  let description = [{
    ```mlir
    pop.yield %0, %1 : tensor<2xf32>, tensor<2xf32>
    ```
  }];
  let arguments = (ins Variadic<AnyType>:$results);
  let builders = [OpBuilder<(ins), [{ build($_builder, $_state, ::mlir::ValueRange()); }]>];
  let assemblyFormat = "attr-dict ($results^ `:` type($results))?";
}

//===----------------------------------------------------------------------===//
// Code
//===----------------------------------------------------------------------===//

def Pop_RemoteCodeLoadOp : Pop_Op<"remote_code_load", [
    Pop_SymbolUser, Pop_Transfer, Pop_NoReplicaState,
    UsesResource<CodeResource>,
    DeclareOpInterfaceMethods<CodeLoadOpInterface, ["getWrittenGraphs"]>]> {
  let summary = "Load the code of functions from streaming memory";
  let description = [{
    Between the last call of the functions and this op, the code of the functions is in
    streaming memory and takes no tile memory. The op copies the code to executable
    memory (`executable`) or to a buffer on tiles (`compute_buffer` or `io_buffer`).
    Code in executable memory can be called. Code in a buffer must first be copied to
    executable memory by `pop.code_copy`.

    (C1) `graphs` are functions that have a body and are not inlined (`no_inline`). No
    function is named twice.

    ```mlir
    pop.remote_code_load @g to executable
    pop.remote_code_load [@g, @h] to io_buffer
    ```
  }];
  let arguments = (ins SymbolsAttr:$graphs,
                       Pop_CodeLocationAttr:$destination);
  let assemblyFormat = "custom<Symbols>($graphs) `to` `` $destination attr-dict";
}

def Pop_CodeCopyOp : Pop_Op<"code_copy", [
    Pop_SymbolUser, Pop_NoReplicaState, UsesResource<CodeResource>,
    DeclareOpInterfaceMethods<CodeLoadOpInterface,
                              ["getWrittenGraphs", "getReadGraphs"]>]> {
  let summary = "Copy the code of functions between memory locations of tiles";
  let description = [{
    (C1) `graphs` are functions that have a body and are not inlined (`no_inline`). No
    function is named twice.
    (C2) `source` and `destination` differ.

    ```mlir
    pop.code_copy @g from io_buffer to executable
    pop.code_copy @g from executable to compute_buffer
    pop.code_copy @g from compute_buffer to io_buffer
    ```
  }];
  let arguments = (ins SymbolsAttr:$graphs, Pop_CodeLocationAttr:$source,
                       Pop_CodeLocationAttr:$destination);
  let assemblyFormat = [{
    custom<Symbols>($graphs) `from` `` $source `to` `` $destination attr-dict
  }];
  let hasVerifier = 1;
}

#endif // IPU_MLIR_DIALECT_POP_IR_POPTRANSFEROPS
