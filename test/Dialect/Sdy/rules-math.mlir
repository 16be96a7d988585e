// RUN: ipu-opt %s --sdy-populate-op-sharding-rules | FileCheck %s
// RUN: ipu-opt %s --sdy-populate-op-sharding-rules=conservative-propagation=true | FileCheck %s

// Elementwise ops have a rule by their trait.

// CHECK-LABEL: func.func @arith(
func.func @arith(%f: tensor<4x8xf32>, %g: tensor<4x8xf32>, %h: tensor<4x8xf4E2M1FN>, %k: tensor<4x8xf8E8M0FNU>, %i: tensor<4x8xi32>, %j: tensor<4x8xi32>, %p: tensor<4x8xi1>) {
  // CHECK: arith.addi {{.*}}sdy.sharding_rule = #sdy.op_sharding_rule<([i, j], [i, j])->([i, j]) {i=4, j=8}>
  %0 = arith.addi %i, %j : tensor<4x8xi32>
  // CHECK: arith.andi {{.*}}sdy.sharding_rule = #sdy.op_sharding_rule<([i, j], [i, j])->([i, j]) {i=4, j=8}>
  %1 = arith.andi %i, %j : tensor<4x8xi32>
  // CHECK: arith.ceildivsi {{.*}}sdy.sharding_rule = #sdy.op_sharding_rule<([i, j], [i, j])->([i, j]) {i=4, j=8}>
  %2 = arith.ceildivsi %i, %j : tensor<4x8xi32>
  // CHECK: arith.ceildivui {{.*}}sdy.sharding_rule = #sdy.op_sharding_rule<([i, j], [i, j])->([i, j]) {i=4, j=8}>
  %3 = arith.ceildivui %i, %j : tensor<4x8xi32>
  // CHECK: arith.divsi {{.*}}sdy.sharding_rule = #sdy.op_sharding_rule<([i, j], [i, j])->([i, j]) {i=4, j=8}>
  %4 = arith.divsi %i, %j : tensor<4x8xi32>
  // CHECK: arith.divui {{.*}}sdy.sharding_rule = #sdy.op_sharding_rule<([i, j], [i, j])->([i, j]) {i=4, j=8}>
  %5 = arith.divui %i, %j : tensor<4x8xi32>
  // CHECK: arith.floordivsi {{.*}}sdy.sharding_rule = #sdy.op_sharding_rule<([i, j], [i, j])->([i, j]) {i=4, j=8}>
  %6 = arith.floordivsi %i, %j : tensor<4x8xi32>
  // CHECK: arith.maxsi {{.*}}sdy.sharding_rule = #sdy.op_sharding_rule<([i, j], [i, j])->([i, j]) {i=4, j=8}>
  %7 = arith.maxsi %i, %j : tensor<4x8xi32>
  // CHECK: arith.maxui {{.*}}sdy.sharding_rule = #sdy.op_sharding_rule<([i, j], [i, j])->([i, j]) {i=4, j=8}>
  %8 = arith.maxui %i, %j : tensor<4x8xi32>
  // CHECK: arith.minsi {{.*}}sdy.sharding_rule = #sdy.op_sharding_rule<([i, j], [i, j])->([i, j]) {i=4, j=8}>
  %9 = arith.minsi %i, %j : tensor<4x8xi32>
  // CHECK: arith.minui {{.*}}sdy.sharding_rule = #sdy.op_sharding_rule<([i, j], [i, j])->([i, j]) {i=4, j=8}>
  %10 = arith.minui %i, %j : tensor<4x8xi32>
  // CHECK: arith.muli {{.*}}sdy.sharding_rule = #sdy.op_sharding_rule<([i, j], [i, j])->([i, j]) {i=4, j=8}>
  %11 = arith.muli %i, %j : tensor<4x8xi32>
  // CHECK: arith.ori {{.*}}sdy.sharding_rule = #sdy.op_sharding_rule<([i, j], [i, j])->([i, j]) {i=4, j=8}>
  %12 = arith.ori %i, %j : tensor<4x8xi32>
  // CHECK: arith.remsi {{.*}}sdy.sharding_rule = #sdy.op_sharding_rule<([i, j], [i, j])->([i, j]) {i=4, j=8}>
  %13 = arith.remsi %i, %j : tensor<4x8xi32>
  // CHECK: arith.remui {{.*}}sdy.sharding_rule = #sdy.op_sharding_rule<([i, j], [i, j])->([i, j]) {i=4, j=8}>
  %14 = arith.remui %i, %j : tensor<4x8xi32>
  // CHECK: arith.shli {{.*}}sdy.sharding_rule = #sdy.op_sharding_rule<([i, j], [i, j])->([i, j]) {i=4, j=8}>
  %15 = arith.shli %i, %j : tensor<4x8xi32>
  // CHECK: arith.shrsi {{.*}}sdy.sharding_rule = #sdy.op_sharding_rule<([i, j], [i, j])->([i, j]) {i=4, j=8}>
  %16 = arith.shrsi %i, %j : tensor<4x8xi32>
  // CHECK: arith.shrui {{.*}}sdy.sharding_rule = #sdy.op_sharding_rule<([i, j], [i, j])->([i, j]) {i=4, j=8}>
  %17 = arith.shrui %i, %j : tensor<4x8xi32>
  // CHECK: arith.subi {{.*}}sdy.sharding_rule = #sdy.op_sharding_rule<([i, j], [i, j])->([i, j]) {i=4, j=8}>
  %18 = arith.subi %i, %j : tensor<4x8xi32>
  // CHECK: arith.xori {{.*}}sdy.sharding_rule = #sdy.op_sharding_rule<([i, j], [i, j])->([i, j]) {i=4, j=8}>
  %19 = arith.xori %i, %j : tensor<4x8xi32>
  // CHECK: arith.addf {{.*}}sdy.sharding_rule = #sdy.op_sharding_rule<([i, j], [i, j])->([i, j]) {i=4, j=8}>
  %20 = arith.addf %f, %g : tensor<4x8xf32>
  // CHECK: arith.divf {{.*}}sdy.sharding_rule = #sdy.op_sharding_rule<([i, j], [i, j])->([i, j]) {i=4, j=8}>
  %21 = arith.divf %f, %g : tensor<4x8xf32>
  // CHECK: arith.maximumf {{.*}}sdy.sharding_rule = #sdy.op_sharding_rule<([i, j], [i, j])->([i, j]) {i=4, j=8}>
  %22 = arith.maximumf %f, %g : tensor<4x8xf32>
  // CHECK: arith.maxnumf {{.*}}sdy.sharding_rule = #sdy.op_sharding_rule<([i, j], [i, j])->([i, j]) {i=4, j=8}>
  %23 = arith.maxnumf %f, %g : tensor<4x8xf32>
  // CHECK: arith.minimumf {{.*}}sdy.sharding_rule = #sdy.op_sharding_rule<([i, j], [i, j])->([i, j]) {i=4, j=8}>
  %24 = arith.minimumf %f, %g : tensor<4x8xf32>
  // CHECK: arith.minnumf {{.*}}sdy.sharding_rule = #sdy.op_sharding_rule<([i, j], [i, j])->([i, j]) {i=4, j=8}>
  %25 = arith.minnumf %f, %g : tensor<4x8xf32>
  // CHECK: arith.mulf {{.*}}sdy.sharding_rule = #sdy.op_sharding_rule<([i, j], [i, j])->([i, j]) {i=4, j=8}>
  %26 = arith.mulf %f, %g : tensor<4x8xf32>
  // CHECK: arith.remf {{.*}}sdy.sharding_rule = #sdy.op_sharding_rule<([i, j], [i, j])->([i, j]) {i=4, j=8}>
  %27 = arith.remf %f, %g : tensor<4x8xf32>
  // CHECK: arith.subf {{.*}}sdy.sharding_rule = #sdy.op_sharding_rule<([i, j], [i, j])->([i, j]) {i=4, j=8}>
  %28 = arith.subf %f, %g : tensor<4x8xf32>
  // CHECK: arith.negf {{.*}}sdy.sharding_rule = #sdy.op_sharding_rule<([i, j])->([i, j]) {i=4, j=8}>
  %29 = arith.negf %f : tensor<4x8xf32>
  // CHECK: arith.cmpf {{.*}}sdy.sharding_rule = #sdy.op_sharding_rule<([i, j], [i, j])->([i, j]) {i=4, j=8}>
  %30 = arith.cmpf olt, %f, %g : tensor<4x8xf32>
  // CHECK: arith.cmpi {{.*}}sdy.sharding_rule = #sdy.op_sharding_rule<([i, j], [i, j])->([i, j]) {i=4, j=8}>
  %31 = arith.cmpi slt, %i, %j : tensor<4x8xi32>
  // CHECK: arith.select {{.*}}sdy.sharding_rule = #sdy.op_sharding_rule<([i, j], [i, j], [i, j])->([i, j]) {i=4, j=8}>
  %32 = arith.select %p, %f, %g : tensor<4x8xi1>, tensor<4x8xf32>
  // CHECK: arith.bitcast {{.*}}sdy.sharding_rule = #sdy.op_sharding_rule<([i, j])->([i, j]) {i=4, j=8}>
  %33 = arith.bitcast %f : tensor<4x8xf32> to tensor<4x8xi32>
  // CHECK: arith.extf {{.*}}sdy.sharding_rule = #sdy.op_sharding_rule<([i, j])->([i, j]) {i=4, j=8}>
  %34 = arith.extf %f : tensor<4x8xf32> to tensor<4x8xf64>
  // CHECK: arith.truncf {{.*}}sdy.sharding_rule = #sdy.op_sharding_rule<([i, j])->([i, j]) {i=4, j=8}>
  %35 = arith.truncf %f : tensor<4x8xf32> to tensor<4x8xf16>
  // CHECK: arith.extsi {{.*}}sdy.sharding_rule = #sdy.op_sharding_rule<([i, j])->([i, j]) {i=4, j=8}>
  %36 = arith.extsi %i : tensor<4x8xi32> to tensor<4x8xi64>
  // CHECK: arith.extui {{.*}}sdy.sharding_rule = #sdy.op_sharding_rule<([i, j])->([i, j]) {i=4, j=8}>
  %37 = arith.extui %i : tensor<4x8xi32> to tensor<4x8xi64>
  // CHECK: arith.trunci {{.*}}sdy.sharding_rule = #sdy.op_sharding_rule<([i, j])->([i, j]) {i=4, j=8}>
  %38 = arith.trunci %i : tensor<4x8xi32> to tensor<4x8xi8>
  // CHECK: arith.fptosi {{.*}}sdy.sharding_rule = #sdy.op_sharding_rule<([i, j])->([i, j]) {i=4, j=8}>
  %39 = arith.fptosi %f : tensor<4x8xf32> to tensor<4x8xi32>
  // CHECK: arith.fptoui {{.*}}sdy.sharding_rule = #sdy.op_sharding_rule<([i, j])->([i, j]) {i=4, j=8}>
  %40 = arith.fptoui %f : tensor<4x8xf32> to tensor<4x8xi32>
  // CHECK: arith.sitofp {{.*}}sdy.sharding_rule = #sdy.op_sharding_rule<([i, j])->([i, j]) {i=4, j=8}>
  %41 = arith.sitofp %i : tensor<4x8xi32> to tensor<4x8xf32>
  // CHECK: arith.uitofp {{.*}}sdy.sharding_rule = #sdy.op_sharding_rule<([i, j])->([i, j]) {i=4, j=8}>
  %42 = arith.uitofp %i : tensor<4x8xi32> to tensor<4x8xf32>
  // CHECK: arith.index_cast {{.*}}sdy.sharding_rule = #sdy.op_sharding_rule<([i, j])->([i, j]) {i=4, j=8}>
  %43 = arith.index_cast %i : tensor<4x8xi32> to tensor<4x8xindex>
  // CHECK: arith.index_castui {{.*}}sdy.sharding_rule = #sdy.op_sharding_rule<([i, j])->([i, j]) {i=4, j=8}>
  %44 = arith.index_castui %i : tensor<4x8xi32> to tensor<4x8xindex>
  // CHECK: arith.scaling_extf {{.*}}sdy.sharding_rule = #sdy.op_sharding_rule<([i, j], [i, j])->([i, j]) {i=4, j=8}>
  %45 = arith.scaling_extf %h, %k : tensor<4x8xf4E2M1FN>, tensor<4x8xf8E8M0FNU> to tensor<4x8xf32>
  // CHECK: arith.scaling_truncf {{.*}}sdy.sharding_rule = #sdy.op_sharding_rule<([i, j], [i, j])->([i, j]) {i=4, j=8}>
  %46 = arith.scaling_truncf %f, %k : tensor<4x8xf32>, tensor<4x8xf8E8M0FNU> to tensor<4x8xf4E2M1FN>
  // CHECK: arith.mulsi_extended {{.*}}sdy.sharding_rule = #sdy.op_sharding_rule<([i, j], [i, j])->([i, j], [i, j]) {i=4, j=8}>
  %lo, %hi = arith.mulsi_extended %i, %j : tensor<4x8xi32>
  // CHECK: arith.mului_extended {{.*}}sdy.sharding_rule = #sdy.op_sharding_rule<([i, j], [i, j])->([i, j], [i, j]) {i=4, j=8}>
  %ul, %uh = arith.mului_extended %i, %j : tensor<4x8xi32>
  // CHECK: arith.addui_extended {{.*}}sdy.sharding_rule = #sdy.op_sharding_rule<([i, j], [i, j])->([i, j], [i, j]) {i=4, j=8}>
  %sum, %over = arith.addui_extended %i, %j : tensor<4x8xi32>, tensor<4x8xi1>
  return
}

