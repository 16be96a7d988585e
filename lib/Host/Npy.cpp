//===- Npy.cpp - NumPy's file format for tensors --------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A file consists of the magic string, a version of two bytes, the length of
// the header (two bytes in version 1, four bytes in later versions), the
// header, and the elements. The header is a literal of a Python dictionary:
//
//   {'descr': '<f4', 'fortran_order': False, 'shape': (2, 3), }
//
//===----------------------------------------------------------------------===//

#include "ipu-mlir/Host/Npy.h"

#include "ipu-mlir/Host/PrintTensor.h"
#include "ipu-mlir/Support/InputFile.h"
#include "mlir/IR/Builders.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/Endian.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/MathExtras.h"
#include <cstring>
#include <optional>

using namespace mlir;
using namespace mlir::ipu;

/// What all files begin with.
static constexpr StringLiteral kMagic = "\x93NUMPY";
/// NumPy's own limit, and what keeps a wild header from becoming a wild type.
static constexpr size_t kMaxRank = 64;
/// NumPy pads headers so that the elements begin at a multiple of this.
static constexpr size_t kAlignment = 64;

static llvm::Error makeError(const Twine &message) {
  return llvm::createStringError(llvm::inconvertibleErrorCode(), message);
}

//===----------------------------------------------------------------------===//
// Header
//===----------------------------------------------------------------------===//

namespace {
struct Header {
  std::optional<std::string> descr;
  std::optional<bool> isFortranOrder;
  std::optional<SmallVector<int64_t>> shape;
};

/// Reads the dictionary; knows as much of Python as its three entries need.
class HeaderParser {
public:
  explicit HeaderParser(StringRef text) : rest(text) {}

  llvm::Expected<Header> parse() {
    if (!consume('{'))
      return fail("'{'");
    while (!consume('}')) {
      if (llvm::Error error = parseEntry())
        return error;
      if (consume(','))
        continue;
      if (!consume('}'))
        return fail("',' or '}'");
      break;
    }
    skipSpace();
    if (!rest.empty())
      return fail("end of the header");
    if (!header.descr || !header.isFortranOrder || !header.shape)
      return makeError("malformed header: expects the keys 'descr', "
                       "'fortran_order' and 'shape'");
    return std::move(header);
  }

private:
  llvm::Error fail(StringRef expected) {
    std::string found;
    llvm::raw_string_ostream os(found);
    llvm::printEscapedString(rest.take_front(16), os);
    return makeError("malformed header: expects " + expected + " but got " +
                     (found.empty() ? "its end" : "'" + found + "'"));
  }

  void skipSpace() { rest = rest.ltrim(" \t\r\n"); }

  bool consume(char c) {
    skipSpace();
    return rest.consume_front(StringRef(&c, 1));
  }

  llvm::Error parseEntry() {
    std::optional<std::string> key = parseString();
    if (!key)
      return fail("a key");
    if (!consume(':'))
      return fail("':'");
    skipSpace();
    if (*key == "descr")
      return parseDescr();
    if (*key == "fortran_order")
      return parseOrder();
    if (*key == "shape")
      return parseShape();
    return makeError("malformed header: unknown key '" + *key + "'");
  }

  std::optional<std::string> parseString() {
    skipSpace();
    if (rest.empty() || (rest.front() != '\'' && rest.front() != '"'))
      return std::nullopt;
    size_t end = rest.find(rest.front(), 1);
    if (end == StringRef::npos)
      return std::nullopt;
    std::string text = rest.slice(1, end).str();
    rest = rest.drop_front(end + 1);
    return text;
  }

  llvm::Error parseDescr() {
    if (rest.starts_with("["))
      return makeError("structured element types are not supported");
    header.descr = parseString();
    return header.descr ? llvm::Error::success() : fail("an element type");
  }

  llvm::Error parseOrder() {
    if (rest.consume_front("True"))
      header.isFortranOrder = true;
    else if (rest.consume_front("False"))
      header.isFortranOrder = false;
    else
      return fail("True or False");
    return llvm::Error::success();
  }

