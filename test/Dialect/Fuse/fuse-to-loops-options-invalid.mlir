// RUN: ipu-opt %s --verify-diagnostics --fuse-to-loops=loops=cloog

// expected-error @below {{option 'loops' expects affine or scf but got 'cloog'}}
func.func @f() {
  return
}
