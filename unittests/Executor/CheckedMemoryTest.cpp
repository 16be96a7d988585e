//===- CheckedMemoryTest.cpp - Runs with separate tile memories -----------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Check/CheckedMemory.h"
#include "../Dialect/IPU/NestedTileMappings.h"
#include "ProgramTestUtils.h"
#include "ipu-mlir/Dialect/IPU/Transforms/Passes.h"
#include "ipu-mlir/Executor/Program/TileLayout.h"
#include "mlir/Pass/PassManager.h"

using namespace mlir;
using namespace mlir::ipu;

namespace {
class TileLayoutTest : public ProgramTest {
protected:
  TileLayoutTest() { context.loadDialect<IPUDialect>(); }

  int64_t pick(int64_t low, int64_t high) {
    return low + static_cast<int64_t>(draw(state) % (high - low + 1));
  }

  /// Returns a random tile mapping over `domain`, which has at most 4
  /// dimensions. With `coversOnce`, each element is on exactly one tile.
  TileMappingAttr drawTileMapping(ArrayRef<int64_t> domain, bool coversOnce) {
    SmallVector<int64_t> grid;
    SmallVector<TileMappingBlock> blocks;
    for (int64_t size : domain) {
      if (pick(0, 2) == 0) {
        blocks.emplace_back();
        continue;
      }
      TileMappingBlock block;
      block.axis = grid.size();
      block.step = pick(1, 4);
      block.extent = coversOnce ? block.step : pick(1, 6);
      grid.push_back(
          coversOnce ? std::max<int64_t>(llvm::divideCeil(size, block.step), 1)
                     : pick(1, 4));
      blocks.push_back(block);
    }
    // Add a grid axis of copies.
    if (!coversOnce && pick(0, 2) == 0)
      grid.insert(grid.end(), pick(1, 3));
    auto mapping =
        TileMappingAttr::get(&context, domain, grid, blocks, pick(0, 5));
    if (pick(0, 2))
      return mapping;
    return drawNested(
        mapping, [&](int64_t low, int64_t high) { return pick(low, high); });
  }

  SmallVector<int64_t> drawShape(unsigned rank, int64_t low) {
    SmallVector<int64_t> shape;
    for (unsigned i = 0; i < rank; ++i)
      shape.push_back(pick(low, 6));
    return shape;
  }

  static std::string print(TileMappingAttr mapping) {
    std::string text;
    llvm::raw_string_ostream(text) << mapping;
    return text;
  }

