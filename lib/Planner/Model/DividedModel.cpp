//===- DividedModel.cpp - The equal part of each IPU ------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The division of a tensor follows from the steps that read it: a step whose
// result is divided along one of its loops reads parts of the operands that
// depend on this loop, and whole other operands. Therefore steps are visited
// from the last one to the first one.
//
//===----------------------------------------------------------------------===//

#include "ipu-mlir/Planner/Model/DividedModel.h"

#include "mlir/Dialect/Utils/IndexingUtils.h"

using namespace mlir;
using namespace mlir::ipu;

/// Returns the dimension of `domain` that is divided into `numParts` parts if
/// the product of the dimensions before it is `outer`.
static std::optional<unsigned> findDim(ArrayRef<int64_t> domain, int64_t outer,
                                       int64_t numParts) {
  int64_t before = 1;
  for (auto [dim, size] : llvm::enumerate(domain)) {
    if (before == outer && size > 1)
      return size % numParts == 0 ? std::optional<unsigned>(dim) : std::nullopt;
    before *= size;
  }
  return std::nullopt;
}

namespace mlir::ipu {
class ModelDivider {
public:
  ModelDivider(const PlanModel &model, int64_t numParts, PartitionCache &cache)
      : model(model), numParts(numParts), cache(cache) {}

  std::optional<DividedModel> run();

private:
  /// An IPU has an equal part of each of `outer` blocks, or all elements.
  struct Division {
    std::optional<int64_t> outer;
    bool operator!=(const Division &other) const {
      return outer != other.outer;
    }
  };

  bool setDivision(unsigned tensor, Division division);
  bool divide(unsigned tensor, unsigned dim, StridedView &view);
  bool visit(ModelStep &step);
  bool visitCompute(ModelStep &step);
  bool visitMove(ModelStep &step);
  bool visitSteps();
  GetPartitionProblem getProblems(const ModelTensor &whole, int64_t outer,
                                  ArrayRef<int64_t> shape) const;
  bool divideTensor(unsigned number);

  const PlanModel &model;
  int64_t numParts;
  PartitionCache &cache;
  DividedModel result;
  /// The divisions that are known.
  SmallVector<std::optional<Division>> divisions;
};
} // namespace mlir::ipu

/// Returns whether `tensor` may have `division`, which then is known.
bool ModelDivider::setDivision(unsigned tensor, Division division) {
  // A step that computes a whole tensor would have to compute all of its
  // copies.
  if (!division.outer &&
      model.getTensor(tensor).origin == ModelTensor::Origin::Result)
    return false;
  std::optional<Division> &known = divisions[tensor];
  if (known && *known != division)
    return false;
  known = division;
  return true;
}

/// Restricts `view`, a view of `tensor`, to one part of dimension `dim`, and
/// sets the division of the tensor. Returns false if the tensor has another
/// division, or if the view would select elements of several parts.
bool ModelDivider::divide(unsigned tensor, unsigned dim, StridedView &view) {
  int64_t stride = view.strides[dim], size = view.sizes[dim];
  view.sizes[dim] = size / numParts;
  if (stride == 0)
    return setDivision(tensor, {std::nullopt});
  int64_t block = stride * size;
  int64_t numElements = model.getTensor(tensor).getNumElements();
  if (stride < 0 || block > numElements || numElements % block != 0 ||
      !setDivision(tensor, {numElements / block}))
    return false;
  int64_t ofPart = block / numParts;
  int64_t last = view.offset % block + stride * (view.sizes[dim] - 1);
  for (auto [other, own] : llvm::enumerate(view.strides)) {
    if (other == dim || view.sizes[other] == 1)
      continue;
    if (own < 0 || (own >= block && own % block != 0))
      return false;
    if (own >= block)
      own /= numParts;
    else
      last += own * (view.sizes[other] - 1);
  }
  view.offset = view.offset / block * ofPart + view.offset % block;
  return last < ofPart;
}

