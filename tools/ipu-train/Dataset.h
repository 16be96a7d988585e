//===- Dataset.h - Samples for training and tests ---------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef IPU_MLIR_TOOLS_IPU_TRAIN_DATASET_H
#define IPU_MLIR_TOOLS_IPU_TRAIN_DATASET_H

#include "ipu-mlir/Host/HostTensor.h"
#include "llvm/Support/Error.h"
#include <string>
#include <vector>

namespace mlir::ipu::train {

/// An input of a model for each sample.
struct SampleInput {
  std::string name;
  /// The type for a part of a batch on a replica. Its first dimension is the
  /// number of samples.
  RankedTensorType type;
};

/// Arrays with the same number of samples, in the types of a model's inputs.
class Dataset {
public:
  /// Reads a .npz file. Fails, with an error that names the file, if it cannot
  /// be read.
  static llvm::Expected<Dataset> read(StringRef path, MLIRContext *context);

  StringRef getPath() const { return path; }
  /// The names of all arrays, in the order of the file.
  std::vector<std::string> getNames() const;
  /// A hash of the bytes of the file.
  uint64_t getHash() const { return hash; }

  /// Keeps the arrays of `inputs`, and converts them to the element types of
  /// `inputs`. Fails if an array is missing, does not fit, or has a float that
  /// is not finite.
  llvm::Error bind(ArrayRef<SampleInput> inputs);
  /// Fails if a label in this array is not from 0 to `classes` - 1.
  llvm::Error checkLabels(StringRef name, int64_t classes) const;

  bool hasArray(StringRef name) const;
  int64_t getNumSamples() const { return numSamples; }
  /// The samples `rows` of an array, one after the other, as a tensor of
  /// `type`.
  HostTensor gather(StringRef name, ArrayRef<int64_t> rows,
                    RankedTensorType type) const;

private:
  llvm::Error makeError(const Twine &message) const;
  llvm::Error bindArray(const SampleInput &input, HostTensor &array);

  std::string path;
  uint64_t hash = 0;
  std::vector<NamedTensor> arrays;
  int64_t numSamples = 0;
};

/// The order of the samples of an epoch. It is a random permutation by Fisher
/// and Yates with numbers of SplitMix64, which depend on the seed.
std::vector<int64_t> shuffle(int64_t numSamples, uint64_t seed, int64_t epoch);

/// A hash of numbers. One of them may be a seed.
uint64_t hashNumbers(ArrayRef<uint64_t> numbers);

} // namespace mlir::ipu::train

#endif // IPU_MLIR_TOOLS_IPU_TRAIN_DATASET_H
