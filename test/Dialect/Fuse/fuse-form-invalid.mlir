// RUN: ipu-opt %s --fuse-form=mode=some --verify-diagnostics

// expected-error@+1 {{expects 'mode' to be all or cost but got 'some'}}
func.func @mode_unknown() {
  return
}