bool ModelDivider::visitCompute(ModelStep &step) {
  const ModelTensor &tensor = model.getTensor(step.tensor);
  const PartitionProblem *problem =
      tensor.getProblem ? tensor.getProblem(tensor.shape) : nullptr;
  const Division &division = *divisions[step.tensor];
  if (!problem || !division.outer)
    return false;
  const TileAccess &own = problem->form.results.front();
  std::optional<unsigned> dim = findDim(own.domain, *division.outer, numParts);
  if (!dim || own.dims[*dim].loop < 0)
    return false;
  int64_t loop = own.dims[*dim].loop;
  if (!cache.getPart(problem, loop, numParts, /*isEven=*/false))
    return false;
  for (ModelOperand &operand : step.operands) {
    const TileAccess &access = problem->form.inputs[operand.index];
    const auto *it = llvm::find_if(
        access.dims, [&](const DimAccess &dim) { return dim.loop == loop; });
    if (it == access.dims.end()) {
      if (!setDivision(operand.tensor, {std::nullopt}))
        return false;
      continue;
    }
    int64_t outer = computeProduct(
        ArrayRef(access.domain).take_front(it - access.dims.begin()));
    std::optional<unsigned> along =
        findDim(operand.view.sizes, outer, numParts);
    if (!along || !divide(operand.tensor, *along, operand.view))
      return false;
  }
  return true;
}

bool ModelDivider::visitMove(ModelStep &step) {
  const ModelTensor &tensor = model.getTensor(step.tensor);
  const Division &division = *divisions[step.tensor];
  for (ModelOperand &operand : step.operands) {
    if (!division.outer) {
      if (!setDivision(operand.tensor, division))
        return false;
      continue;
    }
    StridedView to =
        operand.to ? *operand.to : StridedView::identity(operand.view.sizes);
    int64_t block = tensor.getNumElements() / *division.outer;
    std::optional<unsigned> along;
    for (auto [dim, size] : llvm::enumerate(to.sizes))
      if (size > 1 && size % numParts == 0 && to.strides[dim] * size == block)
        along = dim;
    if (!along || operand.view.sizes != to.sizes ||
        !divide(operand.tensor, *along, operand.view) ||
        !divide(step.tensor, *along, to))
      return false;
    if (operand.to)
      operand.to = to;
  }
  return true;
}

bool ModelDivider::visit(ModelStep &step) {
  switch (step.kind) {
  case ModelStep::Kind::HostLoad:
  case ModelStep::Kind::HostStore:
    return true;
  case ModelStep::Kind::Compute:
    return visitCompute(step);
  case ModelStep::Kind::Move:
  case ModelStep::Kind::Reorder:
  case ModelStep::Kind::Copy:
    return visitMove(step);
  }
  llvm_unreachable("covered switch");
}

/// Visits each step after the division of the tensor that it writes is known.
/// If no step is left that has a known division, the tensor of the last one is
/// divided along its first dimension with several elements.
bool ModelDivider::visitSteps() {
  SmallVector<ModelStep *> waiting;
  for (ModelStep &step : llvm::reverse(result.part.steps))
    waiting.push_back(&step);
  while (!waiting.empty()) {
    bool isSuccess = true;
    size_t before = waiting.size();
    llvm::erase_if(waiting, [&](ModelStep *step) {
      bool isStore = step->kind == ModelStep::Kind::HostStore;
      if (!isSuccess || (!divisions[step->tensor] && !isStore))
        return false;
      isSuccess = (divisions[step->tensor] || setDivision(step->tensor, {1})) &&
                  visit(*step);
      return true;
    });
    if (!isSuccess)
      return false;
    if (waiting.size() == before && !setDivision(waiting.front()->tensor, {1}))
      return false;
  }
  return true;
}

