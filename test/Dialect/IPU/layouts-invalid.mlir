// RUN: ipu-opt %s --split-input-file --verify-diagnostics

// expected-error @+1 {{expects a layout with}}
#m = #ipu.map<[8, 6], grid = [4], blocks = [p0 * 2 : 2, all], layout = affine_map<(i) -> (i)>>

// -----

// expected-error @+1 {{expects a layout with}}
#m = #ipu.map<[8], grid = [4], blocks = [p0 * 2 : 2], layout = affine_map<(i)[s] -> (i)>>

// -----

// expected-error @+1 {{expects each dimension of the layout to have the form}}
#m = #ipu.map<[8, 6], grid = [4], blocks = [p0 * 2 : 2, all], layout = affine_map<(i, j) -> (j, i + 1)>>

// -----

// expected-error @+1 {{expects each dimension of the layout to have the form}}
#m = #ipu.map<[8, 6], grid = [4], blocks = [p0 * 2 : 2, all], layout = affine_map<(i, j) -> (j, i ceildiv 2, i mod 2)>>

// -----

// expected-error @+1 {{expects dimension 1}}
#m = #ipu.map<[8, 6], grid = [4], blocks = [p0 * 2 : 2, all], layout = affine_map<(i, j) -> (j, i, j)>>

// -----

// expected-error @+1 {{expects dimension 1}}
#m = #ipu.map<[8, 6], grid = [4], blocks = [p0 * 2 : 2, all], layout = affine_map<(i, j) -> (i)>>

// -----

// expected-error @+1 {{expects dimension 1}}
#m = #ipu.map<[8, 6], grid = [4], blocks = [p0 * 2 : 2, all], layout = affine_map<(i, j) -> (j floordiv 2, i, j mod 3)>>

// -----

// expected-error @+1 {{expects groups of two or more elements that divide the size, }}
#m = #ipu.map<[8, 6], grid = [4], blocks = [p0 * 2 : 2, all], layout = affine_map<(i, j) -> (j floordiv 4, i, j mod 4)>>

// -----

// expected-error @+1 {{expects groups of two or more elements that divide the size, }}
#m = #ipu.map<[8, 6], grid = [4], blocks = [p0 * 2 : 3, all], layout = affine_map<(i, j) -> (i floordiv 2, j, i mod 2)>>

// -----

// expected-error @+1 {{expects groups of two or more elements that divide the size, }}
#m = #ipu.map<[0, 6], grid = [4], blocks = [all, all], layout = affine_map<(i, j) -> (j floordiv 7, i, j mod 7)>>

// -----

// expected-error @+1 {{expected 'first', 'ipus' or 'layout'}}
#m = #ipu.map<[8, 6], grid = [4], blocks = [p0 * 2 : 2, all], order = affine_map<(i, j) -> (j, i)>>

// -----

// expected-error @+1 {{expected 'first', 'ipus' or 'layout'}}
#m = #ipu.map<[8, 6], grid = [4], blocks = [p0 * 2 : 2, all], layout = affine_map<(i, j) -> (j, i)>, first = 3>

// -----

// expected-error @+1 {{invalid kind of attribute specified}}
#m = #ipu.map<[8, 6], grid = [4], blocks = [p0 * 2 : 2, all], layout = 3>

// -----

// expected-error @+1 {{expects groups of two or more elements that divide the size, }}
#m = #ipu.map<[8, 6], grid = [4], blocks = [all, all], layout = affine_map<(i, j) -> (i floordiv 0, j, i mod 0)>>
