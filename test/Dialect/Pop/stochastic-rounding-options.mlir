// RUN: ipu-opt %s -pop-stochastic-rounding="generator=stream overflow=clip replicas=4" | FileCheck %s
// RUN: not ipu-opt %s -pop-stochastic-rounding=generator=dice 2>&1 | FileCheck %s --check-prefix=GENERATOR
// RUN: not ipu-opt %s -pop-stochastic-rounding="generator=stream overflow=wrap" 2>&1 | FileCheck %s --check-prefix=OVERFLOW
// RUN: not ipu-opt %s -pop-stochastic-rounding="overflow=wrap" 2>&1 | FileCheck %s --check-prefix=OVERFLOW
// RUN: not ipu-opt %s -pop-to-ipu-pipeline=stochastic-rounding=dice 2>&1 | FileCheck %s --check-prefix=GENERATOR

// CHECK: module attributes {pop.stochastic_rounding = #pop.stochastic_rounding<stream, overflow = clip>}
// CHECK: pop.add {{.*}}#pop.stochastic_rounding_method<identical_seeds of 4>
// GENERATOR: error: expects generator 'counter' or 'stream' but got 'dice'
// OVERFLOW: error: expects overflow 'nan' or 'clip' but got 'wrap'
func.func @main(%a: tensor<2xf16>) -> tensor<2xf16> {
  %0 = pop.add %a, %a : tensor<2xf16>
  return %0 : tensor<2xf16>
}
