//===- AutodiffPasses.td - Differentiation ------------------*- tablegen -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef IPU_MLIR_DIALECT_POP_TRANSFORMS_AUTODIFFPASSES
#define IPU_MLIR_DIALECT_POP_TRANSFORMS_AUTODIFFPASSES

include "ipu-mlir/Dialect/Pop/Transforms/Contracts.td"
include "mlir/Pass/PassBase.td"

def AutodiffPass : Pass<"pop-autodiff", "::mlir::ModuleOp">, Contract {
  let summary = "Create the function that computes a function's gradients";
  // Gradients have the placement of what they are of, and go the other way. The
  // caller that is asked for may be the entry function.
  let preserves = !listremove(AllConditions, Placement # [
    NO_IMPLICIT_COPY, BPHASE, HOST_IO_EXPLICIT, NO_DEAD_GRAPHS, SR_COMPLETE
  ]);
  let bitEffect = Exact;
  let drawEffect = ChangesDraws<"those that ops get after the pass, of which "
                                "there are more">;
  let original = "Autodiff";
  let differs = "A backward graph is made of any function; loops and branches are "
                "differentiated; variables that a function reads have gradients.";
  let tests = [
    "Dialect/Pop/Autodiff/autodiff.mlir",
    "Dialect/Pop/Autodiff/invalid-options.mlir",
    "Dialect/Pop/Autodiff/invalid-stitch.mlir",
    "Dialect/Pop/Autodiff/invalid.mlir",
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
  ];
  let description = [{
    Adds the *backward graph* of function `func`: a private function with the
    name of `func` and `_backward`, which takes gradients of results of `func`
    and returns gradients of its arguments and of the variables that it reads.
    docs/autodiff.md says how graphs are differentiated.

    The arguments of the backward graph are, in this order: the gradients that
    are provided, the arguments of `func` that it needs, and the results of
    `func` that it needs. Its results are the gradients that are required.
    Attributes `pop.gradient_of` and `pop.forward_value` of arguments and
    results say which is which. Which arguments and results of `func` are
    needed, and their order, depends on `stitch` and `regions`. If the module
    declares a private function with the name of the backward graph, the
    backward graph replaces the declaration, so that a program can call it.
    Functions that `func` calls have backward graphs of their own, which take
    gradients of all their results.

    `provided` lists results of `func`, by their numbers or names (`pop.name`);
    the default is all float results that depend on values with required
    gradients. `required` lists arguments, by their numbers or names, and
    variables (`@w`, or `w` if no argument has that name); the default is all
    float arguments and variables that the results depend on. A required
    gradient of a value that the results do not depend on is an error or, with
    `unreachable=zero`, zeros.

    `stitch` says how values of `func` that gradients need get into the backward
    graph:
    - `add_fwd_outputs`: `func` returns them, and calls of it have more results;
    - `recompute_minimal`: they are computed again from arguments and results;
    - `recompute_all_non_inputs`: they are computed again from arguments;
    - `safe_add_fwd_outputs`: `recompute_all_non_inputs` for a public function,
      which other modules may call, and for the entry function, whose results
      belong to the host; else `add_fwd_outputs`.

    `regions` says what the iterations of a loop and the regions of a branch
    keep for their gradients: all values that these need (`stash`), or for a
    loop only the carried values, from which the others are computed again
    (`recompute`).

    With `caller=NAME` the pass adds a public function of that name, which has
    the arguments of `func`, calls both graphs with ones as the provided
    gradients, and returns the results of `func` and the gradients. If NAME is
    the name of `func`, that function becomes private and is renamed with the
    suffix `_forward`.

    Before:
    ```mlir
    func.func private @f(%x: tensor<4xf32>, %w: tensor<4xf32>) -> tensor<4xf32> {
      %0 = pop.mul %x, %w : tensor<4xf32>
      %1 = pop.tanh %0 : tensor<4xf32>
      return %1 : tensor<4xf32>
    }
    ```
    After `pop-autodiff{func=f required=1 stitch=recompute_minimal}`:
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
           "name of the function; the entry function if it is absent">,
    ListOption<"provided", "provided", "std::string",
               "results whose gradients are provided">,
    ListOption<"required", "required", "std::string",
               "arguments and variables that gradients are required of">,
    Option<"stitch", "stitch", "::mlir::pop::Stitch",
           "::mlir::pop::Stitch::RecomputeAllNonInputs",
           "how values of the forward graph come into the backward graph",
           [{::llvm::cl::values(
             clEnumValN(::mlir::pop::Stitch::AddFwdOutputs, "add_fwd_outputs",
                        "as results of the forward graph"),
             clEnumValN(::mlir::pop::Stitch::SafeAddFwdOutputs,
                        "safe_add_fwd_outputs",
                        "as results, or computed again for the entry function "
                        "and public functions"),
             clEnumValN(::mlir::pop::Stitch::RecomputeMinimal,
                        "recompute_minimal",
                        "computed again from arguments and results"),
             clEnumValN(::mlir::pop::Stitch::RecomputeAllNonInputs,
                        "recompute_all_non_inputs",
                        "computed again from arguments"))}]>,
    Option<"regions", "regions", "::mlir::pop::RegionValues",
           "::mlir::pop::RegionValues::Stash",
           "what iterations of loops and regions of branches keep",
           [{::llvm::cl::values(
             clEnumValN(::mlir::pop::RegionValues::Stash, "stash",
                        "all values that gradients need"),
             clEnumValN(::mlir::pop::RegionValues::Recompute, "recompute",
                        "what loops carry"))}]>,
    Option<"unreachable", "unreachable", "::mlir::pop::Unreachable",
           "::mlir::pop::Unreachable::Error",
           "what a required gradient is that is not reached",
           [{::llvm::cl::values(
             clEnumValN(::mlir::pop::Unreachable::Error, "error", "an error"),
             clEnumValN(::mlir::pop::Unreachable::Zero, "zero", "zeros"))}]>,
    Option<"caller", "caller", "std::string", /*default=*/"",
           "name of a function to add that calls both graphs">,
  ];
  let dependentDialects = [
    "::mlir::arith::ArithDialect", "::mlir::func::FuncDialect",
    "::mlir::pop::PopDialect", "::mlir::scf::SCFDialect",
    "::mlir::tensor::TensorDialect",
  ];
}

#endif // IPU_MLIR_DIALECT_POP_TRANSFORMS_AUTODIFFPASSES
