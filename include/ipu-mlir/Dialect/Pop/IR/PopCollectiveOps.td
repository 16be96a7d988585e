//===- PopCollectiveOps.td - Ops across replicas -----------*- tablegen -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef IPU_MLIR_DIALECT_POP_IR_POPCOLLECTIVEOPS
#define IPU_MLIR_DIALECT_POP_IR_POPCOLLECTIVEOPS

include "ipu-mlir/Dialect/Pop/IR/PopGraphTraits.td"
include "ipu-mlir/Interfaces/AttrConstraints.td"

//===----------------------------------------------------------------------===//
// Replicas and scalars
//===----------------------------------------------------------------------===//

def Pop_ReplicaIndexOp : Pop_PureOp<"replica_index", [Pop_ReplicaEqual]> {
  let summary = "Return the index of the executing replica";
  let description = [{
    ```mlir
    %i = pop.replica_index : tensor<i32>
    ```
  }];
  let results = (outs Pop_IndexTensor:$result);
  let assemblyFormat = "attr-dict `:` type($result)";
}

def Pop_FromScalarOp : Pop_PureOp<"from_scalar"> {
  let summary = "Convert a scalar to a tensor of rank 0";
  let description = [{
    Converts, for example, the index of a loop to a tensor.

    (C1) `result` has the element type of `input`, or the unsigned integer type of the
    same width. For an index, `result` may have integers of any width, and the index
    is truncated to this width.

    ```mlir
    %t = pop.from_scalar %iv : index to tensor<i32>
    ```
  }];
  let arguments = (ins AnyTypeOf<[AnySignlessInteger, Index]>:$input);
  let results = (outs Pop_IntScalarTensor:$result);
  let assemblyFormat = "$input attr-dict `:` type($input) `to` type($result)";
  let hasVerifier = 1;
  let hasFolder = 1;
}

//===----------------------------------------------------------------------===//
// Collectives
//===----------------------------------------------------------------------===//

/// An op that all replicas of a group execute together.
class Pop_CollectiveOp<string mnemonic, list<Trait> traits = []>
    : Pop_PureOp<mnemonic, [
          DeclareOpInterfaceMethods<Pop_ReplicatedOpInterface>,
          Pop_ReplicaEqual] # traits> {
  let results = (outs Pop_Tensor:$result);
  let hasVerifier = 1;
}
defvar Pop_Groups = OptionalAttr<Pop_ReplicaGroupsAttr>;
defvar Pop_Axis = DefaultValuedAttr<I64Attr, "0">;

def Pop_AllReduceOp : Pop_CollectiveOp<"all_reduce", [
    SameOperandsAndResultType,
    Pop_Gradient<
        "with s = all_reduce add of dy: dx = s for `add`, all_reduce mean of dy "
        "for `mean`, dy for `local`, 2 * x * s for `square_add`; for `max` and "
        "`min`, the elements that are equal to y share s equally; an error for "
        "`mul`">]> {
  let summary = "Combine the values of a replica group elementwise";
  let description = [{
    Each replica gets the combined values of all replicas of its group. The values
    are combined in ascending order of the replicas' indices in the group. Floats
    narrower than f32 are combined in f32, and other elements in their own type. The
    result is rounded once.

    - `add`, `mul`, `min`, `max`: the sum, product, minimum or maximum; integers wrap.
    - `mean`: the sum divided by the size of the group.
    - `square_add`: the sum of squares.
    - `logical_and`: 1 if all values differ from 0, else 0.
    - `logical_or`: 1 if any value differs from 0, else 0.
    - `local`: the replica's own value.

    (C1) `logical_and` and `logical_or` take integers or i1, and `mean` takes floats.
    The other kinds except `local` do not take i1.
    (C2) In `groups`, each size times the stride of this size divides the number of
    replicas of the target. If `groups` lists the groups, these groups together contain
    all these replicas.

    ```mlir
    %y = pop.all_reduce add %x {groups = #pop.replica_groups<stride = 1, size = 2>} : tensor<4xf32>
    ```
  }];
  let arguments = (ins Pop_CollectiveOperatorAttr:$kind, Pop_Tensor:$input,
                       Pop_Groups:$groups);
  let assemblyFormat = "`` $kind $input attr-dict `:` type($input)";
}

def Pop_AllGatherOp : Pop_CollectiveOp<"all_gather", [
    Pop_Gradient<"dx = reduce_scatter add of dy">]> {
  let summary = "Concatenate the values of a replica group";
  let description = [{
    Each replica gets the values of all replicas of its group. The values are
    concatenated along `axis` in the order of the replicas' indices in the group, and
    the concatenation is truncated to the size of the result.

    (C1) `axis` is a dimension of `input`.
    (C2) `result` has the type of `input` except for the size of dimension `axis`. If
    this size is n in `result`, and groups have g replicas, it is ceil(n / g) in
    `input`.
    (C3) In `groups`, each size times the stride of this size divides the number of
    replicas of the target. If `groups` lists the groups, these groups together contain
    all these replicas.

    ```mlir
    %y = pop.all_gather %x {groups = #pop.replica_groups<stride = 1, size = 2>} : tensor<2xf32> to tensor<3xf32>
    ```
  }];
  let arguments = (ins Pop_Tensor:$input, Pop_Axis:$axis, Pop_Groups:$groups);
  let assemblyFormat = "$input attr-dict `:` type($input) `to` type($result)";
}

