# Headers, the package IPUMLIR for find_package(), man pages, and completions for
# bash. Libraries, programs and the plugin install themselves, see
# IPUAddLibrary.cmake.

include(CMakePackageConfigHelpers)

set(IPUMLIR_PACKAGE_DIR ${CMAKE_INSTALL_LIBDIR}/cmake/IPUMLIR)

install(DIRECTORY ${PROJECT_SOURCE_DIR}/include/ipu-mlir
  DESTINATION ${CMAKE_INSTALL_INCLUDEDIR}
  FILES_MATCHING
  PATTERN "*.def"
  PATTERN "*.h"
  PATTERN "*.td"
)
install(DIRECTORY ${PROJECT_BINARY_DIR}/include/ipu-mlir
  DESTINATION ${CMAKE_INSTALL_INCLUDEDIR}
  FILES_MATCHING
  PATTERN "*.inc"
  PATTERN "CMakeFiles" EXCLUDE
)

configure_package_config_file(
  ${PROJECT_SOURCE_DIR}/cmake/modules/IPUMLIRConfig.cmake.in
  ${PROJECT_BINARY_DIR}/IPUMLIRConfig.cmake
  INSTALL_DESTINATION ${IPUMLIR_PACKAGE_DIR}
  PATH_VARS CMAKE_INSTALL_INCLUDEDIR
)
write_basic_package_version_file(
  ${PROJECT_BINARY_DIR}/IPUMLIRConfigVersion.cmake
  COMPATIBILITY SameMinorVersion
)
install(FILES
  ${PROJECT_BINARY_DIR}/IPUMLIRConfig.cmake
  ${PROJECT_BINARY_DIR}/IPUMLIRConfigVersion.cmake
  DESTINATION ${IPUMLIR_PACKAGE_DIR}
)
install(EXPORT IPUMLIRTargets DESTINATION ${IPUMLIR_PACKAGE_DIR})

# A man page is what --help says when the tool is installed.
get_property(tools GLOBAL PROPERTY IPUMLIR_INSTALLED_TOOLS)
foreach(tool IN LISTS tools)
  set(page ${PROJECT_BINARY_DIR}/man/${tool}.1)
  install(CODE "
    file(MAKE_DIRECTORY \"${PROJECT_BINARY_DIR}/man\")
    execute_process(
      COMMAND \"${IPU_PYTHON}\" \"${PROJECT_SOURCE_DIR}/utils/man-page\"
        \"$<TARGET_FILE:${tool}>\" \"${page}\"
      COMMAND_ERROR_IS_FATAL ANY)")
  install(FILES ${page} DESTINATION ${CMAKE_INSTALL_MANDIR}/man1)
  install(FILES ${PROJECT_SOURCE_DIR}/utils/bash-completion
    DESTINATION ${CMAKE_INSTALL_DATADIR}/bash-completion/completions
    RENAME ${tool})
endforeach()
