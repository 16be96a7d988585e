// RUN: ipu-opt %s --split-input-file --verify-diagnostics

// variable: c1.
// expected-error @below {{'pop.variable' op expects `value` of element type 'f32' but got 'f16'}}
pop.variable @w : tensor<2xf32> = dense<1.0> : tensor<2xf16>

// -----

// variable: c1.
// expected-error @below {{'pop.variable' op expects `value` of shape [2] for 1 group of replicas but got [3]}}
pop.variable @w : tensor<2xf32> = dense<1.0> : tensor<3xf32>

// -----

// variable: c1, groups without an attribute.
// expected-error @below {{'pop.variable' op expects `value` of shape [2] for 1 group of replicas but got [2, 2]}}
pop.variable @w : tensor<2xf32> = dense<1.0> : tensor<2x2xf32>

// -----

// variable: c1.
// expected-error @below {{'pop.variable' op expects `value` of shape [2], without a leading dimension because all replicas are one group, but got [1, 2]}}
pop.variable @w : tensor<2xf32> = dense<1.0> : tensor<1x2xf32> {groups = #pop.replica_groups<stride = 1, size = 2>}

// -----

// variable: c1, the number of groups is known.
// expected-error @below {{'pop.variable' op expects `value` of shape [2, 2] for 2 groups of replicas but got [3, 2]}}
pop.variable @w : tensor<2xf32> = dense<1.0> : tensor<3x2xf32> {groups = #pop.replica_groups<[[0, 1], [2, 3]]>}

// -----

// expected-error @below {{'pop.variable' op attribute 'type' failed to satisfy constraint: type attribute of statically shaped tensor, without encoding and with at most 2^56 elements, of pop element type (f16, bf16, f32, f64, f8, iN or uiN) values}}
pop.variable @w : tensor<?xf32> = dense<1.0> : tensor<2xf32>

// -----

// variable: c2.
pop.remote_buffer @b : 1 x tensor<2xf32>
// expected-error @below {{'pop.variable' op expects `buffer` and `row` together but got only `buffer`}}
pop.variable @w : tensor<2xf32> = dense<1.0> : tensor<2xf32> {buffer = @b}

// -----

// variable: c2.
// expected-error @below {{'pop.variable' op expects `buffer` and `row` together but got only `row`}}
pop.variable @w : tensor<2xf32> = dense<1.0> : tensor<2xf32> {row = 0 : i64}

// -----

// variable: c2.
// expected-error @below {{'pop.variable' op expects @b to be a 'pop.remote_buffer' but there is no such symbol}}
pop.variable @w : tensor<2xf32> = dense<1.0> : tensor<2xf32> {buffer = @b, row = 0 : i64}

// -----

// variable: c2.
pop.remote_buffer @b : 3 x tensor<2xf32>
// expected-error @below {{'pop.variable' op expects `row` to be from 0 to 2, the last row of @b, but got 3}}
pop.variable @w : tensor<2xf32> = dense<1.0> : tensor<2xf32> {buffer = @b, row = 3 : i64}

// -----

// variable: c2.
pop.remote_buffer @b : 3 x tensor<2xf32>
// expected-error @below {{'pop.variable' op expects `row` to be from 0 to 2, the last row of @b, but got -1}}
pop.variable @w : tensor<2xf32> = dense<1.0> : tensor<2xf32> {buffer = @b, row = -1 : i64}

// -----

// variable: c2.
pop.remote_buffer @b : 3 x tensor<3xf32>
// expected-error @below {{'pop.variable' op expects the value of one replica to have type 'tensor<3xf32>', the type of a row of @b, but got 'tensor<2xf32>'}}
pop.variable @w : tensor<3xf32> = dense<1.0> : tensor<3xf32> {buffer = @b, row = 0 : i64, sharding = #pop.replica_groups<stride = 1, size = 2>}

// -----

// replica_groups: c1.
// expected-error @below {{expects stride and size of at least 1, with a product of at most 1048576, but got stride 0 and size 2}}
func.func private @f() attributes {a = #pop.replica_groups<stride = 0, size = 2>}

// -----

// expected-error @below {{expects stride and size of at least 1, with a product of at most 1048576, but got stride 0 and size 1}}
func.func private @f() attributes {a = #pop.replica_groups<stride = 0, size = 1>}

// -----

// expected-error @below {{expects stride and size of at least 1, with a product of at most 1048576, but got stride 1 and size 0}}
func.func private @f() attributes {a = #pop.replica_groups<stride = 1, size = 0>}

// -----

// expected-error @below {{expects stride and size of at least 1, with a product of at most 1048576, but got stride 1048576 and size 2}}
func.func private @f() attributes {a = #pop.replica_groups<stride = 1048576, size = 2>}

// -----

// expected-error @below {{expects stride and size of at least 1, with a product of at most 1048576, but got stride 9223372036854775807 and size 9223372036854775807}}
func.func private @f() attributes {a = #pop.replica_groups<stride = 9223372036854775807, size = 9223372036854775807>}

// -----

// replica_groups: c2.
// expected-error @below {{expects the product of stride and size of each pair to divide the next stride but got (1, 4) and (2, 2)}}
func.func private @f() attributes {a = #pop.replica_groups<[(2, 2), (1, 4)]>}

// -----

// expected-error @below {{expects the product of stride and size of each pair to divide the next stride but got (1, 2) and (1, 2)}}
func.func private @f() attributes {a = #pop.replica_groups<[(1, 2), (1, 2)]>}

// -----

// expected-error @below {{expects stride and size of at least 1, with a product of at most 1048576, but got stride 524288 and size 4}}
func.func private @f() attributes {a = #pop.replica_groups<[(1, 524288), (524288, 4)]>}

// -----

// replica_groups: c3.
// expected-error @below {{expects groups of one size, at least 1, but got 2 and 1}}
func.func private @f() attributes {a = #pop.replica_groups<[[0, 1], [2]]>}

// -----

// expected-error @below {{expects groups of one size, at least 1, but got 0 and 0}}
func.func private @f() attributes {a = #pop.replica_groups<[[]]>}

// -----

// expected-error @below {{expects groups of replicas 0 to 3 but got replica 4}}
func.func private @f() attributes {a = #pop.replica_groups<[[0, 1], [2, 4]]>}

// -----

// expected-error @below {{expects each replica in one group but got replica 1 twice}}
func.func private @f() attributes {a = #pop.replica_groups<[[0, 1], [1, 2]]>}

// -----

// expected-error @below {{expects groups of replicas 0 to 1 but got replica -1}}
func.func private @f() attributes {a = #pop.replica_groups<[[0, -1]]>}

// -----

// expected-error @below {{expected '['}}
func.func private @f() attributes {a = #pop.replica_groups<[]>}

// -----

// expected-error @below {{expected 'stride'}}
func.func private @f() attributes {a = #pop.replica_groups<size = 2>}
