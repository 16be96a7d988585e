// RUN: split-file %s %t
// RUN: not ipu-opt %t/chain.mlir --pop-auto-vgraph="method=segments ratios=0.5,0.4" 2>&1 | FileCheck %s --check-prefix=SUM
// SUM: error: 'pop-auto-vgraph' expects ratios with sum 1 but got 0.9
// RUN: not ipu-opt %t/chain.mlir --pop-auto-vgraph="method=segments ratios=1.5,-0.5" 2>&1 | FileCheck %s --check-prefix=RANGE
// RANGE: error: 'pop-auto-vgraph' expects ratios between 0 and 1 but got 1.5
// RUN: not ipu-opt %t/chain.mlir --pop-auto-vgraph="method=segments ratios=0.5,0.25,0.25" 2>&1 | FileCheck %s --check-prefix=COUNT
// COUNT: error: 'pop-auto-vgraph' expects one ratio for each of the 2 IPUs of a replica but got 3
// RUN: not ipu-opt %t/chain.mlir --pop-auto-vgraph="ratios=0.5,0.5" 2>&1 | FileCheck %s --check-prefix=METHOD
// METHOD: error: 'pop-auto-vgraph' expects option 'method' to be 'segments' if there are ratios
// RUN: not ipu-opt %t/chain.mlir --pop-auto-vgraph="weight-factor=0.5" 2>&1 | FileCheck %s --check-prefix=FACTOR
// FACTOR: error: 'pop-auto-vgraph' expects option 'weight-factor' to be from 1 to 1000 but got 0.5
// RUN: not ipu-opt %t/chain.mlir --pop-auto-vgraph="weight-factor=nan" 2>&1 | FileCheck %s --check-prefix=NAN
// NAN: error: 'pop-auto-vgraph' expects option 'weight-factor' to be from 1 to 1000 but got nan
// RUN: not ipu-opt %t/chain.mlir --pop-auto-vgraph="training micro-batches=-1" 2>&1 | FileCheck %s --check-prefix=NEGATIVE
// NEGATIVE: error: 'pop-auto-vgraph' expects option 'micro-batches' to be from 0 to 2147483647 but got -1
// RUN: not ipu-opt %t/chain.mlir --pop-auto-vgraph="training micro-batches=2147483648" 2>&1 | FileCheck %s --check-prefix=MANY
// MANY: error: 'pop-auto-vgraph' expects option 'micro-batches' to be from 0 to 2147483647 but got 2147483648
// RUN: not ipu-opt %t/chain.mlir --pop-auto-vgraph="micro-batches=4" 2>&1 | FileCheck %s --check-prefix=TRAINING
// TRAINING: error: 'pop-auto-vgraph' expects option 'training' with option 'micro-batches', because only a backward pass needs activations again
// RUN: not ipu-opt %t/placed.mlir --pop-auto-vgraph 2>&1 | FileCheck %s --check-prefix=PLACED
// PLACED: error: 'pop-auto-vgraph' expects a program without virtual graphs; remove them with 'pop-remove-vgraphs'
// PLACED: note: this is on virtual graph 0
// RUN: not ipu-opt %t/staged.mlir --pop-auto-vgraph 2>&1 | FileCheck %s --check-prefix=STAGED
// STAGED: error: 'pop.exp' op is in a pipeline stage, but 'pop-auto-vgraph' expects a program without stages, because the ops of a stage are on one IPU; remove attribute 'pop.stage'
// RUN: not ipu-opt %t/several.mlir --pop-auto-vgraph 2>&1 | FileCheck %s --check-prefix=ENTRY
// ENTRY: error: 'pop-auto-vgraph' expects a function 'main', because the module has several functions
// RUN: not ipu-opt %t/diamond.mlir --pop-auto-vgraph=method=segments 2>&1 | FileCheck %s --check-prefix=POINTS
// POINTS: diamond.mlir:2:3: error: the program has 0 split points, but 2 IPUs need 1; use fewer IPUs, or 'method=balanced'

//--- chain.mlir
module attributes {ipu.target = #ipu.target<"gc200", {tiles = 16 : i64, ipus = 2 : i64}>} {
  func.func @main(%x: tensor<16xf32>) -> tensor<16xf32> {
    %0 = pop.exp %x : tensor<16xf32>
    %1 = pop.log %0 : tensor<16xf32>
    return %1 : tensor<16xf32>
  }
}

//--- placed.mlir
func.func @main(%x: tensor<16xf32>) -> tensor<16xf32> {
  %0 = pop.exp %x {pop.vgraph = 0 : i64} : tensor<16xf32>
  return %0 : tensor<16xf32>
}

//--- staged.mlir
func.func @main(%x: tensor<16xf32>) -> tensor<16xf32> {
  %0 = pop.exp %x {pop.stage = 0 : i64} : tensor<16xf32>
  return %0 : tensor<16xf32>
}

//--- several.mlir
func.func @f(%x: tensor<16xf32>) -> tensor<16xf32> {
  return %x : tensor<16xf32>
}
func.func @g(%x: tensor<16xf32>) -> tensor<16xf32> {
  return %x : tensor<16xf32>
}

//--- diamond.mlir
module attributes {ipu.target = #ipu.target<"gc200", {tiles = 16 : i64, ipus = 2 : i64}>} {
  func.func @main(%x: tensor<16xf32>) -> tensor<16xf32> {
    %0 = pop.exp %x : tensor<16xf32>
    return %0 : tensor<16xf32>
  }
}
