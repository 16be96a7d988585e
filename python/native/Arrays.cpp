//===- Arrays.cpp - Arrays of numpy and tensors of the host ---------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Arrays.h"

#include <optional>

using namespace mlir;
using namespace mlir::ipu;
using namespace mlir::ipu::python;
namespace py = pybind11;

//===----------------------------------------------------------------------===//
// Dtypes
//===----------------------------------------------------------------------===//

namespace {
struct DTypeInfo {
  /// The name of the dtype, or of its only field.
  const char *name;
  /// The type of this field, or null if numpy has the dtype.
  const char *field;
  bool (*isOf)(Type);
};
} // namespace

template <unsigned Width>
static bool isSigned(Type type) {
  return type.isSignlessInteger(Width) || type.isSignedInteger(Width);
}
template <unsigned Width>
static bool isUnsigned(Type type) {
  return type.isUnsignedInteger(Width);
}
template <typename TypeT>
static bool isType(Type type) {
  return isa<TypeT>(type);
}

static constexpr DTypeInfo kDTypes[] = {
    {"bool", nullptr, isSigned<1>},
    {"int8", nullptr, isSigned<8>},
    {"int16", nullptr, isSigned<16>},
    {"int32", nullptr, isSigned<32>},
    {"int64", nullptr, isSigned<64>},
    {"uint8", nullptr, isUnsigned<8>},
    {"uint16", nullptr, isUnsigned<16>},
    {"uint32", nullptr, isUnsigned<32>},
    {"uint64", nullptr, isUnsigned<64>},
    {"float16", nullptr, isType<Float16Type>},
    {"float32", nullptr, isType<Float32Type>},
    {"float64", nullptr, isType<Float64Type>},
    {"float8_143", "u1", isType<Float8E4M3FNUZType>},
    {"float8_152", "u1", isType<Float8E5M2FNUZType>},
    {"float8_e4m3fn", "u1", isType<Float8E4M3FNType>},
    {"float8_e5m2", "u1", isType<Float8E5M2Type>},
    {"bfloat16", "<u2", isType<BFloat16Type>},
};
constexpr unsigned kBool = 0;
constexpr unsigned kNumDTypes = std::size(kDTypes);

static std::optional<unsigned> getKind(Type elementType) {
  for (auto [number, info] : llvm::enumerate(kDTypes))
    if (info.isOf(elementType))
      return number;
  return std::nullopt;
}

/// Returns dtype number `kind`. The objects are never destroyed, because the
/// interpreter may end before static objects do.
static const py::dtype &getDTypeOf(unsigned kind) {
  static const auto *dtypes = [] {
    auto *list = new std::vector<py::dtype>();
    for (const DTypeInfo &info : kDTypes) {
      if (!info.field) {
        list->push_back(py::dtype(info.name));
        continue;
      }
      py::list fields;
      fields.append(py::make_tuple(info.name, info.field));
      list->push_back(py::dtype::from_args(fields));
    }
    return list;
  }();
  return (*dtypes)[kind];
}

/// Returns the number of `dtype`, or std::nullopt if no tensor has it.
static std::optional<unsigned> findDType(const py::dtype &dtype) {
  for (unsigned kind = 0; kind < kNumDTypes; ++kind)
    if (dtype.is(getDTypeOf(kind)))
      return kind;
  for (unsigned kind = 0; kind < kNumDTypes; ++kind)
    if (dtype.equal(getDTypeOf(kind)))
      return kind;
  return std::nullopt;
}

py::dtype python::getDType(Type elementType) {
  std::optional<unsigned> kind = getKind(elementType);
  if (!kind)
    throw py::value_error("numpy has no dtype for this element type");
  return getDTypeOf(*kind);
}

//===----------------------------------------------------------------------===//
// Arrays
//===----------------------------------------------------------------------===//

/// Returns an owner of `object` that any thread may destroy.
static std::shared_ptr<const void> keepAlive(py::object object) {
  return std::shared_ptr<const void>(object.release().ptr(), [](void *kept) {
    if (!Py_IsInitialized())
      return;
    py::gil_scoped_acquire acquire;
    py::handle(static_cast<PyObject *>(kept)).dec_ref();
  });
}

