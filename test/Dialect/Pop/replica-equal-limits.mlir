// RUN: ipu-opt %s --split-input-file --pop-print-replica-equal=replicas=2 -o /dev/null | FileCheck %s
// RUN: ipu-opt %s --split-input-file --sccp --pop-print-replica-equal=replicas=2 -o /dev/null | FileCheck %s --check-prefix=SCCP
// RUN: ipu-opt %s --split-input-file --inline --pop-print-replica-equal=replicas=2 -o /dev/null | FileCheck %s --check-prefix=INLINE
// RUN: ipu-opt %s --split-input-file --pop-lower-control-flow --pop-print-replica-equal=replicas=2 -o /dev/null | FileCheck %s --check-prefix=LOWER

// A row that all calls pass as the same constant, which another pass finds.

// CHECK-LABEL: @load(all)
// CHECK: 'pop.remote_load': none
// SCCP-LABEL: @load(all)
// SCCP: 'pop.remote_load': all
pop.remote_buffer @g : 3 x tensor<2xf32>
pop.stream @x host_to_device : tensor<2xf32>
func.func private @load(%row: tensor<i32>) -> tensor<2xf32> {
  %0 = pop.remote_load @g[%row] : tensor<2xf32>
  return %0 : tensor<2xf32>
}
func.func @main() {
  %x = pop.host_load @x : tensor<2xf32>
  %one = pop.constant dense<1> : tensor<i32>
  pop.remote_store %x, @g[2] : tensor<2xf32>
  %0 = func.call @load(%one) : (tensor<i32>) -> tensor<2xf32>
  %1 = func.call @load(%one) : (tensor<i32>) -> tensor<2xf32>
  return
}

// -----

// A row that is the counter of a loop around the call.

// CHECK-LABEL: @main()
// CHECK: 'pop.remote_load': none
// INLINE-LABEL: @main()
// INLINE-LABEL: @main()
// INLINE: 'pop.remote_load': all
pop.remote_buffer @g : 3 x tensor<2xf32>
pop.stream @x host_to_device : tensor<2xf32>
func.func private @clear(%row: tensor<i32>) {
  %t = pop.constant dense<0.0> : tensor<2xf32>
  pop.remote_store %t, @g[%row] : tensor<2xf32>
  return
}
func.func @main() {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c3 = arith.constant 3 : index
  %x = pop.host_load @x : tensor<2xf32>
  pop.remote_store %x, @g[2] : tensor<2xf32>
  scf.for %i = %c0 to %c3 step %c1 {
    %row = pop.from_scalar %i : index to tensor<i32>
    func.call @clear(%row) : (tensor<i32>) -> ()
  }
  %0 = pop.remote_load @g[2] : tensor<2xf32>
  return
}

// -----

// What all branches yield as one value is that value after they are lowered, too.

// CHECK-LABEL: @main(all)
// CHECK: 'pop.neg': all
// LOWER-LABEL: @main(all)
// LOWER: 'pop.neg': all
pop.stream @p host_to_device : tensor<i1>
func.func @main(%a: tensor<2xf32>) -> tensor<2xf32> {
  %p = pop.host_load @p : tensor<i1>
  %q = tensor.extract %p[] : tensor<i1>
  %0 = scf.if %q -> tensor<2xf32> {
    %1 = scf.if %q -> tensor<2xf32> {
      scf.yield %a : tensor<2xf32>
    } else {
      scf.yield %a : tensor<2xf32>
    }
    scf.yield %1 : tensor<2xf32>
  } else {
    scf.yield %a : tensor<2xf32>
  }
  %2 = pop.neg %0 : tensor<2xf32>
  return %2 : tensor<2xf32>
}
