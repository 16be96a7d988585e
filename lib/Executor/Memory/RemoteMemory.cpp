//===- RemoteMemory.cpp - Rows of streaming memory ------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "RemoteMemory.h"

#include "ipu-mlir/Host/HostTensor.h"

using namespace mlir;
using namespace mlir::ipu;

RemoteMemory::RemoteMemory(const Program &program, bool shares)
    : program(&program), replicas(program.target.replicas), shares(shares),
      rows(program.remoteBuffers.size()), zeros(rows.size()) {}

const char *RemoteMemory::getZeros(unsigned buffer) {
  std::vector<char> &row = zeros[buffer];
  int64_t bytes = program->remoteBuffers[buffer].bytes + 1;
  if (row.empty() && hasHostMemory(bytes))
    row.resize(bytes);
  return row.empty() ? nullptr : row.data();
}

ReplicaData RemoteMemory::get(unsigned buffer, int64_t row,
                              int64_t replica) const {
  auto it = rows[buffer].find(row);
  if (it == rows[buffer].end())
    return {};
  const Row &stored = it->second;
  const Content *content =
      stored.size() == 1 ? stored.front().get() : stored[replica].get();
  if (!content)
    return {};
  // A row of no elements has been stored to, too.
  const char *values = content->values.empty() ? "" : content->values.data();
  return {values, content->states.empty() ? nullptr : content->states.data()};
}

std::shared_ptr<const RemoteMemory::Content>
RemoteMemory::copy(unsigned number, ReplicaData data) const {
  const ProgramRemoteBuffer &buffer = program->remoteBuffers[number];
  auto content = std::make_shared<Content>();
  content->values.assign(data.values, data.values + buffer.bytes);
  int64_t elements = buffer.bytes / buffer.elementBytes;
  if (data.states && !areDefined(data.states, elements))
    content->states.assign(data.states, data.states + elements);
  return content;
}

void RemoteMemory::storeAll(unsigned buffer, int64_t row,
                            function_ref<ReplicaData(int64_t)> getData) {
  Row &stored = rows[buffer][row];
  stored.clear();
  store(buffer, std::vector<int64_t>(replicas, row), getData);
  if (llvm::all_equal(stored))
    stored.truncate(1);
}

void RemoteMemory::store(unsigned buffer, ArrayRef<int64_t> rowOfReplica,
                         function_ref<ReplicaData(int64_t)> getData) {
  // What does not change may be in several rows.
  llvm::DenseMap<const char *, std::shared_ptr<const Content>> contents;
  for (auto [replica, row] : llvm::enumerate(rowOfReplica)) {
    Row &stored = rows[buffer][row];
    if (stored.empty())
      stored.resize(1);
    if (stored.size() < static_cast<size_t>(replicas))
      stored.resize(replicas, stored.front());
    ReplicaData data = getData(replica);
    std::shared_ptr<const Content> own;
    std::shared_ptr<const Content> &content =
        shares ? contents[data.values] : own;
    if (!content)
      content = copy(buffer, data);
    stored[replica] = content;
  }
}
