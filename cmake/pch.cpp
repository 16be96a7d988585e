//===- pch.cpp - Owner of the precompiled header ----------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Empty: the precompiled header belongs to the target of this file.
//
//===----------------------------------------------------------------------===//
