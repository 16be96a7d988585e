//===- Tensors.cpp - Conversion of ONNX tensors to attributes -------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "TensorBytes.h"

#include "ipu-mlir/Dialect/Pop/IR/Pop.h"
#include "mlir/IR/DialectResourceBlobManager.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringSet.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/SHA1.h"
#include "llvm/Support/SwapByteOrder.h"
#include <limits>

using namespace mlir;
using namespace mlir::ipu::onnx;
using proto::TensorProto;

static_assert(llvm::sys::IsLittleEndianHost,
              "ONNX and MLIR keep elements as little-endian");

/// The greatest number of bytes of a dense constant. Larger constants become
/// resources, which are neither uniqued nor hashed.
static constexpr size_t kMaxDenseBytes = 1 << 20;

//===----------------------------------------------------------------------===//
// Element types
//===----------------------------------------------------------------------===//

bool ipu::onnx::isElementType(int64_t number) {
  return number > TensorProto::UNDEFINED && number <= kLastElementType;
}

std::string ipu::onnx::getElementTypeName(int32_t elementType) {
  switch (elementType) {
  case kFloat8E4M3FN:
    return "float8e4m3fn";
  case kFloat8E4M3FNUZ:
    return "float8e4m3fnuz";
  case kFloat8E5M2:
    return "float8e5m2";
  case kFloat8E5M2FNUZ:
    return "float8e5m2fnuz";
  case kUint4:
    return "uint4";
  case kInt4:
    return "int4";
  case kFloat4E2M1:
    return "float4e2m1";
  case kFloat8E8M0:
    return "float8e8m0";
  case kUint2:
    return "uint2";
  case kInt2:
    return "int2";
  }
  if (proto::TensorProto_DataType_IsValid(elementType))
    return StringRef(proto::TensorProto_DataType_Name(
                         static_cast<proto::TensorProto_DataType>(elementType)))
        .lower();
  return "type number " + std::to_string(elementType);
}

int32_t ipu::onnx::getElementTypeNumber(Type type) {
  for (int32_t i = 1; i <= kLastElementType; ++i)
    if (!isNarrow(i) && getElementType(i, type.getContext()) == type)
      return i;
  llvm_unreachable("not an element type of an ONNX tensor");
}

std::string ipu::onnx::getElementTypeName(Type type) {
  return getElementTypeName(getElementTypeNumber(type));
}

Type ipu::onnx::getElementType(int32_t elementType, MLIRContext *context) {
  auto getSigned = [&](unsigned width) {
    return IntegerType::get(context, width);
  };
  auto getUnsigned = [&](unsigned width) {
    return IntegerType::get(context, width, IntegerType::Unsigned);
  };
  switch (elementType) {
  case TensorProto::FLOAT:
    return Float32Type::get(context);
  case TensorProto::DOUBLE:
    return Float64Type::get(context);
  case TensorProto::FLOAT16:
    return Float16Type::get(context);
  case TensorProto::BFLOAT16:
    return BFloat16Type::get(context);
  case kFloat8E4M3FN:
    return Float8E4M3FNType::get(context);
  case kFloat8E4M3FNUZ:
    return Float8E4M3FNUZType::get(context);
  case kFloat8E5M2:
    return Float8E5M2Type::get(context);
  case kFloat8E5M2FNUZ:
    return Float8E5M2FNUZType::get(context);
  case kFloat4E2M1:
    return Float8E4M3FNType::get(context);
  case kFloat8E8M0:
    return BFloat16Type::get(context);
  case TensorProto::BOOL:
    return getSigned(1);
  case kInt2:
  case kInt4:
  case TensorProto::INT8:
    return getSigned(8);
  case TensorProto::INT16:
    return getSigned(16);
  case TensorProto::INT32:
    return getSigned(32);
  case TensorProto::INT64:
    return getSigned(64);
  case kUint2:
  case kUint4:
  case TensorProto::UINT8:
    return getUnsigned(8);
  case TensorProto::UINT16:
    return getUnsigned(16);
  case TensorProto::UINT32:
    return getUnsigned(32);
  case TensorProto::UINT64:
    return getUnsigned(64);
  default:
    return {};
  }
}

