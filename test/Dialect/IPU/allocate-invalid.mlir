// RUN: ipu-opt %s --split-input-file --verify-diagnostics --pass-pipeline='builtin.module(func.func(ipu-allocate))'
// With allow-oom the same is said.
// RUN: sed s/expected-error/expected-warning/ %s | ipu-opt --split-input-file --verify-diagnostics --pass-pipeline='builtin.module(func.func(ipu-allocate{allow-oom}))'

#one = #ipu.map<[1000], grid = [], blocks = [all]>
#all = #ipu.map<[8], grid = [4], blocks = [p0 * 2 : 2]>
!x = memref<1000xf32, #one>
module attributes {ipu.target = #ipu.target<"gc200", {tiles = 4 : i64, tile_memory = 8192 : i64}>} {
  ipu.stream @in host_to_device : tensor<1000xf32>
  // expected-note @+2 {{bytes of tile 0: stack 4096, control_code 24, host_exchange 128, not_always_live 8048}}
  // expected-note @+1 {{tiles hold 6200 bytes on average}}
  func.func @spread() {
    // expected-note @+1 {{"x" takes 4000 bytes of tile 0 in steps 0 to 1}}
    %x = ipu.var "x" : !x
    // expected-note @+1 {{"y" takes 4000 bytes of tile 0 in steps 0 to 1}}
    %y = ipu.var "y" : !x
    ipu.host_load @in to %x : !x
    // expected-note @+1 {{"a" takes 8 bytes of tile 0 in step 1}}
    %a = ipu.var "a" : memref<8xf32, #all>
    // expected-note @+1 {{"b" takes 8 bytes of tile 0 in step 1}}
    %b = ipu.var "b" : memref<8xf32, #all>
    // expected-note @+1 {{"c" takes 8 bytes of tile 0 in step 1}}
    %c = ipu.var "c" : memref<8xf32, #all>
    %d = ipu.var "d" : memref<8xf32, #all>
    %e = ipu.var "e" : memref<8xf32, #all>
    %f = ipu.var "f" : memref<8xf32, #all>
    // expected-error @+1 {{program does not fit: tile 0 needs 12296 bytes at step 1 ('ipu.sync'), 4104 more than its 8192}}
    ipu.sync internal
    func.return
  }
}

// -----

#copies = #ipu.map<[1000], grid = [4], blocks = [all]>
!x = memref<1000xf32, #copies>
module attributes {ipu.target = #ipu.target<"gc200", {tiles = 4 : i64, tile_memory = 8000 : i64}>} {
  // expected-note @+2 {{bytes of tile 0: stack 4096, control_code 12, not_always_live 4000, gaps 4}}
  // expected-note @+1 {{copies of operands take 4000 of these bytes}}
  func.func @copies() {
    // expected-note @+1 {{"x" takes 4000 bytes of tile 0 in step 0}}
    %x = ipu.var "x" copies : !x
    // expected-error @+1 {{program does not fit: tile 0 needs 8112 bytes at step 0 ('ipu.sync'), 112 more than its 8000 (4 tiles have too little memory)}}
    ipu.sync internal
    func.return
  }
}

// -----

#m = #ipu.map<[2000], grid = [2], blocks = [p0 * 1000 : 1000]>
!x = memref<2000xf32, #m>
module attributes {ipu.target = #ipu.target<"gc200", {tiles = 2 : i64, tile_memory = 8000 : i64, runtime_bytes = 0 : i64}>} {
  // expected-note @+2 {{bytes of tile 0: stack 1536, control_code 12, always_live 8000, gaps 4}}
  // expected-note @+1 {{variables that are always live take 8000 of these bytes}}
  func.func @weights() {
    // expected-note @+1 {{"x" takes 4000 bytes of tile 0, always}}
    %x = ipu.var "x" init(dense<0.0> : tensor<2000xf32>) : !x
    // expected-note @+1 {{"y" takes 4000 bytes of tile 0, always}}
    %y = ipu.var "y" init(dense<0.0> : tensor<2000xf32>) : !x
    // expected-error @+1 {{program does not fit: tile 0 needs 9552 bytes at step 0 ('ipu.sync'), 1552 more than its 8000 (2 tiles have too little memory)}}
    ipu.sync internal
    func.return
  }
}

// -----

#m = #ipu.map<[2000], grid = [2], blocks = [p0 * 1000 : 1000]>
!x = memref<2000xf32, #m>
module attributes {ipu.target = #ipu.target<"gc200", {tiles = 2 : i64, tile_memory = 8000 : i64}>} {
  // expected-note @+2 {{bytes of tile 0}}
  // expected-note @+1 {{tiles hold}}
  func.func @everywhere() {
    // expected-note @+1 {{"x" takes 4000}}
    %x = ipu.var "x" : !x
    // expected-error @+1 {{program does not fit}}
    ipu.sync internal
    func.return
  }
}

