//===- BuildIdentity.cpp - Identity of the compiler's build ---------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Identities are read from memory, because a file may have been replaced after
// it was loaded.
//
//===----------------------------------------------------------------------===//

#include "BuildIdentity.h"

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/MathExtras.h"
#include "llvm/Support/Path.h"

#if __has_include(<link.h>)
#include <link.h>
#endif

using namespace mlir;
using namespace mlir::ipu;

#if __has_include(<link.h>)

namespace {
struct Identities {
  std::string text;
  bool areComplete = true;
};
} // namespace

/// The identity among the notes in memory, as letters and digits.
static std::string findIdentity(llvm::ArrayRef<uint8_t> notes) {
  while (notes.size() >= sizeof(ElfW(Nhdr))) {
    ElfW(Nhdr) header;
    std::copy_n(notes.data(), sizeof(header),
                reinterpret_cast<uint8_t *>(&header));
    notes = notes.drop_front(sizeof(header));
    uint64_t nameBytes = llvm::alignTo(uint64_t(header.n_namesz), 4);
    uint64_t bytes = llvm::alignTo(uint64_t(header.n_descsz), 4);
    if (nameBytes + bytes > notes.size())
      break;
    llvm::StringRef name(reinterpret_cast<const char *>(notes.data()),
                         header.n_namesz);
    if (header.n_type == NT_GNU_BUILD_ID && name == llvm::StringRef("GNU", 4))
      return llvm::toHex(notes.slice(nameBytes, header.n_descsz));
    notes = notes.drop_front(nameBytes + bytes);
  }
  return "";
}

/// Whether the object is this library, or the program that it is part of.
static bool isOwn(const dl_phdr_info &info,
                  llvm::ArrayRef<ElfW(Phdr)> headers) {
  auto address = reinterpret_cast<uintptr_t>(&isOwn) - info.dlpi_addr;
  return llvm::any_of(headers, [&](const ElfW(Phdr) & header) {
    return header.p_type == PT_LOAD &&
           address - header.p_vaddr < header.p_memsz;
  });
}

static int visitObject(dl_phdr_info *info, size_t, void *data) {
  llvm::ArrayRef<ElfW(Phdr)> headers(info->dlpi_phdr, info->dlpi_phnum);
  llvm::StringRef name = llvm::sys::path::filename(info->dlpi_name);
  if (!name.contains("LLVM") && !name.contains("MLIR") &&
      !isOwn(*info, headers))
    return 0;
  std::string identity;
  for (const ElfW(Phdr) &header : headers)
    if (header.p_type == PT_NOTE && identity.empty())
      identity = findIdentity(
          {reinterpret_cast<const uint8_t *>(info->dlpi_addr + header.p_vaddr),
           header.p_memsz});
  auto &identities = *static_cast<Identities *>(data);
  identities.areComplete &= !identity.empty();
  identities.text += identity + " ";
  return 0;
}

std::string mlir::ipu::getBuildIdentity() {
  Identities identities;
  dl_iterate_phdr(visitObject, &identities);
  return identities.areComplete ? identities.text : "";
}

#else

std::string mlir::ipu::getBuildIdentity() { return ""; }

#endif
