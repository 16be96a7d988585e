# Functions that every other CMakeLists.txt of the project uses:
#   ipu_tablegen     one generated header
#   ipu_tablegen_contracts
#                    the contracts of passes
#   ipu_tablegen_ops the ops of a dialect, whose definitions are in shards
#   ipu_op_shards    sources that compile one shard each
#   ipu_add_doc      one generated page of the reference
#   ipu_add_library  a static library
#   ipu_add_tool     a program in build/bin
#   ipu_add_plugin   a loadable library in build/lib
#   ipu_add_python_module
#                    an extension module in build/python
#   ipu_add_unittest a gtest program and its ctest

#===------------------------------------------------------------------------===#
# Options that all code is compiled and linked with
#===------------------------------------------------------------------------===#

if(IPU_LINKER)
  add_link_options(-fuse-ld=${IPU_LINKER})
endif()
add_link_options(-Wl,--as-needed)
# By which kernels of other builds are told apart: see BuildIdentity.h.
add_link_options(-Wl,--build-id)

# For programs as well, where CMake's own property would choose -fPIE, which is
# not what the precompiled header is compiled with.
add_compile_options(-fPIC)

if(IPU_ENABLE_SANITIZERS)
  add_compile_options(-fsanitize=address,undefined
    -fno-sanitize-recover=undefined -fno-omit-frame-pointer)
  add_link_options(-fsanitize=address,undefined)
endif()

if(IPU_ENABLE_FUZZERS)
  add_compile_options(-fsanitize=fuzzer-no-link)
endif()

if(CMAKE_CXX_COMPILER_ID MATCHES Clang)
  # Without it a rebuilt but equal precompiled header misses the cache.
  add_compile_options("SHELL:-Xclang -fno-pch-timestamp")
endif()

if(IPU_ENABLE_CCACHE)
  find_program(IPU_CCACHE ccache)
  if(IPU_CCACHE)
    set(CMAKE_CXX_COMPILER_LAUNCHER env
      CCACHE_SLOPPINESS=pch_defines,time_macros,include_file_mtime,include_file_ctime
      ${IPU_CCACHE})
  endif()
endif()

# Not installed: libraries must link it as $<BUILD_INTERFACE:ipu_options>.
# MLIR is built without exceptions but with RTTI, and so are we; targets with
# the property IPU_EXCEPTIONS have exceptions.
add_library(ipu_options INTERFACE)
target_compile_options(ipu_options INTERFACE
  -Wall
  -Wextra
  $<$<BOOL:${IPU_ENABLE_WERROR}>:-Werror>
  $<$<NOT:$<BOOL:$<TARGET_PROPERTY:IPU_EXCEPTIONS>>>:-fno-exceptions>
)

if(IPU_ENABLE_PCH)
  add_library(ipu_pch OBJECT ${PROJECT_SOURCE_DIR}/cmake/pch.cpp)
  target_link_libraries(ipu_pch PRIVATE ipu_options)
  target_precompile_headers(ipu_pch PRIVATE ${PROJECT_SOURCE_DIR}/cmake/pch.h)
endif()

function(_ipu_compile_options target)
  target_link_libraries(${target} PRIVATE $<BUILD_INTERFACE:ipu_options>)
  add_dependencies(${target} ipu-headers)
  get_target_property(exceptions ${target} IPU_EXCEPTIONS)
  if(IPU_ENABLE_PCH AND exceptions)
    # Compiled with other flags, it needs a precompiled header of its own.
    target_precompile_headers(${target} PRIVATE
      $<BUILD_INTERFACE:${PROJECT_SOURCE_DIR}/cmake/pch.h>)
  elseif(IPU_ENABLE_PCH)
    target_precompile_headers(${target} REUSE_FROM ipu_pch)
  endif()
endfunction()

#===------------------------------------------------------------------------===#
# Generated headers and pages
#===------------------------------------------------------------------------===#

# All generated headers. Every library depends on it: tablegen is so quick that
# finer dependencies would gain nothing.
add_custom_target(ipu-headers)

# All generated pages of the reference, in build/docs.
add_custom_target(ipu-doc)

# ipu_tablegen(<file.td> <output.inc> <tblgen flag>...)
function(ipu_tablegen td out)
  set(LLVM_TARGET_DEFINITIONS ${td})
  mlir_tablegen(${out} ${ARGN})
  _ipu_generated_header(${out})
