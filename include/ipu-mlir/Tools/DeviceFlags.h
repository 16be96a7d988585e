//===- DeviceFlags.h - Flags of a model and its device ----------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The common flags of all tools that run models, and helpers for other flags.
//
//===----------------------------------------------------------------------===//

#ifndef IPU_MLIR_TOOLS_DEVICEFLAGS_H
#define IPU_MLIR_TOOLS_DEVICEFLAGS_H

#include "ipu-mlir/Tools/Model.h"
#include "llvm/Support/CommandLine.h"

namespace mlir::ipu::tools {

/// The options for the execution of a program. Apart from the seed, these
/// options do not affect results.
struct DeviceOptions {
  unsigned threads = 1;
  /// The folder of the cache of kernels; empty if there is no cache.
  std::string cacheFolder;
  /// The seed of random number generators.
  uint64_t seed = 0;
  bool allowOutOfMemory = false;
};

/// Returns the folder of the cache of kernels if no option states it. It is
/// empty if the user has no folder for caches.
std::string getDefaultCacheFolder();

/// The flags of models and devices, as text. ModelOptions and DeviceOptions
/// contain the parsed values of the flags.
struct DeviceFlags {
  explicit DeviceFlags(llvm::cl::OptionCategory &category)
      : category(category) {}

  /// Parses the flags into `model` and `device`, which must have their default
  /// values.
  llvm::Error parse(ModelOptions &model, DeviceOptions &device) const;

