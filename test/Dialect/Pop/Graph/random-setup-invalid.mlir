// RUN: ipu-opt %s --allow-unregistered-dialect --split-input-file --pop-random-setup --verify-diagnostics

// expected-error@+1 {{'func.func' op has several blocks, but 'pop-random-setup' expects one}}
func.func @main() {
  %0 = pop.next_seed
  cf.br ^bb1
^bb1:
  return
}

// -----

func.func @main(%n: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  // expected-error@+1 {{'scf.parallel' op requests random seeds in its body, but 'pop-random-setup' expects 'scf.for' and 'scf.while' loops only}}
  scf.parallel (%i) = (%c0) to (%n) step (%c1) {
    %0 = pop.next_seed
    scf.reduce
  }
  return
}

// -----

func.func @main() {
  // expected-error@+1 {{'scf.execute_region' op has a region of several blocks, but 'pop-random-setup' expects one}}
  scf.execute_region {
    %0 = pop.next_seed
    cf.br ^bb1
  ^bb1:
    scf.yield
  }
  return
}

// -----

// expected-error@+1 {{'func.func' op is the entry function and has callers, but 'pop-random-setup' expects none}}
func.func @main() {
  %0 = pop.next_seed
  return
}
func.func @other() {
  call @main() : () -> ()
  return
}

// -----

pop.stream @random_seed host_to_device : tensor<4xf32>
// expected-warning@+1 {{the name 'random_seed' is already used; the host must use 'random_seed_0' for random_seed}}
func.func @main() {
  %0 = pop.next_seed
  return
}

// -----

func.func @main() {
  // expected-error@+1 {{'foo.loop' op requests random seeds in a region, but 'pop-random-setup' does not know how often the region is executed}}
  "foo.loop"() ({
    %0 = pop.next_seed
    "foo.yield"() : () -> ()
  }) : () -> ()
  return
}

// -----

func.func private @f() {
  %0 = pop.next_seed
  return
}
func.func @main() {
  // expected-error@+1 {{'func.constant' op uses @f, which needs random seeds, but is not a call; 'pop-random-setup' supports only calls of such functions}}
  %0 = func.constant @f : () -> ()
  call_indirect %0() : () -> ()
  return
}

// -----

// expected-error@below {{'pop-random-setup' expects a function 'main' with a body, or one function only}}
module {
  func.func @a() {
    %0 = pop.next_seed
    return
  }
  func.func @b() {
    return
  }
}
