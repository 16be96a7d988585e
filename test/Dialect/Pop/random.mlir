// RUN: ipu-opt %s | ipu-opt | FileCheck %s
// RUN: ipu-opt %s --mlir-print-op-generic | ipu-opt | FileCheck %s
// RUN: ipu-opt %s --emit-bytecode | ipu-opt | FileCheck %s
// RUN: ipu-opt %s --cse | FileCheck %s --check-prefix=CSE
// RUN: ipu-opt %s --canonicalize | FileCheck %s --check-prefix=FOLD

// CHECK-LABEL: func @random_uniform
func.func @random_uniform(%seed: tensor<2xui32>) {
  // CHECK: pop.random_uniform %{{.*}} : tensor<2xui32> -> tensor<4xf32>
  %0 = pop.random_uniform %seed {low = 0.0, high = 1.0} : tensor<2xui32> -> tensor<4xf32>
  // CHECK: pop.random_uniform %{{.*}} {high = 3.000000e+00 : f64, low = -2.000000e+00 : f64} : tensor<2xui32> -> tensor<2x3xf16>
  %1 = pop.random_uniform %seed {low = -2.0, high = 3.0} : tensor<2xui32> -> tensor<2x3xf16>
  // CHECK: pop.random_uniform %{{.*}} {high = 2.550000e+02 : f64} : tensor<2xui32> -> tensor<ui8>
  %2 = pop.random_uniform %seed {high = 255.0} : tensor<2xui32> -> tensor<ui8>
  // All of 2^32 values.
  // CHECK: pop.random_uniform %{{.*}} {high = 0x41DFFFFFFFC00000 : f64, low = 0xC1E0000000000000 : f64} : tensor<2xui32> -> tensor<4xi32>
  %3 = pop.random_uniform %seed {low = -2147483648.0, high = 2147483647.0} : tensor<2xui32> -> tensor<4xi32>
  // CHECK: pop.random_uniform %{{.*}} : tensor<2xui32> -> tensor<0xf64>
  %4 = pop.random_uniform %seed : tensor<2xui32> -> tensor<0xf64>
  return
}

// CHECK-LABEL: func @random_normal
func.func @random_normal(%seed: tensor<2xui32>) {
  // CHECK: pop.random_normal %{{.*}} {std_dev = 2.000000e-02 : f64} : tensor<2xui32> -> tensor<4xf16>
  %0 = pop.random_normal %seed {std_dev = 0.02} : tensor<2xui32> -> tensor<4xf16>
  // CHECK: pop.random_normal %{{.*}} {mean = -1.000000e+00 : f64, std_dev = 0.000000e+00 : f64} : tensor<2xui32> -> tensor<4xf64>
  %1 = pop.random_normal %seed {mean = -1.0, std_dev = 0.0} : tensor<2xui32> -> tensor<4xf64>
  return
}

// CHECK-LABEL: func @random_bernoulli
func.func @random_bernoulli(%seed: tensor<2xui32>) {
  // CHECK: pop.random_bernoulli %{{.*}}, 5.000000e-01 : tensor<2xui32> -> tensor<4xi1>
  %0 = pop.random_bernoulli %seed, 0.5 : tensor<2xui32> -> tensor<4xi1>
  // CHECK: pop.random_bernoulli %{{.*}}, 1.000000e+00 : tensor<2xui32> -> tensor<2x2xf16>
  %1 = pop.random_bernoulli %seed, 1.0 : tensor<2xui32> -> tensor<2x2xf16>
  return
}

// CHECK-LABEL: func @dropout
func.func @dropout(%x: tensor<4xf16>, %seed: tensor<2xui32>) {
  // CHECK: pop.dropout %{{.*}}, %{{.*}}, 1.000000e-01 : tensor<4xf16>, tensor<2xui32>
  %0 = pop.dropout %x, %seed, 0.1 : tensor<4xf16>, tensor<2xui32>
  return
}

// CHECK-LABEL: func @split_seed
func.func @split_seed(%seed: tensor<2xui32>) {
  // CHECK: pop.split_seed %{{.*}} : tensor<2xui32> -> tensor<3x2xui32>
  %0 = pop.split_seed %seed : tensor<2xui32> -> tensor<3x2xui32>
  return
}

// Equal seeds make equal numbers; nothing else does.
// CSE-LABEL: func @same_twice
func.func @same_twice(%a: tensor<2xui32>, %b: tensor<2xui32>) -> (tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>) {
  // CSE-COUNT-3: pop.random_uniform
  // CSE-NOT: pop.random_uniform
  %0 = pop.random_uniform %a : tensor<2xui32> -> tensor<4xf32>
  %1 = pop.random_uniform %a : tensor<2xui32> -> tensor<4xf32>
  %2 = pop.random_uniform %b : tensor<2xui32> -> tensor<4xf32>
  %3 = pop.random_uniform %a {high = 2.0} : tensor<2xui32> -> tensor<4xf32>
  return %0, %1, %2, %3 : tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>
}

// FOLD-LABEL: func @bernoulli_of_certain
func.func @bernoulli_of_certain(%seed: tensor<2xui32>) -> (tensor<4xi1>, tensor<4xf8E4M3FN>, tensor<4xui8>, tensor<0xf32>) {
  // FOLD-DAG: pop.constant dense<true> : tensor<4xi1>
  // FOLD-DAG: pop.constant dense<0.000000e+00> : tensor<4xf8E4M3FN>
  // FOLD-DAG: pop.constant dense<1> : tensor<4xui8>
  // FOLD-DAG: pop.random_bernoulli {{.*}} : tensor<2xui32> -> tensor<0xf32>
  %0 = pop.random_bernoulli %seed, 1.0 : tensor<2xui32> -> tensor<4xi1>
  %1 = pop.random_bernoulli %seed, 0.0 : tensor<2xui32> -> tensor<4xf8E4M3FN>
  %2 = pop.random_bernoulli %seed, 1.0 : tensor<2xui32> -> tensor<4xui8>
  %3 = pop.random_bernoulli %seed, 0.0 : tensor<2xui32> -> tensor<0xf32>
  return %0, %1, %2, %3 : tensor<4xi1>, tensor<4xf8E4M3FN>, tensor<4xui8>, tensor<0xf32>
}

// FOLD-LABEL: func @dropout_of_nothing
func.func @dropout_of_nothing(%x: tensor<4xf16>, %seed: tensor<2xui32>) -> (tensor<4xf16>, tensor<4xf16>) {
  // FOLD-NEXT: %[[Y:.*]] = pop.dropout
  // FOLD-NEXT: return %arg0, %[[Y]]
  %0 = pop.dropout %x, %seed, 0.0 : tensor<4xf16>, tensor<2xui32>
  %1 = pop.dropout %x, %seed, 1.0e-9 : tensor<4xf16>, tensor<2xui32>
  return %0, %1 : tensor<4xf16>, tensor<4xf16>
}
