// RUN: ipu-opt %s --split-input-file --verify-diagnostics

// host_transfers.
// expected-error @below {{'builtin.module' op expects attribute 'pop.host_transfers' to be a positive i64 but got 0 : i64}}
module attributes {pop.host_transfers = 0 : i64} {}

// -----

// expected-error @below {{'builtin.module' op expects attribute 'pop.host_transfers' to be a positive i64 but got 1 : i32}}
module attributes {pop.host_transfers = 1 : i32} {}

// -----

// expected-error @below {{'builtin.module' op expects attribute 'pop.host_transfers' to be a positive i64 but got unit}}
module attributes {pop.host_transfers} {}

// -----

// expected-error @below {{'func.func' op expects attribute 'pop.host_transfers' on a module only}}
func.func private @f() attributes {pop.host_transfers = 1 : i64}

// -----

// expected-error @below {{'builtin.module' op has unknown attribute 'pop.host_transfer' of dialect 'pop'}}
module attributes {pop.host_transfer = 1 : i64} {}

// -----

// stream: c1.
// expected-error @below {{'pop.stream' op expects `broadcast` only on a stream to the device}}
pop.stream @y device_to_host broadcast : tensor<2xf32>

// -----

// stream: c2.
// expected-error @below {{'pop.stream' op expects `depth` of at least 1 but got 0}}
pop.stream @x host_to_device : tensor<2xf32> {depth = 0 : i64}

// -----

// expected-error @below {{custom op 'pop.stream' expected ::mlir::ipu::StreamDirection to be one of: host_to_device, device_to_host}}
// expected-error @below {{custom op 'pop.stream' failed to parse Pop_StreamDirectionAttr parameter 'value' which is to be a `::mlir::ipu::StreamDirection`}}
pop.stream @x host_to_host : tensor<2xf32>

// -----

// host_load: c1.
func.func @f() {
  // expected-error @below {{'pop.host_load' op expects @x to be a 'pop.stream' but there is no such symbol}}
  %x = pop.host_load @x : tensor<2xf32>
  return
}

// -----

// host_load: c1.
pop.stream @x device_to_host : tensor<2xf32>
func.func @f() {
  // expected-error @below {{'pop.host_load' op expects a stream of direction `host_to_device` but @x has direction `device_to_host`}}
  %x = pop.host_load @x : tensor<2xf32>
  return
}

// -----

// host_load: c2.
pop.stream @x host_to_device : tensor<2xf32>
func.func @f() {
  // expected-error @below {{'pop.host_load' op expects a tensor of type 'tensor<2xf32>', the type of @x, but got 'tensor<2xf16>'}}
  %x = pop.host_load @x : tensor<2xf16>
  return
}

// -----

// host_store: c1, a stream that is read only.
pop.stream @x host_to_device : tensor<2xf32>
func.func @f(%t: tensor<2xf32>) {
  // expected-error @below {{'pop.host_store' op expects a stream of direction `device_to_host` but @x has direction `host_to_device`}}
  pop.host_store %t, @x : tensor<2xf32>
  return
}

// -----

// host_store: c2.
pop.stream @y device_to_host : tensor<2xf32>
func.func @f(%t: tensor<3xf32>) {
  // expected-error @below {{'pop.host_store' op expects a tensor of type 'tensor<2xf32>', the type of @y, but got 'tensor<3xf32>'}}
  pop.host_store %t, @y : tensor<3xf32>
  return
}

// -----

// stream: c3.
// expected-error @below {{'pop.stream' op expects `default_value` only on a stream to the device}}
pop.stream @y device_to_host : tensor<2xf32> {default_value = dense<0.0> : tensor<2xf32>}

// -----

// stream: c3.
// expected-error @below {{'pop.stream' op expects `default_value` of type 'tensor<2xf32>' but got 'tensor<2xf16>'}}
pop.stream @x host_to_device : tensor<2xf32> {default_value = dense<0.0> : tensor<2xf16>}

// -----

// stream: c5.
// expected-error @below {{'pop.stream' op expects `seed` only on a stream to the device that all replicas share}}
pop.stream @x host_to_device : tensor<2xui32> {seed}

// -----

// stream: c5.
// expected-error @below {{'pop.stream' op expects a stream with `seed` to have type tensor<2xui32> but got 'tensor<3xui32>'}}
pop.stream @x host_to_device broadcast : tensor<3xui32> {seed}

// -----

// stream: c5.
// expected-error @below {{'pop.stream' op expects `seed` or `default_value` but got both}}
pop.stream @x host_to_device broadcast : tensor<2xui32> {seed, default_value = dense<1> : tensor<2xui32>}

// -----

// stream: c4.
// expected-error @below {{'pop.stream' op expects `transfers` of at least 1 but got 0}}
pop.stream @x host_to_device : tensor<2xf32> {transfers = 0 : i64}

// -----

// stream: c4.
// expected-error @below {{'pop.stream' op expects `transfers` of at least 1 but got -1}}
pop.stream @y device_to_host : tensor<2xf32> {transfers = -1 : i64}

// -----

// expected-error @below {{'pop.stream' op attribute 'transfers' failed to satisfy constraint: 64-bit signless integer attribute}}
pop.stream @x host_to_device : tensor<2xf32> {transfers = 1 : i32}
