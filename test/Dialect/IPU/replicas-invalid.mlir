// RUN: ipu-opt %s --split-input-file --verify-diagnostics

#m = #ipu.map<[4], grid = [2], blocks = [p0 * 2 : 2]>
func.func @buffer() {
  %v = ipu.var "v" : memref<4xf32, #m>
  ipu.remote_exchange "x" {
    // expected-error @below {{'ipu.remote_load' op expects @b to be an 'ipu.remote_buffer'}}
    ipu.remote_load @b[0] to %v : memref<4xf32, #m>
  }
  return
}

// -----

#m = #ipu.map<[4], grid = [2], blocks = [p0 * 2 : 2]>
module {
  // expected-note @below {{buffer defined here}}
  ipu.remote_buffer @b : 2 x tensor<4xf32>
  func.func @row() {
    %v = ipu.var "v" : memref<4xf32, #m>
    ipu.remote_exchange "x" {
      // expected-error @below {{'ipu.remote_load' op expects a row from 0 to 1 but got -1}}
      ipu.remote_load @b[-1] to %v : memref<4xf32, #m>
    }
    return
  }
}

// -----

#m = #ipu.map<[4], grid = [2], blocks = [p0 * 2 : 2]>
module {
  ipu.remote_buffer @b : 2 x tensor<4xf32>
  func.func @row_variable() {
    %v = ipu.var "v" : memref<4xf32, #m>
    ipu.remote_exchange "x" {
      // expected-error @below {{'ipu.remote_store' op expects its row to be a whole variable of one i32 but got 'memref<4xf32, }}
      ipu.remote_store %v to @b[%v : memref<4xf32, #m>] : memref<4xf32, #m>
    }
    return
  }
}

// -----

#m = #ipu.map<[4], grid = [2], blocks = [p0 * 2 : 2]>
module {
  // expected-note @below {{buffer defined here}}
  ipu.remote_buffer @b : 2 x tensor<4xf16>
  func.func @type() {
    %v = ipu.var "v" : memref<4xf32, #m>
    ipu.remote_exchange "x" {
      // expected-error @below {{'ipu.remote_store' op expects a variable that can hold 'tensor<4xf16>' but got 'memref<4xf32, }}
      ipu.remote_store %v to @b[0] : memref<4xf32, #m>
    }
    return
  }
}

// -----

#m = #ipu.map<[4], grid = [2], blocks = [p0 * 2 : 2]>
module {
  ipu.remote_buffer @b : 2 x tensor<2xf32>
  func.func @part() {
    %v = ipu.var "v" : memref<4xf32, #m>
    %0 = memref.reinterpret_cast %v to offset: [0], sizes: [2], strides: [1] : memref<4xf32, #m> to memref<2xf32, #m>
    ipu.remote_exchange "x" {
      // expected-error @below {{'ipu.remote_store' op expects a whole variable, not a part of one}}
      ipu.remote_store %0 to @b[0] : memref<2xf32, #m>
    }
    return
  }
}

// -----

#c = #ipu.map<[4], grid = [2], blocks = [all]>
module {
  ipu.remote_buffer @b : 2 x tensor<4xf32>
  func.func @copies() {
    // expected-note @below {{variable defined here}}
    %v = ipu.var "v" copies : memref<4xf32, #c>
    ipu.remote_exchange "x" {
      // expected-error @below {{'ipu.remote_load' op writes a variable that has copies of elements on several tiles; only exchanges and fills may write such a variable}}
      ipu.remote_load @b[0] to %v : memref<4xf32, #c>
    }
    return
  }
}

// -----

func.func @other() {
  // expected-error @below {{'ipu.remote_exchange' op expects its body to hold only 'ipu.remote_load' and 'ipu.remote_store' but got 'ipu.sync'}}
  ipu.remote_exchange "x" {
    // expected-note @below {{op defined here}}
    ipu.sync internal
  }
  return
}

// -----

#m = #ipu.map<[4], grid = [2], blocks = [p0 * 2 : 2]>
module {
  ipu.remote_buffer @b : 2 x tensor<4xf32>
  func.func @written_twice() {
    %v = ipu.var "v" : memref<4xf32, #m>
    ipu.remote_exchange "x" {
      // expected-note @below {{also written here}}
      ipu.remote_load @b[0] to %v : memref<4xf32, #m>
      // expected-error @below {{'ipu.remote_load' op writes a variable that another load of the exchange writes}}
      ipu.remote_load @b[1] to %v : memref<4xf32, #m>
    }
    return
  }
}

// -----

#m = #ipu.map<[4], grid = [2], blocks = [p0 * 2 : 2]>
module {
  ipu.remote_buffer @b : 2 x tensor<4xf32>
  func.func @read_and_written() {
    %v = ipu.var "v" : memref<4xf32, #m>
    ipu.remote_exchange "x" {
      // expected-note @below {{written here}}
      ipu.remote_load @b[0] to %v : memref<4xf32, #m>
      // expected-error @below {{'ipu.remote_store' op reads a variable that the same exchange writes}}
      ipu.remote_store %v to @b[1] : memref<4xf32, #m>
    }
    return
  }
}

// -----

#m = #ipu.map<[4], grid = [2], blocks = [p0 * 2 : 2]>
module {
  ipu.remote_buffer @b : 2 x tensor<4xf32>
  func.func @same_row() {
    %v = ipu.var "v" : memref<4xf32, #m>
    %w = ipu.var "w" : memref<4xf32, #m>
    // Two loads of one row are no conflict.
    ipu.remote_exchange "x" {
      ipu.remote_load @b[0] to %v : memref<4xf32, #m>
      ipu.remote_load @b[0] to %w : memref<4xf32, #m>
    }
    ipu.remote_exchange "y" {
      // expected-note @below {{other copy here}}
      ipu.remote_load @b[0] to %v : memref<4xf32, #m>
      // expected-error @below {{'ipu.remote_store' op stores a row that another copy of the exchange loads}}
      ipu.remote_store %w to @b[0] : memref<4xf32, #m>
    }
    return
  }
}

// -----

#m = #ipu.map<[4], grid = [2], blocks = [p0 * 2 : 2]>
#s = #ipu.map<[], grid = [1], blocks = []>
module {
  ipu.remote_buffer @b : 2 x tensor<4xf32>
  func.func @any_row() {
    %v = ipu.var "v" : memref<4xf32, #m>
    %w = ipu.var "w" : memref<4xf32, #m>
    %i = ipu.var "i" : memref<i32, #s>
    ipu.remote_exchange "x" {
      // expected-note @below {{other copy here}}
      ipu.remote_store %v to @b[%i : memref<i32, #s>] : memref<4xf32, #m>
      // expected-error @below {{'ipu.remote_load' op loads a row that another copy of the exchange stores: a row number in a variable may select any row}}
      ipu.remote_load @b[0] to %w : memref<4xf32, #m>
    }
    return
  }
}

// -----

#m = #ipu.map<[4], grid = [2], blocks = [p0 * 2 : 2]>
#s = #ipu.map<[], grid = [1], blocks = []>
module {
  ipu.remote_buffer @b : 2 x tensor<4xf32>
  func.func @any_row_second() {
    %v = ipu.var "v" : memref<4xf32, #m>
    %w = ipu.var "w" : memref<4xf32, #m>
    %i = ipu.var "i" : memref<i32, #s>
    ipu.remote_exchange "x" {
      // expected-note @below {{other copy here}}
      ipu.remote_store %w to @b[1] : memref<4xf32, #m>
      // expected-error @below {{'ipu.remote_store' op stores a row that another copy of the exchange stores: a row number in a variable may select any row}}
      ipu.remote_store %v to @b[%i : memref<i32, #s>] : memref<4xf32, #m>
    }
    return
  }
}

// -----

#m = #ipu.map<[4], grid = [2], blocks = [p0 * 2 : 2]>
func.func @replica_index() {
  %v = ipu.var "v" : memref<4xi32, #m>
  // expected-error @below {{'ipu.replica_index' op expects its target to be a whole variable of one i32 but got 'memref<4xi32, }}
  ipu.replica_index to %v : memref<4xi32, #m>
  return
}

// -----

#m = #ipu.map<[4], grid = [2], blocks = [p0 * 2 : 2]>
func.func @no_operator() {
  %x = ipu.var "x" : memref<4xf32, #m>
  %y = ipu.var "y" : memref<4xf32, #m>
  // expected-error @below {{'ipu.collective' op 'all_reduce' expects 'reduction'}}
  ipu.collective all_reduce %x to %y : memref<4xf32, #m> to memref<4xf32, #m>
  return
}

// -----

#m = #ipu.map<[4], grid = [2], blocks = [p0 * 2 : 2]>
func.func @unknown_operator() {
  %x = ipu.var "x" : memref<4xf32, #m>
  %y = ipu.var "y" : memref<4xf32, #m>
  // expected-error @below {{expected an operator of a collective but got 'plus'}}
  ipu.collective all_reduce plus %x to %y : memref<4xf32, #m> to memref<4xf32, #m>
  return
}

// -----

#m = #ipu.map<[4], grid = [2], blocks = [p0 * 2 : 2]>
func.func @superfluous() {
  %x = ipu.var "x" : memref<4xf32, #m>
  %y = ipu.var "y" : memref<4xf32, #m>
  // expected-error @below {{'ipu.collective' op 'broadcast' expects no 'axis'}}
  ipu.collective broadcast %x to %y {root = 0 : i64, axis = 0 : i64} : memref<4xf32, #m> to memref<4xf32, #m>
  return
}

// -----

#m = #ipu.map<[4], grid = [2], blocks = [p0 * 2 : 2]>
func.func @axis() {
  %x = ipu.var "x" : memref<4xf32, #m>
  %y = ipu.var "y" : memref<4xf32, #m>
  // expected-error @below {{'ipu.collective' op expects an axis from 0 to 0 but got 1}}
  ipu.collective all_gather %x to %y {axis = 1 : i64} : memref<4xf32, #m> to memref<4xf32, #m>
  return
}

// -----

#m = #ipu.map<[4], grid = [2], blocks = [p0 * 2 : 2]>
func.func @element_type() {
  %x = ipu.var "x" : memref<4xf32, #m>
  %y = ipu.var "y" : memref<4xf16, #m>
  // expected-error @below {{'ipu.collective' op expects source and target to have the same element type but got}}
  ipu.collective all_reduce add %x to %y : memref<4xf32, #m> to memref<4xf16, #m>
  return
}

// -----

#m = #ipu.map<[4], grid = [2], blocks = [p0 * 2 : 2]>
func.func @logical() {
  %x = ipu.var "x" : memref<4xf32, #m>
  %y = ipu.var "y" : memref<4xf32, #m>
  // expected-error @below {{'ipu.collective' op operator 'logical_and' expects elements of i1 or an integer type but got 'f32'}}
  ipu.collective all_reduce logical_and %x to %y : memref<4xf32, #m> to memref<4xf32, #m>
  return
}

// -----

#m = #ipu.map<[4], grid = [2], blocks = [p0 * 2 : 2]>
func.func @same() {
  %x = ipu.var "x" : memref<4xf32, #m>
  // expected-error @below {{'ipu.collective' op expects source and target to be different variables}}
  ipu.collective all_reduce add %x to %x : memref<4xf32, #m> to memref<4xf32, #m>
  return
}

// -----

#m = #ipu.map<[4], grid = [2], blocks = [p0 * 2 : 2]>
module attributes {ipu.target = #ipu.target<"gc200", {replicas = 2 : i64}>} {
  func.func @root() {
    %x = ipu.var "x" : memref<4xf32, #m>
    %y = ipu.var "y" : memref<4xf32, #m>
    // expected-error @below {{'ipu.collective' op expects a root from 0 to 1 but got 2}}
    ipu.collective broadcast %x to %y {root = 2 : i64} : memref<4xf32, #m> to memref<4xf32, #m>
    return
  }
}

// -----

#m = #ipu.map<[4], grid = [2], blocks = [p0 * 2 : 2]>
module attributes {ipu.target = #ipu.target<"gc200", {replicas = 2 : i64}>} {
  func.func @pairs() {
    %x = ipu.var "x" : memref<4xf32, #m>
    %y = ipu.var "y" : memref<4xf32, #m>
    // expected-error @below {{'ipu.collective' op expects replica 1 to be the target of one pair only}}
    ipu.collective permute %x to %y {pairs = [[0, 1], [1, 1]]} : memref<4xf32, #m> to memref<4xf32, #m>
    return
  }
}

// -----

#m = #ipu.map<[4], grid = [2], blocks = [p0 * 2 : 2]>
module attributes {ipu.target = #ipu.target<"gc200", {replicas = 2 : i64}>} {
  func.func @pair_range() {
    %x = ipu.var "x" : memref<4xf32, #m>
    %y = ipu.var "y" : memref<4xf32, #m>
    // expected-error @below {{'ipu.collective' op expects replicas from 0 to 1 in its pairs but got 2}}
    ipu.collective permute %x to %y {pairs = [[0, 2]]} : memref<4xf32, #m> to memref<4xf32, #m>
    return
  }
}

// -----

#m = #ipu.map<[4], grid = [2], blocks = [p0 * 2 : 2]>
module attributes {ipu.target = #ipu.target<"gc200", {replicas = 3 : i64}>} {
  func.func @scatter() {
    %x = ipu.var "x" : memref<4xf32, #m>
    %y = ipu.var "y" : memref<4xf32, #m>
    // Two elements on each of three replicas, with two zeros.
    // expected-error @below {{'ipu.collective' op expects a target of shape [2] for groups of 3 replicas but got 'memref<4xf32, }}
    ipu.collective reduce_scatter add %x to %y {axis = 0 : i64} : memref<4xf32, #m> to memref<4xf32, #m>
    return
  }
}

// -----

#m = #ipu.map<[4], grid = [2], blocks = [p0 * 2 : 2]>
module attributes {ipu.target = #ipu.target<"gc200", {replicas = 3 : i64}>} {
  func.func @to_all() {
    %x = ipu.var "x" : memref<4xf32, #m>
    %y = ipu.var "y" : memref<4xf32, #m>
    // expected-error @below {{'ipu.collective' op expects the size of dimension 0 to be a multiple of the 3 replicas of a group but got 4}}
    ipu.collective all_to_all %x to %y {split_axis = 0 : i64, concat_axis = 0 : i64} : memref<4xf32, #m> to memref<4xf32, #m>
    return
  }
}

// -----

#m = #ipu.map<[4], grid = [2], blocks = [p0 * 2 : 2]>
#n = #ipu.map<[10], grid = [1], blocks = [all]>
module attributes {ipu.target = #ipu.target<"gc200", {replicas = 3 : i64}>} {
  func.func @gather() {
    %x = ipu.var "x" : memref<4xf32, #m>
    %y = ipu.var "y" : memref<10xf32, #n>
    %z = ipu.var "z" : memref<4xf32, #m>
    // Ten elements in three parts of four.
    ipu.collective all_gather %x to %y {axis = 0 : i64} : memref<4xf32, #m> to memref<10xf32, #n>
    // expected-error @below {{'ipu.collective' op expects a target of shape [12] for groups of 3 replicas but got 'memref<4xf32, }}
    ipu.collective all_gather %x to %z {axis = 0 : i64} : memref<4xf32, #m> to memref<4xf32, #m>
    return
  }
}

// -----

#m = #ipu.map<[4], grid = [2], blocks = [p0 * 2 : 2]>
module attributes {ipu.target = #ipu.target<"gc200", {replicas = 3 : i64}>} {
  func.func @groups() {
    %x = ipu.var "x" : memref<4xf32, #m>
    %y = ipu.var "y" : memref<4xf32, #m>
    // expected-error @below {{'ipu.collective' op expects groups whose stride times size divides 3 replicas but got #pop.replica_groups<stride = 1, size = 2>, with the product 2}}
    ipu.collective all_reduce add %x to %y {groups = #pop.replica_groups<stride = 1, size = 2>} : memref<4xf32, #m> to memref<4xf32, #m>
    return
  }
}

// -----

#m = #ipu.map<[4], grid = [2], blocks = [p0 * 2 : 2]>
module attributes {ipu.target = #ipu.target<"gc200", {replicas = 2 : i64}>} {
  func.func @permute_in_groups() {
    %x = ipu.var "x" : memref<4xf32, #m>
    %y = ipu.var "y" : memref<4xf32, #m>
    // expected-error @below {{'ipu.collective' op 'permute' expects no 'groups'}}
    ipu.collective permute %x to %y {pairs = [[0, 1]], groups = #pop.replica_groups<stride = 1, size = 2>} : memref<4xf32, #m> to memref<4xf32, #m>
    return
  }
}

// -----

#m = #ipu.map<[4], grid = [2], blocks = [p0 * 2 : 2]>
module attributes {ipu.target = #ipu.target<"gc200", {replicas = 2 : i64}>} {
  func.func @sum_of_bits() {
    %x = ipu.var "x" : memref<4xi1, #m>
    %y = ipu.var "y" : memref<4xi1, #m>
    // expected-error @below {{'ipu.collective' op operator 'add' expects elements of a float or integer type but got 'i1'}}
    ipu.collective all_reduce add %x to %y : memref<4xi1, #m> to memref<4xi1, #m>
    return
  }
}

// -----

#m = #ipu.map<[4], grid = [2], blocks = [p0 * 2 : 2]>
#n = #ipu.map<[2], grid = [2], blocks = [p0 * 1 : 1]>
module attributes {ipu.target = #ipu.target<"gc200", {replicas = 2 : i64}>} {
  func.func @part() {
    %x = ipu.var "x" : memref<4xf32, #m>
    %y = ipu.var "y" : memref<2xf32, #n>
    %part = memref.reinterpret_cast %x to offset: [1], sizes: [2], strides: [1] : memref<4xf32, #m> to memref<2xf32, strided<[1], offset: 1>, #m>
    // expected-error @below {{'ipu.collective' op expects whole variables, not parts of them}}
    ipu.collective all_reduce add %part to %y : memref<2xf32, strided<[1], offset: 1>, #m> to memref<2xf32, #n>
    return
  }
}

// -----

#m = #ipu.map<[4], grid = [2], blocks = [p0 * 2 : 2]>
module {
  ipu.remote_buffer @b : 3 x tensor<4xf32>
  func.func @no_row() {
    %x = ipu.var "x" : memref<4xf32, #m>
    ipu.remote_exchange "load" {
      // expected-error @below {{'ipu.remote_load' op expects either a row or a variable}}
      "ipu.remote_load"(%x) {buffer = @b} : (memref<4xf32, #m>) -> ()
    }
    return
  }
}
