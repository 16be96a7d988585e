//===- TargetTest.cpp - Constants of the device model -----------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ipu-mlir/Dialect/IPU/IR/IPU.h"

#include "llvm/Support/MemoryBuffer.h"
#include "gtest/gtest.h"

using namespace mlir;
using namespace mlir::ipu;

namespace {

TEST(TargetTest, PresetsHaveTheTablesDefaults) {
  EXPECT_EQ(TargetModel::getPreset("gc2")->tiles, 1216);
  EXPECT_EQ(TargetModel::getPreset("gc200")->tile_memory, 624 * 1024);
  EXPECT_EQ(TargetModel::getPreset("bow")->clock_hz, 1850000000);
  EXPECT_EQ(TargetModel::getPreset("c600")->clock_hz, 1500000000);
  EXPECT_FALSE(TargetModel::getPreset("gc1"));
}

TEST(TargetTest, OverridesReplaceDefaults) {
  MLIRContext context;
  context.loadDialect<IPUDialect>();
  Builder builder(&context);
  auto overrides = builder.getDictionaryAttr(
      builder.getNamedAttr("tiles", builder.getI64IntegerAttr(64)));
  TargetModel model = TargetAttr::get(&context, "bow", overrides).getModel();
  EXPECT_EQ(model.tiles, 64);
  EXPECT_EQ(model.clock_hz, 1850000000);
}

TEST(TargetTest, TimesRoundUpAndSaturate) {
  TargetModel model = *TargetModel::getPreset("gc200");
  EXPECT_EQ(model.getLatencyCycles(20000), 26600);
  EXPECT_EQ(model.getLatencyCycles(1), 2); // 1.33 cycles
  EXPECT_EQ(model.getTransferCycles(16, 16000000000), 2);
  EXPECT_EQ(model.getTransferCycles(0, 1), 0);
  EXPECT_EQ(model.getTransferCycles(INT64_MAX, 1), INT64_MAX);
}

/// The page repeats the table of constants. A constant that only one of them
/// has is a bug.
TEST(TargetTest, DeviceModelPageListsEveryConstant) {
  auto page =
      llvm::MemoryBuffer::getFile(IPU_SOURCE_DIR "/docs/device-model.md");
  ASSERT_TRUE(static_cast<bool>(page));
  for (const TargetModel::Constant &constant : TargetModel::getConstants()) {
    std::string row =
        "| `" + constant.key.str() + "` | " + constant.unit.str() + " |";
    for (int64_t value : constant.defaults)
      row += " " + std::to_string(value) + " |";
    row +=
        " " + constant.confidence.str() + " | " + constant.source.str() + " |";
    EXPECT_TRUE((*page)->getBuffer().contains(row)) << row;
  }
}

} // namespace
