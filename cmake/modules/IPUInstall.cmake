# Headers and the package IPUMLIR for find_package(). Libraries, programs and the
# plugin install themselves, see IPUAddLibrary.cmake.

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
