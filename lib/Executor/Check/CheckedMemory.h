//===- CheckedMemory.h - Checked tile memories ------------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Each tile has a separate buffer for its region of each variable. Each element
// of a buffer has a state that says whether the element has a value. A vertex
// can only access the buffers of its tile. Only exchanges and the host move
// elements between tiles. docs/check-mode.md lists the reported errors.
//
//===----------------------------------------------------------------------===//

#ifndef IPU_MLIR_LIB_EXECUTOR_CHECK_CHECKEDMEMORY_H
#define IPU_MLIR_LIB_EXECUTOR_CHECK_CHECKEDMEMORY_H

#include "../Engine/Interp/InterpCode.h"
#include "../Memory/DeviceMemory.h"
#include "VertexChecks.h"
#include "ipu-mlir/Executor/Program/TileLayout.h"
#include <cstdlib>

namespace mlir::ipu {

/// A copy of elements [low, low + size) of a variable. The copy is on no tile.
struct ElementImage {
  int64_t low = 0, size = 0;
  std::vector<char> values;
  std::vector<uint8_t> states;
  /// The first element for which two tiles hold different values, or -1 if
  /// there is none; and the second of these tiles.
  int64_t diverged = -1, divergedTile = 0;
};

class CheckedMemory : public DeviceMemory {
public:
  CheckedMemory(const Program &program, ThreadPool &pool);

  void startRun() override { log = FindingLog(); }
  LogicalResult begin(unsigned variable) override;
  void end(unsigned variable) override;
  LogicalResult compute(const ComputeNode &node) override;
  LogicalResult exchange(const ExchangeNode &node) override;
  LogicalResult advanceRngCounters(const AdvanceRngNode &node) override;
  LogicalResult write(unsigned variable,
                      function_ref<ReplicaData(int64_t)> getData) override;
  LogicalResult read(Operation *user, unsigned variable, int64_t replica,
                     char *to, uint8_t *states) override;
  void look(unsigned variable, int64_t replica, int64_t low, int64_t high,
            ElementsSeen &seen) override;
  ReplicaPartition getPartition(unsigned) const override {
    return partitions.getNone();
  }
  bool hasStates() const override { return true; }
  void loadCode(unsigned function) override;
  LogicalResult callCode(Operation *call, unsigned function) override;
  LogicalResult readUndefined(Operation *user, const Twine &message) override;
  LogicalResult finish() override;

private:
  struct FreeDeleter {
    void operator()(void *memory) const { std::free(memory); }
  };
  struct Variable {
    const TileLayout *layout = nullptr;
    /// The values of all replicas, in ascending order of the replicas. `states`
    /// has the same order.
    std::unique_ptr<char, FreeDeleter> values;
    std::unique_ptr<uint8_t, FreeDeleter> states;
    /// The last move that copied elements without a value to this variable.
    const ProgramMove *undefinedFrom = nullptr;
  };

  /// An element of a variable on a tile of a replica. `tile` is the number of
  /// the tile in the grid of the variable's tile mapping.
  struct ElementLocation {
    unsigned variable = 0;
    int64_t element = 0;
    int64_t tile = 0;
    int64_t replica = 0;
  };

  const TileLayout *getLayout(TileMappingAttr mapping);
  char *getValues(unsigned variable, int64_t replica) const {
    const Variable &v = variables[variable];
    return v.values.get() + replica * v.layout->getTotal() *
                                program.variables[variable].elementBytes;
  }
  uint8_t *getStates(unsigned variable, int64_t replica) const {
    const Variable &v = variables[variable];
    return v.states.get() + replica * v.layout->getTotal();
  }

  // Compute sets.
  void findShared(const ComputeNode &node);
  void runGroup(const ComputeNode &node, unsigned group);
  void runRows(const VertexGroup &group, unsigned number, int64_t begin,
               int64_t end, VertexFindings &findings);
  void endVertex(const VertexGroup &group, Operation *failed,
                 VertexChecks &checks, ArrayRef<int64_t> sizes);

  // Moves.
  void runMove(const ProgramMove &move, int64_t replica);
  ElementImage gather(unsigned variable, int64_t replica, int64_t low,
                      int64_t high);
  /// Copies `values` to elements [low, high] of the variable on all tiles that
  /// hold them. Returns whether one of the copied elements has no value.
  /// `states` is null if all elements have values.
  bool scatter(unsigned variable, int64_t replica, int64_t low, int64_t high,
               const char *values, const uint8_t *states);
  void reportDivergence(Operation *op, unsigned variable, int64_t replica,
                        const ElementImage &image, const StridedView &view);

  // Code that is not always on the tiles.
  //
  // A variable and the code of a function that share memory on `tiles`, which
  // are ranges of tiles.
  struct CodeOverlap {
    unsigned variable = 0, function = 0;
    SmallVector<std::pair<int64_t, int64_t>, 1> tiles;
  };
  void findCodeOverlaps();
  int64_t findValue(const CodeOverlap &overlap, int64_t replica) const;
  void takeMemoryOfCode(unsigned variable);
  void
  forEachRegion(const CodeOverlap &overlap, int64_t replica,
                function_ref<void(int64_t tile, uint8_t *begin, uint8_t *end)>
                    visit) const;
  LogicalResult reportOverwritten(Operation *call, const CodeOverlap &overlap,
                                  int64_t tile);

  // Reports.
  void report(const ComputeNode &node, unsigned group,
              const VertexFinding &finding);
  std::string describe(const ElementLocation &location) const;
  void describe(InFlightDiagnostic &diag, const VertexFinding &finding,
                const ElementLocation &location) const;
  void reportUndefined(Operation *user, unsigned variable, int64_t replica,
                       const ElementImage &image);
  void explainUndefined(InFlightDiagnostic &diag, unsigned variable,
                        uint8_t state) const;

  const Program &program;
  ThreadPool &pool;
  std::vector<InterpCode> codes;
  /// For each codelet, the arguments that the codelet may write.
  std::vector<llvm::SmallBitVector> written;
  llvm::DenseMap<Attribute, std::unique_ptr<TileLayout>> layouts;
  std::vector<Variable> variables;
  /// For the current compute set: the accesses to each variable on which its
  /// vertices may race, on all replicas.
  llvm::DenseMap<unsigned, std::vector<AccessMark>> marks;
  std::vector<CodeOverlap> codeOverlaps;
  /// For a function and a replica: the overlap through which a variable
  /// overwrote the code of the function, and the tile on which this happened.
  /// An entry is added when the variable loses its values.
  llvm::DenseMap<std::pair<unsigned, int64_t>,
                 std::pair<const CodeOverlap *, int64_t>>
      overwritten;
  FindingLog log;
};

} // namespace mlir::ipu

#endif // IPU_MLIR_LIB_EXECUTOR_CHECK_CHECKEDMEMORY_H
