# Targets that look at the source text.

add_custom_target(check-format
  COMMAND ${PROJECT_SOURCE_DIR}/utils/format --check
  COMMENT "Checking the format of C++ files"
  USES_TERMINAL
)
add_custom_target(format
  COMMAND ${PROJECT_SOURCE_DIR}/utils/format
  COMMENT "Formatting C++ files"
  USES_TERMINAL
)

find_program(IPU_RUN_CLANG_TIDY run-clang-tidy-22)
if(IPU_RUN_CLANG_TIDY)
  add_custom_target(check-tidy
    COMMAND ${IPU_RUN_CLANG_TIDY} -quiet -p ${PROJECT_BINARY_DIR}
      -clang-tidy-binary clang-tidy-22 -warnings-as-errors=*
      "^${PROJECT_SOURCE_DIR}/(lib|tools|unittests)/"
    COMMENT "Running clang-tidy"
    USES_TERMINAL
  )
  add_dependencies(check-tidy ipu-headers)
  if(IPU_ENABLE_PCH)
    add_dependencies(check-tidy ipu_pch)
  endif()
endif()
