//===- Programs.cpp - Programs that benchmarks work on --------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Programs.h"

#include "ipu-mlir/Compiler/Pipelines.h"
#include "ipu-mlir/Host/InputSpec.h"
#include "ipu-mlir/InitAll.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Parser/Parser.h"
#include "mlir/Pass/PassManager.h"
#include "llvm/Support/FormatVariadic.h"

using namespace mlir;
using namespace mlir::ipu;
using llvm::formatv;

std::unique_ptr<MLIRContext> benchmark::makeContext() {
  DialectRegistry registry;
  registerAllDialects(registry);
  registerExecutorDialects(registry);
  registry.insert<func::FuncDialect>();
  return std::make_unique<MLIRContext>(registry,
                                       MLIRContext::Threading::DISABLED);
}

OwningOpRef<ModuleOp> benchmark::parse(MLIRContext &context,
                                       const std::string &text) {
  auto module = parseSourceString<ModuleOp>(text, &context);
  if (!module)
    llvm::report_fatal_error("program of a benchmark does not parse");
  return module;
}

void benchmark::lower(ModuleOp module) {
  PassManager manager(module.getContext());
  buildPopToIPUPipeline(manager, PopToIPUPipelineOptions());
  if (failed(manager.run(module)))
    llvm::report_fatal_error("program of a benchmark cannot be lowered");
}

void benchmark::run(ModuleOp module, EngineKind engine) {
  ExecuteOptions options;
  options.engine = engine;
  options.input = [](StringRef name,
                     RankedTensorType type) -> FailureOr<HostTensor> {
    llvm::Expected<HostTensor> tensor =
        generateInput(InputSpec{"*", "", InputGenerator::Zeros, 0}, name, type);
    if (!tensor)
      llvm::report_fatal_error(tensor.takeError());
    return std::move(*tensor);
  };
  if (failed(execute(module, options)))
    llvm::report_fatal_error("program of a benchmark cannot be executed");
}

static std::string addModule(const std::string &function) {
  return "module attributes {ipu.target = #ipu.target<\"gc200\">} {\n" +
         function + "}\n";
}

std::string benchmark::getMatmul(int64_t size) {
  std::string type = formatv("tensor<{0}x{0}xf32>", size);
  return addModule(formatv("func.func @main(%a: {0}, %b: {0}) -> {0} {{\n"
                           "  %c = pop.matmul %a, %b : ({0}, {0}) -> {0}\n"
                           "  return %c : {0}\n}\n",
                           type));
}

std::string benchmark::getConv(int64_t channels, int64_t side) {
  std::string image = formatv("tensor<1x{0}x{1}x{1}xf32>", channels, side);
  std::string weights = formatv("tensor<{0}x{0}x3x3xf32>", channels);
  return addModule(
      formatv("func.func @main(%x: {0}, %w: {1}) -> {0} {{\n"
              "  %y = pop.conv %x, %w {{pads = array<i64: 1, 1, 1, 1>}"
              " : ({0}, {1}) -> {0}\n"
              "  return %y : {0}\n}\n",
              image, weights));
}

std::string benchmark::getResidualBlocks(int64_t blocks) {
  const char *image = "tensor<1x64x56x56xf32>";
  const char *weights = "tensor<64x64x3x3xf32>";
  std::string arguments, body;
  auto addConv = [&](int64_t to, int64_t from, int64_t weight) {
    body += formatv("  %c{0} = pop.conv %x{1}, %w{2} {{pads = array<i64: 1, 1, "
                    "1, 1>} : ({3}, {4}) -> {3}\n",
                    to, from, weight, image, weights);
  };
  for (int64_t i = 0; i < blocks; ++i) {
    int64_t x = 2 * i;
    arguments += formatv(", %w{0}: {2}, %w{1}: {2}", x, x + 1, weights);
    addConv(x, x, x);
    body += formatv("  %x{0} = pop.relu %c{1} : {2}\n", x + 1, x, image);
    addConv(x + 1, x + 1, x + 1);
    body += formatv("  %s{0} = pop.add %c{1}, %x{2} : ({3}, {3}) -> {3}\n"
                    "  %x{4} = pop.relu %s{0} : {3}\n",
                    i, x + 1, x, image, x + 2);
  }
  return addModule(formatv("func.func @main(%x0: {0}{1}) -> {0} {{\n{2}"
                           "  return %x{3} : {0}\n}\n",
                           image, arguments, body, 2 * blocks));
}

/// Returns a program with one exchange of a tensor of `shape` from tile mapping
/// `from` to tile mapping `to`.
static std::string getExchange(const std::string &from, const std::string &to,
                               const std::string &shape, bool copies) {
  return formatv("#from = #ipu.map<{0}>\n#to = #ipu.map<{1}>\n", from, to)
             .str() +
         addModule(formatv("func.func @main() {{\n"
                           "  %x = ipu.var \"x\" : memref<{0}xf32, #from>\n"
                           "  %y = ipu.var \"y\"{1} : memref<{0}xf32, #to>\n"
                           "  ipu.exchange \"x\" {{\n"
                           "    ipu.move %x to %y : memref<{0}xf32, #from> to "
                           "memref<{0}xf32, "
                           "#to>\n  }\n  return\n}\n",
                           shape, copies ? " copies" : ""));
}

std::string benchmark::getTransposition(int64_t size) {
  int64_t block = llvm::divideCeil(size, 1472);
  int64_t tiles = llvm::divideCeil(size, block);
  return getExchange(
      formatv("[{0}, {0}], grid = [{1}], blocks = [p0 * {2} : {2}, all]", size,
              tiles, block),
      formatv("[{0}, {0}], grid = [{1}], blocks = [all, p0 * {2} : {2}]", size,
              tiles, block),
      formatv("{0}x{0}", size), /*copies=*/false);
}

std::string benchmark::getHalos(int64_t side) {
  int64_t block = llvm::divideCeil(side, 38);
  int64_t tiles = llvm::divideCeil(side, block);
  return getExchange(
      formatv("[{0}, {0}], grid = [{1}, {1}], blocks = [p0 * {2} "
              ": {2}, p1 * {2} : {2}]",
              side, tiles, block),
      formatv("[{0}, {0}], grid = [{1}, {1}], blocks = [p0 * {2} "
              ": {3}, p1 * {2} : {3}]",
              side, tiles, block, block + 2),
      formatv("{0}x{0}", side), /*copies=*/true);
}