// -----

// Code is too much at the same time.

#m = #ipu.map<[8], grid = [], blocks = [all]>
module attributes {ipu.target = #ipu.target<"gc200", {tiles = 2 : i64, tile_memory = 4200 : i64, code_memory = 4100 : i64}>} {
  // expected-error @+5 {{program has too much code: tile 0 needs 4108 bytes, 8 more than the 4100 bytes from which instructions can be fetched}}
  // expected-note-re @+4 {{bytes of tile 0: stack 4096, control_code 12{{$}}}}
  // expected-note @+3 {{most of the code is for the sequence of steps (control_code)}}
  // expected-note @+2 {{bytes of tile 0: stack 4096, control_code 12, always_live 3200, gaps 4}}
  // expected-note @+1 {{tiles hold}}
  func.func @code() {
    // expected-note @+1 {{"x" takes 3200 bytes}}
    %x = ipu.var "x" init(dense<0.0> : tensor<800xf32>) : memref<800xf32, #ipu.map<[800], grid = [], blocks = [all]>>
    // expected-error @+2 {{program does not fit: tile 0 needs 7312 bytes at step 0 ('ipu.sync'), 3112 more than its 4200}}
    // expected-note @below {{"internal" ('ipu.sync') takes 12 bytes of control_code}}
    ipu.sync internal
    func.return
  }
}

// -----

#m = #ipu.map<[8], grid = [4], blocks = [p0 * 2 : 2]>
!x = memref<8xf32, #m>
!b = memref<?xf32, strided<[1], offset: ?>>
module attributes {ipu.target = #ipu.target<"gc200", {tiles = 4 : i64, code_memory = 4200 : i64}>} {
  // expected-note @below {{codelet @f takes 300 bytes of code}}
  ipu.codelet @f(%x : !b) inputs 0 cost <vector, supervisor = 1, worker = 1, cycles = 1, per = 1> {
  }
  // expected-error @+3 {{program has too much code: tile 0 needs 4420 bytes, 220 more than the 4200 bytes from which instructions can be fetched}}
  // expected-note @+2 {{bytes of tile 0: stack 4096, vertex_code 300, control_code 24}}
  // expected-note @+1 {{most of the code is in codelets (vertex_code)}}
  func.func @codelets() {
    %x = ipu.var "x" : !x
    // expected-note @below {{"f" ('ipu.compute_set') takes 24 bytes of control_code}}
    ipu.compute_set "f" {
      ipu.vertices @f outs(%x : !x) access [#m]
    }
    func.return
  }
}

// -----

// In units of 800 bytes: a has 2, b and c 3, d has 4. b lies next to a, and
// then neither below nor above it are 4 left of 8.

#2 = #ipu.map<[400], grid = [], blocks = [all]>
#3 = #ipu.map<[600], grid = [], blocks = [all]>
#4 = #ipu.map<[800], grid = [], blocks = [all]>
!x2 = memref<400xf32, #2>
!x3 = memref<600xf32, #3>
!x4 = memref<800xf32, #4>
module attributes {ipu.target = #ipu.target<"gc200", {tiles = 4 : i64, tile_memory = 11000 : i64}>} {
  // expected-note @+2 {{bytes of tile 0: stack 4096, control_code 48, not_always_live 6400, gaps 800}}
  // expected-note @+1 {{the program would fit without gaps, with}}
  func.func @fragmented() {
    // expected-note @+1 {{"a" takes 1600}}
    %a = ipu.var "a" : !x2
    ipu.sync internal
    ipu.sync internal
    // expected-note @+1 {{"b" takes 2400 bytes of tile 0 in steps 2 to 3}}
    %b = ipu.var "b" : !x3
    // expected-note @+1 {{"c" takes 2400}}
    %c = ipu.var "c" : !x3
    // expected-error @+1 {{program does not fit: tile 0 needs 11344 bytes at step 2 ('ipu.sync'), 344 more than its 11000}}
    ipu.sync internal
    ipu.write_undef %a : !x2
    ipu.write_undef %c : !x3
    %d = ipu.var "d" : !x4
    ipu.sync internal
    func.return
  }
}

// -----

// More bytes than any number of them.

#m = #ipu.map<[36028797018963968], grid = [], blocks = [all]>
!x = memref<36028797018963968xf64, #m>
// expected-note @+2 {{bytes of tile 0}}
// expected-note @+1 {{tiles hold}}
func.func @huge() {
  // expected-note @+1 {{"x" takes 9007199254740992 bytes}}
  %x = ipu.var "x" : !x
  // expected-note @+1 {{"y" takes 9007199254740992 bytes}}
  %y = ipu.var "y" : !x
  // expected-error @+1 {{program does not fit: tile 0 needs 9007199254740992 bytes at step 0 ('ipu.sync'), 9007199254102016 more than its 638976}}
  ipu.sync internal
  func.return
}
