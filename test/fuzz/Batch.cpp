//===- Batch.cpp - Compilation and execution of many functions ------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// In: functions on tensors. Out: their results. The code is not optimised,
// because each function runs once.
//
//===----------------------------------------------------------------------===//

#include "Batch.h"

#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Pass/PassManager.h"
#include "mlir/Pass/PassRegistry.h"
#include <cstdlib>
#include <cstring>

using namespace mlir;
using namespace mlir::fuse::fuzz;

//===----------------------------------------------------------------------===//
// Memory
//===----------------------------------------------------------------------===//

// Memory of the function that runs, with guards around each block.
static constexpr size_t kGuard = 64;
static constexpr unsigned char kGuardByte = 0xC9;
static std::vector<std::pair<char *, size_t>> blocks;
static char undefinedByte;

static void *allocate(size_t size) {
  size_t padded = llvm::alignTo(size + 2 * kGuard, kGuard);
  auto *block = static_cast<char *>(std::aligned_alloc(kGuard, padded));
  memset(block, kGuardByte, padded);
  memset(block + kGuard, undefinedByte, size);
  blocks.push_back({block, size});
  return block + kGuard;
}

static void release(void *) {}

//===----------------------------------------------------------------------===//
// Compiling
//===----------------------------------------------------------------------===//

static constexpr const char *kToLLVM =
    "one-shot-bufferize{bufferize-function-boundaries=true "
    "function-boundary-type-conversion=identity-layout-map},"
    "func.func(convert-linalg-to-loops,convert-vector-to-scf,lower-affine,"
    "convert-scf-to-cf),expand-strided-metadata,lower-affine,"
    "convert-vector-to-llvm,func.func(convert-math-to-llvm,"
    "convert-arith-to-llvm),convert-index-to-llvm,finalize-memref-to-llvm,"
    "convert-func-to-llvm,convert-cf-to-llvm,reconcile-unrealized-casts";

static LogicalResult lowerToLLVM(ModuleOp module) {
  PassManager manager(module.getContext());
  manager.enableVerifier(false);
  if (failed(parsePassPipeline(kToLLVM, manager)))
    llvm::report_fatal_error("passes do not parse");
  return manager.run(module);
}

std::unique_ptr<Batch> Batch::compile(ModuleOp module) {
  for (auto function : module.getOps<func::FuncOp>())
    function->setAttr(LLVM::LLVMDialect::getEmitCWrapperAttrName(),
                      UnitAttr::get(module.getContext()));
  if (failed(lowerToLLVM(module)))
    return nullptr;
  ExecutionEngineOptions options;
  options.jitCodeGenOptLevel = llvm::CodeGenOptLevel::None;
  options.enableObjectDump = false;
  options.enableGDBNotificationListener = false;
  options.enablePerfNotificationListener = false;
  auto engine = ExecutionEngine::create(module, options);
  if (!engine) {
    emitError(module.getLoc()) << llvm::toString(engine.takeError());
    return nullptr;
  }
  auto batch = std::make_unique<Batch>();
  batch->engine = std::move(*engine);
  batch->engine->registerSymbols([](llvm::orc::MangleAndInterner mangle) {
    llvm::orc::SymbolMap symbols;
    auto add = [&](StringRef name, auto *function) {
      symbols[mangle(name)] = {llvm::orc::ExecutorAddr::fromPtr(function),
                               llvm::JITSymbolFlags::Exported |
                                   llvm::JITSymbolFlags::Callable};
    };
    add("malloc", &allocate);
    add("free", &release);
    return symbols;
  });
  return batch;
}

//===----------------------------------------------------------------------===//
// Running
//===----------------------------------------------------------------------===//

/// Frees all blocks. Whether one was written outside.
static bool freeBlocks() {
  bool isHurt = false;
  for (auto [block, size] : blocks) {
    auto isGuard = [](char byte) { return byte == char(kGuardByte); };
    char *end = block + kGuard + size;
    isHurt |= !std::all_of(block, block + kGuard, isGuard) ||
              !std::all_of(end, end + kGuard, isGuard);
    std::free(block);
  }
  blocks.clear();
  return isHurt;
}

static SmallVector<int64_t> makeDescriptor(const Buffer &buffer) {
  size_t bytes = buffer.elements.size() * sizeof(uint32_t);
  void *copy = allocate(bytes);
  if (bytes)
    memcpy(copy, buffer.elements.data(), bytes);
  auto address = reinterpret_cast<int64_t>(copy);
  SmallVector<int64_t> descriptor = {address, address, 0};
  descriptor.append(buffer.shape.begin(), buffer.shape.end());
  int64_t stride = buffer.elements.size();
  for (int64_t size : buffer.shape)
    descriptor.push_back(stride /= std::max<int64_t>(size, 1));
  return descriptor;
}

/// Copies what a descriptor stands for.
static Buffer readDescriptor(const int64_t *descriptor, unsigned rank) {
  Buffer buffer;
  const int64_t *sizes = descriptor + 3, *strides = sizes + rank;
  buffer.shape.assign(sizes, sizes + rank);
  int64_t count = 1;
  for (int64_t size : buffer.shape)
    count *= size;
  const auto *data =
      reinterpret_cast<const uint32_t *>(descriptor[1]) + descriptor[2];
  for (int64_t number = 0; number < count; ++number) {
    int64_t offset = 0, rest = number;
    for (unsigned dim = rank; dim-- > 0; rest /= sizes[dim])
      offset += rest % sizes[dim] * strides[dim];
    buffer.elements.push_back(data[offset]);
  }
  return buffer;
}

std::string Batch::run(StringRef name, ArrayRef<Buffer> arguments,
                       ArrayRef<unsigned> resultRanks, char undefined,
                       std::vector<Buffer> &results) const {
  auto function = engine->lookupPacked(("_mlir_ciface_" + name).str());
  if (!function)
    return llvm::toString(function.takeError());
  undefinedByte = undefined;
  size_t words = 0;
  for (unsigned rank : resultRanks)
    words += 3 + 2 * rank;
  std::vector<int64_t> returned(words);
  std::vector<SmallVector<int64_t>> descriptors;
  for (const Buffer &argument : arguments)
    descriptors.push_back(makeDescriptor(argument));
  std::vector<void *> pointers = {returned.data()}, packed;
  for (SmallVector<int64_t> &descriptor : descriptors)
    pointers.push_back(descriptor.data());
  for (void *&pointer : pointers)
    packed.push_back(&pointer);
  (*function)(packed.data());
  const int64_t *next = returned.data();
  for (unsigned rank : resultRanks) {
    results.push_back(readDescriptor(next, rank));
    next += 3 + 2 * rank;
  }
  return freeBlocks() ? "writes outside of a buffer" : "";
}