bool ipu::onnx::isNarrow(int32_t elementType) {
  return elementType >= kUint4 && elementType <= kInt2;
}

std::optional<IntegerRange> ipu::onnx::getIntegerRange(int32_t elementType) {
  switch (elementType) {
  case kUint2:
    return IntegerRange{0, 3};
  case kInt2:
    return IntegerRange{-2, 1};
  case kUint4:
    return IntegerRange{0, 15};
  case kInt4:
    return IntegerRange{-8, 7};
  case TensorProto::UINT8:
    return IntegerRange{0, std::numeric_limits<uint8_t>::max()};
  case TensorProto::INT8:
    return IntegerRange{std::numeric_limits<int8_t>::min(),
                        std::numeric_limits<int8_t>::max()};
  case TensorProto::UINT16:
    return IntegerRange{0, std::numeric_limits<uint16_t>::max()};
  case TensorProto::INT16:
    return IntegerRange{std::numeric_limits<int16_t>::min(),
                        std::numeric_limits<int16_t>::max()};
  case TensorProto::UINT32:
    return IntegerRange{0, std::numeric_limits<uint32_t>::max()};
  case TensorProto::INT32:
    return IntegerRange{std::numeric_limits<int32_t>::min(),
                        std::numeric_limits<int32_t>::max()};
  default:
    return std::nullopt;
  }
}

//===----------------------------------------------------------------------===//
// Bytes
//===----------------------------------------------------------------------===//

namespace {
/// Reads the bytes of one tensor. An i1 element takes one byte. Elements of
/// narrow types are unpacked.
struct TensorReader {
  const TensorProto &tensor;
  ExternalFiles *files;
  TensorError &error;
  RankedTensorType type;
  std::vector<char> bytes;

  LogicalResult fail(const Twine &message, bool isUnsupported = false) {
    error.message = message.str();
    error.isUnsupported = isUnsupported;
    return failure();
  }

  LogicalResult readType(MLIRContext *context);
  LogicalResult readBytes();
  void unpack();
  LogicalResult checkSize(uint64_t found);
  LogicalResult readExternal();
  LogicalResult resolve(StringRef location, SmallVectorImpl<char> &path);
  LogicalResult checkDigest(StringRef location, StringRef path,
                            StringRef expected);
  LogicalResult readTyped();
  template <typename T, typename Field>
  LogicalResult copyField(const Field &field);

  size_t getElementSize() const {
    return llvm::divideCeil(type.getElementTypeBitWidth(), 8);
  }
  /// Returns the number of elements that share a byte of the file.
  int64_t getNumPacked() const;
  /// Returns the number of bytes that the file has for the tensor.
  uint64_t getFileSize() const {
    if (isNarrow(tensor.data_type()))
      return llvm::divideCeil(type.getNumElements(), getNumPacked());
    return type.getNumElements() * getElementSize();
  }
};
} // namespace

LogicalResult TensorReader::readType(MLIRContext *context) {
  Type elementType = getElementType(tensor.data_type(), context);
  if (!elementType)
    return fail("unsupported type " + getElementTypeName(tensor.data_type()),
                /*isUnsupported=*/true);
  if (tensor.has_segment())
    return fail("unsupported: the tensor is split into segments",
                /*isUnsupported=*/true);
  for (int64_t dim : tensor.dims())
    if (dim < 0)
      return fail("expects dimensions not to be negative but got " +
                  Twine(dim));
  ArrayRef<int64_t> shape(tensor.dims().data(), tensor.dims_size());
  if (!pop::isPopShape(shape))
    return fail("expects at most 2^56 elements");
  type = RankedTensorType::get(shape, elementType);
  return success();
}

int64_t TensorReader::getNumPacked() const {
  switch (tensor.data_type()) {
  case kUint2:
  case kInt2:
    return 4;
  case kUint4:
  case kInt4:
  case kFloat4E2M1:
    return 2;
  default:
    return 1;
  }
}

