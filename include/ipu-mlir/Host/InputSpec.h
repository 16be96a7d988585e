//===- InputSpec.h - Specifications of a program's inputs -------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The inputs of a program are specified in the form `NAME=VALUE`. NAME is an
// input or `*`. VALUE is a file, `zeros`, `ones`, `ramp` or `random:SEED`.
//
//===----------------------------------------------------------------------===//

#ifndef IPU_MLIR_HOST_INPUTSPEC_H
#define IPU_MLIR_HOST_INPUTSPEC_H

#include "ipu-mlir/Host/HostTensor.h"
#include "llvm/Support/Error.h"
#include <optional>
#include <string>

namespace mlir::ipu {

/// The rules that generate the elements of an input:
/// - Zeros, Ones: all elements are 0 (false) or 1 (true).
/// - Ramp: of n elements, element i is i / n, rounded to double and then to the
///   element type. For integers, element i is i, wrapped to the type.
/// - Random: element i of the input `name` is made from the 64 bits r = mix(s +
///   (i + 1) * 0x9E3779B97F4A7C15), with s = mix(seed) ^ fnv1a64(name). Here,
///   mix is the output function of SplitMix64, so r is the ith value of
///   SplitMix64 with start s. The top k bits of r are a number b, from which
///   the element is computed; k depends on the element type. For a float with
///   precision p, k = p and the element is b * 2^(1 - p) - 1, which is uniform
///   in [-1, 1) and exact. For an i1, k = 1 and the element is b. For any other
///   integer, k = 4, and the element is b if the type is unsigned, and b - 8 if
///   the type is signed. The sequence of elements is part of the interface and
///   does not change.
enum class InputGenerator { Zeros, Ones, Ramp, Random };

struct InputSpec {
  /// The name of an input, or `*` for all inputs that no other specification
  /// names and that have no default value.
  std::string name;
  /// The path of a .npy or .pb file. It is empty if a rule generates the
  /// elements.
  std::string file;
  InputGenerator generator = InputGenerator::Zeros;
  uint64_t seed = 0;
};

/// An input of a program. Its type is the type of the host's tensor.
struct ProgramInput {
  std::string name;
  RankedTensorType type;
  /// The number of tensors that one run of the program moves to the device.
  int64_t hostTransfers = 1;
  /// The number of leading dimensions that only the host's tensor has, and that
  /// the tensor in the program does not have: a dimension for host transfers if
  /// there are several, followed by a dimension for replicas if there are
  /// several.
  int64_t numHostDims = 0;
  /// This flag is set if the host may omit the input, because the input has a
  /// default value or consists of seeds.
  bool hasDefault = false;
};

/// Splits `NAME=FILE`. Both NAME and FILE may contain `=`. If there are several
/// ways to split the text, chooses the way whose file exists, or the first way
/// if no file exists. Fails if the files of several ways exist.
llvm::Expected<std::pair<StringRef, StringRef>>
splitNameAndFile(StringRef text);

/// Parses a specification. If VALUE is not a file, the last `=` separates NAME
/// and VALUE. Otherwise, splitNameAndFile() splits the text.
llvm::Expected<InputSpec> parseInputSpec(StringRef text);

/// Checks that each specification names an input or is `*`, that no two
/// specifications have the same name, and that each input without a default
/// value has a specification. The specification of an input is the
/// specification with its name or, if there is no such specification, `*`.
llvm::Error checkInputSpecs(ArrayRef<InputSpec> specs,
                            ArrayRef<ProgramInput> inputs);

/// Returns the tensor of `type` that `spec` generates for the input `name`.
/// `spec` must not name a file. Fails if the tensor is too large, or if host
/// tensors cannot have its element type.
llvm::Expected<HostTensor> generateInput(const InputSpec &spec, StringRef name,
                                         RankedTensorType type);

/// Fails if `tensor` does not have the shape and element type of `type`. In the
/// error, `what` names the tensor; an example is "input 'x'".
llvm::Error checkTensorType(StringRef what, const HostTensor &tensor,
                            RankedTensorType type);

/// Fails if a stream of `type` cannot receive `tensor`. If the program has
/// several host transfers, the first dimension of the tensor may be larger than
/// the number of host transfers. The error states whether the first
/// `numHostDims` dimensions of `type` are for host transfers, replicas or both.
llvm::Error checkStreamTensor(StringRef what, const HostTensor &tensor,
                              RankedTensorType type, int64_t hostTransfers,
                              int64_t numHostDims);

/// Returns the values of all inputs, in order. The value is std::nullopt for an
/// input that keeps its default value. `readFile` reads the files. If an input
/// has several host transfers, the first dimension of the tensor in its file
/// may be larger than in the type of the input.
llvm::Expected<std::vector<std::optional<HostTensor>>> resolveInputs(
    ArrayRef<InputSpec> specs, ArrayRef<ProgramInput> inputs,
    function_ref<llvm::Expected<HostTensor>(StringRef file)> readFile);

} // namespace mlir::ipu

#endif // IPU_MLIR_HOST_INPUTSPEC_H