  uint64_t state = 1;
};
/// The code of a function and a variable that have the same address on tile 1.
class CodeInMemoryTest : public ProgramTest {
protected:
  CodeInMemoryTest() : pool(1) {
    module = parse(R"mlir(
      #m = #ipu.map<[4], grid = [2], blocks = [p0 * 2 : 2]>
      #late = #ipu.map<[2], grid = [1], blocks = [p0 * 2 : 2], first = 1>
      !v = memref<4xf32, #m>
      !t = memref<2xf32, #late>
      !b = memref<?xf32, strided<[1], offset: ?>>
      module attributes {ipu.target = #ipu.target<"gc200", {tiles = 2 : i64}>} {
        ipu.stream @x host_to_device : tensor<4xf32>
        ipu.codelet @zero(%x : !b) inputs 0 cost <vector, supervisor = 1, worker = 1, cycles = 1, per = 1> {
          %0 = arith.constant 0.0 : f32
          linalg.fill ins(%0 : f32) outs(%x : !b)
        }
        func.func @f() attributes {no_inline} {
          %t = ipu.var "t" : !t
          ipu.compute_set "f" {
            ipu.vertices @zero outs(%t : !t) access [#late]
          }
          return
        }
        func.func @main() {
          ipu.code_load [@f] to executable
          ipu.call @f
          %x = ipu.var "x" : !v
          ipu.host_load @x to %x : !v
          return
        }
      })mlir");
  }

  unsigned getVariable(const Program &program, StringRef name) {
    for (auto [number, variable] : llvm::enumerate(program.variables))
      if (variable.name == name)
        return number;
    ADD_FAILURE() << "no variable " << name.str();
    return 0;
  }

  OwningOpRef<ModuleOp> module;
  ThreadPool pool;
};

TEST_F(CodeInMemoryTest, WhoeverComesLastHasTheMemory) {
  ASSERT_TRUE(module);
  PassManager passes(&context);
  passes.addPass(createEstimateCostPass());
  ASSERT_TRUE(succeeded(passes.run(*module)));
  FailureOr<Program> program = readProgram(*module, "main");
  ASSERT_TRUE(succeeded(program));
  context.printOpOnDiagnostic(false);
  std::string message;
  ScopedDiagnosticHandler handler(&context, [&](Diagnostic &diagnostic) {
    message += diagnostic.str();
    for (Diagnostic &note : diagnostic.getNotes())
      message += "; " + note.str();
  });
  auto takeMessage = [&] { return std::exchange(message, ""); };
  unsigned x = getVariable(*program, "x");
  Operation *call = nullptr;
  module->walk([&](CallOp op) { call = op; });
  float values[] = {1, 2, 3, 4};
  auto getValues = [&](int64_t) {
    return ReplicaData{reinterpret_cast<const char *>(values), nullptr};
  };
  std::string overwritten =
      "'ipu.call' op internal error: the code of 'f' is "
      "overwritten by \"x\" on tile 1; the variable is here";

  CheckedMemory memory(*program, pool);
  ASSERT_TRUE(succeeded(memory.begin(x)));
  memory.loadCode(0);
  EXPECT_TRUE(succeeded(memory.callCode(call, 0)));
  // The variable is still live.
  ASSERT_TRUE(succeeded(memory.write(x, getValues)));
  EXPECT_FALSE(succeeded(memory.callCode(call, 0)));
  EXPECT_EQ(takeMessage(), overwritten);
  // The variable is no longer live, but the code remains overwritten.
  memory.end(x);
  EXPECT_FALSE(succeeded(memory.callCode(call, 0)));
  EXPECT_EQ(takeMessage(), overwritten);
  // The code is loaded again and overwrites the variable.
  ASSERT_TRUE(succeeded(memory.begin(x)));
  ASSERT_TRUE(succeeded(memory.write(x, getValues)));
  memory.loadCode(0);
  EXPECT_TRUE(succeeded(memory.callCode(call, 0)));
  float read[4];
  EXPECT_TRUE(succeeded(memory.read(call, x, /*replica=*/0,
                                    reinterpret_cast<char *>(read),
                                    /*states=*/nullptr)));
  EXPECT_EQ(takeMessage(),
            "'ipu.call' op reads element [2] of variable \"x\" on tile 1 of "
            "replica 0, which is undefined; code was loaded over variable "
            "\"x\"; first of 2 elements");
  EXPECT_TRUE(failed(memory.finish()));
}

} // namespace

TEST_F(TileLayoutTest, RunsVisitEachRegionInOrder) {
  for (int i = 0; i < 300; ++i) {
    TileMappingAttr mapping =
        drawTileMapping(drawShape(pick(0, 4), 0), /*coversOnce=*/false);
    std::optional<TileLayout> layout = TileLayout::get(mapping);
    ASSERT_TRUE(layout);
    ASSERT_EQ(layout->getNumTiles(), mapping.getNumTiles());
    int64_t low = pick(0, 20), high = pick(low, 200);
    std::vector<std::optional<int64_t>> firstHolder(mapping.getNumElements());
    int64_t total = 0;
    for (int64_t tile = 0; tile < mapping.getNumTiles(); ++tile) {
      EXPECT_EQ(layout->getStart(tile), total);
      EXPECT_EQ(layout->getSize(tile),
                mapping.getTileRegion(tile).getNumElements());
      std::vector<int64_t> visited, all;
      int64_t place = total;
      layout->forEachRun(tile, 0, mapping.getNumElements() - 1,
                         [&](int64_t element, int64_t at, int64_t size) {
                           EXPECT_EQ(at, place);
                           place += size;
                           for (int64_t e = element; e < element + size; ++e)
                             all.push_back(e);
                         });
      total += layout->getSize(tile);
      ASSERT_EQ(place, total) << print(mapping);
      layout->forEachRun(
          tile, low, high, [&](int64_t element, int64_t at, int64_t size) {
            for (int64_t e = 0; e < size; ++e) {
              visited.push_back(element + e);
              EXPECT_EQ(all[at + e - layout->getStart(tile)], element + e);
            }
          });
      for (auto [local, element] : llvm::enumerate(all)) {
        EXPECT_EQ(layout->getElement(tile, local), element) << print(mapping);
        if (!firstHolder[element])
          firstHolder[element] = tile;
      }
      llvm::erase_if(all, [&](int64_t e) { return e < low || e > high; });
      EXPECT_EQ(visited, all) << print(mapping);
      for (int64_t e = std::max<int64_t>(low, 0),
                   end = std::min(high + 1, mapping.getNumElements());
           e < end; ++e)
        EXPECT_EQ(holdsElement(mapping, tile, e), llvm::is_contained(all, e));
    }
    EXPECT_EQ(layout->getTotal(), total);
    for (int64_t e = 0; e < mapping.getNumElements(); ++e)
      EXPECT_EQ(getFirstHolder(mapping, e), firstHolder[e]) << print(mapping);
  }
}

TEST_F(TileLayoutTest, HugeMapsHaveNone) {
  // A tile mapping of 2^20 tiles with 2^50 elements each.
  TileMappingAttr mapping =
      TileMappingAttr::get(&context, {int64_t(1) << 50}, {int64_t(1) << 20},
                           {TileMappingBlock()}, 0);
  EXPECT_FALSE(TileLayout::get(mapping));
}

TEST_F(TileLayoutTest, MissingElements) {
  for (int i = 0; i < 300; ++i) {
    SmallVector<int64_t> shape = drawShape(pick(1, 3), 1);
    TileMappingAttr own = drawTileMapping(shape, /*coversOnce=*/false);
    TileMappingAttr access = drawTileMapping(shape, /*coversOnce=*/false);
    StridedView view = StridedView::identity(shape);
    // Reverse the view along one dimension.
    unsigned dim = pick(0, shape.size() - 1);
    view.offset = (shape[dim] - 1) * view.strides[dim];
    view.strides[dim] = -view.strides[dim];
    std::optional<MissingElement> expected;
    for (int64_t t = 0; t < access.getNumTiles() && !expected; ++t)
      for (int64_t e = 0; e < access.getNumElements() && !expected; ++e) {
        if (!holdsElement(access, t, e))
          continue;
        int64_t element = view.offset, rest = e;
        for (int64_t d = shape.size() - 1; d >= 0; --d) {
          element += rest % shape[d] * view.strides[d];
          rest /= shape[d];
        }
        int64_t tile = access.getFirst() + t;
        int64_t index = tile - own.getFirst();
        if (index >= 0 && index < own.getNumTiles() &&
            holdsElement(own, index, element))
          continue;
        expected = MissingElement{tile, element, getFirstHolder(own, element)};
        if (expected->holder)
          *expected->holder += own.getFirst();
      }
    std::optional<MissingElement> missing =
        findMissingElement(own, view, access);
    ASSERT_EQ(missing.has_value(), expected.has_value());
    if (!missing)
      continue;
    EXPECT_EQ(missing->tile, expected->tile);
    EXPECT_EQ(missing->element, expected->element);
    EXPECT_EQ(missing->holder, expected->holder);
  }
}

TEST_F(TileLayoutTest, MovesGiveTheSameBits) {
  // The programs move x to copies, and a strided part of the copies to y, on
  // two replicas.
  for (int i = 0; i < 60; ++i) {
    SmallVector<int64_t> shape = drawShape(3, 1);
    TileMappingAttr copies = drawTileMapping(shape, /*coversOnce=*/false);
    bool covers = copies.covers();
    auto name = [&](TileMappingAttr mapping) {
      std::string type = "memref<";
      for (int64_t size : shape)
        type += std::to_string(size) + "x";
      return type + "i16, " + print(mapping) + ">";
    };
    std::string x = name(drawTileMapping(shape, true)), c = name(copies),
                y = name(drawTileMapping(shape, true));
    std::string tensor = x.substr(0, x.find(','));
    tensor.replace(0, 6, "tensor");
    tensor += ">";
    // Parts of x and y with the same sizes. The part of y is reversed.
    std::string sizes, from, to;
    int64_t fromOffset = 0, toOffset = 0;
    SmallVector<int64_t> strides = StridedView::identity(shape).strides;
    for (unsigned d = 0; d < 3; ++d) {
      int64_t step = pick(1, 2), size = pick(1, (shape[d] + step - 1) / step);
      fromOffset += pick(0, shape[d] - 1 - (size - 1) * step) * strides[d];
      toOffset += pick(size - 1, shape[d] - 1) * strides[d];
      std::string comma = d ? ", " : "";
      sizes += comma + std::to_string(size);
      from += comma + std::to_string(step * strides[d]);
      to += comma + std::to_string(-strides[d]);
    }
    auto view = [&](const std::string &of, const std::string &type,
                    int64_t offset, const std::string &strides) {
      std::string shapeText = sizes, mapping = type.substr(type.find(", "));
      for (size_t at; (at = shapeText.find(", ")) != std::string::npos;)
        shapeText.replace(at, 2, "x");
      std::string viewType = "memref<" + shapeText + "xi16, strided<[" +
                             strides + "], offset: " + std::to_string(offset) +
                             ">" + mapping;
      return std::make_pair("memref.reinterpret_cast " + of + " to offset: [" +
                                std::to_string(offset) + "], sizes: [" + sizes +
                                "], strides: [" + strides + "] : " + type +
                                " to " + viewType + "\n",
                            viewType);
    };
    std::string source = covers ? "%c" : "%x", sourceType = covers ? c : x;
    auto [fromOp, fromType] = view(source, sourceType, fromOffset, from);
    auto [toOp, toType] = view("%y", y, toOffset, to);
    std::string text =
        "module attributes {ipu.target = #ipu.target<\"gc200\", {replicas = 2 "
        ": i64}>} {\nipu.stream @x host_to_device replicated : " +
        tensor + "\nipu.stream @y host_to_device replicated : " + tensor +
        "\nipu.stream @z device_to_host replicated : " + tensor +
        "\nfunc.func @main() {\n%x = ipu.var \"x\" : " + x +
        "\n%c = ipu.var \"c\" copies : " + c + "\n%y = ipu.var \"y\" : " + y +
        "\n%from = " + fromOp + "%to = " + toOp +
        "ipu.host_load @x to %x : " + x + getCost() +
        "ipu.host_load @y to %y : " + y + getCost() +
        "ipu.exchange \"c\" {\nipu.move %x to %c : " + x + " to " + c + "\n}" +
        getCost() +
        "ipu.exchange \"y\" {\nipu.move %from to %to : " + fromType + " to " +
        toType + "\n}" + getCost() + "ipu.host_store %y to @z : " + y +
        getCost() + "func.return\n}\n}\n";
    OwningOpRef<ModuleOp> module = parse(text);
    ASSERT_TRUE(module) << text;
    FailureOr<ExecuteResult> plain = run(*module, EngineKind::Interp);
    ASSERT_TRUE(succeeded(plain)) << text;
    for (unsigned threads : {1u, 3u}) {
      FailureOr<ExecuteResult> checked =
          run(*module, EngineKind::Interp, threads, /*check=*/true);
      ASSERT_TRUE(succeeded(checked)) << text;
      expectSame(*plain, *checked);
    }
  }
}

TEST_F(TileLayoutTest, EndsAfterSomeFindings) {
  // The host reads ten variables that were never written.
  std::string text = "!t = memref<4xf32, #ipu.map<[4], grid = [2], blocks = "
                     "[p0 * 2 : 2]>>\nmodule {\nfunc.func @main() {\n";
  for (int i = 0; i < 10; ++i) {
    std::string name = "%v" + std::to_string(i);
    text += name + " = ipu.var \"v\" : !t\nipu.expect " + name +
            ", dense<0.0> : tensor<4xf32> : !t\n";
  }
  OwningOpRef<ModuleOp> module = parse(text + "func.return\n}\n}\n");
  ASSERT_TRUE(module);
  unsigned errors = 0;
  std::string last;
  ScopedDiagnosticHandler handler(&context, [&](Diagnostic &diag) {
    ++errors;
    for (Diagnostic &note : diag.getNotes())
      last = note.str();
    return success();
  });
  EXPECT_TRUE(failed(run(*module, EngineKind::Interp, 1, /*check=*/true)));
  EXPECT_EQ(errors, 8u);
  EXPECT_EQ(last, "the checked run ends here, with 8 errors");
  errors = 0;
  EXPECT_TRUE(failed(run(*module, EngineKind::Jit, 1, /*check=*/true)));
  EXPECT_EQ(errors, 1u);
}
