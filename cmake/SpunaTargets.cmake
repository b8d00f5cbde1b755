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

# A folder's library: headers are included from the root of the tree, "algorithms/expansion.h".
function(spuna_configure_library folder)
  set(target spuna_${folder})
  spuna_configure_target(${target})
  target_include_directories(${target} PUBLIC
    $<BUILD_INTERFACE:${PROJECT_SOURCE_DIR}>
    $<INSTALL_INTERFACE:${CMAKE_INSTALL_INCLUDEDIR}/spuna>)
  target_compile_features(${target} PUBLIC cxx_std_20)
  set_target_properties(${target} PROPERTIES EXPORT_NAME ${folder})
  install(TARGETS ${target} EXPORT spuna ARCHIVE DESTINATION ${CMAKE_INSTALL_LIBDIR})
  install(DIRECTORY ${CMAKE_CURRENT_SOURCE_DIR}/
    DESTINATION ${CMAKE_INSTALL_INCLUDEDIR}/spuna/${folder}
    FILES_MATCHING PATTERN "*.h" PATTERN "*_internal.h" EXCLUDE)
endfunction()