endfunction()

# ipu_tablegen_contracts(<file.td> <output.inc>)
function(ipu_tablegen_contracts td out)
  set(LLVM_TARGET_DEFINITIONS ${td})
  tablegen(IPU ${out} -gen-pass-contracts)
  _ipu_generated_header(${out})
endfunction()

function(_ipu_generated_header out)
  file(RELATIVE_PATH target ${PROJECT_BINARY_DIR}
    ${CMAKE_CURRENT_BINARY_DIR}/${out})
  string(MAKE_C_IDENTIFIER "tablegen_${target}" target)
  add_custom_target(${target} DEPENDS ${CMAKE_CURRENT_BINARY_DIR}/${out})
  add_dependencies(ipu-headers ${target})
endfunction()

# ipu_tablegen_ops(<name> <number of shards>)
#
# Generates <name>.h.inc and <name>.cpp.inc of <name>.td. The definitions of a
# large dialect take a compiler longer than all else, so that they are divided
# into shards: part i is what <name>.cpp.inc has if GET_OP_DEFS_<i> is defined.
# `register<Dialect>Operations` registers the ops of all shards, so that a
# dialect may have one such file.
function(ipu_tablegen_ops name shards)
  set_property(GLOBAL PROPERTY IPUMLIR_SHARDS_${name} ${shards})
  ipu_tablegen(${name}.td ${name}.h.inc -gen-op-decls -op-shard-count=${shards})
  ipu_tablegen(${name}.td ${name}.cpp.inc -gen-op-defs
    -op-shard-count=${shards})
endfunction()

