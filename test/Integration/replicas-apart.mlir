// Branches and loops that replicas decide differently: each replica computes what it
// would if all others decided as it does, with its own generators of random bits, in
// the time that it would take; the run takes as long as its slowest replica.
//
// RUN: %python %S/Inputs/replicas-apart.py weights %t.apart.npz 0 1 2 3
// RUN: %python %S/Inputs/replicas-apart.py weights %t.0.npz 0 0 0 0
// RUN: %python %S/Inputs/replicas-apart.py weights %t.1.npz 1 1 1 1
// RUN: %python %S/Inputs/replicas-apart.py weights %t.2.npz 2 2 2 2
// RUN: %python %S/Inputs/replicas-apart.py weights %t.3.npz 3 3 3 3

// RUN: ipu-run %s --stochastic-rounding counter --runs 2 --load-weights %t.0.npz --save-weights %t.0.out.npz --profile %t.0.json
// RUN: ipu-run %s --stochastic-rounding counter --runs 2 --load-weights %t.1.npz --save-weights %t.1.out.npz --profile %t.1.json
// RUN: ipu-run %s --stochastic-rounding counter --runs 2 --load-weights %t.2.npz --save-weights %t.2.out.npz --profile %t.2.json
// RUN: ipu-run %s --stochastic-rounding counter --runs 2 --load-weights %t.3.npz --save-weights %t.3.out.npz --profile %t.3.json
// RUN: ipu-run %s --stochastic-rounding counter --runs 2 --load-weights %t.apart.npz --save-weights %t.apart.out.npz --profile %t.apart.json --threads 3
// RUN: %python %S/Inputs/replicas-apart.py compare %t
// RUN: ipu-run %s --stochastic-rounding counter --runs 2 --load-weights %t.apart.npz --save-weights %t.apart.out.npz --profile %t.apart.json --engine interp
// RUN: %python %S/Inputs/replicas-apart.py compare %t
// RUN: ipu-run %s --stochastic-rounding counter --runs 2 --load-weights %t.apart.npz --save-weights %t.apart.out.npz --profile %t.apart.json --check
// RUN: %python %S/Inputs/replicas-apart.py compare %t
// RUN: ipu-run %s --stochastic-rounding counter --runs 2 --load-weights %t.apart.npz --save-weights %t.apart.out.npz --profile %t.apart.json --check-replica-equal
// RUN: %python %S/Inputs/replicas-apart.py compare %t

// RUN: ipu-run %s --stochastic-rounding stream --runs 2 --load-weights %t.0.npz --save-weights %t.0.out.npz --profile %t.0.json
// RUN: ipu-run %s --stochastic-rounding stream --runs 2 --load-weights %t.1.npz --save-weights %t.1.out.npz --profile %t.1.json
// RUN: ipu-run %s --stochastic-rounding stream --runs 2 --load-weights %t.2.npz --save-weights %t.2.out.npz --profile %t.2.json
// RUN: ipu-run %s --stochastic-rounding stream --runs 2 --load-weights %t.3.npz --save-weights %t.3.out.npz --profile %t.3.json
// RUN: ipu-run %s --stochastic-rounding stream --runs 2 --load-weights %t.apart.npz --save-weights %t.apart.out.npz --profile %t.apart.json
// RUN: %python %S/Inputs/replicas-apart.py compare %t
// RUN: ipu-run %s --stochastic-rounding stream --runs 2 --load-weights %t.apart.npz --save-weights %t.apart.out.npz --profile %t.apart.json --check --check-replica-equal
// RUN: %python %S/Inputs/replicas-apart.py compare %t

