// RUN: ipu-opt %s --split-input-file --verify-diagnostics

// expected-error@+1 {{expects a step, 'ca' or 'with' but got 'twist'}}
func.func private @step_unknown() attributes {x = #fuse.schedule<[a], twist(0)>}

// -----

// expected-error@+1 {{expects step 'split' before 'ca' and 'with'}}
func.func private @step_after_position() attributes {x = #fuse.schedule<[a], ca = 1, split(0, 2, inner)>}

// -----

// expected-error@+1 {{expects 'ca' and 'with' at most once each, in this order, but got 'ca'}}
func.func private @position_twice() attributes {x = #fuse.schedule<[a], ca = 1, ca = 1>}

// -----

// expected-error@+1 {{expects 'inner' or 'outer' but got 'middle'}}
func.func private @split_of_neither_side() attributes {x = #fuse.schedule<[a], split(0, 2, middle)>}

// -----

// expected-error@+1 {{expects 'parallel', 'vectorize' or 'unroll' but got 'fast'}}
func.func private @type_unknown() attributes {x = #fuse.schedule<[a], type(0, fast)>}

// -----

// expected-error@+1 {{expects 'parallel', 'vectorize' or 'unroll' but got 'serial'}}
func.func private @serial_goes_without_saying() attributes {x = #fuse.schedule<[a], type(0, serial)>}

// -----

// expected-error@+1 {{step 'split' expects an axis below 1 but got 1}}
func.func private @split_axis_out_of_range() attributes {x = #fuse.schedule<[a], split(1, 2, inner)>}

// -----

// expected-error@+1 {{step 'split' expects a factor of at least 1 but got 0}}
func.func private @split_factor_zero() attributes {x = #fuse.schedule<[a], split(0, 0, inner)>}

// -----

// expected-error@+1 {{step 'split' expects a factor of at most 4294967296 but got 4294967297}}
func.func private @split_factor_too_large() attributes {x = #fuse.schedule<[a], split(0, 4294967297, inner)>}

// -----

// expected-error@+1 {{step 'merge' expects an axis below 2 but got 2}}
func.func private @merge_axis_out_of_range() attributes {x = #fuse.schedule<[a, b], merge(0, 2)>}

// -----

// expected-error@+1 {{step 'merge' expects two different axes but got axis 1 twice}}
func.func private @merge_with_itself() attributes {x = #fuse.schedule<[a, b], merge(1, 1)>}

// -----

// expected-error@+1 {{step 'merge' expects 2 numbers but got 3}}
func.func private @merge_of_three() attributes {x = #fuse.schedule<[a, b, c], merge(0, 1, 2)>}

// -----

// expected-error@+1 {{step 'type' expects an axis below 1 but got -1}}
func.func private @type_axis_out_of_range() attributes {x = #fuse.schedule<[a], type(-1, unroll)>}

// -----

// expected-error@+1 {{step 'reorder' expects a permutation of 2 loops but got (0)}}
func.func private @reorder_too_short() attributes {x = #fuse.schedule<[a, b], reorder(0)>}

// -----

// expected-error@+1 {{step 'reorder' expects a permutation of 2 loops but got (0, 0)}}
func.func private @reorder_not_permutation() attributes {x = #fuse.schedule<[a, b], reorder(0, 0)>}

// -----

// expected-error@+1 {{expects at most one step 'rfactor'}}
func.func private @rfactor_twice() attributes {x = #fuse.schedule<[a, b, c], rfactor(1), rfactor(2)>}

// -----

// expected-error@+1 {{step 'rfactor' expects at least one axis}}
func.func private @rfactor_of_nothing() attributes {x = #fuse.schedule<[a, b], rfactor()>}

// -----

// expected-error@+1 {{step 'rfactor' expects each axis once but got axis 1 twice}}
func.func private @rfactor_axis_twice() attributes {x = #fuse.schedule<[a, b], rfactor(1, 1)>}

// -----

// expected-error@+1 {{step 'rfactor' expects an axis below 2 but got 2}}
func.func private @rfactor_axis_out_of_range() attributes {x = #fuse.schedule<[a, b], rfactor(2)>}

// -----

// expected-error@+1 {{expects positions from 0 to 1, the number of loops, but got 2}}
func.func private @position_out_of_range() attributes {x = #fuse.schedule<[a, b], merge(0, 1), ca = 2>}

// -----

// expected-error@+1 {{expects positions from 0 to 1, the number of loops, but got -1}}
func.func private @position_negative() attributes {x = #fuse.schedule<[a], ca = -1>}

// -----

// expected-error@+1 {{expects positions from 0 to 1, the number of loops, but got 2}}
func.func private @with_out_of_range() attributes {x = #fuse.schedule<[a], with = 2>}

// -----

// expected-error@+1 {{expects 'with' to be at least the position 'ca', which is 2, but got 1}}
func.func private @with_before_ca() attributes {x = #fuse.schedule<[a, b], ca = 2, with = 1>}

// -----

func.func @too_few_names(%x: tensor<8x16xf32>) -> tensor<8xf32> {
  %r = fuse.fusion ins(%x : tensor<8x16xf32>) -> tensor<8xf32> {
  ^bb0(%a: tensor<8x16xf32>):
    %e = tensor.empty() : tensor<8xf32>
    // expected-error@+1 {{'linalg.reduce' op attribute 'fuse.schedule' expects 2 names, one per loop of the op, but got 1}}
    %1 = linalg.reduce { arith.addf } ins(%a : tensor<8x16xf32>) outs(%e : tensor<8xf32>) dimensions = [1] {fuse.schedule = #fuse.schedule<[a]>}
    fuse.yield %1 : tensor<8xf32>
  }
  return %r : tensor<8xf32>
}

// -----

func.func @merge_of_reduction_and_iteration(%x: tensor<8x16xf32>) -> tensor<8xf32> {
  %r = fuse.fusion ins(%x : tensor<8x16xf32>) -> tensor<8xf32> {
  ^bb0(%a: tensor<8x16xf32>):
    %e = tensor.empty() : tensor<8xf32>
    // expected-error@+1 {{'linalg.reduce' op attribute 'fuse.schedule' step 'merge' expects two reductions or none but axis 1 is a reduction and axis 0 is not}}
    %1 = linalg.reduce { arith.addf } ins(%a : tensor<8x16xf32>) outs(%e : tensor<8xf32>) dimensions = [1] {fuse.schedule = #fuse.schedule<[a, b], merge(0, 1)>}
    fuse.yield %1 : tensor<8xf32>
  }
  return %r : tensor<8xf32>
}

// -----

func.func @rfactor_of_iteration(%x: tensor<8x16xf32>) -> tensor<8xf32> {
  %r = fuse.fusion ins(%x : tensor<8x16xf32>) -> tensor<8xf32> {
  ^bb0(%a: tensor<8x16xf32>):
    %e = tensor.empty() : tensor<8xf32>
    // expected-error@+1 {{'linalg.reduce' op attribute 'fuse.schedule' step 'rfactor' expects reductions but axis 0 is not a reduction}}
    %1 = linalg.reduce { arith.addf } ins(%a : tensor<8x16xf32>) outs(%e : tensor<8xf32>) dimensions = [1] {fuse.schedule = #fuse.schedule<[a, b], rfactor(0)>}
    fuse.yield %1 : tensor<8xf32>
  }
  return %r : tensor<8xf32>
}

// -----

func.func @rfactor_of_everything(%x: tensor<8x16xf32>) -> tensor<8xf32> {
  %r = fuse.fusion ins(%x : tensor<8x16xf32>) -> tensor<8xf32> {
  ^bb0(%a: tensor<8x16xf32>):
    %e = tensor.empty() : tensor<8xf32>
    // expected-error@+1 {{'linalg.reduce' op attribute 'fuse.schedule' step 'rfactor' expects at least one reduction that it does not list but lists all reductions}}
    %1 = linalg.reduce { arith.addf } ins(%a : tensor<8x16xf32>) outs(%e : tensor<8xf32>) dimensions = [1] {fuse.schedule = #fuse.schedule<[a, b], split(1, 4, inner), rfactor(1, 2)>}
    fuse.yield %1 : tensor<8xf32>
  }
  return %r : tensor<8xf32>
}

// -----

func.func @schedule_of_another_kind(%x: tensor<8x16xf32>) -> tensor<8xf32> {
  %r = fuse.fusion ins(%x : tensor<8x16xf32>) -> tensor<8xf32> {
  ^bb0(%a: tensor<8x16xf32>):
    %e = tensor.empty() : tensor<8xf32>
    // expected-error@+1 {{'linalg.reduce' op attribute 'fuse.schedule' expects a #fuse.schedule but got 1 : i64}}
    %1 = linalg.reduce { arith.addf } ins(%a : tensor<8x16xf32>) outs(%e : tensor<8xf32>) dimensions = [1] {fuse.schedule = 1 : i64}
    fuse.yield %1 : tensor<8xf32>
  }
  return %r : tensor<8xf32>
}

// -----

func.func @name_of_another_kind(%x: tensor<8x16xf32>) -> tensor<8xf32> {
  %r = fuse.fusion ins(%x : tensor<8x16xf32>) -> tensor<8xf32> {
  ^bb0(%a: tensor<8x16xf32>):
    %e = tensor.empty() : tensor<8xf32>
    // expected-error@+1 {{'linalg.reduce' op attribute 'fuse.name' expects a non-empty name but got 1 : i64}}
    %1 = linalg.reduce { arith.addf } ins(%a : tensor<8x16xf32>) outs(%e : tensor<8xf32>) dimensions = [1] {fuse.name = 1 : i64}
    fuse.yield %1 : tensor<8xf32>
  }
  return %r : tensor<8xf32>
}

// -----

func.func @name_empty(%x: tensor<8x16xf32>) -> tensor<8xf32> {
  %r = fuse.fusion ins(%x : tensor<8x16xf32>) -> tensor<8xf32> {
  ^bb0(%a: tensor<8x16xf32>):
    %e = tensor.empty() : tensor<8xf32>
    // expected-error@+1 {{'linalg.reduce' op attribute 'fuse.name' expects a non-empty name but got ""}}
    %1 = linalg.reduce { arith.addf } ins(%a : tensor<8x16xf32>) outs(%e : tensor<8xf32>) dimensions = [1] {fuse.name = ""}
    fuse.yield %1 : tensor<8xf32>
  }
  return %r : tensor<8xf32>
}

// -----

func.func @attribute_unknown(%x: tensor<8x16xf32>) -> tensor<8xf32> {
  %r = fuse.fusion ins(%x : tensor<8x16xf32>) -> tensor<8xf32> {
  ^bb0(%a: tensor<8x16xf32>):
    %e = tensor.empty() : tensor<8xf32>
    // expected-error@+1 {{'linalg.reduce' op has unknown attribute "fuse.color" of dialect 'fuse'}}
    %1 = linalg.reduce { arith.addf } ins(%a : tensor<8x16xf32>) outs(%e : tensor<8xf32>) dimensions = [1] {fuse.color = 1 : i64}
    fuse.yield %1 : tensor<8xf32>
  }
  return %r : tensor<8xf32>
}

// -----

func.func @schedule_outside_of_a_fusion(%x: tensor<8xf32>) -> tensor<8xf32> {
  // expected-error@+1 {{'linalg.exp' op attribute 'fuse.schedule' belongs on an op in a 'fuse.fusion'}}
  %0 = linalg.exp {fuse.schedule = #fuse.schedule<[a]>} ins(%x : tensor<8xf32>) outs(%x : tensor<8xf32>) -> tensor<8xf32>
  return %0 : tensor<8xf32>
}

// -----

func.func @schedule_of_an_op_that_is_not_linalg(%x: tensor<8xf32>) -> tensor<8xf32> {
  // expected-error@+1 {{'tensor.empty' op attribute 'fuse.schedule' belongs on a linalg op on tensors, other than 'linalg.fill'}}
  %0 = tensor.empty() {fuse.schedule = #fuse.schedule<[a]>} : tensor<8xf32>
  return %0 : tensor<8xf32>
}

// -----

func.func @schedule_of_a_fill(%x: tensor<8xf32>, %s: f32) -> tensor<8xf32> {
  // expected-error@+1 {{'linalg.fill' op attribute 'fuse.schedule' belongs on a linalg op on tensors, other than 'linalg.fill'}}
  %0 = linalg.fill {fuse.schedule = #fuse.schedule<[a]>} ins(%s : f32) outs(%x : tensor<8xf32>) -> tensor<8xf32>
  return %0 : tensor<8xf32>
}

// -----

// expected-error@+1 {{'func.func' op argument 0 attribute 'fuse.name' expects a non-empty name but got 1 : i64}}
func.func private @argument_name_of_another_kind(tensor<8xf32> {fuse.name = 1 : i64})

// -----

// expected-error@+1 {{'func.func' op argument 0 has attribute "fuse.schedule", which is expected only on ops in a 'fuse.fusion'}}
func.func private @argument_with_schedule(tensor<8xf32> {fuse.schedule = #fuse.schedule<[a]>})

// -----

func.func @argument_types_differ(%x: tensor<8xf32>) {
  // expected-error@+1 {{'fuse.fusion' op expects region arguments of the operands' types ('tensor<8xf32>') but got ('tensor<9xf32>')}}
  fuse.fusion ins(%x : tensor<8xf32>) {
  ^bb0(%a: tensor<9xf32>):
  }
  return
}

// -----

func.func @yields_differ(%x: tensor<8xf32>) -> tensor<9xf32> {
  // expected-error@+1 {{'fuse.fusion' op expects its region to yield ('tensor<9xf32>') but got ('tensor<8xf32>')}}
  %0 = fuse.fusion ins(%x : tensor<8xf32>) -> tensor<9xf32> {
  ^bb0(%a: tensor<8xf32>):
    // expected-note@+1 {{region ends here}}
    fuse.yield %a : tensor<8xf32>
  }
  return %0 : tensor<9xf32>
}

// -----

func.func @op_of_another_dialect(%x: tensor<8xf32>) -> tensor<?xf32> {
  // expected-error@+1 {{'fuse.fusion' op expects linalg ops on tensors, 'tensor.empty', 'tensor.dim', slices, reshapes and ops on scalars in its region but got 'tensor.cast'}}
  %0 = fuse.fusion ins(%x : tensor<8xf32>) -> tensor<?xf32> {
  ^bb0(%a: tensor<8xf32>):
    // expected-note@+1 {{op is here}}
    %1 = tensor.cast %a : tensor<8xf32> to tensor<?xf32>
    fuse.yield %1 : tensor<?xf32>
  }
  return %0 : tensor<?xf32>
}

// -----

func.func @op_with_side_effects(%m: memref<f32>) {
  // expected-error@+1 {{'fuse.fusion' op expects linalg ops on tensors, 'tensor.empty', 'tensor.dim', slices, reshapes and ops on scalars in its region but got 'memref.load'}}
  fuse.fusion ins(%m : memref<f32>) {
  ^bb0(%a: memref<f32>):
    // expected-note@+1 {{op is here}}
    %1 = memref.load %a[] : memref<f32>
  }
  return
}

// -----

func.func @region_that_reads_a_tensor(%x: tensor<8xf32>) -> tensor<8xf32> {
  // expected-error@+1 {{'fuse.fusion' op expects ops to read tensors only as operands but got 'linalg.generic' with a region that reads 'tensor<8xf32>'}}
  %0 = fuse.fusion ins(%x : tensor<8xf32>) -> tensor<8xf32> {
  ^bb0(%a: tensor<8xf32>):
    // expected-note@+1 {{op is here}}
    %1 = linalg.generic {indexing_maps = [affine_map<(d0) -> (d0)>], iterator_types = ["parallel"]} outs(%a : tensor<8xf32>) {
    ^bb0(%out: f32):
      %i = linalg.index 0 : index
      %v = tensor.extract %a[%i] : tensor<8xf32>
      linalg.yield %v : f32
    } -> tensor<8xf32>
    fuse.yield %1 : tensor<8xf32>
  }
  return %0 : tensor<8xf32>
}

// -----

func.func @one_name_for_two(%x: tensor<8xf32>) -> tensor<8xf32> {
  %0 = fuse.fusion ins(%x : tensor<8xf32>) -> tensor<8xf32> {
  ^bb0(%a: tensor<8xf32>):
    %e = tensor.empty() : tensor<8xf32>
    // expected-note@+1 {{other op is here}}
    %1 = linalg.exp {fuse.name = "T1"} ins(%a : tensor<8xf32>) outs(%e : tensor<8xf32>) -> tensor<8xf32>
    // expected-error@+1 {{'linalg.abs' op has the name 'T1' of another op of the fusion}}
    %2 = linalg.abs {fuse.name = "T1"} ins(%1 : tensor<8xf32>) outs(%e : tensor<8xf32>) -> tensor<8xf32>
    fuse.yield %2 : tensor<8xf32>
  }
  return %0 : tensor<8xf32>
}

// -----

func.func private @unknown_attribute(%x: tensor<4xf32>) -> tensor<4xf32> {
  // expected-error@+1 {{'fuse.fusion' op has no attribute 'parallel'; an attribute that the op does not define needs the prefix of a dialect}}
  %0 = fuse.fusion ins(%x : tensor<4xf32>) -> tensor<4xf32> attributes {parallel} {
  ^bb0(%a: tensor<4xf32>):
    fuse.yield %a : tensor<4xf32>
  }
  return %0 : tensor<4xf32>
}
