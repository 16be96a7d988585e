//===- KernelCacheTest.cpp - Tests of the cache of kernels ----------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Engine/Jit/KernelCache.h"
#include "ipu-mlir/Executor/Engine/Engine.h"

#include "llvm/ADT/SmallString.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/raw_ostream.h"
#include "gtest/gtest.h"
#include <atomic>
#include <chrono>
#include <optional>
#include <thread>
#include <unistd.h>
#include <vector>

using namespace mlir;
using namespace mlir::ipu;
namespace fs = llvm::sys::fs;

namespace {
class KernelCacheTest : public ::testing::Test {
protected:
  void SetUp() override {
    ASSERT_FALSE(fs::createUniqueDirectory("kernels", root));
    folder = root;
    llvm::sys::path::append(folder, "a", "b");
  }
  void TearDown() override { (void)fs::remove_directories(root); }

  std::string getPath(StringRef name) {
    SmallString<128> path(folder);
    llvm::sys::path::append(path, "llvmcache-" + name);
    return std::string(path);
  }
  std::string read(StringRef path) {
    auto file = llvm::MemoryBuffer::getFile(path);
    return file ? (*file)->getBuffer().str() : "";
  }
  void write(StringRef path, StringRef content) {
    std::error_code error;
    llvm::raw_fd_ostream os(path, error);
    ASSERT_FALSE(error);
    os << content;
  }
  std::optional<std::string> load(StringRef key) {
    std::unique_ptr<llvm::MemoryBuffer> content = KernelCache(folder).load(key);
    if (!content)
      return std::nullopt;
    return content->getBuffer().str();
  }
  void store(StringRef key, StringRef content) {
    KernelCache(folder).store(key, content);
  }
  size_t countFiles() {
    size_t count = 0;
    std::error_code error;
    for (fs::directory_iterator it(folder, error), end; it != end && !error;
         it.increment(error))
      ++count;
    return count;
  }

