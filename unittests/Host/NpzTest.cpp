//===- NpzTest.cpp - NumPy's file format for named tensors ----------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ipu-mlir/Host/Npz.h"

#include "mlir/IR/Builders.h"
#include "mlir/IR/MLIRContext.h"
#include "llvm/ADT/ScopeExit.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/Path.h"
#include "gtest/gtest.h"
#include <fstream>
#include <sstream>

using namespace mlir;
using namespace mlir::ipu;

namespace {
class NpzTest : public ::testing::Test {
protected:
  NamedTensor make(const std::string &name, ArrayRef<int64_t> shape, Type type,
                   char first) {
    auto tensorType = RankedTensorType::get(shape, type);
    HostTensor tensor{tensorType,
                      std::vector<char>(*getTensorBytes(tensorType))};
    for (char &c : tensor.data)
      c = first++;
    return {name, tensor};
  }

  std::vector<NamedTensor> getTensors() {
    Builder builder(&context);
    return {make("w", {2, 3}, builder.getF32Type(), 1),
            make("layer.0/b", {}, builder.getIntegerType(64), 7),
            make("empty", {0, 4}, builder.getF16Type(), 0)};
  }

  std::string getError(StringRef file) {
    llvm::Expected<std::vector<NamedTensor>> tensors = parseNpz(file, &context);
    return tensors ? "" : llvm::toString(tensors.takeError());
  }

  MLIRContext context;
};
} // namespace

TEST_F(NpzTest, MarksNamesInUTF8) {
  // The flags are at offset 6 of the local header.
  auto getFlags = [&](StringRef name) {
    Type type = Builder(&context).getF32Type();
    std::string file =
        llvm::cantFail(formatNpz({make(name.str(), {1}, type, 0)}));
    return static_cast<uint8_t>(file[6]) | static_cast<uint8_t>(file[7]) << 8;
  };
  EXPECT_EQ(getFlags("w"), 0);
  EXPECT_EQ(getFlags("gewicht \xC3\xA4"), 0x800);
  EXPECT_EQ(getFlags("w\xFF"), 0);
}

TEST_F(NpzTest, RoundTrip) {
  std::vector<NamedTensor> tensors = getTensors();
  std::string file = llvm::cantFail(formatNpz(tensors));
  std::vector<NamedTensor> read = llvm::cantFail(parseNpz(file, &context));
  ASSERT_EQ(read.size(), tensors.size());
  for (size_t i = 0; i < read.size(); ++i) {
    EXPECT_EQ(read[i].name, tensors[i].name);
    EXPECT_EQ(read[i].tensor.type, tensors[i].tensor.type);
    EXPECT_EQ(read[i].tensor.data, tensors[i].tensor.data);
  }
  EXPECT_TRUE(llvm::cantFail(parseNpz(llvm::cantFail(formatNpz({})), &context))
                  .empty());
}

TEST_F(NpzTest, AnyPrefixIsRefused) {
  std::string file = llvm::cantFail(formatNpz(getTensors()));
  for (size_t size = 0; size < file.size(); ++size) {
    // A separate copy, so that tools detect reads beyond its end.
    std::vector<char> part(file.begin(), file.begin() + size);
    EXPECT_NE(getError(StringRef(part.data(), part.size())), "") << size;
  }
}

TEST_F(NpzTest, AnyChangedByteIsSurvived) {
  std::string file = llvm::cantFail(formatNpz(getTensors()));
  unsigned numRefused = 0;
  for (size_t at = 0; at < file.size(); ++at)
    for (char change : {char(1), char(0x80), char(0xff)}) {
      std::string changed = file;
      changed[at] ^= change;
      std::vector<char> copy(changed.begin(), changed.end());
      numRefused += !getError(StringRef(copy.data(), copy.size())).empty();
    }
  // Changes of all bytes are errors, except for times, versions and attributes.
  EXPECT_GT(numRefused, 2 * file.size());
}

TEST_F(NpzTest, SaysWhatIsWrong) {
  std::string file = llvm::cantFail(formatNpz(getTensors()));
  auto change = [&](size_t at, char value) {
    std::string changed = file;
    changed[at] = value;
    return getError(changed);
  };
  size_t directory = file.find("PK\1\2");
  EXPECT_EQ(getError("PK"), "not a .npz file");
  EXPECT_EQ(getError(std::string(100, 'x')), "not a .npz file, or truncated");
  EXPECT_EQ(change(directory + 10, 8),
            "entry 'w.npy': compressed entries are not supported; write the "
            "file with numpy.savez");
  EXPECT_EQ(change(directory + 8, 1),
            "entry 'w.npy': encrypted entries are not supported");
  EXPECT_EQ(change(file.find("NUMPY"), 'X'),
            "entry 'w.npy': has a wrong checksum");
  EXPECT_EQ(change(directory + 45, 0x40),
            "entry 'w.npy': lies outside of the file");
  EXPECT_EQ(change(directory + 46 + 2, 'm'), "entry 'w.mpy': is no .npy file");
  EXPECT_EQ(change(directory, 'x'), "malformed directory");

  std::vector<NamedTensor> twice = getTensors();
  twice[1].name = "w";
  EXPECT_EQ(llvm::toString(formatNpz(twice).takeError()),
            "tensor 'w' occurs twice");
}

TEST_F(NpzTest, FilesAreReplacedAtOnce) {
  SmallString<128> directory;
  ASSERT_FALSE(llvm::sys::fs::createUniqueDirectory("npz", directory));
  llvm::scope_exit cleanup(
      [&] { (void)llvm::sys::fs::remove_directories(directory); });
  std::string path = (directory + "/100%a.npz").str();
  ASSERT_FALSE(llvm::errorToBool(writeNpz(path, getTensors())));
  // A failed write does not change the old file and leaves no other file.
  std::vector<NamedTensor> bad = getTensors();
  bad.push_back(bad.front());
  EXPECT_TRUE(llvm::errorToBool(writeNpz(path, bad)));
  EXPECT_EQ(llvm::cantFail(readNpz(path, &context)).size(), 3u);
  ASSERT_FALSE(llvm::errorToBool(writeNpz(path, {bad.front()})));
  EXPECT_EQ(llvm::cantFail(readNpz(path, &context)).size(), 1u);
  unsigned numFiles = 0;
  std::error_code error;
  for (llvm::sys::fs::directory_iterator it(directory, error), end;
       it != end && !error; it.increment(error))
    ++numFiles;
  EXPECT_EQ(numFiles, 1u);
  // Writing fails if the directory does not exist.
  EXPECT_TRUE(
      llvm::errorToBool(writeNpz((directory + "/no/x.npz").str(), bad)));
  EXPECT_EQ(llvm::toString(readNpz(directory, &context).takeError()),
            "Is a directory");
}
