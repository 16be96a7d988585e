// Contracts of pipelines: compared before anything runs, and held while passes
// run.

// What a pass does not preserve, a later one may not assume.

// RUN: not ipu-test-opt %s --test-drop-vgraphs --canonicalize --test-need-vgraphs 2>&1 | FileCheck %s --check-prefix=STATIC
// RUN: not ipu-test-opt %s --pass-pipeline='builtin.module(func.func(pop-lower-control-flow,pop-choose-accumulation),test-need-vgraphs)' 2>&1 | FileCheck %s --check-prefix=NESTED

// STATIC: error: pass 'test-need-vgraphs' assumes VGRAPH, which pass 'test-drop-vgraphs' does not preserve
// STATIC-NOT: {{error|func.func}}
// NESTED: error: pass 'test-need-vgraphs' assumes VGRAPH, which pass 'pop-lower-control-flow' does not preserve

// One may that guarantees it in between, and one that follows a pass without a
// contract, whose options may name others.

// RUN: ipu-test-opt %s --test-drop-vgraphs --test-set-vgraphs --test-need-vgraphs | FileCheck %s --check-prefix=FINE
// RUN: ipu-test-opt %s --inline='op-pipelines=func.func(canonicalize{max-iterations=2},pop-lower-control-flow)' --test-need-vgraphs | FileCheck %s --check-prefix=FINE
// RUN: ipu-test-opt %s --test-drop-vgraphs-silently --test-need-vgraphs | FileCheck %s --check-prefix=FINE

// FINE: pop.exp {{.*}}pop.vgraph = 1

// The flag holds passes to what they assume, guarantee and preserve. The first
// violation is an error, and there is no output.

// RUN: ipu-test-opt %s --verify-contracts --test-set-vgraphs --test-need-vgraphs | FileCheck %s --check-prefix=FINE
// RUN: not ipu-test-opt %s --verify-contracts --test-drop-vgraphs-silently --test-set-no-vgraphs 2>&1 | FileCheck %s --check-prefix=PRESERVE
// RUN: not ipu-test-opt %s --verify-contracts --test-set-no-vgraphs --test-need-vgraphs 2>&1 | FileCheck %s --check-prefix=GUARANTEE
// RUN: sed 's/{pop.vgraph = 0 : i64}//' %s | not ipu-test-opt --verify-contracts --test-need-vgraphs 2>&1 | FileCheck %s --check-prefix=ASSUME
// RUN: not ipu-test-opt %s --verify-contracts --pass-pipeline='builtin.module(func.func(pop-choose-accumulation,test-drop-function-vgraphs-silently),test-need-vgraphs)' 2>&1 | FileCheck %s --check-prefix=GROUP

// PRESERVE: [[#@LINE+27]]:8: error: 'pop.exp' op violates VGRAPH after pass 'test-drop-vgraphs-silently', whose contract preserves it: expects attribute 'pop.vgraph'
// PRESERVE-NOT: {{error|func.func}}
// GUARANTEE: error: 'pop.exp' op violates VGRAPH after pass 'test-set-no-vgraphs', whose contract guarantees it: expects attribute 'pop.vgraph'
// GUARANTEE-NOT: {{error|func.func}}
// ASSUME: error: 'pop.exp' op violates VGRAPH before pass 'test-need-vgraphs', whose contract assumes it: expects attribute 'pop.vgraph'
// GROUP: error: 'pop.exp' op violates VGRAPH after passes 'pop-choose-accumulation, test-drop-function-vgraphs-silently': expects attribute 'pop.vgraph'
// GROUP-NOT: {{error|func.func}}

// What did not hold before a pass need not hold after it.

// RUN: ipu-test-opt %s --test-drop-vgraphs --verify-contracts --test-drop-vgraphs-silently --pop-choose-accumulation | FileCheck %s --check-prefix=DROPPED
// DROPPED: pop.exp %{{[a-z0-9]+}} :

// A pipeline with checks between its passes.

// RUN: ipu-opt %s --pop-to-ipu-pipeline=verify-contracts --dump-pass-pipeline -o /dev/null 2>&1 | FileCheck %s --check-prefix=PIPELINE
// PIPELINE-NOT: pop-verify-contracts
// PIPELINE: pop-infer-vgraphs
// PIPELINE-NEXT: pop-verify-contracts{after=pop-infer-vgraphs before= conditions={NO_IMPLICIT_COPY}}
// PIPELINE: pop-stochastic-rounding{{.*}}only-warn=false
// PIPELINE-NEXT: pop-verify-contracts{after=pop-stochastic-rounding before= conditions={SR_COMPLETE}}
// PIPELINE-NEXT: pop-verify-stochastic-rounding
// PIPELINE-NEXT: pop-verify-contracts{after=pop-verify-stochastic-rounding
// PIPELINE: convert-pop-to-ipu
// PIPELINE-NOT: pop-verify-contracts

func.func @main(%x: tensor<4xf32>) -> tensor<4xf32> {
  %0 = pop.exp %x {pop.vgraph = 0 : i64} : tensor<4xf32>
  %1 = pop.relu %0 {pop.vgraph = 0 : i64} : tensor<4xf32>
  return %1 : tensor<4xf32>
}
