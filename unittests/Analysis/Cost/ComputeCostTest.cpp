//===- ComputeCostTest.cpp - Costs of vertices and compute sets -*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "../CostTest.h"

#include "mlir/Parser/Parser.h"
#include <random>

using namespace mlir;
using namespace mlir::ipu;

namespace {

//===----------------------------------------------------------------------===//
// Levels
//===----------------------------------------------------------------------===//

/// A list of vertices. It owns the sizes of their operands.
class VertexList {
public:
  VertexList() = default;
  VertexList(const VertexList &) = delete;

  void add(CodeletCostAttr cost,
           ArrayRef<std::pair<std::vector<int64_t>, Type>> inputs,
           const std::pair<std::vector<int64_t>, Type> &output) {
    Vertex vertex;
    vertex.cost = cost;
    for (const auto &input : inputs)
      vertex.inputs.push_back({keep(input.first), input.second});
    vertex.outputs.push_back({keep(output.first), output.second});
    vertices.push_back(vertex);
  }
  void clear() {
    vertices.clear();
    sizes.clear();
  }

  SmallVector<Vertex> vertices;

private:
  ArrayRef<int64_t> keep(std::vector<int64_t> list) {
    sizes.push_back(std::make_unique<std::vector<int64_t>>(std::move(list)));
    return *sizes.back();
  }
  std::vector<std::unique_ptr<std::vector<int64_t>>> sizes;
};

class LevelsTest : public CostTest {
protected:
  /// Adds a vertex of kind `kind`, whose number of operations is a small
  /// multiple of `size`.
  void addAny(int kind, int64_t size, Type type) {
    static const char *const vectors[] = {"add", "exp",  "relu", "div",
                                          "sin", "cast", "less", "fill"};
    std::vector<int64_t> shape = {size};
    if (kind < 8)
      return list.add(getCost(vectors[kind], type), {}, {shape, type});
    switch (kind) {
    case 8:
      return list.add(getCost("reduce", type, CodeletCostKind::Reduce, 37),
                      {{{size, 37}, type}}, {shape, type});
    case 9:
      return list.add(getCost("gather", type, CodeletCostKind::Gather),
                      {{{50, 7}, type}, {shape, i32}}, {{size, 7}, type});
    case 10:
      return list.add(getCost("matmul", type, CodeletCostKind::Matmul),
                      {{{1, size, 20}, type}, {{1, 20, 9}, type}},
                      {{1, size, 9}, type});
    case 11:
      return list.add(getCost("matmul", i32, CodeletCostKind::Matmul),
                      {{{1, size, 20}, i32}, {{1, 20, 9}, i32}},
                      {{1, size, 9}, i32});
    case 12:
      return list.add(getCost("conv", type, CodeletCostKind::Conv),
                      {{{1, size, 1, 9, 12}, type}, {{size, 1, 1, 3, 3}, type}},
                      {{1, size, 1, 7, 10}, type});
    case 13:
      return list.add(getCost("matmul", type, CodeletCostKind::Matmul),
                      {{{1, size, 1}, type}, {{1, 1, 90}, type}},
                      {{1, size, 90}, type});
    default:
      return list.add(
          getCost("conv", type, CodeletCostKind::Conv),
          {{{1, 1, 24, size + 2, 7}, type}, {{1, 20, 24, 3, 3}, type}},
          {{1, 1, 20, size, 5}, type});
    }
  }
  static constexpr int kKinds = 15;

  int64_t getCycles(CostLevel level) {
    return getTileCycles(target, list.vertices, level);
  }

