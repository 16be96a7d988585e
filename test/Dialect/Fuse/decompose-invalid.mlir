// RUN: ipu-opt %s --split-input-file --verify-diagnostics --pass-pipeline='builtin.module(func.func(fuse-form))'
// RUN: ipu-opt %s --split-input-file --verify-diagnostics --fuse-pipeline
// RUN: %if asan %{ true %} %else %{ %mlir_opt %load_plugin %s --split-input-file --verify-diagnostics --pass-pipeline='builtin.module(fuse-pipeline)' %}

// Verifiers accept softmax on all types; there is only one of floats.

func.func @integer(%x: tensor<4x8xi32>, %o: tensor<4x8xi32>) -> tensor<4x8xi32> {
  // expected-error @below {{'linalg.softmax' op cannot be decomposed into linalg ops: expects the elements of its operands to be floats but got 'i32'}}
  %0 = linalg.softmax dimension(1) ins(%x : tensor<4x8xi32>) outs(%o : tensor<4x8xi32>) -> tensor<4x8xi32>
  return %0 : tensor<4x8xi32>
}

// -----

func.func @index(%x: tensor<4xindex>, %o: tensor<4xindex>) -> tensor<4xindex> {
  // expected-error @below {{expects the elements of its operands to be floats but got 'index'}}
  %0 = linalg.softmax dimension(0) ins(%x : tensor<4xindex>) outs(%o : tensor<4xindex>) -> tensor<4xindex>
  return %0 : tensor<4xindex>
}

// -----

func.func @complex(%x: tensor<4xcomplex<f32>>, %o: tensor<4xcomplex<f32>>) -> tensor<4xcomplex<f32>> {
  // expected-error @below {{expects the elements of its operands to be floats but got 'complex<f32>'}}
  %0 = linalg.softmax dimension(0) ins(%x : tensor<4xcomplex<f32>>) outs(%o : tensor<4xcomplex<f32>>) -> tensor<4xcomplex<f32>>
  return %0 : tensor<4xcomplex<f32>>
}

// -----

func.func @vector(%x: tensor<4xvector<2xf32>>, %o: tensor<4xvector<2xf32>>) -> tensor<4xvector<2xf32>> {
  // expected-error @below {{expects the elements of its operands to be floats but got 'vector<2xf32>'}}
  %0 = linalg.softmax dimension(0) ins(%x : tensor<4xvector<2xf32>>) outs(%o : tensor<4xvector<2xf32>>) -> tensor<4xvector<2xf32>>
  return %0 : tensor<4xvector<2xf32>>
}

// -----

func.func @buffer(%x: memref<4xf32>, %o: tensor<4xf32>) -> tensor<4xf32> {
  // expected-error @below {{cannot be decomposed into linalg ops: expects its operands to be tensors but got 'memref<4xf32>'}}
  %0 = linalg.softmax dimension(0) ins(%x : memref<4xf32>) outs(%o : tensor<4xf32>) -> tensor<4xf32>
  return %0 : tensor<4xf32>
}
