// RUN: ipu-opt %s | ipu-opt | FileCheck %s
// RUN: ipu-opt %s --mlir-print-op-generic | ipu-opt | FileCheck %s
// RUN: ipu-opt %s --emit-bytecode | ipu-opt | FileCheck %s

// CHECK: pop.variable @w : tensor<2x2xf32> = dense<3.000000e+00> : tensor<2x2xf32>{{$}}
pop.variable @w : tensor<2x2xf32> = dense<3.0> : tensor<2x2xf32>
// CHECK: pop.variable @scalar : tensor<i32> = dense<7> : tensor<i32>{{$}}
pop.variable @scalar : tensor<i32> = dense<7> : tensor<i32>
// CHECK: pop.variable @grouped : tensor<2xf32> = dense<{{\[\[}}1.000000e+00, 2.000000e+00], [3.000000e+00, 4.000000e+00]]> : tensor<2x2xf32> {groups = #pop.replica_groups<stride = 1, size = 2>, retrieval = #pop<retrieval all_replicas>}{{$}}
pop.variable @grouped : tensor<2xf32> = dense<[[1.0, 2.0], [3.0, 4.0]]> : tensor<2x2xf32> {groups = #pop.replica_groups<stride = 1, size = 2>, retrieval = #pop<retrieval all_replicas>}
// CHECK: pop.variable @one_group : tensor<2xf32> = dense<1.000000e+00> : tensor<2xf32> {groups = #pop.replica_groups<stride = 1, size = 4>}{{$}}
pop.variable @one_group : tensor<2xf32> = dense<1.0> : tensor<2xf32> {groups = #pop.replica_groups<stride = 1, size = 4>}
// CHECK: pop.variable @far : tensor<3xf32> = dense<0.000000e+00> : tensor<3xf32> {buffer = @b, row = 2 : i64, sharding = #pop.replica_groups<stride = 1, size = 2>}{{$}}
pop.variable @far : tensor<3xf32> = dense<0.0> : tensor<3xf32> {buffer = @b, row = 2 : i64, sharding = #pop.replica_groups<stride = 1, size = 2>}
// CHECK: pop.remote_buffer @b : 3 x tensor<2xf32>{{$}}
pop.remote_buffer @b : 3 x tensor<2xf32>

// The forms of groups, as they are and as they are printed.
// CHECK: func.func private @strided() attributes {a = #pop.replica_groups<stride = 4, size = 2>}
func.func private @strided() attributes {a = #pop.replica_groups<stride = 4, size = 2>}
// CHECK: func.func private @one_pair() attributes {a = #pop.replica_groups<stride = 4, size = 2>}
func.func private @one_pair() attributes {a = #pop.replica_groups<[(4, 2)]>}
// CHECK: func.func private @singles() attributes {a = #pop.replica_groups<stride = 1, size = 1>}
func.func private @singles() attributes {a = #pop.replica_groups<stride = 3, size = 1>}
// CHECK: func.func private @nested() attributes {a = #pop.replica_groups<[(4, 2), (1, 2)]>}
func.func private @nested() attributes {a = #pop.replica_groups<[(4, 2), (1, 2)]>}
// CHECK: func.func private @pair_of_one() attributes {a = #pop.replica_groups<stride = 4, size = 2>}
func.func private @pair_of_one() attributes {a = #pop.replica_groups<[(4, 2), (1, 1)]>}
// CHECK: func.func private @pairs_of_one() attributes {a = #pop.replica_groups<stride = 1, size = 1>}
func.func private @pairs_of_one() attributes {a = #pop.replica_groups<[(4, 1), (2, 1)]>}
// CHECK: func.func private @lists() attributes {a = #pop.replica_groups<{{\[\[}}3, 0], [2, 1]]>}
func.func private @lists() attributes {a = #pop.replica_groups<[[2, 1], [3, 0]]>}
// CHECK: func.func private @one_list() attributes {a = #pop.replica_groups<{{\[\[}}1, 0]]>}
func.func private @one_list() attributes {a = #pop.replica_groups<[[1, 0]]>}
