//===- HostCachesTest.cpp - Tests of sizes of caches ------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Support/HostCaches.h"
#include "Program/FusedSets.h"

#include "gtest/gtest.h"

using namespace mlir::ipu;

// Sizes are bytes, not KiB. The caches of all hosts since 2000 are within these
// bounds.
TEST(HostCachesTest, AreInBytes) {
  HostCaches caches = HostCaches::get();
  EXPECT_GE(caches.firstBytes, 1 << 13);
  EXPECT_LE(caches.firstBytes, 1 << 20);
  EXPECT_GT(caches.secondBytes, caches.firstBytes);
  EXPECT_LE(caches.secondBytes, 1 << 28);
}

TEST(HostCachesTest, GiveBlocksThatFit) {
  FusedSetsOptions options = FusedSetsOptions::getForHost(/*threads=*/2);
  EXPECT_EQ(options.threads, 2u);
  EXPECT_GE(options.blockBytes, 1 << 14);
  EXPECT_LE(options.blockBytes, 1 << 18);
  if (options.blockBytes > 1 << 14) {
    EXPECT_LE(options.blockBytes * 4, HostCaches::get().secondBytes);
  }
  // Splitting smaller sets into blocks does not save time.
  EXPECT_EQ(options.leastBytes, options.blockBytes);
}
