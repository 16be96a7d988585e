// RUN: ipu-opt %s -pop-number-draws="generator=stream overflow=clip" | FileCheck %s --check-prefix=STREAM
// RUN: ipu-opt %s -pop-number-draws=generator=counter | FileCheck %s --check-prefix=COUNTER
// RUN: ipu-opt %s -pop-number-draws=generator=counter -pop-stochastic-rounding=replicas=4 | FileCheck %s --check-prefix=METHOD
// RUN: not ipu-opt %s -pop-number-draws=generator=dice 2>&1 | FileCheck %s --check-prefix=GENERATOR
// RUN: not ipu-opt %s -pop-number-draws="generator=stream overflow=wrap" 2>&1 | FileCheck %s --check-prefix=OVERFLOW
// RUN: not ipu-opt %s -pop-number-draws="overflow=wrap" 2>&1 | FileCheck %s --check-prefix=OVERFLOW
// RUN: not ipu-opt %s -pop-to-ipu-pipeline=stochastic-rounding=dice 2>&1 | FileCheck %s --check-prefix=GENERATOR
// RUN: not ipu-opt %s -pop-graph-pipeline=stochastic-rounding=dice 2>&1 | FileCheck %s --check-prefix=GENERATOR

// STREAM: module attributes {pop.stochastic_rounding = #pop.stochastic_rounding<stream, overflow = clip>}
// STREAM: pop.add %{{.*}}, %{{.*}} : tensor<2xf16>
// COUNTER: module attributes {pop.stochastic_rounding = #pop.stochastic_rounding<counter>}
// COUNTER: pop.add {{.*}}pop.draw = #pop.draw<0>
// COUNTER: pop.advance_draws
// METHOD: pop.add {{.*}}#pop.stochastic_rounding_method<identical_seeds of 4>
// GENERATOR: error: expects generator 'counter' or 'stream' but got 'dice'
// OVERFLOW: error: expects overflow 'nan' or 'clip' but got 'wrap'
func.func @main(%a: tensor<2xf16>) -> tensor<2xf16> {
  %0 = pop.add %a, %a : tensor<2xf16>
  return %0 : tensor<2xf16>
}
