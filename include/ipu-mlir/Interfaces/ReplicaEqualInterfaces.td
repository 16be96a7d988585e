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
    An op with its own replica-equal rule. The rule says on which replicas the results of
    the op are equal, given the replicas on which its inputs are equal. An op without this
    interface has the default rule: its results, and the memory that it writes, are equal on
    the replicas on which all values that it reads are equal. An op with this interface uses
    no state other than refs and the state that it declares here.
  }];
  let methods = [
    InterfaceMethod<[{
      Returns the state that the op names by a symbol and that it reads or writes.
    }], "::llvm::SmallVector<::mlir::ipu::ReplicaStateUse>",
    "getReplicaStateUses", (ins), [{}], [{ return {}; }]>,
    InterfaceMethod<[{
      Infers the partitions of the op's results and of the memory that it writes.
      `outputs` initially holds the result of the default rule, the meet of all inputs.
      The method must be monotone: finer inputs must not give coarser outputs.
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
    A symbol that stands for state, or that sets the initial value of state.
  }];
  let methods = [
    InterfaceMethod<[{
      Returns the partitions of the state at the first start of the program and after each
      write by the host, which may happen in each run. State without a symbol starts equal
      on all replicas.
    }], "::llvm::SmallVector<::mlir::ipu::ReplicaStateStart>",
    "getReplicaStarts", (ins "::mlir::ipu::ReplicaEqualContext &":$context)>,
    InterfaceMethod<[{
      Returns the number of parts of the symbol's state, or nothing if the number is not
      known. Parts are numbered from 0.
    }], "::std::optional<int64_t>", "getNumReplicaParts", (ins), [{}], [{
      return ::std::nullopt;
    }]>,
    InterfaceMethod<[{
      Returns whether the host reads one value for all replicas that start equal. The state
      must then be equal on these replicas after each run.
    }], "bool", "isReadOnce", (ins), [{}], [{ return false; }]>,
  ];
}

#endif // IPU_MLIR_INTERFACES_REPLICAEQUALINTERFACES