  SmallString<128> root, folder;
};

TEST_F(KernelCacheTest, KeepsEntries) {
  EXPECT_EQ(load("aa"), std::nullopt);
  store("aa", "one");
  store("bb", StringRef("t\0wo", 4));
  EXPECT_EQ(load("aa"), "one");
  EXPECT_EQ(load("bb"), std::string("t\0wo", 4));
  EXPECT_EQ(load("cc"), std::nullopt);
  store("aa", "");
  EXPECT_EQ(load("aa"), "");
  EXPECT_EQ(countFiles(), 2u);
}

TEST_F(KernelCacheTest, MarksEntriesAsUsed) {
  store("aa", "one");
  auto old = std::chrono::system_clock::now() - std::chrono::hours(200);
  int file;
  ASSERT_FALSE(fs::openFileForRead(getPath("aa"), file));
  ASSERT_FALSE(fs::setLastAccessAndModificationTime(file, old, old));
  (void)fs::closeFile(file);
  EXPECT_EQ(load("aa"), "one");
  fs::file_status status;
  ASSERT_FALSE(fs::status(getPath("aa"), status));
  EXPECT_GT(status.getLastAccessedTime(), old + std::chrono::hours(199));
  EXPECT_LT(status.getLastModificationTime(), old + std::chrono::hours(1));
}

TEST_F(KernelCacheTest, IsEmptyWithoutFolderOrKey) {
  KernelCache none("");
  none.store("aa", "one");
  none.prune(1, 0);
  EXPECT_FALSE(none.load("aa"));
  store("", "one");
  EXPECT_EQ(load(""), std::nullopt);
  EXPECT_FALSE(fs::exists(folder));
  KernelCache(folder).prune(1, 0);
}

TEST_F(KernelCacheTest, IgnoresWhatIsNoEntry) {
  store("aa", "the content");
  std::string path = getPath("aa"), whole = read(path);
  for (size_t size = 0; size < whole.size(); ++size) {
    write(path, StringRef(whole).take_front(size));
    EXPECT_EQ(load("aa"), std::nullopt) << size;
  }
  for (size_t at = 0; at < whole.size(); ++at) {
    std::string wrong = whole;
    wrong[at] ^= 1;
    write(path, wrong);
    EXPECT_EQ(load("aa"), std::nullopt) << at;
  }
  write(path, whole + "x");
  EXPECT_EQ(load("aa"), std::nullopt);
  // The file can be written again.
  store("aa", "the content");
  EXPECT_EQ(load("aa"), "the content");
  // The file of another key is not read.
  ASSERT_FALSE(fs::copy_file(path, getPath("bb")));
  EXPECT_EQ(load("bb"), std::nullopt);
}

TEST_F(KernelCacheTest, IgnoresWhatIsNoFile) {
  ASSERT_FALSE(fs::create_directories(getPath("aa")));
  EXPECT_EQ(load("aa"), std::nullopt);
  store("aa", "one");
  EXPECT_EQ(load("aa"), std::nullopt);
  EXPECT_TRUE(fs::is_directory(getPath("aa")));
  EXPECT_EQ(countFiles(), 1u);
}

TEST_F(KernelCacheTest, CannotUseAFileAsFolder) {
  ASSERT_FALSE(fs::create_directories(llvm::sys::path::parent_path(folder)));
  write(folder, "no folder");
  store("aa", "one");
  EXPECT_EQ(load("aa"), std::nullopt);
  KernelCache(folder).prune(1, 0);
  EXPECT_EQ(read(folder), "no folder");
}

TEST_F(KernelCacheTest, ChecksOwnerAndMode) {
  auto getProblem = [](StringRef path) {
    return StringRef(llvm::toString(prepareCacheFolder(path)))
        .rsplit(": ")
        .second.str();
  };
  EXPECT_EQ(llvm::toString(prepareCacheFolder(folder)), "");
  EXPECT_EQ(*fs::getPermissions(folder), fs::owner_all);
  for (fs::perms others : {fs::group_write, fs::others_write}) {
    ASSERT_FALSE(fs::setPermissions(folder, fs::owner_all | others));
    EXPECT_EQ(getProblem(folder),
              "expects a folder that no other user may write to");
  }
  ASSERT_FALSE(fs::setPermissions(folder, fs::owner_all | fs::all_read));
  EXPECT_EQ(llvm::toString(prepareCacheFolder(folder)), "");
  // The superuser can give the folder away; others do not own the root.
  constexpr uid_t kOther = 12345;
  std::string foreign = ::geteuid() == 0 ? folder.str().str() : "/";
  ASSERT_TRUE(::geteuid() != 0 || ::chown(foreign.c_str(), kOther, -1) == 0);
  EXPECT_EQ(getProblem(foreign),
            "expects a folder of the user who runs this program");
}

TEST_F(KernelCacheTest, PrunesToItsBound) {
  std::string content(1000, 'x');
  for (char key = 'a'; key < 'k'; ++key)
    store(StringRef(&key, 1), content);
  KernelCache cache(folder);
  cache.prune(1 << 20, /*interval=*/0);
  size_t before = countFiles();
  EXPECT_GE(before, 10u);
  cache.prune(5000, /*interval=*/3600);
  EXPECT_EQ(countFiles(), before);
  cache.prune(5000, /*interval=*/0);
  size_t left = 0;
  for (char key = 'a'; key < 'k'; ++key)
    left += load(StringRef(&key, 1)).has_value();
  EXPECT_GE(left, 3u);
  EXPECT_LE(left, 4u);
}

/// The temporary files of a killed process are removed after some time, and are
/// never read.
TEST_F(KernelCacheTest, LeavesForeignFilesAlone) {
  store("aa", "one");
  write(getPath("123456.tmp"), std::string(10000, 'x'));
  SmallString<128> foreign(folder);
  llvm::sys::path::append(foreign, "letter.txt");
  write(foreign, "dear");
  EXPECT_EQ(load("aa"), "one");
  KernelCache(folder).prune(5000, /*interval=*/0);
  EXPECT_FALSE(fs::exists(getPath("123456.tmp")));
  EXPECT_EQ(read(foreign), "dear");
}

TEST_F(KernelCacheTest, SeveralAtOnce) {
  std::vector<std::thread> threads;
  threads.reserve(4);
  std::atomic<int> wrong = 0;
  for (int i = 0; i < 4; ++i)
    threads.emplace_back([&] {
      for (int round = 0; round < 50; ++round) {
        std::string key = std::to_string(round % 5);
        std::string content(round % 5 * 1000, 'x');
        store(key, content);
        std::optional<std::string> loaded = load(key);
        wrong += loaded && *loaded != content;
      }
    });
  for (std::thread &thread : threads)
    thread.join();
  EXPECT_EQ(wrong, 0);
  EXPECT_EQ(countFiles(), 5u);
}
} // namespace