/// Returns the problems of a tensor of which an IPU has a part. The part has
/// the shape `part`.
GetPartitionProblem ModelDivider::getProblems(const ModelTensor &whole,
                                              int64_t outer,
                                              ArrayRef<int64_t> part) const {
  auto get = [getWhole = whole.getProblem, shape = whole.shape,
              ofPart = llvm::to_vector(part), outer, numParts = numParts,
              &cache =
                  cache](ArrayRef<int64_t> domain) -> const PartitionProblem * {
    // Returns the problem if dimension `dim` of `domain` is divided.
    auto getPart = [&](ArrayRef<int64_t> domain,
                       size_t dim) -> const PartitionProblem * {
      SmallVector<int64_t> all(domain), separate(domain);
      all[dim] *= numParts;
      separate.insert(separate.begin() + dim, numParts);
      const PartitionProblem *problem = getWhole(all);
      if (!problem)
        return nullptr;
      const TileAccess &access = problem->form.results.front();
      std::optional<unsigned> own = findDim(access.domain, outer, numParts);
      if (!own || access.dims[*own].loop < 0)
        return nullptr;
      // If the parts may have a dimension of their own, their blocks may be
      // uneven.
      const PartitionProblem *other = getWhole(separate);
      bool isEven = !other || other->form.results.front().domain != separate;
      return cache.getPart(problem, access.dims[*own].loop, numParts, isEven);
    };
    int64_t before = 1;
    for (size_t dim = 0; dim < domain.size() && domain != ArrayRef(ofPart);
         before *= domain[dim++])
      if (before == outer)
        if (const PartitionProblem *problem = getPart(domain, dim))
          return problem;
    // Ops without such loops have the loops of the shape.
    const auto *differs = llvm::mismatch(shape, ofPart).first;
    return getPart(ofPart, differs - shape.begin());
  };
  SmallVector<std::pair<SmallVector<int64_t>, const PartitionProblem *>> known;
  return [get, known](ArrayRef<int64_t> domain) mutable {
    for (auto &[other, problem] : known)
      if (domain == ArrayRef(other))
        return problem;
    const PartitionProblem *problem = get(domain);
    known.push_back({llvm::to_vector(domain), problem});
    return problem;
  };
}

/// Makes tensor `number` of the part from the whole one.
bool ModelDivider::divideTensor(unsigned number) {
  ModelTensor &tensor = result.part.tensors[number];
  const ModelTensor &whole = model.getTensor(number);
  if (whole.given || whole.space.kind != TileSpace::Kind::Compute ||
      whole.space.ipu)
    return false;
  // No step uses a tensor without a division.
  Division division = divisions[number].value_or(Division());
  if (!division.outer) {
    result.divisions.push_back(std::nullopt);
    return true;
  }
  std::optional<unsigned> dim = findDim(whole.shape, *division.outer, numParts);
  if (!dim)
    return false;
  tensor.shape[*dim] /= numParts;
  result.divisions.push_back(
      TensorDivision{*division.outer, tensor.shape[*dim]});
  if (whole.getProblem)
    tensor.getProblem = getProblems(whole, *division.outer, tensor.shape);
  tensor.generic =
      getGenericTileMapping(model.getContext(), model.getTarget(), tensor);
  return static_cast<bool>(tensor.generic);
}

std::optional<DividedModel> ModelDivider::run() {
  result.part = model;
  result.numParts = numParts;
  divisions.resize(model.getTensors().size());
  if (!visitSteps())
    return std::nullopt;
  for (unsigned number = 0; number < divisions.size(); ++number)
    if (!divideTensor(number))
      return std::nullopt;
  return std::move(result);
}

std::optional<DividedModel> mlir::ipu::divideModel(const PlanModel &model,
                                                   int64_t numParts,
                                                   PartitionCache &cache) {
  return ModelDivider(model, numParts, cache).run();
}

//===----------------------------------------------------------------------===//
// Tile mappings on all IPUs
//===----------------------------------------------------------------------===//

/// Returns `layout` of a domain with an additional outermost dimension `dim`.
static AffineMap insertDim(AffineMap layout, unsigned dim) {
  if (!layout)
    return layout;
  MLIRContext *context = layout.getContext();
  SmallVector<AffineExpr> dims, results = {getAffineDimExpr(dim, context)};
  for (unsigned other = 0; other < layout.getNumDims(); ++other)
    dims.push_back(getAffineDimExpr(other < dim ? other : other + 1, context));
  for (AffineExpr result : layout.getResults())
    results.push_back(result.replaceDims(dims));
  return AffineMap::get(layout.getNumDims() + 1, 0, results, context);
}