/// Returns the f8E4M3FN number that equals a float4e2m1 number. The latter has
/// a bias of 1, and the numbers 0 and 0.5 with the exponent 0.
static uint8_t widenFloat4(uint8_t code) {
  static constexpr uint8_t kMagnitudes[] = {0x00, 0x30, 0x38, 0x3c,
                                            0x40, 0x44, 0x48, 0x4c};
  return kMagnitudes[code & 7] | ((code & 8) << 4);
}

/// Returns the bf16 number that equals a float8e8m0 number. The latter consists
/// of an exponent, 0 means 2^-127, and 255 is a NaN.
static uint16_t widenFloat8E8M0(uint8_t code) {
  return code == 0 ? 0x0040 : code == 255 ? 0x7fc0 : code << 7;
}

/// Converts the bytes of the file to elements of the pop type.
void TensorReader::unpack() {
  std::vector<char> packed = std::exchange(bytes, {});
  int64_t numPacked = getNumPacked(), width = 8 / numPacked;
  bool isSigned = tensor.data_type() == kInt4 || tensor.data_type() == kInt2;
  bytes.reserve(type.getNumElements() * getElementSize());
  for (int64_t i = 0; i < type.getNumElements(); ++i) {
    unsigned byte = static_cast<uint8_t>(packed[i / numPacked]);
    // The first element of a byte is in its lowest bits.
    unsigned code = (byte >> (i % numPacked * width)) & ((1u << width) - 1);
    if (tensor.data_type() == kFloat8E8M0) {
      uint16_t wide = widenFloat8E8M0(code);
      bytes.push_back(static_cast<char>(wide & 0xff));
      bytes.push_back(static_cast<char>(wide >> 8));
    } else if (tensor.data_type() == kFloat4E2M1) {
      bytes.push_back(static_cast<char>(widenFloat4(code)));
    } else {
      bool isNegative = isSigned && (code >> (width - 1)) != 0;
      bytes.push_back(
          static_cast<char>(isNegative ? code - (1u << width) : code));
    }
  }
}

LogicalResult TensorReader::checkSize(uint64_t found) {
  uint64_t expected = getFileSize();
  if (found == expected)
    return success();
  return fail("expects " + Twine(expected) + " bytes of data but got " +
              Twine(found));
}

LogicalResult TensorReader::readBytes() {
  if (tensor.data_location() == TensorProto::EXTERNAL)
    return readExternal();
  if (!tensor.has_raw_data())
    return readTyped();
  StringRef raw = tensor.raw_data();
  if (failed(checkSize(raw.size())))
    return failure();
  bytes.assign(raw.begin(), raw.end());
  return success();
}

/// Appends the elements of a typed field. Fails if an element does not fit T.
template <typename T, typename Field>
LogicalResult TensorReader::copyField(const Field &field) {
  int64_t expected =
      isNarrow(tensor.data_type()) ? getFileSize() : type.getNumElements();
  if (field.size() != expected)
    return fail("expects " + Twine(expected) + " elements of data but got " +
                Twine(field.size()));
  bytes.resize(field.size() * sizeof(T));
  char *to = bytes.data();
  for (auto value : field) {
    T element = static_cast<T>(value);
    if constexpr (std::is_integral_v<T>)
      if (static_cast<decltype(value)>(element) != value)
        return fail("element " + Twine(value) + " is out of the range of " +
                    getElementTypeName(tensor.data_type()));
    std::memcpy(to, &element, sizeof(T));
    to += sizeof(T);
  }
  return success();
}