def Pop_ReduceScatterOp : Pop_CollectiveOp<"reduce_scatter", [
    Pop_Gradient<
        "with g = all_gather of dy: dx = g for `add`, g / n for `mean` in groups of "
        "n, 2 * x * g for `square_add`; for `local`, dx = dy in the replica's part, "
        "else 0; for `max` and `min`, the elements that are equal to the result of "
        "`all_reduce` share g equally; an error for `mul`">]> {
  let summary = "Combine the values of a replica group and scatter the parts";
  let description = [{
    The replica with index i in its group gets part i of the result that
    `pop.all_reduce` computes. The result is split along `axis` into as many parts as
    the group has replicas. If the number of parts does not divide the size of the
    dimension, zeros are appended.

    (C1) `axis` is a dimension of `input`.
    (C2) `result` has the type of `input` except for the size of dimension `axis`. If
    this size is n in `input`, and groups have g replicas, it is ceil(n / g) in
    `result`.
    (C3) Elements have a type that `pop.all_reduce` takes for `kind`.
    (C4) In `groups`, each size times the stride of this size divides the number of
    replicas of the target. If `groups` lists the groups, these groups together contain
    all these replicas.

    ```mlir
    %y = pop.reduce_scatter add %x {groups = #pop.replica_groups<stride = 1, size = 2>} : tensor<3xf32> to tensor<2xf32>
    ```
  }];
  let arguments = (ins Pop_CollectiveOperatorAttr:$kind, Pop_Tensor:$input,
                       Pop_Axis:$axis, Pop_Groups:$groups);
  let assemblyFormat = [{
    `` $kind $input attr-dict `:` type($input) `to` type($result)
  }];
}

def Pop_ReplicaSliceOp : Pop_CollectiveOp<"replica_slice", [
    Pop_Gradient<"dx = dy in the replica's part, else 0">]> {
  let summary = "Extract the replica's own part of its value";
  let description = [{
    Computes the same result as `pop.reduce_scatter local` without an exchange.

    (C1) `axis` is a dimension of `input`.
    (C2) `result` has the type of `input` except for the size of dimension `axis`. If
    this size is n in `input`, and groups have g replicas, it is ceil(n / g) in
    `result`.
    (C3) In `groups`, each size times the stride of this size divides the number of
    replicas of the target. If `groups` lists the groups, these groups together contain
    all these replicas.

    ```mlir
    %y = pop.replica_slice %x {groups = #pop.replica_groups<stride = 1, size = 2>} : tensor<4xf32> to tensor<2xf32>
    ```
  }];
  let arguments = (ins Pop_Tensor:$input, Pop_Axis:$axis, Pop_Groups:$groups);
  let assemblyFormat = "$input attr-dict `:` type($input) `to` type($result)";
}

def Pop_AllToAllOp : Pop_CollectiveOp<"all_to_all", [
    Pop_Gradient<"dx = all_to_all of dy with the axes exchanged">]> {
  let summary = "Send part i of each value to replica i of the group";
  let description = [{
    Each value is split along `split_axis` into as many parts as the group has
    replicas. The replica with index i gets part i of each value. The replica
    concatenates these parts along `concat_axis`, in the order of the senders'
    indices.

    (C1) The axes are dimensions of `input`.
    (C2) With groups of g replicas, `result` has the type of `input` except for two
    dimensions: the size of `split_axis` is divided by g without remainder, and the
    size of `concat_axis` is multiplied by g.
    (C3) In `groups`, each size times the stride of this size divides the number of
    replicas of the target. If `groups` lists the groups, these groups together contain
    all these replicas.

    ```mlir
    %y = pop.all_to_all %x {concat_axis = 1 : i64, groups = #pop.replica_groups<stride = 1, size = 2>} : tensor<4x3xf32> to tensor<2x6xf32>
    ```
  }];
  let arguments = (ins Pop_Tensor:$input, Pop_Axis:$split_axis,
                       Pop_Axis:$concat_axis, Pop_Groups:$groups);
  let assemblyFormat = "$input attr-dict `:` type($input) `to` type($result)";
}

def Pop_BroadcastOp : Pop_CollectiveOp<"broadcast", [
    SameOperandsAndResultType,
    Pop_Gradient<"dx = all_reduce add of dy on the root replica, else 0">]> {
  let summary = "Broadcast the value of one replica of a group";
  let description = [{
    Each replica gets the value of the replica with index `root` in its group.

    (C1) `root` is not negative and less than the size of the groups.
    (C2) In `groups`, each size times the stride of this size divides the number of
    replicas of the target. If `groups` lists the groups, these groups together contain
    all these replicas.

    ```mlir
    %y = pop.broadcast %x {root = 1 : i64} : tensor<4xf32>
    ```
  }];
  let arguments = (ins Pop_Tensor:$input, Pop_Axis:$root, Pop_Groups:$groups);
  let assemblyFormat = "$input attr-dict `:` type($input)";
}

def Pop_CollectivePermuteOp : Pop_CollectiveOp<"collective_permute", [
    SameOperandsAndResultType,
    Pop_Gradient<"dx = collective_permute of dy with the pairs reversed">]> {
  let summary = "Send values between pairs of replicas";
  let description = [{
    For each pair (source, target) of replicas of the target machine, the replica
    `target` gets the value of the replica `source`. A replica that is not the target
    of a pair gets zeros.

    (C1) All sources are different from each other, and all targets are
    different from each other.
    (C2) All sources and targets are replicas of the target machine.

    ```mlir
    %y = pop.collective_permute %x {pairs = [[0, 1], [1, 0]]} : tensor<4xf32>
    ```
  }];
  let arguments = (ins Pop_Tensor:$input, PairsAttr:$pairs);
  let assemblyFormat = "$input attr-dict `:` type($input)";
  let extraClassDeclaration = [{
    /// Returns the pairs of source and target replicas.
    ::llvm::SmallVector<std::pair<int64_t, int64_t>> getSourceTargets();
  }];
}

#endif // IPU_MLIR_DIALECT_POP_IR_POPCOLLECTIVEOPS