namespace {
/// A tile mapping of a part, which becomes a tile mapping on several IPUs.
struct NestedMapping {
  NestedMapping(TileMappingAttr mapping, int64_t numParts)
      : domain(mapping.getDomain()), grid(mapping.getGrid()),
        ipus(grid.size(), 1), blocks(mapping.getBlocks()),
        layout(mapping.getLayout()), numParts(numParts) {}

  /// Adds a grid axis over IPUs.
  int64_t addAxis() {
    grid.push_back(numParts);
    ipus.push_back(numParts);
    return static_cast<int64_t>(grid.size()) - 1;
  }

  bool divide(const TensorDivision &division);

  SmallVector<int64_t> domain, grid, ipus;
  SmallVector<TileMappingBlock> blocks;
  AffineMap layout;
  int64_t numParts;
};
} // namespace

/// Adds the parts of the other IPUs to the divided dimension. Returns false if
/// the domain has no such dimension.
bool NestedMapping::divide(const TensorDivision &division) {
  size_t dim = 0;
  int64_t before = 1;
  auto isDivided = [&] {
    return before == division.outer && (domain[dim] > 1 || division.size == 1);
  };
  while (dim < domain.size() && !isDivided())
    before *= domain[dim++];
  if (dim == domain.size())
    return false;
  int64_t size = domain[dim];
  TileMappingBlock &block = blocks[dim];
  if (block.isAll()) {
    block = {addAxis(), size, size};
    domain[dim] *= numParts;
    return true;
  }
  if (block.extent != block.step)
    return false;
  if (size == grid[block.axis] * block.step) {
    grid[block.axis] *= numParts;
    ipus[block.axis] = numParts;
    domain[dim] *= numParts;
    return true;
  }
  // The blocks of a part are uneven, so the parts have their own dimension.
  layout = insertDim(layout, dim);
  domain.insert(domain.begin() + dim, numParts);
  blocks.insert(blocks.begin() + dim, {addAxis(), 1, 1});
  return true;
}

std::optional<SmallVector<TileMappingAttr>>
DividedModel::getWholeMappings(const PlanModel &model,
                               ArrayRef<TileMappingAttr> mappings) const {
  SmallVector<TileMappingAttr> result(mappings.size());
  auto get = [&](unsigned tensor, const NestedMapping &nested) {
    result[tensor] = TileMappingAttr::get(
        model.getContext(), nested.domain, nested.grid, nested.blocks,
        mappings[tensor].getFirst(), nested.layout, nested.ipus,
        model.getTarget().tiles);
  };
  for (auto [tensor, mapping] : llvm::enumerate(mappings)) {
    if (!divisions[tensor])
      continue;
    NestedMapping nested(mapping, numParts);
    if (!nested.divide(*divisions[tensor]))
      return std::nullopt;
    get(tensor, nested);
    const PartitionProblem *problem = nullptr;
    if (model.getTensor(tensor).getProblem &&
        !model.getTensor(tensor).getPartition(result[tensor], problem))
      return std::nullopt;
  }
  // Copies on the tiles that read them have the grid of the reader.
  for (const ModelStep &step : model.getSteps())
    for (const ModelOperand &operand : step.operands) {
      TileMappingAttr own = mappings[operand.tensor];
      if (result[operand.tensor] || !result[step.tensor] || own.coversOnce() ||
          own.getGrid() != mappings[step.tensor].getGrid())
        continue;
      NestedMapping nested(own, numParts);
      nested.grid = llvm::to_vector(result[step.tensor].getGrid());
      nested.ipus = llvm::to_vector(result[step.tensor].getIpus());
      get(operand.tensor, nested);
    }
  for (size_t number = 0; number < mappings.size(); ++number) {
    if (result[number])
      continue;
    result[number] = mappings[number];
    // Only exchanges may write several copies of an element.
    const ModelTensor &tensor = model.getTensor(number);
    bool isCopied = tensor.origin == ModelTensor::Origin::Scratch &&
                    llvm::any_of(model.getSteps(), [&](const ModelStep &step) {
                      return step.tensor == number;
                    });
    if (!isCopied && (!tensor.isConstant() || tensor.numReaders == 0))
      continue;
    NestedMapping nested(mappings[number], numParts);
    nested.addAxis();
    get(number, nested);
  }
  return result;
}
