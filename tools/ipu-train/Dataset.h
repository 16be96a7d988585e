//===- Dataset.h - Samples for training and tests ---------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef IPU_MLIR_TOOLS_IPU_TRAIN_DATASET_H
#define IPU_MLIR_TOOLS_IPU_TRAIN_DATASET_H

#include "Options.h"
#include "ipu-mlir/Host/HostTensor.h"
#include "llvm/Support/Error.h"
#include <string>
#include <vector>

namespace mlir::ipu::train {

/// An input of a model that has a value for each sample.
struct SampleInput {
  std::string name;
  /// The type of the input for one part of a batch on one replica. Its first
  /// dimension is the number of samples.
  RankedTensorType type;
  /// The number N of rows from which integers of this input select, as ONNX
  /// does: from -N to N - 1.
  std::optional<int64_t> rows = {};
};

/// Arrays with the same number of samples. After bind(), they have the element
/// types of a model's inputs.
class Dataset {
public:
  /// Reads a .npz file. Fails, with an error that names the file, if it cannot
  /// be read.
  static llvm::Expected<Dataset> read(StringRef path, MLIRContext *context);

  StringRef getPath() const { return path; }
  /// Returns the names of all arrays, in the order of the file.
  std::vector<std::string> getNames() const;
  /// Returns a hash of the bytes of the file.
  uint64_t getHash() const { return hash; }

  /// Keeps the arrays of `inputs`, and converts them to the element types of
  /// `inputs`. Fails if an array is missing, does not fit, or has a float that
  /// is not finite or an index of no row.
  llvm::Error bind(ArrayRef<SampleInput> inputs);
  /// Fails if a label in this array is neither from 0 to `classes` - 1 nor
  /// ignored.
  llvm::Error checkLabels(StringRef name, int64_t classes,
                          const LabelWeights &weights) const;
  /// Sums up the weights of the labels of each sample for getWeight().
  void weighLabels(StringRef name, const LabelWeights &weights);
  /// Fails if a target of a binary cross entropy in this array, which is of
  /// floats, is not from 0 to 1.
  llvm::Error checkBits(StringRef name) const;

  bool hasArray(StringRef name) const;
  int64_t getNumSamples() const { return numSamples; }
  /// Returns the sum of the weights of the labels of the samples `rows`.
  double getWeight(ArrayRef<int64_t> rows) const;
  /// Returns the samples `rows` of an array, one after the other, as a tensor
  /// of `type`.
  HostTensor gather(StringRef name, ArrayRef<int64_t> rows,
                    RankedTensorType type) const;

private:
  /// The bound array `name`.
  const NamedTensor &getArray(StringRef name) const;
  llvm::Error makeError(const Twine &message) const;
  /// Fails unless the integers of an array are from `least` to `most`, or
  /// `other`. `what` says what they are.
  llvm::Error checkIntegers(const NamedTensor &array, StringRef what,
                            int64_t least, int64_t most,
                            std::optional<int64_t> other = {}) const;
  llvm::Error bindArray(const SampleInput &input, HostTensor &array);

  std::string path;
  uint64_t hash = 0;
  std::vector<NamedTensor> arrays;
  int64_t numSamples = 0;
  std::vector<double> sampleWeights;
};

/// Returns the order of the samples of an epoch. It is a random permutation,
/// which the algorithm of Fisher and Yates makes from numbers of SplitMix64. It
/// depends on the seed and the epoch.
std::vector<int64_t> shuffle(int64_t numSamples, uint64_t seed, int64_t epoch);

/// Returns a hash of numbers, one of which may be a seed.
uint64_t hashNumbers(ArrayRef<uint64_t> numbers);

} // namespace mlir::ipu::train

#endif // IPU_MLIR_TOOLS_IPU_TRAIN_DATASET_H
