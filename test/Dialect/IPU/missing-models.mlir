// RUN: not ipu-test-opt --pass-pipeline='builtin.module(ipu-estimate-cost)' %s 2>&1 | FileCheck %s --check-prefix=COST
// RUN: not ipu-test-opt --pass-pipeline='builtin.module(ipu-allocate)' %s 2>&1 | FileCheck %s --check-prefix=MEMORY
// RUN: not ipu-test-opt --pass-pipeline='builtin.module(ipu-execute{engine=none})' %s 2>&1 | FileCheck %s --check-prefix=EXECUTE

// A step of another dialect that only says it is one.

#m = #ipu.map<[4], grid = [1], blocks = [p0 * 4 : 4]>
module attributes {ipu.target = #ipu.target<"gc200", {tiles = 1 : i64}>} {
  func.func @main() {
    %0 = ipu.var "x" : memref<4xf32, #m>
    // COST: :[[# @LINE + 3]]:5: error: 'ipu_test.step' op has no estimate of its cost: the op does not implement StepCostOpInterface
    // MEMORY: :[[# @LINE + 2]]:5: error: 'ipu_test.step' op has unknown memory needs: the op does not implement StepMemoryOpInterface
    // EXECUTE: :[[# @LINE + 1]]:5: error: 'ipu_test.step' op cannot be executed: the op does not implement ExecutableOpInterface
    "ipu_test.step"() : () -> ()
    return
  }
}
