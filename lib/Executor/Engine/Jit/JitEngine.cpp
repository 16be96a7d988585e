//===- JitEngine.cpp - Compiling engine -----------------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "../../Program/JoinedRows.h"
#include "../../Support/ThreadPool.h"
#include "JitCompiler.h"
#include "KernelCache.h"

#include "ipu-mlir/Executor/Engine/Engine.h"
#include "ipu-mlir/Host/HostBytes.h"
#include "mlir/IR/Remarks.h"
#include "llvm/ExecutionEngine/Orc/LLJIT.h"
#include "llvm/Support/Threading.h"
#include <atomic>
#include <map>

using namespace mlir;
using namespace mlir::ipu;
namespace orc = llvm::orc;

namespace {
/// A kernel of the program, and its object code or why there is none.
struct EngineKernel {
  KernelSource source;
  std::string key, symbol;
  std::unique_ptr<llvm::MemoryBuffer> object;
  std::string problem;
  JitFunction function = nullptr;
};

class JitEngine : public Engine {
public:
  JitEngine(const Program &program, unsigned threads)
      : program(program), loc(ModuleOp(program.module).getLoc()),
        threads(threads) {}
  LogicalResult compile(const KernelCache &cache,
                        ArrayRef<const VertexGroup *> moreGroups);
  int64_t getNumParts(const VertexGroup &group) const override;
  std::optional<CodeletFault> run(const VertexRange &range) override;

private:
  LogicalResult compileKernels(const KernelCompiler &compiler,
                               const KernelCache &cache);
  LogicalResult link(const KernelCompiler &compiler);
  LogicalResult fail(llvm::Error error);
  std::optional<CodeletFault> runRows(const VertexRange &range,
                                      ArrayRef<int64_t> table);

  using KernelKey = std::pair<unsigned, std::vector<unsigned>>;
  static KernelKey getKey(const VertexGroup &group) {
    return {group.codelet,
            std::vector<unsigned>(group.alias.begin(), group.alias.end())};
  }

  /// Returns the form of `group` whose rows can be joined best.
  static const VertexGroup &getForm(const VertexGroup &group) {
    return group.inBlocks ? *group.inBlocks : group;
  }

  const Program &program;
  Location loc;
  unsigned threads;
  std::unique_ptr<orc::LLJIT> jit;
  std::map<KernelKey, unsigned> kernelNumbers;
  llvm::DenseMap<const VertexGroup *, unsigned> kernelOfGroup;
  std::vector<EngineKernel> kernels;
  /// Tables of groups some of whose vertices run as one.
  llvm::DenseMap<const VertexGroup *, std::vector<int64_t>> joined;
};
} // namespace

LogicalResult JitEngine::fail(llvm::Error error) {
  return emitError(loc) << "cannot compile the program's codelets: "
                        << llvm::toString(std::move(error));
}

/// Calls `visit` for all groups, in program order.
static void forEachGroup(const ProgramSequence &sequence,
                         function_ref<void(const VertexGroup &)> visit) {
  for (const ProgramNode &node : sequence.nodes) {
    if (const auto *compute = std::get_if<ComputeNode>(&node)) {
      for (const VertexGroup &group : compute->groups)
        visit(group);
    } else if (const auto *repeat =
                   std::get_if<std::unique_ptr<RepeatNode>>(&node)) {
      forEachGroup((*repeat)->body, visit);
    } else if (const auto *branch =
                   std::get_if<std::unique_ptr<IfNode>>(&node)) {
      forEachGroup((*branch)->thenBody, visit);
      forEachGroup((*branch)->elseBody, visit);
    } else if (const auto *loop =
                   std::get_if<std::unique_ptr<WhileNode>>(&node)) {
      forEachGroup((*loop)->before, visit);
      forEachGroup((*loop)->body, visit);
    }
  }
}

LogicalResult JitEngine::compile(const KernelCache &cache,
                                 ArrayRef<const VertexGroup *> moreGroups) {
  auto addKernel = [&](const VertexGroup &original) {
    const VertexGroup &group = getForm(original);
    auto [it, isNew] = kernelNumbers.try_emplace(getKey(group), kernels.size());
    kernelOfGroup[&group] = it->second;
    if (isNew) {
      EngineKernel &kernel = kernels.emplace_back();
      kernel.source = {program.codeletTexts[group.codelet], group.alias};
    }
    if (auto table = joinRows(group, program.codelets[group.codelet], threads))
      joined[&group] = std::move(*table);
  };
  forEachGroup(program.body, addKernel);
  for (const ProgramFunction &function : program.functions)
    forEachGroup(function.body, addKernel);
  for (const VertexGroup *group : moreGroups)
    addKernel(*group);
  if (kernels.empty())
    return success();

  llvm::Expected<KernelCompiler> compiler = KernelCompiler::create();
  if (!compiler)
    return fail(compiler.takeError());
  for (auto [number, kernel] : llvm::enumerate(kernels)) {
    kernel.key = compiler->getKey(kernel.source);
    kernel.symbol =
        "kernel_" + (kernel.key.empty() ? std::to_string(number) : kernel.key);
    kernel.object = cache.load(kernel.key);
  }
  return failure(failed(compileKernels(*compiler, cache)) ||
                 failed(link(*compiler)));
}

