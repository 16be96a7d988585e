//===- AutodiffPasses.td - Differentiation -----------------*- tablegen -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef IPU_MLIR_DIALECT_POP_TRANSFORMS_AUTODIFFPASSES
#define IPU_MLIR_DIALECT_POP_TRANSFORMS_AUTODIFFPASSES

include "ipu-mlir/Dialect/Pop/Transforms/Contracts.td"
include "mlir/Pass/PassBase.td"

def AutodiffPass : Pass<"pop-autodiff", "::mlir::ModuleOp">, Contract {
  let summary = "Create the backward graph, which computes the gradients of a function";
  // The gradient of an argument that is used on several IPUs is a sum of values on
  // several IPUs. Gradients have the phases of their values. With `caller`, the new
  // function, which has arguments and results, may be the entry function.
  let preserves = !listremove(AllConditions, [
    NO_IMPLICIT_COPY, EPHASE, BPHASE, HOST_IO_EXPLICIT, NO_DEAD_GRAPHS, SR_COMPLETE
  ]);
  let bitEffect = Exact;
  let drawEffect = ChangesDraws<"the draws of ops without a number, because there "
                                "are more ops">;
  let original = "Autodiff";
  let differs = "A backward graph can be created for any function. Loops and branches are "
                "differentiated. Variables that a function reads have gradients.";
  let tests = [
    "Dialect/Pop/Autodiff/autodiff.mlir",
    "Dialect/Pop/Autodiff/draws.mlir",
    "Dialect/Pop/Autodiff/draws-invalid.mlir",
    "Dialect/Pop/Autodiff/invalid-options.mlir",
    "Dialect/Pop/Autodiff/invalid-stitch.mlir",
    "Dialect/Pop/Autodiff/invalid.mlir",
    "Dialect/Pop/Autodiff/placement.mlir",
    "Dialect/Pop/Autodiff/public.mlir",
    "Dialect/Pop/Autodiff/regions.mlir",
    "Dialect/Pop/Autodiff/stitch.mlir",
    "Dialect/Pop/Autodiff/sums.mlir",
    "Integration/Graphs/autodiff-limit.mlir",
    "Integration/Graphs/autodiff-loops.mlir",
    "Integration/Graphs/autodiff-paths.mlir",
    "Integration/Graphs/autodiff-replaced.mlir",
    "Integration/Graphs/autodiff-second.mlir",
    "Integration/Graphs/autodiff.mlir",
    "Integration/draws-recomputed.mlir",
  ];
  let description = [{
    Creates the *backward graph* of function `func`: a private function with the
    name of `func` and the suffix `_backward`. The backward graph takes gradients
    of results of `func`. It returns gradients of the arguments of `func` and of
    the variables that `func` reads. docs/autodiff.md explains how graphs are
    differentiated.

    The arguments of the backward graph are the provided gradients (see `provided`
    below), then the arguments of `func` that the backward graph needs, then the
    results of `func` that the backward graph needs. The results of the backward graph
    are the required gradients (see `required` below). The attributes
    `pop.gradient_of` and `pop.forward_value` of arguments and results of the backward
    graph name the corresponding values of `func`. `stitch` and `regions` determine
    which arguments and results of `func` the backward graph needs, and the order of
    these values. If the module declares a private function with the name of the
    backward graph, the backward graph replaces the declaration. A program can
    therefore call the backward graph before the pass creates it. Each function that
    `func` calls gets its own backward graph, which takes the gradients of all results
    of the called function.

    `provided` lists, by name (`pop.name`) or by number (`#0`), the results of `func`
    whose gradients the backward graph takes. The default is all float results that
    depend on values with required gradients. `required` lists the arguments (by name
    or by number) and variables (`@w`, or `w` if no argument has this name) whose
    gradients the backward graph returns. A text that is both a name and a number
    is a name. The default is all float arguments and variables that
    the results depend on. It is an error if the results do not depend on a value
    whose gradient is required. With `unreachable=zero`, the gradient of such a value
    is zero instead.

    `stitch` says how the backward graph gets the values of `func` that gradients
    need:
    - `add_fwd_outputs`: `func` returns these values as additional results.
    - `recompute_minimal`: the backward graph recomputes these values from
      arguments and results of `func`.
    - `recompute_all_non_inputs`: the backward graph recomputes these values from
      arguments of `func`.
    - `safe_add_fwd_outputs`: the same as `recompute_all_non_inputs` if `func` is
      a public function, which other modules may call, or the entry function,
      whose results belong to the host. For any other function it is the same as
      `add_fwd_outputs`.

    `regions` says which values the iterations of a loop and the regions of a branch
    keep for the computation of gradients. `stash` keeps all values that the gradients
    need. With `recompute`, a loop keeps only its carried values, and the other values
    are recomputed from the carried values. Values that are rounded with random bits of
    the generator `counter` are kept, because they could not be recomputed with the same
    bits.

    With `caller=NAME` the pass adds a public function NAME with the arguments of
    `func`. The new function calls `func` and the backward graph, with ones as the
    provided gradients. It returns the results of `func` and the gradients. If NAME is
    the name of `func`, `func` becomes private and gets the suffix `_forward`.

    Before:
    ```mlir
    func.func private @f(%x: tensor<4xf32>, %w: tensor<4xf32>) -> tensor<4xf32> {
      %0 = pop.mul %x, %w : tensor<4xf32>
      %1 = pop.tanh %0 : tensor<4xf32>
      return %1 : tensor<4xf32>
    }
    ```
    After `pop-autodiff{func=f required=#1 stitch=recompute_minimal}`:
    ```mlir
    func.func private @f(%x: tensor<4xf32>, %w: tensor<4xf32>) -> tensor<4xf32> {
      %0 = pop.mul %x, %w : tensor<4xf32>
      %1 = pop.tanh %0 : tensor<4xf32>
      return %1 : tensor<4xf32>
    }
    func.func private @f_backward(
        %dy: tensor<4xf32> {pop.gradient_of = #pop.graph_value<result 0>},
        %x: tensor<4xf32> {pop.forward_value = #pop.graph_value<argument 0>},
        %y: tensor<4xf32> {pop.forward_value = #pop.graph_value<result 0>})
        -> (tensor<4xf32> {pop.gradient_of = #pop.graph_value<argument 1>}) {
      %0 = pop.constant dense<1.0> : tensor<f32>
      %1 = pop.mul %y, %y : tensor<4xf32>
      %2 = pop.sub %0, %1 : (tensor<f32>, tensor<4xf32>) -> tensor<4xf32>
      %3 = pop.mul %dy, %2 : tensor<4xf32>
      %4 = pop.mul %3, %x : tensor<4xf32>
      return %4 : tensor<4xf32>
    }
    ```
  }];
  let options = [
    Option<"function", "func", "std::string", /*default=*/"",
           "name of the function; by default the entry function">,
    ListOption<"provided", "provided", "std::string",
                "results whose gradients the backward graph takes">,
    ListOption<"required", "required", "std::string",
                "arguments and variables whose gradients the backward graph returns">,
    Option<"stitch", "stitch", "::mlir::pop::Stitch",
           "::mlir::pop::Stitch::RecomputeAllNonInputs",
           "how the backward graph gets values of the forward graph",
           [{::llvm::cl::values(
             clEnumValN(::mlir::pop::Stitch::AddFwdOutputs, "add_fwd_outputs",
                        "as results of the forward graph"),
             clEnumValN(::mlir::pop::Stitch::SafeAddFwdOutputs,
                        "safe_add_fwd_outputs",
                        "as results, or recomputed for the entry function "
                        "and public functions"),
             clEnumValN(::mlir::pop::Stitch::RecomputeMinimal,
                        "recompute_minimal",
                        "recomputed from arguments and results"),
             clEnumValN(::mlir::pop::Stitch::RecomputeAllNonInputs,
                        "recompute_all_non_inputs",
                        "recomputed from arguments"))}]>,
    Option<"regions", "regions", "::mlir::pop::RegionValues",
           "::mlir::pop::RegionValues::Stash",
           "values that iterations of loops and regions of branches keep",
           [{::llvm::cl::values(
             clEnumValN(::mlir::pop::RegionValues::Stash, "stash",
                        "all values that gradients need"),
             clEnumValN(::mlir::pop::RegionValues::Recompute, "recompute",
                        "only the carried values of a loop"))}]>,
    Option<"unreachable", "unreachable", "::mlir::pop::Unreachable",
           "::mlir::pop::Unreachable::Error",
           "gradient of a value that the results do not depend on",
           [{::llvm::cl::values(
             clEnumValN(::mlir::pop::Unreachable::Error, "error", "an error"),
             clEnumValN(::mlir::pop::Unreachable::Zero, "zero", "zeros"))}]>,
    Option<"caller", "caller", "std::string", /*default=*/"",
           "name of a function to add, which calls the forward graph and the "
           "backward graph">,
  ];
  let dependentDialects = [
    "::mlir::arith::ArithDialect", "::mlir::func::FuncDialect",
    "::mlir::pop::PopDialect", "::mlir::scf::SCFDialect",
    "::mlir::tensor::TensorDialect",
  ];
}

#endif // IPU_MLIR_DIALECT_POP_TRANSFORMS_AUTODIFFPASSES
