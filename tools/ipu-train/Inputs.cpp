//===- Inputs.cpp - Inputs of programs ------------------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Inputs.h"

#include "ipu-mlir/Host/HostElements.h"

using namespace mlir;
using namespace mlir::ipu;
using namespace mlir::ipu::train;

/// Returns a tensor with the bits that `getBits` gives for each element.
static HostTensor makeTensor(RankedTensorType type,
                             function_ref<uint64_t(int64_t)> getBits) {
  Type element = type.getElementType();
  int64_t size = getElementBytes(element);
  HostTensor tensor{type, HostBytes(*getTensorBytes(type))};
  for (int64_t i = 0; i < type.getNumElements(); ++i)
    storeBits(element, getBits(i), tensor.data.data() + i * size);
  return tensor;
}

TensorMap train::makeInputs(const Session &session, const Dataset &data,
                            const InputsOfRun &run) {
  TensorMap inputs;
  for (const SessionTensor &input : session.getInputs()) {
    if (input.name == kSeedName)
      inputs[input.name] = makeTensor(input.type, [&](int64_t i) {
        return hashNumbers({run.seed, static_cast<uint64_t>(run.update),
                            static_cast<uint64_t>(i), /*of=*/1});
      });
    else if (input.name == kFactorName)
      inputs[input.name] = makeTensor(input.type, [&](int64_t) {
        return encodeFloat(cast<FloatType>(input.type.getElementType()),
                           run.factor);
      });
    else if (!input.hasDefault)
      inputs[input.name] = data.gather(input.name, run.rows, input.type);
  }
  return inputs;
}