# ipu_op_shards(<variable> <name> <source>)
#
# Sets the variable to sources that compile <source>, which includes
# <name>.cpp.inc, once for each shard.
function(ipu_op_shards variable name source)
  get_property(shards GLOBAL PROPERTY IPUMLIR_SHARDS_${name})
  math(EXPR last "${shards} - 1")
  set(sources)
  foreach(i RANGE ${last})
    set(shard ${CMAKE_CURRENT_BINARY_DIR}/${name}Shard${i}.cpp)
    file(CONFIGURE OUTPUT ${shard} CONTENT "\
#define GET_OP_DEFS_${i}
#include \"${CMAKE_CURRENT_SOURCE_DIR}/${source}\"
")
    list(APPEND sources ${shard})
  endforeach()
  set(${variable} ${sources} PARENT_SCOPE)
endfunction()

# ipu_add_doc(<file.td> <page below build/docs> <tblgen flag>...)
function(ipu_add_doc td page)
  set(LLVM_TARGET_DEFINITIONS ${td})
  string(MAKE_C_IDENTIFIER "doc_${page}" target)
  mlir_tablegen(${target}.md ${ARGN})
  set(output ${PROJECT_BINARY_DIR}/docs/${page})
  add_custom_command(OUTPUT ${output}
    COMMAND ${CMAKE_COMMAND} -E copy
      ${CMAKE_CURRENT_BINARY_DIR}/${target}.md ${output}
    DEPENDS ${CMAKE_CURRENT_BINARY_DIR}/${target}.md
  )
  add_custom_target(${target} DEPENDS ${output})
  add_dependencies(ipu-doc ${target})
endfunction()

#===------------------------------------------------------------------------===#
# Libraries, programs, tests
#===------------------------------------------------------------------------===#

# ipu_add_library(<name> [EXCEPTIONS] <source>... [LINK_LIBS <library>...])
#
# A static library that is installed and exported. It links the shared libraries
# MLIR and LLVM; naming a static MLIRxxx target as well would give a program two
# copies of MLIR. EXCEPTIONS: compile with exceptions.
function(ipu_add_library name)
  cmake_parse_arguments(PARSE_ARGV 1 arg "EXCEPTIONS" "" "LINK_LIBS")
  add_library(${name} STATIC ${arg_UNPARSED_ARGUMENTS})
  set_target_properties(${name} PROPERTIES IPU_EXCEPTIONS ${arg_EXCEPTIONS})
  _ipu_compile_options(${name})
  target_link_libraries(${name} PUBLIC ${arg_LINK_LIBS} MLIR LLVM)
  target_include_directories(${name} INTERFACE
    $<INSTALL_INTERFACE:${CMAKE_INSTALL_INCLUDEDIR}>)
  install(TARGETS ${name} EXPORT IPUMLIRTargets)
  set_property(GLOBAL APPEND PROPERTY IPUMLIR_LIBS ${name})
endfunction()

# ipu_add_tool(<name> <source>... [LINK_LIBS <library>...])
#
# A program with all libraries of the project. It exports its symbols, so that a
# plugin finds them.
function(ipu_add_tool name)
  cmake_parse_arguments(PARSE_ARGV 1 arg "NO_INSTALL" "" "LINK_LIBS")
  add_executable(${name} ${arg_UNPARSED_ARGUMENTS})
  set_target_properties(${name} PROPERTIES ENABLE_EXPORTS ON)
  _ipu_compile_options(${name})
  get_property(libs GLOBAL PROPERTY IPUMLIR_LIBS)
  target_link_libraries(${name} PRIVATE ipu-tool-setup ${arg_LINK_LIBS} ${libs}
    MLIR LLVM)
  if(NOT arg_NO_INSTALL)
    install(TARGETS ${name} DESTINATION ${CMAKE_INSTALL_BINDIR})
    set_property(GLOBAL APPEND PROPERTY IPUMLIR_INSTALLED_TOOLS ${name})
  endif()
  set_property(GLOBAL APPEND PROPERTY IPUMLIR_TOOLS ${name})
endfunction()

# ipu_add_plugin(<name> <source>... [LINK_LIBS <library>...])
function(ipu_add_plugin name)
  cmake_parse_arguments(PARSE_ARGV 1 arg "" "" "LINK_LIBS")
  add_library(${name} MODULE ${arg_UNPARSED_ARGUMENTS})
  set_target_properties(${name} PROPERTIES PREFIX "")
  _ipu_compile_options(${name})
  target_link_libraries(${name} PRIVATE ${arg_LINK_LIBS} MLIR LLVM)
  if(NOT IPU_ENABLE_SANITIZERS)
    target_link_options(${name} PRIVATE -Wl,-z,defs)
  endif()
  install(TARGETS ${name} DESTINATION ${CMAKE_INSTALL_LIBDIR})
  set_property(GLOBAL APPEND PROPERTY IPUMLIR_TOOLS ${name})
endfunction()

# ipu_add_python_module(<name> <path of the module> <source>...)
#
# An extension module with all libraries of the project. Its own sources have
# exceptions, because pybind11 needs them.
function(ipu_add_python_module name module)
  pybind11_add_module(${name} MODULE NO_EXTRAS ${ARGN})
  get_filename_component(folder ${module} DIRECTORY)
  get_filename_component(file ${module} NAME)
  set_target_properties(${name} PROPERTIES
    IPU_EXCEPTIONS ON
    OUTPUT_NAME ${file}
    LIBRARY_OUTPUT_DIRECTORY ${PROJECT_BINARY_DIR}/python/${folder})
  _ipu_compile_options(${name})
  get_property(libs GLOBAL PROPERTY IPUMLIR_LIBS)
  target_link_libraries(${name} PRIVATE ${libs} MLIR LLVM)
endfunction()

# ipu_add_unittest(<name> <source>... [LINK_LIBS <library>...])
function(ipu_add_unittest name)
  cmake_parse_arguments(PARSE_ARGV 1 arg "" "" "LINK_LIBS")
  add_executable(${name} ${arg_UNPARSED_ARGUMENTS})
  set_target_properties(${name} PROPERTIES
    RUNTIME_OUTPUT_DIRECTORY ${CMAKE_CURRENT_BINARY_DIR})
  _ipu_compile_options(${name})
  get_property(libs GLOBAL PROPERTY IPUMLIR_LIBS)
  target_link_libraries(${name} PRIVATE ${arg_LINK_LIBS} ${libs}
    GTest::gmock GTest::gtest_main MLIR LLVM)
  add_test(NAME ${name} COMMAND ${name})
  set_tests_properties(${name} PROPERTIES LABELS check
    ENVIRONMENT "${IPU_TEST_ENVIRONMENT}")
  set_property(GLOBAL APPEND PROPERTY IPUMLIR_UNITTESTS ${name})
endfunction()