  VertexList list;
};

// A tile with one vertex takes the same number of cycles at both levels.
TEST_F(LevelsTest, OneVertex) {
  for (int kind = 0; kind < kKinds; ++kind)
    for (int64_t size : {1, 2, 5, 6, 7, 12, 13, 60, 61, 500, 4097})
      for (Type type : {f32, f16}) {
        list.clear();
        addAny(kind, size, type);
        EXPECT_GT(getCycles(CostLevel::Fast), 0);
        EXPECT_EQ(getCycles(CostLevel::Fast), getCycles(CostLevel::Detailed))
            << "kind " << kind << ", size " << size;
      }
}

// Two additions of 7 pairs of elements each. In each addition, one worker has
// two pairs and five workers have one pair, which takes 29 + 6 and 29 + 3 of a
// worker's cycles. The supervisor needs 11 cycles for each addition. Five
// contexts are free at 11 + 192 cycles, and one at 11 + 210. The second
// addition uses the five contexts first, for the longest parts: 203 + 210 =
// 413. Its last part begins at 221: 221 + 192 = 413.
TEST_F(LevelsTest, ContextsThatAreFreeGoOn) {
  for (int i = 0; i < 2; ++i)
    list.add(getCost("add", f32), {}, {{14}, f32});
  EXPECT_EQ(getCycles(CostLevel::Fast), 2 * (11 + 210));
  EXPECT_EQ(getCycles(CostLevel::Detailed), 413);
}

// The matrix unit waits for all workers, and all workers wait for the matrix
// unit.
TEST_F(LevelsTest, MatrixUnitHasTheTileToItself) {
  list.add(getCost("add", f32), {}, {{1}, f32});
  CodeletCostAttr cost = getCost("matmul", f32, CodeletCostKind::Matmul);
  list.add(cost, {{{1, 2, 16}, f32}, {{1, 16, 4}, f32}}, {{1, 2, 4}, f32});
  list.add(getCost("add", f32), {}, {{1}, f32});
  EXPECT_EQ(getCycles(CostLevel::Detailed), 203 + 806 + 203);
}

/// Computes the cycles of the detailed level by the definition, for each
/// context and each worker.
static int64_t
scheduleByHand(int64_t workers,
               ArrayRef<std::pair<int64_t, std::vector<int64_t>>> vertices) {
  std::vector<int64_t> free(workers, 0);
  int64_t now = 0;
  for (const auto &[supervisor, tasks] : vertices) {
    now += supervisor;
    for (int64_t task : tasks) {
      auto first = llvm::min_element(free);
      *first = std::max(*first, now) + workers * task;
    }
  }
  return std::max(now, *llvm::max_element(free));
}

TEST_F(LevelsTest, IsAListSchedule) {
  std::mt19937 random(2);
  auto draw = [&](int64_t least, int64_t most) {
    return std::uniform_int_distribution<int64_t>(least, most)(random);
  };
  for (int i = 0; i < 500; ++i) {
    target.workers = draw(1, 8);
    list.clear();
    std::vector<std::pair<int64_t, std::vector<int64_t>>> vertices;
    for (int64_t v = draw(1, 5); v > 0; --v) {
      int64_t supervisor = draw(0, 40), fixed = draw(0, 30), each = draw(1, 50);
      int64_t per = draw(1, 4), size = draw(1, 100);
      list.add(CodeletCostAttr::get(&context, CostKind::Vector, supervisor,
                                    fixed, each, per, /*combined=*/0,
                                    /*stride=*/1),
               {}, {{size}, f32});
      std::vector<int64_t> tasks(target.workers, fixed);
      for (int64_t at = 0; at < size; at += per)
        tasks[at / per % target.workers] += each;
      vertices.emplace_back(supervisor, tasks);
    }
    int64_t detailed = getCycles(CostLevel::Detailed);
    EXPECT_EQ(detailed, scheduleByHand(target.workers, vertices));
    EXPECT_LE(detailed, getCycles(CostLevel::Fast));
  }
}

// The difference of the estimates of both levels is small on tiles with several
// vertices, each of which has a few vectors for each worker.
TEST_F(LevelsTest, FastIsClose) {
  std::mt19937 random(3);
  auto draw = [&](int64_t least, int64_t most) {
    return std::uniform_int_distribution<int64_t>(least, most)(random);
  };
  for (int i = 0; i < 2000; ++i) {
    list.clear();
    for (int64_t v = draw(1, 4); v > 0; --v)
      addAny(draw(0, kKinds - 1), draw(100, 1000), i % 2 ? f16 : f32);
    int64_t fast = getCycles(CostLevel::Fast);
    int64_t detailed = getCycles(CostLevel::Detailed);
    EXPECT_LE(detailed, fast);
    EXPECT_LE(100 * fast, 115 * detailed);
  }
}

//===----------------------------------------------------------------------===//
// Classes
//===----------------------------------------------------------------------===//

using ClassesTest = CostTest;

// The cost of a compute set by classes of tiles is equal to its cost tile by
// tile.
TEST_F(ClassesTest, ClassesStandForTiles) {
  std::mt19937 random(4);
  auto draw = [&](int64_t least, int64_t most) {
    return std::uniform_int_distribution<int64_t>(least, most)(random);
  };
  for (int i = 0; i < 200; ++i) {
    std::string text;
    llvm::raw_string_ostream os(text);
    int64_t ipus = draw(1, 3);
    std::string body, vars;
    llvm::raw_string_ostream bodyOs(body), varOs(vars);
    os << "!b = memref<?x?xf32, strided<[?, 1], offset: ?>>\n"
          "!i = memref<?x?xi32, strided<[?, 1], offset: ?>>\n"
          "module attributes {ipu.target = #ipu.target<\"gc200\", {ipus = "
       << ipus << ", tiles = 40 : i64}>} {\n"
       << "ipu.codelet @c(%t : !b, %i : !i, %y : !b) inputs 2 cost <gather, "
          "supervisor = 3, worker = 30, cycles = 2, per = 2> {}\n";
    for (int64_t v = draw(0, 3); v > 0; --v) {
      // The blocks of the output have sizes a x b. The blocks of the indices
      // also have halos.
      int64_t g0 = draw(1, 6), g1 = draw(1, 6), a = draw(1, 20),
              b = draw(1, 20);
      int64_t s0 = (a + g0 - 1) / g0 + draw(0, 2), s1 = (b + g1 - 1) / g1;
      int64_t halo = draw(0, 9), first = draw(0, 40 * ipus - g0 * g1);
      // Some grids are nested on two IPUs, with a few unused tiles on each IPU.
      std::string nested;
      int64_t ofIPU = g0 * g1 / 2, ipuTiles = draw(ofIPU, 40 * ipus - ofIPU);
      if (g0 % 2 == 0 && draw(0, 1)) {
        first = draw(0, 40 * ipus - ofIPU - ipuTiles);
        nested = ", ipus = [2, 1] * " + std::to_string(ipuTiles);
      } else if (g1 % 2 == 0 && draw(0, 1)) {
        first = draw(0, 40 * ipus - ofIPU - ipuTiles);
        nested = ", ipus = [1, 2] * " + std::to_string(ipuTiles);
      }
      auto printTileMapping = [&](llvm::raw_ostream &os, int64_t e0) {
        os << "#ipu.map<[" << a << ", " << b << "], grid = [" << g0 << ", "
           << g1 << "], blocks = [p0 * " << s0 << " : " << e0 << ", p1 * " << s1
           << " : " << s1 << "], first = " << first << nested << ">";
      };
      auto printVar = [&](char name, StringRef type, int64_t e0) {
        varOs << "%" << name << v << " = ipu.var \"v\" "
              << (name == 'y' ? "" : "copies ") << ": memref<" << a << "x" << b
              << "x" << type << ", ";
        printTileMapping(varOs, e0);
        varOs << ">\n";
      };
      printVar('t', "f32", s0);
      printVar('i', "i32", s0 + halo);
      printVar('y', "f32", s0);
      auto printType = [&](StringRef type, int64_t e0) {
        bodyOs << "memref<" << a << "x" << b << "x" << type << ", ";
        printTileMapping(bodyOs, e0);
        bodyOs << ">";
      };
      bodyOs << "ipu.vertices @c ins(%t" << v << ", %i" << v << " : ";
      printType("f32", s0);
      bodyOs << ", ";
      printType("i32", s0 + halo);
      bodyOs << ") outs(%y" << v << " : ";
      printType("f32", s0);
      bodyOs << ") access [";
      printTileMapping(bodyOs, s0);
      bodyOs << ", ";
      printTileMapping(bodyOs, s0 + halo);
      bodyOs << ", ";
      printTileMapping(bodyOs, s0);
      bodyOs << "]\n";
    }
    os << "func.func @main() {\n"
       << vars << "ipu.compute_set \"c\" {\n"
       << body << "}\nreturn\n}\n}\n";
    OwningOpRef<ModuleOp> module = parseSourceString<ModuleOp>(text, &context);
    ASSERT_TRUE(module) << text;
    TargetModel model = getTargetModel(*module);

    ComputeSetOp compute;
    module->walk([&](ComputeSetOp op) { compute = op; });
    std::vector<int64_t> tiles(model.getTilesPerReplica(), 0);
    auto codelet = *module->getOps<CodeletOp>().begin();
    compute.walk([&](VerticesOp vertices) {
      TileMappingAttr mapping = vertices.getAccessTileMapping(1),
                      out = vertices.getAccessTileMapping(2);
      for (int64_t at = 0; at < mapping.getNumTiles(); ++at) {
        IndexRegion in = mapping.getTileRegion(at),
                    result = out.getTileRegion(at);
        tiles[mapping.getFirst() + at] += getVertexCycles(
            model, codelet.getCost(), {{{1}, f32}, {in.sizes, i32}},
            {{result.sizes, f32}});
      }
    });
    StepCostAttr cost = getComputeCost(model, compute);
    int64_t total = 0, slowest = 0;
    for (auto [tile, cycles] : llvm::enumerate(tiles)) {
      total += cycles;
      if (cycles > tiles[slowest])
        slowest = tile;
    }
    EXPECT_EQ(cost.getTotal(), total);
    EXPECT_EQ(cost.getTile(), slowest);
    for (int64_t ipu = 0; ipu < ipus; ++ipu) {
      int64_t most = *std::max_element(tiles.begin() + 40 * ipu,
                                       tiles.begin() + 40 * (ipu + 1));
      EXPECT_EQ(cost.getCycles()[ipu],
                most ? most + model.compute_set_cycles : 0);
    }
  }
}

} // namespace