/// Returns whether the bytes of `array` can be used where they are.
static bool isShareable(const py::array &array, unsigned kind) {
  constexpr int kRequired =
      py::array::c_style | py::detail::npy_api::NPY_ARRAY_ALIGNED_;
  // A bool of another value than 0 and 1 has to be changed.
  return kind != kBool && !array.writeable() && array.size() > 0 &&
         (array.flags() & kRequired) == kRequired;
}

static HostBytes copyBytes(const py::array &array, unsigned kind) {
  py::array flat = array;
  if (!(array.flags() & py::array::c_style))
    flat = py::module_::import("numpy").attr("ascontiguousarray")(array);
  HostBytes bytes = HostBytes::allocate(flat.nbytes(), /*isZero=*/false);
  if (bytes.isNull())
    throw std::bad_alloc();
  if (bytes.empty())
    return bytes;
  std::memcpy(bytes.data(), flat.data(), bytes.size());
  if (kind == kBool)
    for (char &element : bytes)
      element = element != 0;
  return bytes;
}

HostArray python::readArray(const std::string &name, py::handle object) {
  if (!py::isinstance<py::array>(object))
    throw py::type_error("'" + name + "' expects a numpy array but got " +
                         std::string(py::str(py::type::of(object))));
  auto array = py::reinterpret_borrow<py::array>(object);
  std::optional<unsigned> kind = findDType(array.dtype());
  std::string dtype = py::str(array.dtype());
  if (!kind)
    throw py::value_error("'" + name + "' has the dtype " + dtype +
                          ", which no tensor has");
  HostArray result{std::move(dtype), *kind, {}, {}};
  result.shape.assign(array.shape(), array.shape() + array.ndim());
  result.data = isShareable(array, *kind)
                    ? HostBytes::adopt(
                          ArrayRef(static_cast<const char *>(array.data()),
                                   size_t(array.nbytes())),
                          keepAlive(py::reinterpret_borrow<py::object>(object)))
                    : copyBytes(array, *kind);
  return result;
}

llvm::Expected<HostTensor>
python::getTensor(const std::string &name, HostArray array, Type elementType) {
  std::optional<unsigned> kind = getKind(elementType);
  // The bits of a type that numpy does not have may be unsigned numbers.
  auto bits = IntegerType::get(elementType.getContext(),
                               elementType.getIntOrFloatBitWidth(),
                               IntegerType::Unsigned);
  bool isBits = kind && kDTypes[*kind].field && kDTypes[array.kind].isOf(bits);
  if (kind != array.kind && !isBits) {
    std::string message = "'" + name + "' expects ";
    llvm::raw_string_ostream os(message);
    os << "elements of type " << elementType << " (dtype "
       << (kind ? kDTypes[*kind].name : "none") << ") but got dtype "
       << array.dtype;
    return llvm::createStringError(llvm::inconvertibleErrorCode(), message);
  }
  auto type = RankedTensorType::get(array.shape, elementType);
  return HostTensor{type, std::move(array.data)};
}

py::array python::makeArray(HostTensor tensor) {
  std::vector<py::ssize_t> shape(tensor.type.getShape().begin(),
                                 tensor.type.getShape().end());
  py::dtype dtype = getDType(tensor.type.getElementType());
  // A small copy takes less time than an object that owns the bytes.
  constexpr size_t kSmall = 1 << 14;
  if (tensor.data.size() <= kSmall) {
    py::array array(dtype, shape);
    if (!tensor.data.empty())
      std::memcpy(array.mutable_data(), std::as_const(tensor.data).data(),
                  tensor.data.size());
    return array;
  }
  if (!tensor.data.tryUnshare())
    throw std::bad_alloc();
  auto *bytes = new HostBytes(std::move(tensor.data));
  py::capsule owner(bytes,
                    [](void *kept) { delete static_cast<HostBytes *>(kept); });
  return py::array(dtype, shape, bytes->data(), owner);
}
