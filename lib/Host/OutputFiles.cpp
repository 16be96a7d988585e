//===- OutputFiles.cpp - Files of a run's outputs ---------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ipu-mlir/Host/OutputFiles.h"

#include "ipu-mlir/Host/Npy.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringMap.h"
#include "llvm/ADT/StringSet.h"
#include "llvm/Support/Path.h"

using namespace mlir;
using namespace mlir::ipu;

/// Names come from models: none may lead out of the directory.
static std::string sanitise(StringRef name) {
  std::string result;
  for (char c : name)
    result += llvm::isAlnum(c) || StringRef("._-").contains(c) ? c : '_';
  if (result.empty())
    return "_";
  if (result.front() == '.')
    result.front() = '_';
  return result;
}

std::vector<std::string> mlir::ipu::getFileNames(ArrayRef<StringRef> outputs) {
  // A name that is fit for a file is given to no other output.
  llvm::StringSet<> isTaken;
  for (StringRef output : outputs)
    if (sanitise(output) == output)
      isTaken.insert(output);
  std::vector<std::string> names;
  for (StringRef output : outputs) {
    std::string name = sanitise(output);
    if (name != output)
      while (!isTaken.insert(name).second)
        name += '_';
    names.push_back(name);
  }
  return names;
}

llvm::Error mlir::ipu::writeResults(
    StringRef directory, ArrayRef<NamedTensor> outputs,
    ArrayRef<StringRef> names,
    function_ref<void(StringRef name, StringRef path)> renamed) {
  llvm::StringMap<std::string> fileOf;
  for (auto [name, file] : llvm::zip_equal(names, getFileNames(names)))
    fileOf[name] = file;
  for (const NamedTensor &output : outputs) {
    const std::string &file = fileOf.at(output.name);
    SmallString<128> path(directory);
    llvm::sys::path::append(path, file + ".npy");
    if (llvm::Error error = writeNpy(path, output.tensor))
      return llvm::createStringError("'" + path.str() +
                                     "': " + llvm::toString(std::move(error)));
    if (file != output.name)
      renamed(output.name, path);
  }
  return llvm::Error::success();
}
