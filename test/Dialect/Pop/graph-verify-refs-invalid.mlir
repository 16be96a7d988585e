// RUN: ipu-opt %s --pop-verify-refs --split-input-file --verify-diagnostics

// expected-note @below {{the value may be this ref}}
func.func @select(%c: i1, %r: !pop.ref<4xf32>) {
  // expected-note @below {{the value may be this ref}}
  %n = pop.alloc zero : !pop.ref<4xf32>
  // expected-error @below {{'arith.select' op has result #0 of type '!pop.ref<4xf32>', but expects refs only from variables, new tensors, views and arguments of functions}}
  %x = arith.select %c, %r, %n : !pop.ref<4xf32>
  return
}

// -----

// expected-note @below {{the value may be this ref}}
func.func @branch(%c: i1, %r: !pop.ref<4xf32>) {
  // expected-note @below {{the value may be this ref}}
  %n = pop.alloc zero : !pop.ref<4xf32>
  // expected-error @below {{'scf.if' op has result #1 of type '!pop.ref<4xf32>', but expects refs only from}}
  %x:2 = scf.if %c -> (i1, !pop.ref<4xf32>) {
    scf.yield %c, %n : i1, !pop.ref<4xf32>
  } else {
    scf.yield %c, %r : i1, !pop.ref<4xf32>
  }
  return
}

// -----

// The origin is found through views.
// expected-note @below {{the value may be this ref}}
func.func @loop(%n: index, %r: !pop.ref<4xf32>) {
  %v = pop.ref_reshape %r : !pop.ref<4xf32> to !pop.ref<2x2xf32>
  // expected-error @below {{'scf.for' op has argument #1 of a region of type '!pop.ref<2x2xf32>', but expects refs only from}}
  %x = scf.for %k = %n to %n step %n iter_args(%q = %v) -> !pop.ref<2x2xf32> {
    scf.yield %q : !pop.ref<2x2xf32>
  }
  return
}

// -----

// expected-error @below {{'func.func' op returns result #1 of type '!pop.ref<4xf32>', but expects refs only from}}
// expected-note @below {{the value may be this ref}}
func.func @returns(%c: i1, %r: !pop.ref<4xf32>) -> (i1, !pop.ref<4xf32>) {
  return %c, %r : i1, !pop.ref<4xf32>
}

// -----

// expected-error @below {{'func.func' op returns result #0 of type '!pop.ref<4xf32>', but expects refs only from}}
func.func private @callee() -> !pop.ref<4xf32>
func.func @calls() {
  // expected-error @below {{'func.call' op has result #0 of type '!pop.ref<4xf32>', but expects refs only from}}
  %q = call @callee() : () -> !pop.ref<4xf32>
  return
}

// -----

// expected-note @below {{the value may be this ref}}
func.func @blocks(%r: !pop.ref<4xf32>) {
  cf.br ^bb1(%r : !pop.ref<4xf32>)
// expected-error @below {{a block has argument #0 of type '!pop.ref<4xf32>', but expects refs only from}}
^bb1(%q : !pop.ref<4xf32>):
  return
}

// -----

func.func @foreign(%r: memref<4xf32>) {
  // expected-error @below {{'builtin.unrealized_conversion_cast' op has result #0 of type '!pop.ref<4xf32>', but expects refs only from}}
  %q = builtin.unrealized_conversion_cast %r : memref<4xf32> to !pop.ref<4xf32>
  return
}