/// Compiles what is not in the cache, on all cores: objects do not depend on
/// which thread compiles them.
LogicalResult JitEngine::compileKernels(const KernelCompiler &compiler,
                                        const KernelCache &cache) {
  std::vector<EngineKernel *> missing;
  for (EngineKernel &kernel : kernels)
    if (!kernel.object)
      missing.push_back(&kernel);
  remark::analysis(loc,
                   remark::RemarkOpts::name("ipu-execute").category("ipu-jit"))
      << remark::metric("compiled", int64_t(missing.size()))
      << remark::metric("cached", int64_t(kernels.size() - missing.size()));
  if (missing.empty())
    return success();
  // The largest first, so that none is left over for one thread at the end.
  llvm::sort(missing, [](EngineKernel *a, EngineKernel *b) {
    size_t aSize = a->source.codelet.size(), bSize = b->source.codelet.size();
    return aSize != bSize ? aSize > bSize : a < b;
  });
  ThreadPool pool(std::min<size_t>(
      llvm::hardware_concurrency().compute_thread_count(), missing.size()));
  std::atomic<size_t> next = 0;
  pool.run(pool.getNumThreads(), [&](unsigned, int64_t, int64_t) {
    std::unique_ptr<MLIRContext> context = KernelCompiler::createContext();
    for (size_t i = next++; i < missing.size(); i = next++) {
      EngineKernel &kernel = *missing[i];
      auto object = compiler.compile(kernel.source, kernel.symbol, *context);
      if (!object) {
        kernel.problem = llvm::toString(object.takeError());
        continue;
      }
      kernel.object = std::move(*object);
      cache.store(kernel.key, kernel.object->getBuffer());
    }
  });
  cache.prune(kMaxCacheBytes, kPruneInterval);
  for (const EngineKernel &kernel : kernels)
    if (!kernel.object)
      return emitError(loc) << kernel.problem;
  return success();
}

LogicalResult JitEngine::link(const KernelCompiler &compiler) {
  // Nothing of this process is found but what is defined here.
  llvm::Expected<std::unique_ptr<orc::LLJIT>> created =
      orc::LLJITBuilder()
          .setJITTargetMachineBuilder(compiler.getMachineBuilder())
          .setLinkProcessSymbolsByDefault(false)
          .setPlatformSetUp(orc::setUpInactivePlatform)
          .create();
  if (!created)
    return fail(created.takeError());
  jit = std::move(*created);
  orc::MangleAndInterner mangle(jit->getExecutionSession(),
                                jit->getDataLayout());
  orc::SymbolMap symbols;
  for (const JitSymbol &symbol : getJitSymbols())
    symbols[mangle(symbol.name)] = {orc::ExecutorAddr::fromPtr(symbol.address),
                                    llvm::JITSymbolFlags::Exported |
                                        llvm::JITSymbolFlags::Callable};
  if (llvm::Error error =
          jit->getMainJITDylib().define(orc::absoluteSymbols(symbols)))
    return fail(std::move(error));
  for (EngineKernel &kernel : kernels)
    if (llvm::Error error = jit->addObjectFile(std::move(kernel.object)))
      return fail(std::move(error));
  for (EngineKernel &kernel : kernels) {
    llvm::Expected<orc::ExecutorAddr> address = jit->lookup(kernel.symbol);
    if (!address)
      return fail(address.takeError());
    kernel.function = address->toPtr<JitFunction>();
  }
  return success();
}

/// The thread's.
static char *getScratch() {
  static thread_local HostBytes scratch;
  if (scratch.isNull())
    scratch = HostBytes(kScratchBytes);
  return scratch.data();
}

int64_t JitEngine::getNumParts(const VertexGroup &original) const {
  const VertexGroup &group = getForm(original);
  auto it = joined.find(&group);
  return it == joined.end() ? group.getNumRows()
                            : it->second.size() / group.rowSize;
}

std::optional<CodeletFault> JitEngine::run(const VertexRange &original) {
  if (!original.table.empty())
    return runRows(original, original.table);
  VertexRange range = original;
  const VertexGroup &group = *(range.group = &getForm(*original.group));
  auto it = joined.find(&group);
  std::optional<CodeletFault> fault =
      runRows(range, it == joined.end() ? group.table : it->second);
  if (!fault)
    return std::nullopt;
  if (it != joined.end()) {
    // Sizes and indices decide: one of the rows that were joined has it, too.
    VertexRange all = range;
    all.begin = 0;
    all.end = group.getNumRows();
    if (std::optional<CodeletFault> first = runRows(all, group.table))
      fault = first;
  }
  // A vertex may have several rows of another form.
  if (&group != original.group)
    fault->row = llvm::find(original.group->tiles, group.tiles[fault->row]) -
                 original.group->tiles.begin();
  return fault;
}

std::optional<CodeletFault> JitEngine::runRows(const VertexRange &range,
                                               ArrayRef<int64_t> table) {
  const VertexGroup &group = *range.group;
  SmallVector<char *> buffers;
  for (auto [operand, alias] : llvm::enumerate(group.alias))
    if (alias == operand)
      buffers.push_back(range.buffers[operand]);
  int64_t fault[2] = {0, 0};
  kernels[kernelOfGroup.at(&group)].function(buffers.data(), table.data(),
                                             range.begin, range.end, fault,
                                             getScratch());
  if (fault[0] == 0)
    return std::nullopt;
  return CodeletFault{
      fault[1], getFaultOp(program.codelets[group.codelet], fault[0] - 1)};
}

FailureOr<std::unique_ptr<Engine>>
mlir::ipu::createJitEngine(const Program &program, unsigned threads,
                           StringRef cacheFolder,
                           ArrayRef<const VertexGroup *> moreGroups) {
  auto engine = std::make_unique<JitEngine>(program, threads);
  if (!cacheFolder.empty())
    if (llvm::Error error = prepareCacheFolder(cacheFolder)) {
      emitWarning(func::FuncOp(program.function).getLoc())
          << "compiled kernels are not kept: "
          << llvm::toString(std::move(error));
      cacheFolder = "";
    }
  if (failed(engine->compile(KernelCache(cacheFolder), moreGroups)))
    return failure();
  return std::unique_ptr<Engine>(std::move(engine));
}
