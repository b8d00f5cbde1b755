# `cmake --install`: the program, the libraries with their headers, and what find_package(spuna) reads.
include(CMakePackageConfigHelpers)

install(TARGETS spuna_cli RUNTIME DESTINATION ${CMAKE_INSTALL_BINDIR})
set(SPUNA_CMAKE_DIR ${CMAKE_INSTALL_LIBDIR}/cmake/spuna)
install(EXPORT spuna NAMESPACE spuna:: DESTINATION ${SPUNA_CMAKE_DIR})
configure_package_config_file(cmake/spunaConfig.cmake.in ${PROJECT_BINARY_DIR}/spunaConfig.cmake
  INSTALL_DESTINATION ${SPUNA_CMAKE_DIR})
write_basic_package_version_file(${PROJECT_BINARY_DIR}/spunaConfigVersion.cmake
  COMPATIBILITY SameMinorVersion)
install(FILES
  ${PROJECT_BINARY_DIR}/spunaConfig.cmake
  ${PROJECT_BINARY_DIR}/spunaConfigVersion.cmake
  cmake/SpunaArrow.cmake
  DESTINATION ${SPUNA_CMAKE_DIR})

# Arrow from the wheel goes along, in a folder of its own: the checkout may be deleted after
# installing, and a program that uses the libraries gets the Arrow they were built with.
if(EXISTS "${SPUNA_ARROW_DIR}/include/arrow/util/config.h")
  set(SPUNA_ARROW_INSTALL_DIR ${CMAKE_INSTALL_LIBDIR}/spuna/arrow)
  set(arrow_libraries "")
  foreach(name arrow parquet arrow_compute arrow_acero arrow_dataset arrow_s3)
    file(GLOB library ${SPUNA_ARROW_DIR}/lib${name}.so.*)
    list(APPEND arrow_libraries ${library})
  endforeach()
  install(FILES ${arrow_libraries} DESTINATION ${SPUNA_ARROW_INSTALL_DIR})
  install(DIRECTORY ${SPUNA_ARROW_DIR}/include DESTINATION ${SPUNA_ARROW_INSTALL_DIR})
  set_target_properties(spuna_cli PROPERTIES
    INSTALL_RPATH "$ORIGIN/../${SPUNA_ARROW_INSTALL_DIR}")
  set_target_properties(spuna_acero spuna_c PROPERTIES INSTALL_RPATH "$ORIGIN/spuna/arrow")
endif()
