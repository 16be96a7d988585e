# Installs a build, then configures, builds and runs a project that uses it.
# Arguments: BUILD_DIR, CONSUMER_DIR, WORK_DIR, GENERATOR, C_COMPILER,
# CXX_COMPILER, BUILD_TYPE, LINKER, SANITIZERS.

function(run)
  execute_process(COMMAND ${ARGN}
    OUTPUT_VARIABLE output
    ERROR_VARIABLE output
    RESULT_VARIABLE result
  )
  if(NOT result EQUAL 0)
    message("${output}")
    list(JOIN ARGN " " command)
    message(FATAL_ERROR "failed with ${result}: ${command}")
  endif()
  set(output "${output}" PARENT_SCOPE)
endfunction()

function(expect_file path)
  if(NOT EXISTS ${prefix}/${path})
    message(FATAL_ERROR "expects the file '${path}' in '${prefix}'")
  endif()
endfunction()

function(expect pattern)
  if(NOT output MATCHES "${pattern}")
    message(FATAL_ERROR "expects '${pattern}' in:\n${output}")
  endif()
endfunction()

set(prefix ${WORK_DIR}/prefix)
file(REMOVE_RECURSE ${WORK_DIR})
if(SANITIZERS)
  set(ENV{ASAN_OPTIONS} allow_user_poisoning=0)
endif()
run(${CMAKE_COMMAND} --install ${BUILD_DIR} --prefix ${prefix})
foreach(tool IN ITEMS lsp-server opt reduce run train translate)
  expect_file(bin/ipu-${tool})
  expect_file(share/man/man1/ipu-${tool}.1)
  expect_file(share/bash-completion/completions/ipu-${tool})
endforeach()

# The installed programs and the plugin find MLIR.
set(input ${CONSUMER_DIR}/count.mlir)
run(${prefix}/bin/ipu-opt ${input} --canonicalize)
expect("pop\\.exp")

set(link_flags)
set(compile_flags)
if(LINKER)
  set(link_flags -fuse-ld=${LINKER})
endif()
if(SANITIZERS)
  set(compile_flags -fsanitize=address,undefined)
endif()
run(${CMAKE_COMMAND} -G ${GENERATOR} -S ${CONSUMER_DIR} -B ${WORK_DIR}/build
  -D CMAKE_PREFIX_PATH=${prefix}
  -D CMAKE_BUILD_TYPE=${BUILD_TYPE}
  -D CMAKE_C_COMPILER=${C_COMPILER}
  -D CMAKE_CXX_COMPILER=${CXX_COMPILER}
  -D CMAKE_CXX_FLAGS=${compile_flags}
  -D CMAKE_EXE_LINKER_FLAGS=${link_flags}
)
run(${CMAKE_COMMAND} --build ${WORK_DIR}/build)
run(${WORK_DIR}/build/consumer-opt ${input} --consumer-count-pop-ops)
expect("pop\\.add: 2\npop\\.exp: 1\n")

# The plugin in a host that has the same classes but does not share them.
file(GLOB_RECURSE plugin ${prefix}/*/IPUMLIRPlugin.so)
run(${WORK_DIR}/build/consumer-opt ${input}
  --load-dialect-plugin=${plugin} --load-pass-plugin=${plugin}
  --pass-pipeline=builtin.module\(consumer-count-pop-ops,pop-decompose\))
expect("pop\\.add: 2\npop\\.exp: 1\n")
