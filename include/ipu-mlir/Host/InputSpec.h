//===- InputSpec.h - Specifications of a program's inputs -------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// `NAME=VALUE`, where VALUE is a file, `zeros`, `ones`, `ramp` or
// `random:SEED`, and NAME an input or `*`.
//
//===----------------------------------------------------------------------===//

#ifndef IPU_MLIR_HOST_INPUTSPEC_H
#define IPU_MLIR_HOST_INPUTSPEC_H

#include "ipu-mlir/Host/HostTensor.h"
#include "llvm/Support/Error.h"
#include <optional>
#include <string>

namespace mlir::ipu {

/// Elements by rule.
///
/// - Zeros, Ones: 0 or 1 (false or true).
/// - Ramp: of n elements, the ith is i / n, rounded to double and then to the
///   element type; integers are i, wrapped to the type.
/// - Random: element i of the input `name` is made from the 64 bits
///   r = mix(s + (i + 1) * 0x9E3779B97F4A7C15), with s = mix(seed) ^
///   fnv1a64(name), where mix is SplitMix64's output function: the ith value of
///   SplitMix64 started at s. Of r's top bits, k are used: k = the precision p
///   of a float, which is then k * 2^(1 - p) - 1, uniform in [-1, 1) and exact;
///   4 of an integer, which is k, less 8 if signed; 1 of an i1. The sequence is
///   part of the interface: it does not change.
enum class InputGenerator { Zeros, Ones, Ramp, Random };

struct InputSpec {
  /// Name of an input, or `*`: all inputs that no other spec names and that
  /// have no default value.
  std::string name;
  /// A .npy or .pb file; empty if a rule gives the elements.
  std::string file;
  InputGenerator generator = InputGenerator::Zeros;
  uint64_t seed = 0;
};

/// An input of a program; the type is that of the host's tensor.
struct ProgramInput {
  std::string name;
  RankedTensorType type;
  /// How many tensors a run takes or gives.
  int64_t hostTransfers = 1;
  /// Dimensions of the type in front of the program's own: for host transfers,
  /// then for replicas.
  int64_t numHostDims = 0;
  /// Whether it has a value where the host gives none.
  bool hasDefault = false;
};

/// Splits `NAME=FILE`. Names of tensors and paths may contain `=`: of several
/// ways to split, the one whose file exists is meant, and else the first. Fails
/// if several files exist.
llvm::Expected<std::pair<StringRef, StringRef>>
splitNameAndFile(StringRef text);

/// Where VALUE is no file, the last `=` ends NAME; else see splitNameAndFile().
llvm::Expected<InputSpec> parseInputSpec(StringRef text);

/// Fails unless each input without a default value is named once, by a spec of
/// its own or by `*`, others at most once, and each spec names an input.
llvm::Error checkInputSpecs(ArrayRef<InputSpec> specs,
                            ArrayRef<ProgramInput> inputs);

/// The tensor that `spec`, not a file, says for an input. Fails if `type` is
/// too big.
llvm::Expected<HostTensor> generateInput(const InputSpec &spec, StringRef name,
                                         RankedTensorType type);

/// Fails unless `tensor` has the shape and element type that `type` says.
/// `what` names the tensor, as "input 'x'".
llvm::Error checkTensorType(StringRef what, const HostTensor &tensor,
                            RankedTensorType type);

/// Fails unless `tensor` may be given to a stream of `type`: with host
/// transfers there may be more than the program has. The error says what the
/// first `numHostDims` dimensions are.
llvm::Error checkStreamTensor(StringRef what, const HostTensor &tensor,
                              RankedTensorType type, int64_t hostTransfers,
                              int64_t numHostDims);

/// Values of all inputs, in their order, none for those that keep their default
/// value; `readFile` reads the files. What a file holds for an input with
/// several host transfers may be longer than the type says.
llvm::Expected<std::vector<std::optional<HostTensor>>> resolveInputs(
    ArrayRef<InputSpec> specs, ArrayRef<ProgramInput> inputs,
    function_ref<llvm::Expected<HostTensor>(StringRef file)> readFile);

} // namespace mlir::ipu

#endif // IPU_MLIR_HOST_INPUTSPEC_H
