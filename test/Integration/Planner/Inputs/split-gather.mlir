module attributes {ipu.target = #ipu.target<"c600", {tiles = 6 : i64}>,
                   pop.stochastic_rounding = #pop.stochastic_rounding<counter>} {
  func.func @main(%table: tensor<300x100xf16> {pop.name = "table"},
                  %rows: tensor<200xi32> {pop.name = "rows"}) -> (tensor<200x100xf16> {pop.name = "y"}) {
    %0 = pop.gather %table, %rows : (tensor<300x100xf16>, tensor<200xi32>) -> tensor<200x100xf16>
    %third = pop.constant dense<0.333> : tensor<f16>
    %1 = pop.mul %0, %third : (tensor<200x100xf16>, tensor<f16>) -> tensor<200x100xf16>
    return %1 : tensor<200x100xf16>
  }
}