LogicalResult TensorReader::readTyped() {
  switch (tensor.data_type()) {
  case TensorProto::FLOAT:
    return copyField<float>(tensor.float_data());
  case TensorProto::DOUBLE:
    return copyField<double>(tensor.double_data());
  case TensorProto::INT64:
    return copyField<int64_t>(tensor.int64_data());
  case TensorProto::UINT64:
    return copyField<uint64_t>(tensor.uint64_data());
  case TensorProto::UINT32:
    return copyField<uint32_t>(tensor.uint64_data());
  case TensorProto::INT32:
    return copyField<int32_t>(tensor.int32_data());
  case TensorProto::INT16:
    return copyField<int16_t>(tensor.int32_data());
  case TensorProto::INT8:
    return copyField<int8_t>(tensor.int32_data());
  case TensorProto::UINT16:
  case TensorProto::FLOAT16:
  case TensorProto::BFLOAT16:
    return copyField<uint16_t>(tensor.int32_data());
  default:
    return copyField<uint8_t>(tensor.int32_data());
  }
}

//===----------------------------------------------------------------------===//
// External data
//===----------------------------------------------------------------------===//

/// Sets `path` to the path of the external data `location`. Fails if this path
/// is outside of the model's folder, because a model must not be able to read
/// other files.
LogicalResult TensorReader::resolve(StringRef location,
                                    SmallVectorImpl<char> &path) {
  namespace sys = llvm::sys;
  if (!files)
    return fail("external data are not allowed here");
  StringRef directory = files->directory;
  if (location.empty() || location.contains('\0'))
    return fail("external data have no location");
  auto isUp = [](StringRef part) { return part == ".."; };
  if (sys::path::is_absolute(location) ||
      llvm::any_of(llvm::make_range(sys::path::begin(location),
                                    sys::path::end(location)),
                   isUp))
    return fail("external data at '" + location +
                "' are outside of the model's folder");
  SmallString<128> full(directory), root;
  sys::path::append(full, location);
  if (sys::fs::real_path(directory, root) || sys::fs::real_path(full, path))
    return fail("cannot read external data file '" + location + "'");
  // A symbolic link may also lead outside of the folder.
  StringRef inside(path.data(), path.size());
  if (!inside.consume_front(root) ||
      !(root.str().ends_with("/") || inside.starts_with("/")))
    return fail("external data at '" + location +
                "' are outside of the model's folder");
  if (!sys::fs::is_regular_file(Twine(StringRef(path.data(), path.size()))))
    return fail("cannot read external data file '" + location + "'");
  return success();
}

/// Checks the SHA-1 digest of a whole file, which ONNX calls its checksum.
LogicalResult TensorReader::checkDigest(StringRef location, StringRef path,
                                        StringRef expected) {
  auto [entry, isNew] = files->digests.try_emplace(path.str());
  if (isNew) {
    auto buffer = llvm::MemoryBuffer::getFile(path, /*IsText=*/false,
                                              /*RequiresNullTerminator=*/false);
    if (!buffer)
      return fail("cannot read external data file '" + location + "'");
    llvm::SHA1 hash;
    hash.update((*buffer)->getBuffer());
    entry->second = llvm::toHex(hash.final(), /*LowerCase=*/true);
  }
  if (expected.lower() == entry->second)
    return success();
  return fail("external data file '" + location + "' has the checksum " +
              entry->second + ", but the model expects '" + expected + "'");
}

static std::string quoteKey(StringRef key) { return ("'" + key + "'").str(); }

