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
    An op that states on which replicas its results are equal, given the
    replicas on which its inputs are equal. Without this interface, the results
    of an op, and what it writes, count as equal on those replicas on which
    everything that it reads is equal. An op with this interface uses no state
    other than refs and the state that it states here.
  }];
  let methods = [
    InterfaceMethod<[{
      Returns the state that the op reads and writes by the symbol for it.
    }], "::llvm::SmallVector<::mlir::ipu::ReplicaStateUse>",
    "getReplicaStateUses", (ins), [{}], [{ return {}; }]>,
    InterfaceMethod<[{
      Infers what is equal after the op. `outputs` holds what the default rule
      gives: the meet of all inputs. It must not get coarser where an input gets
      finer.
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
    A symbol that stands for state, or gives state its first value.
  }];
  let methods = [
    InterfaceMethod<[{
      Returns what is equal in which state when the program starts for the first
      time, and each time that the host writes the state, which may be each run.
      State that no symbol mentions starts equal on all replicas.
    }], "::llvm::SmallVector<::mlir::ipu::ReplicaStateStart>",
    "getReplicaStarts", (ins "::mlir::ipu::ReplicaEqualContext &":$context)>,
    InterfaceMethod<[{
      Returns how many parts the state of the symbol has, numbered from 0, if
      that is known.
    }], "::std::optional<int64_t>", "getNumReplicaParts", (ins), [{}], [{
      return ::std::nullopt;
    }]>,
    InterfaceMethod<[{
      Returns whether the host reads one value for all replicas that start equal,
      which is right only if these are equal after each run, too.
    }], "bool", "isReadOnce", (ins), [{}], [{ return false; }]>,
  ];
}

#endif // IPU_MLIR_INTERFACES_REPLICAEQUALINTERFACES