  llvm::cl::OptionCategory &category;
  llvm::cl::opt<std::string> model{
      llvm::cl::Positional, llvm::cl::desc("MODEL"), llvm::cl::cat(category)};
  llvm::cl::list<std::string> dims{
      "dim", llvm::cl::value_desc("NAME=N"),
      llvm::cl::desc("Size of a symbolic dimension (ONNX); INPUT#INDEX=N is "
                     "the size of a dimension of one input"),
      llvm::cl::cat(category)};
  llvm::cl::list<std::string> maxTrips{
      "max-trips", llvm::cl::value_desc("NAME=N"),
      llvm::cl::desc("Greatest number of iterations of a Loop (ONNX) whose "
                     "number of iterations is not known before a run"),
      llvm::cl::cat(category)};
  llvm::cl::list<std::string> maxSizes{
      "max-size", llvm::cl::value_desc("NAME=N"),
      llvm::cl::desc("Size of the result of a node (ONNX), such as NonZero, "
                     "whose size is not known before a run"),
      llvm::cl::cat(category)};
  llvm::cl::opt<std::string> randomizeWeights{
      "randomize-weights", llvm::cl::value_desc("SEED"),
      llvm::cl::desc("Give weights without a value (ONNX) random values"),
      llvm::cl::cat(category)};
  llvm::cl::list<std::string> constants{
      "constant", llvm::cl::value_desc("NAME=VALUE"),
      llvm::cl::desc("Make an input a constant (ONNX): a .npy or .pb file, or "
                     "a value such as [2, 3]"),
      llvm::cl::cat(category)};
  llvm::cl::opt<std::string> target{
      "target", llvm::cl::value_desc("NAME,KEY=VALUE..."),
      llvm::cl::desc("Target instead of the model's target: gc2, gc200, bow or "
                     "c600, and constants with other values, such as tiles=64"),
      llvm::cl::cat(category)};
  llvm::cl::opt<std::string> replicas{
      "replicas", llvm::cl::value_desc("N"),
      llvm::cl::desc(
          "Number of replicas, 1 to 1024; the same as --target replicas=N"),
      llvm::cl::cat(category)};
  llvm::cl::opt<std::string> ipus{
      "ipus", llvm::cl::value_desc("N"),
      llvm::cl::desc("Number of IPUs of a replica, 1 to 1024; the same as "
                     "--target ipus=N"),
      llvm::cl::cat(category)};
  llvm::cl::list<std::string> placements{
      "place", llvm::cl::value_desc("PATTERN=IPU"),
      llvm::cl::desc("Place the nodes and variables that a pattern, such as "
                     "layer1*, matches on an IPU of a replica"),
      llvm::cl::cat(category)};
  llvm::cl::opt<std::string> placement{
      "placement", llvm::cl::value_desc("KIND"),
      llvm::cl::desc(
          "Use of several IPUs: 'spread' divides each op over all IPUs, "
          "'layers' places each op on one IPU, and 'auto' takes the faster of "
          "both (default with --ipus: auto)"),
      llvm::cl::cat(category)};
  llvm::cl::opt<std::string> pipeline{
      "pipeline", llvm::cl::value_desc("SCHEDULE"),
      llvm::cl::desc(
          "Let the IPUs of a replica process different micro-batches "
          "at the same time: popart, gpipe or 1f1b; implies "
          "--placement layers"),
      llvm::cl::cat(category)};
  llvm::cl::opt<bool> overlapIO{
      "overlap-io",
      llvm::cl::desc(
          "Let transfers between host and device overlap the compute "
          "of other micro-batches, on I/O tiles: those of the "
          "target, or an eighth of each IPU's tiles, at most 32"),
      llvm::cl::cat(category)};
  llvm::cl::opt<bool> allowOOM{
      "allow-oom",
      llvm::cl::desc("Run a program that does not fit in tile memory"),
      llvm::cl::cat(category)};
  llvm::cl::opt<std::string> seed{
      "seed", llvm::cl::value_desc("N"),
      llvm::cl::desc("Seed of random numbers (default: 0)"),
      llvm::cl::cat(category)};
  llvm::cl::opt<std::string> threads{
      "threads", llvm::cl::value_desc("N"),
      llvm::cl::desc("Number of host threads, 1 to 1024 (default: all cores)"),
      llvm::cl::cat(category)};
  llvm::cl::opt<std::string> cacheDir{
      "cache-dir", llvm::cl::value_desc("DIR"),
      llvm::cl::desc("Directory for compiled kernels (default: "
                     "ipu-mlir/kernels in $XDG_CACHE_HOME or ~/.cache)"),
      llvm::cl::cat(category)};
  llvm::cl::opt<bool> noCache{
      "no-cache", llvm::cl::desc("Compile all kernels, and do not store them"),
      llvm::cl::cat(category)};
};

/// If `value` is an error, adds it to `error`. Otherwise, moves `value` to
/// `result`. Returns true if `error` is still a success value.
template <typename T, typename U>
bool take(llvm::Expected<T> value, U &result, llvm::Error &error) {
  if (value)
    result = std::move(*value);
  else
    error = llvm::joinErrors(std::move(error), value.takeError());
  return !error;
}

/// Fails if the option is given with an empty value, for example because a
/// script uses a shell variable that is not set. Does not fail if the option is
/// not given.
llvm::Error checkNotEmpty(const llvm::cl::opt<std::string> &option);

/// Fails like checkNotEmpty(), and if the value ends like the name of a file of
/// another format than the option writes. The description of the option's
/// value, such as `FILE.svg`, states the format that it writes.
llvm::Error checkFileName(const llvm::cl::opt<std::string> &option);

/// Parses `text`, the value of `option`, as a number from `least` to `most`.
llvm::Expected<int64_t> parseNumber(StringRef option, StringRef text,
                                    int64_t least,
                                    std::optional<int64_t> most = std::nullopt);

/// Parses `text`, the value of `option`, as the name of a .npz file.
llvm::Expected<std::string> parseNpzFile(StringRef option, StringRef text);

/// Removes the options that LLVM's libraries registered for LLVM's tools. Some
/// of these options have the same names as options of this project, and users
/// of this project's tools need none of them. This function must be called
/// before a tool registers its own options.
void removeForeignOptions();

} // namespace mlir::ipu::tools

#endif // IPU_MLIR_TOOLS_DEVICEFLAGS_H
