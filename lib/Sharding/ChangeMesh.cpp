//===- ChangeMesh.cpp - Changes between meshes ----------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
// All devices in their order form one axis. The axes of both meshes are parts
// of this axis.
//
//===----------------------------------------------------------------------===//

#include "ipu-mlir/Sharding/CollectivePlan.h"

using namespace mlir;
using namespace mlir::ipu::sharding;

/// Returns the number of devices that the axes before `axis` distinguish.
static int64_t getOffset(unsigned axis, MeshSizes mesh) {
  int64_t offset = 1;
  for (int64_t size : mesh.take_front(axis))
    offset *= size;
  return offset;
}

std::optional<AxisList> mlir::ipu::sharding::changeMesh(ArrayRef<AxisRef> axes,
                                                        MeshSizes from,
                                                        MeshSizes to) {
  AxisList changed;
  for (const AxisRef &ref : axes) {
    int64_t begin = getOffset(ref.axis, from) * ref.preSize;
    int64_t end = begin * ref.size;
    for (unsigned axis = 0; axis < to.size(); ++axis) {
      int64_t first = getOffset(axis, to), last = first * to[axis];
      int64_t low = std::max(begin, first), high = std::min(end, last);
      if (low >= high)
        continue;
      if (low % first != 0 || high % low != 0 || last % high != 0)
        return std::nullopt;
      appendMerged(changed, {axis, low / first, high / low});
    }
  }
  return changed;
}
