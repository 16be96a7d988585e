//===- JoinedRowsTest.cpp - Joined vertices -------------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Program/JoinedRows.h"
#include "Program/EngineCodelets.h"
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
      // Doubles rows of a tensor with 4 columns: all rows whose numbers are in %i.
      ipu.codelet @double_rows(%i: memref<?xi32, strided<[1], offset: ?>>, %y: !buffer) inputs 1
          cost <vector, supervisor = 0, worker = 24, cycles = 1, per = 2> {
        %c0 = arith.constant 0 : index
        %c1 = arith.constant 1 : index
        %c4 = arith.constant 4 : i32
        %number = ipu.element_number %y[%c0, %c0] : !buffer
        %quotient = arith.divui %number, %c4 : i32
        %first = arith.index_castui %quotient : i32 to index
        %rows = memref.dim %y, %c0 : !buffer
        %size = memref.dim %i, %c0 : memref<?xi32, strided<[1], offset: ?>>
        scf.for %k = %c0 to %size step %c1 {
          %index = memref.load %i[%k] : memref<?xi32, strided<[1], offset: ?>>
          %row = arith.index_castui %index : i32 to index
          %own = arith.subi %row, %first : index
          %isInside = arith.cmpi ult, %own, %rows : index
          scf.if %isInside {
            %columns = memref.dim %y, %c1 : !buffer
            %part = memref.subview %y[%own, 0] [1, %columns] [1, 1] : !buffer to memref<1x?xf32, strided<[?, 1], offset: ?>>
            linalg.generic {indexing_maps = [affine_map<(d0, d1) -> (d0, d1)>],
                            iterator_types = ["parallel", "parallel"]}
                outs(%part : memref<1x?xf32, strided<[?, 1], offset: ?>>) {
            ^bb0(%in: f32):
              %sum = arith.addf %in, %in : f32
              linalg.yield %sum : f32
            }
          }
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

TEST_F(JoinedRowsTest, JoinsColumnsOfVerticesThatUseTheirRowNumbers) {
  EngineCodelets codelets(&context, RngGenerator::Counter);
  FailureOr<EngineCodelet> added =
      codelets.add(module->lookupSymbol<CodeletOp>("double_rows"));
  ASSERT_TRUE(succeeded(added));
  CodeletOp codelet = codelets.codelets[added->number];
  // The region of the indices, the region of the rows, and the offset and the
  // strides of its number.
  auto getRow = [](int64_t row, int64_t column, int64_t rows,
                   int64_t columns) -> std::vector<int64_t> {
    int64_t offset = 4 * row + column;
    return {0, 9, 1, offset, rows, columns, 4, 1, offset, 4, 1};
  };
  VertexGroup group;
  group.rowSize = 11;
  group.numInputs = 1;
  // Rows [0, 3) and [3, 5) of each half of the columns.
  for (int64_t column : {0, 2})
    for (int64_t row : {0, 3})
      llvm::append_range(group.table, getRow(row, column, row ? 2 : 3, 2));
  group.tiles.resize(4);
  // Rows are sorted by their sizes first.
  std::vector<int64_t> expected = getRow(3, 0, 2, 4);
  llvm::append_range(expected, getRow(0, 0, 3, 4));
  EXPECT_EQ(joinRows(group, codelet, /*parts=*/1), expected);

  // Other rows with the same columns are never joined.
  group.table.clear();
  for (int64_t row : {0, 3})
    llvm::append_range(group.table, getRow(row, 0, row ? 2 : 3, 4));
  group.tiles.resize(2);
  EXPECT_EQ(joinRows(group, codelet, /*parts=*/1), std::nullopt);
}
