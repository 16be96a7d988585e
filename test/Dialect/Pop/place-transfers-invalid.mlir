// RUN: not ipu-opt %s --pop-place-transfers=just-in-time=a,labels 2>&1 | FileCheck %s

// CHECK: error: 'pop-place-transfers' expects names of streams in its option 'just-in-time', but there is no stream 'labels'
pop.stream @a host_to_device : tensor<4xf32>
pop.variable @labels : tensor<4xf32> = dense<1.0> : tensor<4xf32>
func.func @main() {
  return
}
