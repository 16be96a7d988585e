//===- Quantization.h - Quantised numbers of ONNX ---------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A quantised number q stands for (q - zero point) * scale.
//
//===----------------------------------------------------------------------===//

#ifndef IPU_MLIR_LIB_FRONTEND_ONNX_QUANTIZATION_H
#define IPU_MLIR_LIB_FRONTEND_ONNX_QUANTIZATION_H

#include "Importer.h"

namespace mlir::ipu::onnx {

/// A scale and a zero point, in shapes that broadcast to the quantised numbers.
/// A null zero point is 0.
struct Quantization {
  Value scale, zeroPoint;
  /// The ONNX type of the quantised numbers.
  int32_t elementType = proto::TensorProto::UINT8;
};

/// Returns the quantisation by operand `input` and the zero point that follows
/// it. Both are scalars, or have an element for each position of `axis` of
/// `x`, or for each block of this axis.
Quantization getQuantization(Node &node, size_t input, Value x,
                             int64_t blockSize = 0);

/// Returns the quantisation by scalar operands.
Quantization getScalarQuantization(Node &node, size_t input);

/// Returns the numbers for which `x` stands, in `type`.
Value dequantize(Node &node, Value x, const Quantization &quantization,
                 Type type);

/// Quantises the quotients of numbers and their scale: rounds them to nearest,
/// adds the zero point, and saturates.
Value quantizeQuotients(Node &node, Value quotients,
                        const Quantization &quantization,
                        bool saturates = true);

/// Returns the quantised numbers that are next to those of `x`.
Value quantize(Node &node, Value x, const Quantization &quantization);

/// Returns the integers of `x` minus the zero point, which may be null, in 32
/// bits.
Value subtractZeroPoint(Node &node, Value x, Value zeroPoint);

/// Returns an operand that is a scalar, or has one element, in rank 0. Returns
/// null if the node does not have the operand.
Value getOptionalScalar(Node &node, size_t input);

/// Returns such an operand. Fails if the node does not have it.
Value getScalar(Node &node, size_t input);

/// Numbers that are quantised by their own range.
struct DynamicQuantization {
  Value value;
  Quantization quantization;
};
/// Quantises to the integers 0 to 255 such that the range of `x`, extended to
/// 0, becomes this range.
DynamicQuantization quantizeDynamically(Node &node, Value x);

/// Returns the product of two matrices of integers minus their zero points, in
/// 32 bits. The zero points are the operands with these numbers, which may be
/// absent: one for each row of `a`, and one for each column of `b`.
Value multiplyIntegers(Node &node, Value a, Value b, size_t firstZeroPoint,
                       size_t secondZeroPoint);

void importDequantizeLinear(Node &node);
void importQuantizeLinear(Node &node);

} // namespace mlir::ipu::onnx

#endif // IPU_MLIR_LIB_FRONTEND_ONNX_QUANTIZATION_H