module attributes {ipu.target = #ipu.target<"gc200", {tiles = 4 : i64, replicas = 4 : i64}>} {
  // What decides, on each replica.
  pop.variable @n : tensor<i32> = dense<0> : tensor<4xi32> {groups = #pop.replica_groups<stride = 1, size = 1>}
  pop.variable @if : tensor<6xf16> = dense<1.0> : tensor<6xf16> {retrieval = #pop<retrieval all_replicas>}
  pop.variable @switch : tensor<6xf16> = dense<1.0> : tensor<6xf16> {retrieval = #pop<retrieval all_replicas>}
  pop.variable @for : tensor<6xf16> = dense<1.0> : tensor<6xf16> {retrieval = #pop<retrieval all_replicas>}
  pop.variable @while : tensor<6xf16> = dense<1.0> : tensor<6xf16> {retrieval = #pop<retrieval all_replicas>}
  pop.variable @nested : tensor<6xf16> = dense<1.0> : tensor<6xf16> {retrieval = #pop<retrieval all_replicas>}
  pop.variable @equal : tensor<6xf16> = dense<1.0> : tensor<6xf16>

  // Called on all ways.
  func.func private @grow(%r: !pop.ref<6xf16>) attributes {no_inline} {
    %c = pop.constant dense<1.1> : tensor<f16>
    pop.mul_ %r, %c : !pop.ref<6xf16>, tensor<f16>
    return
  }

  func.func @main() {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %zero = pop.constant dense<0> : tensor<i32>
    %one = pop.constant dense<1> : tensor<i32>
    %two = pop.constant dense<2> : tensor<i32>
    %third = pop.constant dense<0.33> : tensor<f16>
    %ref = pop.get_variable @n : !pop.ref<i32>
    %n = pop.read %ref : !pop.ref<i32>
    %scalar = tensor.extract %n[] : tensor<i32>
    %index = arith.index_cast %scalar : i32 to index

    // The low half is written in one arm, all of it in the other.
    %if = pop.get_variable @if : !pop.ref<6xf16>
    %low = pop.ref_slice %if {starts = array<i64: 0>, sizes = array<i64: 3>, steps = array<i64: 1>} : !pop.ref<6xf16> -> !pop.ref<3xf16>
    %0 = pop.greater %n, %one : (tensor<i32>, tensor<i32>) -> tensor<i1>
    %p = tensor.extract %0[] : tensor<i1>
    %1 = scf.if %p -> tensor<6xf16> {
      pop.add_ %low, %third : !pop.ref<3xf16>, tensor<f16>
      %a = pop.read %if : !pop.ref<6xf16>
      scf.yield %a : tensor<6xf16>
    } else {
      func.call @grow(%if) : (!pop.ref<6xf16>) -> ()
      %a = pop.read %if : !pop.ref<6xf16>
      %b = pop.mul %a, %third : (tensor<6xf16>, tensor<f16>) -> tensor<6xf16>
      scf.yield %b : tensor<6xf16>
    }
    pop.add_ %if, %1 : !pop.ref<6xf16>, tensor<6xf16>

    %switch = pop.get_variable @switch : !pop.ref<6xf16>
    scf.index_switch %index
    case 1 {
      func.call @grow(%switch) : (!pop.ref<6xf16>) -> ()
      scf.yield
    }
    case 3 {
      pop.add_ %switch, %third : !pop.ref<6xf16>, tensor<f16>
      scf.yield
    }
    default {
    }

    %for = pop.get_variable @for : !pop.ref<6xf16>
    scf.for %i = %c0 to %index step %c1 {
      %k = pop.from_scalar %i : index to tensor<i32>
      %a = pop.cast %k : tensor<i32> to tensor<f16>
      pop.add_ %for, %a : !pop.ref<6xf16>, tensor<f16>
      func.call @grow(%for) : (!pop.ref<6xf16>) -> ()
    }

    %while = pop.get_variable @while : !pop.ref<6xf16>
    %2 = scf.while (%left = %n) : (tensor<i32>) -> tensor<i32> {
      %more = pop.greater %left, %zero : (tensor<i32>, tensor<i32>) -> tensor<i1>
      %go = tensor.extract %more[] : tensor<i1>
      scf.condition(%go) %left : tensor<i32>
    } do {
    ^bb0(%left: tensor<i32>):
      pop.mul_ %while, %third : !pop.ref<6xf16>, tensor<f16>
      %next = pop.sub %left, %one : tensor<i32>
      scf.yield %next : tensor<i32>
    }

    // Each round on fewer replicas, and in it a branch.
    %nested = pop.get_variable @nested : !pop.ref<6xf16>
    scf.for %i = %c0 to %index step %c1 {
      %a = pop.from_scalar %i : index to tensor<i32>
      %b = pop.add %a, %n : tensor<i32>
      %c = pop.greater %b, %two : (tensor<i32>, tensor<i32>) -> tensor<i1>
      %q = tensor.extract %c[] : tensor<i1>
      scf.if %q {
        %d = tensor.extract %b[] : tensor<i32>
        %e = arith.index_cast %d : i32 to index
        scf.for %j = %c0 to %e step %c1 {
          func.call @grow(%nested) : (!pop.ref<6xf16>) -> ()
        }
      } else {
        pop.mul_ %nested, %third : !pop.ref<6xf16>, tensor<f16>
      }
    }

    // What does not depend on the decisions is rounded with the same bits after them.
    %equal = pop.get_variable @equal : !pop.ref<6xf16>
    pop.mul_ %equal, %third : !pop.ref<6xf16>, tensor<f16>
    return
  }
}
