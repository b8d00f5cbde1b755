# Defines Arrow::arrow_shared and Parquet::parquet_shared: from an installed Arrow C++ if CMake finds
# one, else from a directory that holds its headers and libraries (the unpacked pyarrow wheel, or the
# copy that `cmake --install` makes), named by SPUNA_ARROW_INCLUDE_DIR and SPUNA_ARROW_LIBRARY_DIR.
if(NOT TARGET Parquet::parquet_shared)
  find_package(Parquet 22 CONFIG QUIET)
endif()
if(TARGET Parquet::parquet_shared)
  return()
endif()

if(NOT EXISTS "${SPUNA_ARROW_INCLUDE_DIR}/arrow/util/config.h")
  message(FATAL_ERROR
    "Arrow C++ was not found: neither as a CMake package (version 22 or newer) nor in "
    "'${SPUNA_ARROW_INCLUDE_DIR}'. Run scripts/bootstrap, or set CMAKE_PREFIX_PATH.")
endif()
function(spuna_arrow_library target name)
  file(GLOB library "${SPUNA_ARROW_LIBRARY_DIR}/lib${name}.so.*")
  list(GET library 0 library)
  add_library(${target} SHARED IMPORTED)
  set_target_properties(${target} PROPERTIES
    IMPORTED_LOCATION "${library}"
    INTERFACE_INCLUDE_DIRECTORIES "${SPUNA_ARROW_INCLUDE_DIR}")
endfunction()
spuna_arrow_library(Arrow::arrow_shared arrow)
spuna_arrow_library(Parquet::parquet_shared parquet)
target_link_libraries(Parquet::parquet_shared INTERFACE Arrow::arrow_shared)
