# Defines Arrow's targets under the names that Arrow's own CMake packages use. SPUNA_ARROW_DIR holds
# the headers (include/) and libraries of Arrow C++: the unpacked pyarrow wheel, or the copy that
# `cmake --install` makes. Without it an Arrow that CMake can find is taken.
function(spuna_arrow_library target name)
  file(GLOB library "${SPUNA_ARROW_DIR}/lib${name}.so.*")
  list(GET library 0 library)
  add_library(${target} SHARED IMPORTED)
  set_target_properties(${target} PROPERTIES
    IMPORTED_LOCATION "${library}"
    INTERFACE_INCLUDE_DIRECTORIES "${SPUNA_ARROW_DIR}/include"
    INTERFACE_LINK_LIBRARIES "${ARGN}")
endfunction()

if(NOT TARGET Parquet::parquet_shared)
  if(EXISTS "${SPUNA_ARROW_DIR}/include/arrow/util/config.h")
    spuna_arrow_library(Arrow::arrow_shared arrow)
    spuna_arrow_library(Parquet::parquet_shared parquet Arrow::arrow_shared)
    spuna_arrow_library(ArrowCompute::arrow_compute_shared arrow_compute Arrow::arrow_shared)
    spuna_arrow_library(ArrowAcero::arrow_acero_shared arrow_acero
      ArrowCompute::arrow_compute_shared)
    spuna_arrow_library(ArrowDataset::arrow_dataset_shared arrow_dataset
      ArrowAcero::arrow_acero_shared Parquet::parquet_shared)
  else()
    foreach(package Arrow Parquet ArrowCompute ArrowAcero ArrowDataset)
      find_package(${package} CONFIG REQUIRED)
    endforeach()
    if(Arrow_VERSION VERSION_LESS 24)
      message(FATAL_ERROR "expected Arrow 24 or newer but found ${Arrow_VERSION} in ${Arrow_DIR}; "
        "run scripts/bootstrap for one that fits")
    endif()
  endif()
endif()