  llvm::Error parseShape() {
    if (!consume('('))
      return fail("'('");
    SmallVector<int64_t> shape;
    while (!consume(')')) {
      int64_t size = 0;
      // Python 2 wrote long numbers as 3L.
      if (rest.empty() || !llvm::isDigit(rest.front()) ||
          rest.consumeInteger(10, size))
        return fail("a size that fits int64");
      rest.consume_front("L");
      shape.push_back(size);
      if (shape.size() > kMaxRank)
        return makeError("expects at most " + Twine(kMaxRank) +
                         " dimensions but got more");
      if (consume(','))
        continue;
      if (!consume(')'))
        return fail("',' or ')'");
      break;
    }
    header.shape = std::move(shape);
    return llvm::Error::success();
  }

  StringRef rest;
  Header header;
};
} // namespace

static llvm::Expected<Type> parseElementType(StringRef descr,
                                             MLIRContext *context) {
  StringRef code = descr;
  if (code.consume_front(">") && code.drop_front() != "1")
    return makeError("expects little-endian elements but got '" + descr + "'");
  if (code == descr)
    (void)(code.consume_front("<") || code.consume_front("|") ||
           code.consume_front("="));

  Builder builder(context);
  using Signedness = IntegerType::SignednessSemantics;
  for (unsigned bytes : {1, 2, 4, 8}) {
    if (code == ("i" + Twine(bytes)).str())
      return builder.getIntegerType(8 * bytes);
    if (code == ("u" + Twine(bytes)).str())
      return Type(IntegerType::get(context, 8 * bytes, Signedness::Unsigned));
  }
  if (code == "b1")
    return builder.getI1Type();
  if (code == "f2")
    return builder.getF16Type();
  if (code == "f4")
    return builder.getF32Type();
  if (code == "f8")
    return builder.getF64Type();
  if (code == "V2")
    return builder.getBF16Type();
  // Bytes of a type that NumPy has not, such as an f8.
  if (code == "V1")
    return Type(IntegerType::get(context, 8, Signedness::Unsigned));
  return makeError("element type '" + descr + "' is not supported");
}

/// Splits `file` into its header's text and its elements.
static llvm::Expected<std::pair<StringRef, StringRef>>
splitFile(StringRef file) {
  using namespace llvm::support;
  if (!file.consume_front(kMagic))
    return makeError("not a .npy file");
  auto truncated = [] { return makeError("the header is truncated"); };
  if (file.size() < 4)
    return truncated();
  unsigned major = static_cast<unsigned char>(file[0]);
  unsigned minor = static_cast<unsigned char>(file[1]);
  if (major < 1 || major > 3 || minor != 0)
    return makeError("version " + Twine(major) + "." + Twine(minor) +
                     " of the format is not supported");
  file = file.drop_front(2);
  size_t lengthBytes = major == 1 ? 2 : 4;
  if (file.size() < lengthBytes)
    return truncated();
  size_t length = major == 1 ? endian::read16le(file.data())
                             : endian::read32le(file.data());
  file = file.drop_front(lengthBytes);
  if (file.size() < length)
    return truncated();
  return std::make_pair(file.take_front(length), file.drop_front(length));
}

//===----------------------------------------------------------------------===//
// Reading
//===----------------------------------------------------------------------===//

/// Row-major elements from those in Fortran order, where the first dimension's
/// index changes fastest.
static void transposeElements(StringRef source, HostTensor &tensor,
                              int64_t bytes) {
  ArrayRef<int64_t> shape = tensor.type.getShape();
  SmallVector<int64_t> index(shape.size(), 0), strides(shape.size());
  int64_t stride = bytes;
  for (auto [dim, size] : llvm::enumerate(shape)) {
    strides[dim] = stride;
    stride *= size;
  }
  int64_t offset = 0;
  for (size_t at = 0; at < tensor.data.size(); at += bytes) {
    std::memcpy(tensor.data.data() + at, source.data() + offset, bytes);
    // The next index in row-major order.
    for (size_t dim = shape.size(); dim-- > 0;) {
      offset += strides[dim];
      if (++index[dim] < shape[dim])
        break;
      offset -= shape[dim] * strides[dim];
      index[dim] = 0;
    }
  }
}