LogicalResult TensorReader::readExternal() {
  StringRef location, checksum;
  uint64_t offset = 0, length = getFileSize();
  llvm::StringSet<> keys;
  std::string unknown;
  for (const auto &entry : tensor.external_data()) {
    StringRef value = entry.value();
    if (!keys.insert(entry.key()).second)
      return fail("external data have " + quoteKey(entry.key()) + " twice");
    if (entry.key() == "location")
      location = value;
    else if (entry.key() == "checksum")
      checksum = value;
    else if (entry.key() != "offset" && entry.key() != "length")
      unknown += (unknown.empty() ? "" : ", ") + quoteKey(entry.key());
    else if (value.getAsInteger(10, entry.key() == "offset" ? offset : length))
      return fail("external data have " + entry.key() + " '" + value +
                  "', which is no number");
  }
  if (!unknown.empty())
    error.warning = "expects location, offset, length and checksum of external "
                    "data, and ignores " +
                    unknown;
  SmallString<128> path;
  if (failed(resolve(location, path)) || failed(checkSize(length)))
    return failure();
  if (files->paths)
    files->paths->push_back(path.str().str());
  uint64_t fileSize = 0;
  if (llvm::sys::fs::file_size(path, fileSize))
    return fail("cannot read external data file '" + location + "'");
  if (offset > fileSize || length > fileSize - offset)
    return fail("external data file '" + location + "' has " + Twine(fileSize) +
                " bytes, but the tensor needs " + Twine(length) +
                " at offset " + Twine(offset));
  if (!checksum.empty() && failed(checkDigest(location, path, checksum)))
    return failure();
  if (length == 0)
    return success();
  auto buffer = llvm::MemoryBuffer::getFileSlice(path, length, offset);
  if (!buffer || (*buffer)->getBufferSize() != length)
    return fail("cannot read external data file '" + location + "'");
  bytes.assign((*buffer)->getBufferStart(), (*buffer)->getBufferEnd());
  return success();
}

bool ipu::onnx::isWithoutValue(const TensorProto &tensor,
                               const ExternalFiles &files) {
  if (tensor.data_location() != TensorProto::EXTERNAL)
    return tensor.raw_data().empty() && tensor.float_data_size() == 0 &&
           tensor.int32_data_size() == 0 && tensor.double_data_size() == 0;
  SmallString<128> path(files.directory);
  for (const auto &entry : tensor.external_data())
    if (entry.key() == "location")
      llvm::sys::path::append(path, entry.value());
  return !llvm::sys::fs::exists(path);
}

//===----------------------------------------------------------------------===//
// Attributes
//===----------------------------------------------------------------------===//

/// Returns whether all elements, of `size` bytes each, are equal.
static bool isSplat(ArrayRef<char> bytes, size_t size) {
  return bytes.size() >= size && std::memcmp(bytes.data(), bytes.data() + size,
                                             bytes.size() - size) == 0;
}

ElementsAttr ipu::onnx::getElements(RankedTensorType type, ArrayRef<char> bytes,
                                    StringRef name) {
  if (bytes.size() <= kMaxDenseBytes)
    return DenseElementsAttr::getFromRawBuffer(type, bytes);
  return DenseResourceElementsAttr::get(
      type, name.empty() ? "onnx" : name,
      HeapAsmResourceBlob::allocateAndCopyWithAlign(
          bytes, type.getElementTypeBitWidth() / 8));
}

std::optional<std::vector<char>>
ipu::onnx::readTensorBytes(const TensorProto &tensor, ExternalFiles *files,
                           MLIRContext *context, TensorError &error) {
  TensorReader reader{tensor, files, error, {}, {}};
  if (failed(reader.readType(context)) || failed(reader.readBytes()))
    return std::nullopt;
  return std::move(reader.bytes);
}

ElementsAttr ipu::onnx::getTensor(const TensorProto &tensor,
                                  ExternalFiles *files, MLIRContext *context,
                                  bool dense, TensorError &error) {
  TensorReader reader{tensor, files, error, {}, {}};
  if (failed(reader.readType(context)) || failed(reader.readBytes()))
    return {};
  if (isNarrow(tensor.data_type()))
    reader.unpack();
  RankedTensorType type = reader.type;
  ArrayRef<char> bytes = reader.bytes;
  if (type.getNumElements() == 0)
    return DenseElementsAttr::get(type, ArrayRef<Attribute>());
  if (type.getElementType().isInteger(1)) {
    // MLIR stores i1 elements as bits.
    SmallVector<bool> elements(bytes.begin(), bytes.end());
    return DenseElementsAttr::get(type, elements);
  }
  size_t size = reader.getElementSize();
  if (isSplat(bytes, size))
    return DenseElementsAttr::getFromRawBuffer(type, bytes.take_front(size));
  return dense ? DenseElementsAttr::getFromRawBuffer(type, bytes)
               : getElements(type, bytes, tensor.name());
}
