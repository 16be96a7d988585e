//===- JoinedRowsTest.cpp - Joined vertices -------------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Program/JoinedRows.h"
#include "ProgramTestUtils.h"

using namespace mlir;
using namespace mlir::ipu;

namespace {
/// A module with codelets that write a buffer of two dimensions.
class JoinedRowsTest : public ProgramTest {
protected:
  /// The number of values of a row: an offset, two sizes and two strides.
  static constexpr int64_t kRowSize = 5;

  void SetUp() override {
    module = parse(R"mlir(
      !buffer = memref<?x?xf32, strided<[?, 1], offset: ?>>
      ipu.codelet @fill(%y: !buffer) inputs 0
          cost <vector, supervisor = 0, worker = 24, cycles = 1, per = 2> {
        %zero = arith.constant 0.0 : f32
        linalg.generic {indexing_maps = [affine_map<(d0, d1) -> ()>,
                                         affine_map<(d0, d1) -> (d0, d1)>],
                        iterator_types = ["parallel", "parallel"]}
            ins(%zero : f32) outs(%y : !buffer) {
        ^bb0(%in: f32, %out: f32):
          linalg.yield %in : f32
        }
      }
      ipu.codelet @double(%y: !buffer) inputs 0
          cost <vector, supervisor = 0, worker = 24, cycles = 1, per = 2> {
        linalg.generic {indexing_maps = [affine_map<(d0, d1) -> (d0, d1)>],
                        iterator_types = ["parallel", "parallel"]}
            outs(%y : !buffer) {
        ^bb0(%in: f32):
          %sum = arith.addf %in, %in : f32
          linalg.yield %sum : f32
        }
      }
    )mlir");
    ASSERT_TRUE(module);
  }

  /// Returns the rows after the rows of `table` are joined.
  std::vector<int64_t> join(StringRef name, std::vector<int64_t> table) {
    VertexGroup group;
    group.rowSize = kRowSize;
    group.tiles.resize(table.size() / kRowSize);
    group.table = std::move(table);
    auto codelet = module->lookupSymbol<CodeletOp>(name);
    std::optional<std::vector<int64_t>> joined =
        joinRows(group, codelet, /*parts=*/1);
    return joined ? *joined : group.table;
  }

  OwningOpRef<ModuleOp> module;
};
} // namespace

TEST_F(JoinedRowsTest, JoinsRegionsThatFollowEachOther) {
  // Four blocks of 2 x 3 in a buffer of 4 x 6.
  std::vector<int64_t> blocks = {0,  2, 3, 6, 1, 3,  2, 3, 6, 1,
                                 12, 2, 3, 6, 1, 15, 2, 3, 6, 1};
  std::vector<int64_t> whole = {0, 4, 6, 6, 1};
  EXPECT_EQ(join("fill", blocks), whole);
  EXPECT_EQ(join("double", blocks), whole);
}

TEST_F(JoinedRowsTest, JoinsRegionsThatOverlapIfTheyOnlyFill) {
  // Columns [0, 4) and [2, 6), each twice.
  std::vector<int64_t> blocks = {0, 2, 4, 6, 1, 2, 2, 4, 6, 1,
                                 0, 2, 4, 6, 1, 2, 2, 4, 6, 1};
  EXPECT_EQ(join("fill", blocks), (std::vector<int64_t>{0, 2, 6, 6, 1}));
  EXPECT_EQ(join("double", blocks), blocks);
  // One block contains the other block.
  EXPECT_EQ(join("fill", {0, 2, 6, 6, 1, 2, 2, 2, 6, 1}),
            (std::vector<int64_t>{0, 2, 6, 6, 1}));
}

TEST_F(JoinedRowsTest, KeepsRegionsThatDifferInSeveralDimensions) {
  // Blocks with a gap, blocks in other rows, and blocks that overlap in both
  // dimensions.
  for (int64_t offset : {4, 12, 8}) {
    std::vector<int64_t> blocks = {0, 2, 3, 6, 1, offset, 2, 2, 6, 1};
    EXPECT_EQ(join("fill", blocks), blocks) << offset;
  }
}