// CHECK-LABEL: func.func @math(
func.func @math(%f: tensor<4x8xf32>, %g: tensor<4x8xf32>, %i: tensor<4x8xi32>, %j: tensor<4x8xi32>) {
  // CHECK: math.absf {{.*}}sdy.sharding_rule = #sdy.op_sharding_rule<([i, j])->([i, j]) {i=4, j=8}>
  %0 = math.absf %f : tensor<4x8xf32>
  // CHECK: math.acos {{.*}}sdy.sharding_rule = #sdy.op_sharding_rule<([i, j])->([i, j]) {i=4, j=8}>
  %1 = math.acos %f : tensor<4x8xf32>
  // CHECK: math.acosh {{.*}}sdy.sharding_rule = #sdy.op_sharding_rule<([i, j])->([i, j]) {i=4, j=8}>
  %2 = math.acosh %f : tensor<4x8xf32>
  // CHECK: math.asin {{.*}}sdy.sharding_rule = #sdy.op_sharding_rule<([i, j])->([i, j]) {i=4, j=8}>
  %3 = math.asin %f : tensor<4x8xf32>
  // CHECK: math.asinh {{.*}}sdy.sharding_rule = #sdy.op_sharding_rule<([i, j])->([i, j]) {i=4, j=8}>
  %4 = math.asinh %f : tensor<4x8xf32>
  // CHECK: math.atan {{.*}}sdy.sharding_rule = #sdy.op_sharding_rule<([i, j])->([i, j]) {i=4, j=8}>
  %5 = math.atan %f : tensor<4x8xf32>
  // CHECK: math.atanh {{.*}}sdy.sharding_rule = #sdy.op_sharding_rule<([i, j])->([i, j]) {i=4, j=8}>
  %6 = math.atanh %f : tensor<4x8xf32>
  // CHECK: math.cbrt {{.*}}sdy.sharding_rule = #sdy.op_sharding_rule<([i, j])->([i, j]) {i=4, j=8}>
  %7 = math.cbrt %f : tensor<4x8xf32>
  // CHECK: math.ceil {{.*}}sdy.sharding_rule = #sdy.op_sharding_rule<([i, j])->([i, j]) {i=4, j=8}>
  %8 = math.ceil %f : tensor<4x8xf32>
  // CHECK: math.cos {{.*}}sdy.sharding_rule = #sdy.op_sharding_rule<([i, j])->([i, j]) {i=4, j=8}>
  %9 = math.cos %f : tensor<4x8xf32>
  // CHECK: math.cosh {{.*}}sdy.sharding_rule = #sdy.op_sharding_rule<([i, j])->([i, j]) {i=4, j=8}>
  %10 = math.cosh %f : tensor<4x8xf32>
  // CHECK: math.erf {{.*}}sdy.sharding_rule = #sdy.op_sharding_rule<([i, j])->([i, j]) {i=4, j=8}>
  %11 = math.erf %f : tensor<4x8xf32>
  // CHECK: math.erfc {{.*}}sdy.sharding_rule = #sdy.op_sharding_rule<([i, j])->([i, j]) {i=4, j=8}>
  %12 = math.erfc %f : tensor<4x8xf32>
  // CHECK: math.exp {{.*}}sdy.sharding_rule = #sdy.op_sharding_rule<([i, j])->([i, j]) {i=4, j=8}>
  %13 = math.exp %f : tensor<4x8xf32>
  // CHECK: math.exp2 {{.*}}sdy.sharding_rule = #sdy.op_sharding_rule<([i, j])->([i, j]) {i=4, j=8}>
  %14 = math.exp2 %f : tensor<4x8xf32>
  // CHECK: math.expm1 {{.*}}sdy.sharding_rule = #sdy.op_sharding_rule<([i, j])->([i, j]) {i=4, j=8}>
  %15 = math.expm1 %f : tensor<4x8xf32>
  // CHECK: math.floor {{.*}}sdy.sharding_rule = #sdy.op_sharding_rule<([i, j])->([i, j]) {i=4, j=8}>
  %16 = math.floor %f : tensor<4x8xf32>
  // CHECK: math.log {{.*}}sdy.sharding_rule = #sdy.op_sharding_rule<([i, j])->([i, j]) {i=4, j=8}>
  %17 = math.log %f : tensor<4x8xf32>
  // CHECK: math.log10 {{.*}}sdy.sharding_rule = #sdy.op_sharding_rule<([i, j])->([i, j]) {i=4, j=8}>
  %18 = math.log10 %f : tensor<4x8xf32>
  // CHECK: math.log1p {{.*}}sdy.sharding_rule = #sdy.op_sharding_rule<([i, j])->([i, j]) {i=4, j=8}>
  %19 = math.log1p %f : tensor<4x8xf32>
  // CHECK: math.log2 {{.*}}sdy.sharding_rule = #sdy.op_sharding_rule<([i, j])->([i, j]) {i=4, j=8}>
  %20 = math.log2 %f : tensor<4x8xf32>
  // CHECK: math.round {{.*}}sdy.sharding_rule = #sdy.op_sharding_rule<([i, j])->([i, j]) {i=4, j=8}>
  %21 = math.round %f : tensor<4x8xf32>
  // CHECK: math.roundeven {{.*}}sdy.sharding_rule = #sdy.op_sharding_rule<([i, j])->([i, j]) {i=4, j=8}>
  %22 = math.roundeven %f : tensor<4x8xf32>
  // CHECK: math.rsqrt {{.*}}sdy.sharding_rule = #sdy.op_sharding_rule<([i, j])->([i, j]) {i=4, j=8}>
  %23 = math.rsqrt %f : tensor<4x8xf32>
  // CHECK: math.sin {{.*}}sdy.sharding_rule = #sdy.op_sharding_rule<([i, j])->([i, j]) {i=4, j=8}>
  %24 = math.sin %f : tensor<4x8xf32>
  // CHECK: math.sinh {{.*}}sdy.sharding_rule = #sdy.op_sharding_rule<([i, j])->([i, j]) {i=4, j=8}>
  %25 = math.sinh %f : tensor<4x8xf32>
  // CHECK: math.sqrt {{.*}}sdy.sharding_rule = #sdy.op_sharding_rule<([i, j])->([i, j]) {i=4, j=8}>
  %26 = math.sqrt %f : tensor<4x8xf32>
  // CHECK: math.tan {{.*}}sdy.sharding_rule = #sdy.op_sharding_rule<([i, j])->([i, j]) {i=4, j=8}>
  %27 = math.tan %f : tensor<4x8xf32>
  // CHECK: math.tanh {{.*}}sdy.sharding_rule = #sdy.op_sharding_rule<([i, j])->([i, j]) {i=4, j=8}>
  %28 = math.tanh %f : tensor<4x8xf32>
  // CHECK: math.trunc {{.*}}sdy.sharding_rule = #sdy.op_sharding_rule<([i, j])->([i, j]) {i=4, j=8}>
  %29 = math.trunc %f : tensor<4x8xf32>
  // CHECK: math.isfinite {{.*}}sdy.sharding_rule = #sdy.op_sharding_rule<([i, j])->([i, j]) {i=4, j=8}>
  %30 = math.isfinite %f : tensor<4x8xf32>
  // CHECK: math.isinf {{.*}}sdy.sharding_rule = #sdy.op_sharding_rule<([i, j])->([i, j]) {i=4, j=8}>
  %31 = math.isinf %f : tensor<4x8xf32>
  // CHECK: math.isnan {{.*}}sdy.sharding_rule = #sdy.op_sharding_rule<([i, j])->([i, j]) {i=4, j=8}>
  %32 = math.isnan %f : tensor<4x8xf32>
  // CHECK: math.isnormal {{.*}}sdy.sharding_rule = #sdy.op_sharding_rule<([i, j])->([i, j]) {i=4, j=8}>
  %33 = math.isnormal %f : tensor<4x8xf32>
  // CHECK: math.atan2 {{.*}}sdy.sharding_rule = #sdy.op_sharding_rule<([i, j], [i, j])->([i, j]) {i=4, j=8}>
  %34 = math.atan2 %f, %g : tensor<4x8xf32>
  // CHECK: math.copysign {{.*}}sdy.sharding_rule = #sdy.op_sharding_rule<([i, j], [i, j])->([i, j]) {i=4, j=8}>
  %35 = math.copysign %f, %g : tensor<4x8xf32>
  // CHECK: math.powf {{.*}}sdy.sharding_rule = #sdy.op_sharding_rule<([i, j], [i, j])->([i, j]) {i=4, j=8}>
  %36 = math.powf %f, %g : tensor<4x8xf32>
  // CHECK: math.absi {{.*}}sdy.sharding_rule = #sdy.op_sharding_rule<([i, j])->([i, j]) {i=4, j=8}>
  %37 = math.absi %i : tensor<4x8xi32>
  // CHECK: math.ctlz {{.*}}sdy.sharding_rule = #sdy.op_sharding_rule<([i, j])->([i, j]) {i=4, j=8}>
  %38 = math.ctlz %i : tensor<4x8xi32>
  // CHECK: math.ctpop {{.*}}sdy.sharding_rule = #sdy.op_sharding_rule<([i, j])->([i, j]) {i=4, j=8}>
  %39 = math.ctpop %i : tensor<4x8xi32>
  // CHECK: math.cttz {{.*}}sdy.sharding_rule = #sdy.op_sharding_rule<([i, j])->([i, j]) {i=4, j=8}>
  %40 = math.cttz %i : tensor<4x8xi32>
  // CHECK: math.ipowi {{.*}}sdy.sharding_rule = #sdy.op_sharding_rule<([i, j], [i, j])->([i, j]) {i=4, j=8}>
  %41 = math.ipowi %i, %j : tensor<4x8xi32>
  // CHECK: math.fpowi {{.*}}sdy.sharding_rule = #sdy.op_sharding_rule<([i, j], [i, j])->([i, j]) {i=4, j=8}>
  %42 = math.fpowi %f, %i : tensor<4x8xf32>, tensor<4x8xi32>
  // CHECK: math.fma {{.*}}sdy.sharding_rule = #sdy.op_sharding_rule<([i, j], [i, j], [i, j])->([i, j]) {i=4, j=8}>
  %43 = math.fma %f, %g, %f : tensor<4x8xf32>
  // CHECK: math.clampf {{.*}}sdy.sharding_rule = #sdy.op_sharding_rule<([i, j], [i, j], [i, j])->([i, j]) {i=4, j=8}>
  %44 = math.clampf %f to [%f, %g] : tensor<4x8xf32>
  // CHECK: math.sincos {{.*}}sdy.sharding_rule = #sdy.op_sharding_rule<([i, j])->([i, j], [i, j]) {i=4, j=8}>
  %s, %c = math.sincos %f : tensor<4x8xf32>
  return
}
