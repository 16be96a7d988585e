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

/// What a model takes for each sample.
struct SampleInput {
  std::string name;
  /// Of a part of a batch on a replica: the first dimension is that of samples.
  RankedTensorType type;
};

/// Arrays of equally many samples, in the types that a model takes.
class Dataset {
public:
  /// Reads a .npz file. Fails, naming the file, if it cannot be read.
  static llvm::Expected<Dataset> read(StringRef path, MLIRContext *context);

  StringRef getPath() const { return path; }
  /// The names of all arrays, in the order of the file.
  std::vector<std::string> getNames() const;
  /// Of the bytes of the file.
  uint64_t getHash() const { return hash; }

  /// Keeps the arrays of `inputs` and makes them of their element types. Fails
  /// if one is missing, does not fit, or has a float that is not finite.
  llvm::Error bind(ArrayRef<SampleInput> inputs);
  /// Fails unless labels, of that array, are from 0 to `classes` - 1.
  llvm::Error checkLabels(StringRef name, int64_t classes) const;

  bool hasArray(StringRef name) const;
  int64_t getNumSamples() const { return numSamples; }
  /// The samples `rows` of an array as a tensor of `type`, whose elements are
  /// those of the samples one after the other.
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

/// The order of the samples of an epoch, which follows from the seed: a random
/// permutation by Fisher and Yates, with numbers of SplitMix64.
std::vector<int64_t> shuffle(int64_t numSamples, uint64_t seed, int64_t epoch);

/// A hash of numbers, one of which may be a seed.
uint64_t hashNumbers(ArrayRef<uint64_t> numbers);

} // namespace mlir::ipu::train

#endif // IPU_MLIR_TOOLS_IPU_TRAIN_DATASET_H
