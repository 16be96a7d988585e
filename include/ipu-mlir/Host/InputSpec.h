//===- InputSpec.h - Specifications of a program's inputs -------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Specifications have the form `NAME=VALUE`. VALUE is a file, `zeros`, `ones`,
// `ramp` or `random:SEED`, and NAME is an input or `*`.
//
//===----------------------------------------------------------------------===//

#ifndef IPU_MLIR_HOST_INPUTSPEC_H
#define IPU_MLIR_HOST_INPUTSPEC_H

#include "ipu-mlir/Host/HostTensor.h"
#include "llvm/Support/Error.h"
#include <optional>
#include <string>

namespace mlir::ipu {

/// Rules for elements.
/// - Zeros, Ones: 0 or 1 (false or true).
/// - Ramp: of n elements, the ith is i / n, rounded to double and then to the
///   element type. Integers are i, wrapped to the type.
/// - Random: element i of the input `name` is made from the 64 bits r = mix(s +
///   (i + 1) * 0x9E3779B97F4A7C15), with s = mix(seed) ^ fnv1a64(name). Here,
///   mix is the output function of SplitMix64, so r is the ith value of
///   SplitMix64 with start s. The element is made from the top k bits of r. For
///   a float with precision p, k = p and the element is bits * 2^(1 - p) - 1,
///   which is uniform in [-1, 1) and exact. For an integer, k = 4, and the
///   element is the bits, less 8 if the type is signed. For an i1, k = 1. The
///   sequence is part of the interface and does not change.
enum class InputGenerator { Zeros, Ones, Ramp, Random };

struct InputSpec {
  /// The name of an input, or `*` for all inputs that no other specification
  /// names and that have no default value.
  std::string name;
  /// A .npy or .pb file. Empty if a rule gives the elements.
  std::string file;
  InputGenerator generator = InputGenerator::Zeros;
  uint64_t seed = 0;
};

/// An input of a program. The type is the type of the host's tensor.
struct ProgramInput {
  std::string name;
  RankedTensorType type;
  /// The number of tensors that a run moves.
  int64_t hostTransfers = 1;
  /// The number of dimensions that are added before the dimensions of the
  /// program: for host transfers, then for replicas.
  int64_t numHostDims = 0;
  /// Whether the input has a default value.
  bool hasDefault = false;
};

/// Splits `NAME=FILE`. Names of tensors and paths may contain `=`. Of several
/// ways to split the text, the function chooses the way whose file exists, or
/// the first way if no file exists. Fails if several files exist.
llvm::Expected<std::pair<StringRef, StringRef>>
splitNameAndFile(StringRef text);

/// If VALUE is not a file, the last `=` ends NAME. Otherwise, see
/// splitNameAndFile().
llvm::Expected<InputSpec> parseInputSpec(StringRef text);

/// Fails unless these conditions hold: each input without a default value is
/// named once, by a specification of its own or by `*`; other inputs are named
/// at most once; each specification names an input.
llvm::Error checkInputSpecs(ArrayRef<InputSpec> specs,
                            ArrayRef<ProgramInput> inputs);

/// The tensor that `spec`, which is not a file, specifies for an input. Fails
/// if `type` is too large.
llvm::Expected<HostTensor> generateInput(const InputSpec &spec, StringRef name,
                                         RankedTensorType type);

/// Fails if `tensor` does not have the shape and element type of `type`. `what`
/// names the tensor, such as "input 'x'".
llvm::Error checkTensorType(StringRef what, const HostTensor &tensor,
                            RankedTensorType type);

/// Fails if `tensor` cannot be given to a stream of `type`. With host
/// transfers, the tensor may have more of them than the program. The error
/// describes the first `numHostDims` dimensions.
llvm::Error checkStreamTensor(StringRef what, const HostTensor &tensor,
                              RankedTensorType type, int64_t hostTransfers,
                              int64_t numHostDims);

/// The values of all inputs, in order. An input that keeps its default value
/// has none. `readFile` reads the files. The tensor in a file for an input with
/// several host transfers may be longer than the type.
llvm::Expected<std::vector<std::optional<HostTensor>>> resolveInputs(
    ArrayRef<InputSpec> specs, ArrayRef<ProgramInput> inputs,
    function_ref<llvm::Expected<HostTensor>(StringRef file)> readFile);

} // namespace mlir::ipu

#endif // IPU_MLIR_HOST_INPUTSPEC_H
