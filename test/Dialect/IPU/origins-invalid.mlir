// RUN: ipu-opt %s --split-input-file --verify-diagnostics

func.func @share() {
  // expected-error@+1 {{expects the share of an origin to be at least 0 but got -1}}
  ipu.sync internal {ipu.origins = [#ipu.origin<"a", share = -1>]}
  return
}

// -----

func.func @empty() {
  // expected-error@+1 {{'ipu.sync' op attribute 'ipu.origins' expects a list of #ipu.origin}}
  ipu.sync internal {ipu.origins = []}
  return
}

// -----

func.func @other_attribute() {
  // expected-error@+1 {{'ipu.sync' op attribute 'ipu.origins' expects a list of #ipu.origin}}
  ipu.sync internal {ipu.origins = ["a"]}
  return
}

// -----

// expected-error@+1 {{attribute 'ipu.origins' belongs on a step or on an op in a step}}
func.func @place() attributes {ipu.origins = [#ipu.origin<"a">]} {
  return
}

// -----

func.func @ipus() {
  // expected-error@+1 {{expects a share to have the cycles of 1 IPUs but got 2}}
  ipu.sync internal cost <cycles = [3], total = 3, tile = 0, flops = 0, bytes = 0, shares = [<<"a">, cycles = [1, 2], flops = 0, bytes = 0>]>
  return
}

// -----

func.func @cycles() {
  // expected-error@+1 {{expects the cycles of the shares to add up to 3}}
  ipu.sync internal cost <cycles = [3], total = 3, tile = 0, flops = 0, bytes = 0, shares = [<<"a">, cycles = [1], flops = 0, bytes = 0>, <<"b">, cycles = [1], flops = 0, bytes = 0>]>
  return
}

// -----

func.func @flops() {
  // expected-error@+1 {{expects the flops of the shares to add up to 1}}
  ipu.sync internal cost <cycles = [3], total = 3, tile = 0, flops = 1, bytes = 0, shares = [<<"a">, cycles = [3], flops = 0, bytes = 0>]>
  return
}

// -----

func.func @bytes() {
  // expected-error@+1 {{expects the bytes of the shares to add up to 1}}
  ipu.sync internal cost <cycles = [3], total = 3, tile = 0, flops = 0, bytes = 1, shares = [<<"a">, cycles = [3], flops = 0, bytes = 0>]>
  return
}
