# Warnings and sanitizers, for every target of ours.
function(spuna_configure_target target)
  target_compile_options(${target} PRIVATE -Wall -Wextra -Wpedantic -Wshadow -Wnon-virtual-dtor
    -Wno-restrict)  # GCC 12 sees overlaps in std::string that are not there.
  if(SPUNA_WARNINGS_AS_ERRORS)
    target_compile_options(${target} PRIVATE -Werror)
  endif()
  if(SPUNA_SANITIZE)
    target_compile_options(${target} PRIVATE -fsanitize=${SPUNA_SANITIZE} -fno-omit-frame-pointer
      -Wno-maybe-uninitialized)  # GCC's own std::optional trips it under instrumentation.
    target_link_options(${target} PUBLIC -fsanitize=${SPUNA_SANITIZE})
  endif()
endfunction()

# A folder's library: headers are included from the root of the tree, "algorithms/expansion/expansion.h". Its
# name is the folder's unless another folder is given.
function(spuna_configure_library name)
  set(target spuna_${name})
  set(folder ${name})
  if(ARGC GREATER 1)
    set(folder ${ARGV1})
  endif()
  spuna_configure_target(${target})
  target_include_directories(${target} PUBLIC
    $<BUILD_INTERFACE:${PROJECT_SOURCE_DIR}>
    $<INSTALL_INTERFACE:${CMAKE_INSTALL_INCLUDEDIR}/spuna>)
  target_compile_features(${target} PUBLIC cxx_std_20)
  set_target_properties(${target} PROPERTIES EXPORT_NAME ${name})
  install(TARGETS ${target} EXPORT spuna
    ARCHIVE DESTINATION ${CMAKE_INSTALL_LIBDIR}
    LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR})
  install(DIRECTORY ${CMAKE_CURRENT_SOURCE_DIR}/
    DESTINATION ${CMAKE_INSTALL_INCLUDEDIR}/spuna/${folder}
    FILES_MATCHING PATTERN "*.h" PATTERN "*_internal.h" EXCLUDE)
endfunction()

# A shared library shows only what is marked for export, not what it is made of.
function(spuna_hide_symbols target)
  set_target_properties(${target} PROPERTIES
    CXX_VISIBILITY_PRESET hidden
    VISIBILITY_INLINES_HIDDEN ON
    LIBRARY_OUTPUT_DIRECTORY ${PROJECT_BINARY_DIR})
  target_link_options(${target} PRIVATE LINKER:--exclude-libs,ALL)
endfunction()
