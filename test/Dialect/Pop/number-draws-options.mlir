// RUN: ipu-opt %s -pop-number-draws="generator=stream overflow=clip" | FileCheck %s --check-prefix=STREAM
// RUN: ipu-opt %s -pop-number-draws=generator=counter | FileCheck %s --check-prefix=COUNTER
// RUN: ipu-opt %s -pop-number-draws=generator=counter -pop-stochastic-rounding=replicas=4 | FileCheck %s --check-prefix=METHOD
// RUN: not ipu-opt %s -pop-number-draws=generator=dice 2>&1 | FileCheck %s --check-prefix=GENERATOR
// RUN: not ipu-opt %s -pop-number-draws="generator=stream overflow=wrap" 2>&1 | FileCheck %s --check-prefix=OVERFLOW
// RUN: not ipu-opt %s -pop-number-draws="overflow=wrap" 2>&1 | FileCheck %s --check-prefix=OVERFLOW
// RUN: not ipu-opt %s -pop-to-ipu-pipeline=stochastic-rounding=dice 2>&1 | FileCheck %s --check-prefix=GENERATOR
// RUN: not ipu-opt %s -pop-graph-pipeline=stochastic-rounding=dice 2>&1 | FileCheck %s --check-prefix=GENERATOR
// RUN: ipu-opt %s -pop-number-draws="generator=stream overflow=clip" -pop-number-draws=generator=counter | FileCheck %s --check-prefix=KEPT
// RUN: ipu-opt %s -pop-number-draws="generator=stream overflow=clip" -pop-number-draws="generator=counter overflow=nan" | FileCheck %s --check-prefix=COUNTER
// RUN: not ipu-opt %s -pop-number-draws=overflow=clip 2>&1 | FileCheck %s --check-prefix=ALONE
// RUN: not ipu-opt %s -pop-graph-pipeline=rounding-overflow=clip 2>&1 | FileCheck %s --check-prefix=GRAPH
// RUN: not ipu-opt %s -pop-to-ipu-pipeline=rounding-overflow=clip 2>&1 | FileCheck %s --check-prefix=LOWERING

// KEPT: module attributes {pop.stochastic_rounding = #pop.stochastic_rounding<counter, overflow = clip>}
// ALONE: error: 'pop-number-draws' expects option 'generator' with option 'overflow' but got none
// GRAPH: error: option 'rounding-overflow' of 'pop-graph-pipeline' expects option 'stochastic-rounding' but got none
// LOWERING: error: option 'rounding-overflow' of 'pop-to-ipu-pipeline' expects option 'stochastic-rounding' but got none
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
