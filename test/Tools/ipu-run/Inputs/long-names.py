"""Prints a model whose input and output have names of 400 letters."""

x, y = "i" * 400, "o" * 400
print(f"""
func.func @main(%x: tensor<4x3xf32> {{pop.name = "{x}"}})
    -> (tensor<4x3xf32> {{pop.name = "{y}"}}) {{
  %0 = pop.add %x, %x : (tensor<4x3xf32>, tensor<4x3xf32>) -> tensor<4x3xf32>
  return %0 : tensor<4x3xf32>
}}""")
