// RUN: not ipu-opt %s --pass-pipeline='builtin.module(pop-autodiff{func=f required=#3})' 2>&1 | FileCheck %s --check-prefix=ARGUMENT
// RUN: not ipu-opt %s --pass-pipeline='builtin.module(pop-autodiff{func=f required=0})' 2>&1 | FileCheck %s --check-prefix=DIGITS
// RUN: not ipu-opt %s --pass-pipeline='builtin.module(pop-autodiff{func=main required=0})' 2>&1 | FileCheck %s --check-prefix=NO-NAME
// RUN: not ipu-opt %s --pass-pipeline='builtin.module(pop-autodiff{func=f required=n})' 2>&1 | FileCheck %s --check-prefix=INTEGER
// RUN: not ipu-opt %s --pass-pipeline='builtin.module(pop-autodiff{func=f required=x,#0})' 2>&1 | FileCheck %s --check-prefix=TWICE
// RUN: not ipu-opt %s --pass-pipeline='builtin.module(pop-autodiff{func=f required=@w})' 2>&1 | FileCheck %s --check-prefix=VARIABLE
// RUN: not ipu-opt %s --pass-pipeline='builtin.module(pop-autodiff{func=f required=unused})' 2>&1 | FileCheck %s --check-prefix=NONE
// RUN: not ipu-opt %s --pass-pipeline='builtin.module(pop-autodiff{func=f required=x,unused})' 2>&1 | FileCheck %s --check-prefix=UNREACHED
// RUN: not ipu-opt %s --pass-pipeline='builtin.module(pop-autodiff{func=f provided=z})' 2>&1 | FileCheck %s --check-prefix=RESULT
// RUN: not ipu-opt %s --pass-pipeline='builtin.module(pop-autodiff{func=f provided=m})' 2>&1 | FileCheck %s --check-prefix=INTEGER-RESULT
// RUN: not ipu-opt %s --pass-pipeline='builtin.module(pop-autodiff{func=f provided=y,#0})' 2>&1 | FileCheck %s --check-prefix=TWICE-RESULT
// RUN: not ipu-opt %s --pass-pipeline='builtin.module(pop-autodiff{func=main stitch=add_fwd_outputs})' 2>&1 | FileCheck %s --check-prefix=ENTRY
// RUN: not ipu-opt %s --pass-pipeline='builtin.module(pop-autodiff{func=f caller=main})' 2>&1 | FileCheck %s --check-prefix=CALLER
// RUN: not ipu-opt %s --pass-pipeline='builtin.module(pop-autodiff{func=f caller=f_backward})' 2>&1 | FileCheck %s --check-prefix=BACKWARD
// RUN: ipu-opt %s --pass-pipeline='builtin.module(pop-autodiff{func=f required=x,unused unreachable=zero})' | FileCheck %s --check-prefix=ZERO
// RUN: ipu-opt %s --pass-pipeline='builtin.module(pop-autodiff{func=f required=unused unreachable=zero})' | FileCheck %s --check-prefix=NOTHING
// RUN: not ipu-opt %s --pass-pipeline='builtin.module(pop-autodiff{func=custom required=#0})' 2>&1 | FileCheck %s --check-prefix=CUSTOM
// RUN: not ipu-opt %s --pass-pipeline='builtin.module(pop-autodiff{func=custom provided=#0})' 2>&1 | FileCheck %s --check-prefix=CUSTOM

// RUN: not ipu-opt %s --pass-pipeline='builtin.module(pop-autodiff{func=no_arguments required=w})' 2>&1 | FileCheck %s --check-prefix=NO-ARGUMENTS

// NO-ARGUMENTS: error: 'func.func' op has no argument and reads no variable 'w', whose gradient is required; expects a variable{{$}}
// CUSTOM: error: 'func.func' op has its own backward graph, which attribute 'pop.custom_gradient' names; expects no options 'provided' and 'required'
// ARGUMENT: error: 'func.func' op has no argument and reads no variable '#3', whose gradient is required; expects an argument ('x', 'n', 'unused') or a variable
// DIGITS: error: 'func.func' op has no argument and reads no variable '0', whose gradient is required; expects an argument ('x', 'n', 'unused') or a variable
// NO-NAME: error: 'func.func' op has no argument and reads no variable '0', whose gradient is required; expects an argument ('#0') or a variable
// INTEGER: error: 'func.func' op has argument 'n' of type 'tensor<i32>', whose gradient is required; expects a tensor of floats
// TWICE: error: 'func.func' op has '#0' twice among the values whose gradients are required
// VARIABLE: error: 'func.func' op expects @w, whose gradient is required, to be a float variable that the function reads
// NONE: error: 'func.func' op has no float result that depends on a value whose gradient is required
// UNREACHED: error: 'func.func' op has no differentiable path from argument 'unused', whose gradient is required, to a result whose gradient is provided
// RESULT: error: 'func.func' op expects a result 'z', whose gradient is provided, but has the results ('y', 'm')
// INTEGER-RESULT: error: 'func.func' op has result 'm' of type 'tensor<i32>', whose gradient is provided; expects a tensor of floats
// TWICE-RESULT: error: 'func.func' op has result '#0' twice among the results whose gradients are provided
// ENTRY: error: 'func.func' op is the entry function, to which stitching strategy 'add_fwd_outputs' cannot add results; expects 'safe_add_fwd_outputs' or a strategy that recomputes
// CALLER: error: 'func.func' op cannot have a caller 'main': another symbol already has this name

// BACKWARD: error: 'func.func' op cannot have a caller 'f_backward': a backward graph already has this name

// ZERO-LABEL: func.func private @f_backward(
// ZERO:         %[[Z:.+]] = pop.constant dense<0.000000e+00> : tensor<2xf32>
// ZERO:         return %{{.+}}, %[[Z]]

// Nothing is provided where nothing is reached.
//
// NOTHING-LABEL: func.func private @f_backward()
// NOTHING:         %[[Z:.+]] = pop.constant dense<0.000000e+00> : tensor<2xf32>
// NOTHING:         return %[[Z]]

pop.variable @w : tensor<f32> = dense<1.0> : tensor<f32>
func.func private @f(%x: tensor<f32> {pop.name = "x"}, %n: tensor<i32> {pop.name = "n"}, %unused: tensor<2xf32> {pop.name = "unused"}) -> (tensor<f32> {pop.name = "y"}, tensor<i32> {pop.name = "m"}) {
  %0 = pop.sin %x : tensor<f32>
  return %0, %n : tensor<f32>, tensor<i32>
}
func.func @main(%x: tensor<f32>) -> tensor<f32> {
  %0 = pop.sin %x : tensor<f32>
  return %0 : tensor<f32>
}

func.func private @custom_gradient(%dy: tensor<f32>, %x: tensor<f32>, %y: tensor<f32>) -> tensor<f32> {
  return %dy : tensor<f32>
}
func.func private @custom(%x: tensor<f32>) -> tensor<f32> attributes {pop.custom_gradient = @custom_gradient} {
  return %x : tensor<f32>
}

func.func private @no_arguments() -> tensor<2xf32> {
  %0 = pop.constant dense<1.0> : tensor<2xf32>
  return %0 : tensor<2xf32>
}
