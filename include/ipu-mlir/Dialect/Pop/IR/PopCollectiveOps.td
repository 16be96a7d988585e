//===- PopCollectiveOps.td - pop ops across replicas --------*- tablegen -*-===//
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

    (C1) `result` has the element type of `input`, which may also be the unsigned
    one; an index becomes an integer of any width, truncated to it.

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

/// An op of all replicas of a group together. `text` goes between the summary
/// and the constraints.
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
        "for `mean`, dy for `local`, 2 * x * s for `square_add`; for `max` and `min` "
        "equal elements share s equally; an error for `mul`">]> {
  let summary = "Combine the values of a replica group elementwise";
  let description = [{
    Each replica gets the values of all replicas of its group, combined in
    ascending order of their index in the group. Floats narrower than f32 are
    combined in f32, other elements in their type, and the result is rounded once.

    - `add`, `mul`, `min`, `max`: sum, product, minimum and maximum; integers
      wrap.
    - `mean`: the sum divided by the size of the group.
    - `square_add`: the sum of squares.
    - `logical_and`, `logical_or`: 1 if all, or any, values differ from 0, else 0.
    - `local`: the replica's own value.

    (C1) `logical_and` and `logical_or` are of integers or i1, `mean` of floats,
    others but `local` of no i1.
    (C2) `groups` divide the replicas of the target.

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
    Each replica gets the values of all replicas of its group along `axis`, in
    order of their index in the group, truncated to the size of the result.

    (C1) `axis` is inside the rank.
    (C2) `result` has the type of `input` but for dimension `axis`: with n there,
    and groups of g replicas, `input` has ceil(n / g).
    (C3) `groups` divide the replicas of the target.

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
        "n, 2 * x * g for `square_add`, dy in its place for `local`; for `max` and "
        "`min` equal elements share g equally; an error for `mul`">]> {
  let summary = "Combine the values of a replica group and scatter the parts";
  let description = [{
    The replica of index i in its group gets part i of what `pop.all_reduce`
    gives, split along `axis` into as many parts as the group has replicas, with
    zeros at the end where it does not divide.

    (C1) `axis` is inside the rank.
    (C2) `result` has the type of `input` but for dimension `axis`: with n in
    `input`, and groups of g replicas, `result` has ceil(n / g).
    (C3) elements are as `kind` of `pop.all_reduce` needs them.
    (C4) `groups` divide the replicas of the target.

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
  let summary = "Slice out the replica's own part of its value";
  let description = [{
    `pop.reduce_scatter local`: nothing is exchanged.

    (C1) `axis` is inside the rank.
    (C2) `result` has the type of `input` but for dimension `axis`: with n in
    `input`, and groups of g replicas, `result` has ceil(n / g).
    (C3) `groups` divide the replicas of the target.

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
    replicas. The replica of index i gets part i of each value, concatenated along
    `concat_axis` in order of the indices of those that sent them.

    (C1) the axes are inside the rank.
    (C2) with groups of g replicas, `result` has the type of `input` but for
    dimension `split_axis`, which is divided by g without rest, and `concat_axis`,
    which is multiplied by g.
    (C3) `groups` divide the replicas of the target.

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
    Pop_Gradient<"dx = all_reduce add of dy at the root, else 0">]> {
  let summary = "Broadcast the value of one replica of a group";
  let description = [{
    (C1) `root`, an index in the group, is not negative and less than its size.
    (C2) `groups` divide the replicas of the target.

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
    For each pair (source, target) of replicas of the target, the replica
    `target` gets the value of `source`; a replica that is no target gets zeros.

    (C1) sources are different, and so are targets.
    (C2) all of them are replicas.

    ```mlir
    %y = pop.collective_permute %x {pairs = [[0, 1], [1, 0]]} : tensor<4xf32>
    ```
  }];
  let arguments = (ins Pop_Tensor:$input, PairsAttr:$pairs);
  let assemblyFormat = "$input attr-dict `:` type($input)";
  let extraClassDeclaration = [{
    /// Source and target replicas.
    ::llvm::SmallVector<std::pair<int64_t, int64_t>> getSourceTargets();
  }];
}

#endif // IPU_MLIR_DIALECT_POP_IR_POPCOLLECTIVEOPS
