//===- ReplicaEqualInterfaces.td - Replica-equal interfaces ---------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef IPU_MLIR_INTERFACES_REPLICAEQUALINTERFACES
#define IPU_MLIR_INTERFACES_REPLICAEQUALINTERFACES

include "mlir/IR/OpBase.td"

def ReplicaEqualOpInterface : OpInterface<"ReplicaEqualOpInterface"> {
  let cppNamespace = "::mlir::ipu";
  let description = [{
    An op with its own replica-equal rule. From the replicas on which the inputs of the op
    are equal, the rule derives the replicas on which the results of the op are equal. An op
    without this interface has the default rule: if all values that the op reads are equal
    on some replicas, the results of the op and the memory that the op writes are also equal
    on these replicas. An op with this interface accesses no state except the tensors of its
    refs and the state that `getReplicaStateUses` returns.
  }];
  let methods = [
    InterfaceMethod<[{
      Returns the accesses of the op to state that the op names by a symbol.
    }], "::llvm::SmallVector<::mlir::ipu::ReplicaStateUse>",
    "getReplicaStateUses", (ins), [{}], [{ return {}; }]>,
    InterfaceMethod<[{
      Infers the partitions of the op's results and of the memory that the op writes.
      `outputs` initially holds the partitions of the default rule: the meet of the
      partitions of all inputs. The method must be monotone: finer partitions of inputs must
      not give coarser partitions of outputs.
    }], "void", "inferReplicaEqual",
    (ins "const ::mlir::ipu::ReplicaEqualInputs &":$inputs,
         "::mlir::ipu::ReplicaEqualOutputs &":$outputs), [{}], [{
      (void)inputs;
      (void)outputs;
    }]>,
  ];
}

def ReplicaStateOpInterface : OpInterface<"ReplicaStateOpInterface"> {
  let cppNamespace = "::mlir::ipu";
  let description = [{
    A symbol that declares state, or that sets the initial value of state.
  }];
  let methods = [
    InterfaceMethod<[{
      Returns one replica partition for each part of the state. The partition holds at the
      first start of the program and after each write by the host. The host may write the
      state before each run. Allocated tensors,
      which have no symbol, start equal on all replicas.
    }], "::llvm::SmallVector<::mlir::ipu::ReplicaStateStart>",
    "getReplicaStarts", (ins "::mlir::ipu::ReplicaEqualContext &":$context)>,
    InterfaceMethod<[{
      Returns the number of parts of the symbol's state, or nothing if the number is not
      known. For example, the parts of a remote buffer are its rows. Parts are numbered from
      0.
    }], "::std::optional<int64_t>", "getNumReplicaParts", (ins), [{}], [{
      return ::std::nullopt;
    }]>,
    InterfaceMethod<[{
      Returns whether the host reads only one value for all replicas on which the state
      starts equal. The state must then be equal on these replicas after each run.
    }], "bool", "isReadOnce", (ins), [{}], [{ return false; }]>,
  ];
}

#endif // IPU_MLIR_INTERFACES_REPLICAEQUALINTERFACES