static llvm::Expected<HostTensor>
readElements(const Header &header, Type elementType, StringRef data) {
  auto type = RankedTensorType::get(*header.shape, elementType);
  std::optional<int64_t> bytes = getTensorBytes(type);
  if (!bytes)
    return makeError("shape " + formatIndex(*header.shape) +
                     " has too many elements");
  if (data.size() != static_cast<uint64_t>(*bytes))
    return makeError("expects " + Twine(*bytes) + " bytes of elements for " +
                     "shape " + formatIndex(*header.shape) + " and type '" +
                     *header.descr + "' but got " + Twine(data.size()));
  FailureOr<HostTensor> tensor = allocateHostTensor(type);
  if (failed(tensor))
    return makeError("not enough memory");
  if (*header.isFortranOrder && header.shape->size() > 1)
    transposeElements(data, *tensor, getElementBytes(elementType));
  else
    llvm::copy(data, tensor->data.begin());
  if (elementType.isInteger(1))
    for (char &element : tensor->data)
      element = element != 0;
  return std::move(*tensor);
}

llvm::Expected<HostTensor> mlir::ipu::parseNpy(StringRef file,
                                               MLIRContext *context) {
  llvm::Expected<std::pair<StringRef, StringRef>> parts = splitFile(file);
  if (!parts)
    return parts.takeError();
  llvm::Expected<Header> header = HeaderParser(parts->first).parse();
  if (!header)
    return header.takeError();
  llvm::Expected<Type> type = parseElementType(*header->descr, context);
  if (!type)
    return type.takeError();
  return readElements(*header, *type, parts->second);
}

llvm::Expected<HostTensor> mlir::ipu::readNpy(StringRef path,
                                              MLIRContext *context) {
  llvm::Expected<std::unique_ptr<llvm::MemoryBuffer>> buffer =
      readInputFile(path);
  if (!buffer)
    return buffer.takeError();
  return parseNpy((*buffer)->getBuffer(), context);
}

//===----------------------------------------------------------------------===//
// Writing
//===----------------------------------------------------------------------===//

static bool isFloat8(Type type) {
  return isa<FloatType>(type) && type.getIntOrFloatBitWidth() == 8;
}

static std::string getDescr(Type type) {
  if (type.isInteger(1))
    return "|b1";
  if (type.isBF16())
    return "<V2";
  if (isFloat8(type))
    return "|u1";
  int64_t bytes = getElementBytes(type);
  char kind = isa<FloatType>(type) ? 'f' : type.isUnsignedInteger() ? 'u' : 'i';
  return std::string(bytes == 1 ? "|" : "<") + kind + llvm::itostr(bytes);
}

void mlir::ipu::writeNpy(raw_ostream &os, const HostTensor &tensor) {
  std::string header = "{'descr': '" + getDescr(tensor.type.getElementType()) +
                       "', 'fortran_order': False, 'shape': (";
  header += llvm::join(
      llvm::map_range(tensor.type.getShape(),
                      [](int64_t size) { return llvm::itostr(size); }),
      ", ");
  header += tensor.type.getRank() == 1 ? ",), }" : "), }";

  // Magic, version and length, in version 1; two bytes more in version 2.
  size_t prefix = kMagic.size() + 4;
  bool isVersion1 =
      llvm::alignTo(prefix + header.size() + 1, kAlignment) - prefix <=
      UINT16_MAX;
  prefix += isVersion1 ? 0 : 2;
  header.append(llvm::offsetToAlignment(prefix + header.size() + 1,
                                        llvm::Align(kAlignment)),
                ' ');
  header += '\n';

  os << kMagic << (isVersion1 ? '\1' : '\2') << '\0';
  auto length = static_cast<uint32_t>(header.size());
  for (unsigned byte = 0; byte < (isVersion1 ? 2 : 4); ++byte)
    os << static_cast<char>(length >> (8 * byte));
  os << header;
  os.write(tensor.data.data(), tensor.data.size());
}

llvm::Error mlir::ipu::writeNpy(StringRef path, const HostTensor &tensor) {
  std::error_code code;
  llvm::raw_fd_ostream os(path, code, llvm::sys::fs::OF_None);
  if (code)
    return makeError(code.message());
  writeNpy(os, tensor);
  os.close();
  if (!os.has_error())
    return llvm::Error::success();
  code = os.error();
  // Else the stream ends the process.
  os.clear_error();
  return makeError(code.message());
}

void mlir::ipu::viewAs(Type elementType, HostTensor &tensor) {
  if (isFloat8(elementType) &&
      tensor.type.getElementType().isUnsignedInteger(8))
    tensor.type = tensor.type.clone(elementType);
}
