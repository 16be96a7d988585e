"""Prints a model whose input and output have names of 400 letters."""

print(f"""
func.func @main(%x: tensor<4x3xf32> {{pop.name = "{"i" * 400}"}}) -> (tensor<4x3xf32> {{pop.name = "{"o" * 400}"}}) {{
  %0 = pop.add %x, %x : (tensor<4x3xf32>, tensor<4x3xf32>) -> tensor<4x3xf32>
  return %0 : tensor<4x3xf32>
}}""")
