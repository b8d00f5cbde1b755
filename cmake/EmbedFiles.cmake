# spuna_embed_files(TARGET HEADER NAME=FILE...) compiles files into a target. The header, included
# from the root of the tree, declares each NAME as `extern const std::string_view` in namespace spuna.
# The bytes become string literals in one generated source, which a changed file makes anew.
#
# This file is also the script that writes the source: cmake -DOUTPUT=… -DHEADER=… -DENTRIES=… -P it.
if(CMAKE_SCRIPT_MODE_FILE)
  set(source "#include \"${HEADER}\"\n\nnamespace spuna {\n\nusing std::string_view_literals::operator\"\"sv;\n")
  string(REPLACE "|" ";" ENTRIES "${ENTRIES}")
  foreach(entry IN LISTS ENTRIES)
    string(REGEX MATCH "^([^=]+)=(.+)$" matched "${entry}")
    set(name "${CMAKE_MATCH_1}")
    file(READ "${CMAKE_MATCH_2}" bytes HEX)
    string(REGEX REPLACE "(..)" "\\\\x\\1" bytes "${bytes}")
    string(APPEND source "\nconstinit const std::string_view ${name} = \"${bytes}\"sv;\n")
  endforeach()
  string(APPEND source "\n}  // namespace spuna\n")
  file(WRITE "${OUTPUT}" "${source}")
  return()
endif()

set(SPUNA_EMBED_SCRIPT ${CMAKE_CURRENT_LIST_FILE})

function(spuna_embed_files target header)
  get_filename_component(name ${header} NAME_WE)
  set(output ${CMAKE_CURRENT_BINARY_DIR}/${name}.cc)
  set(files "")
  foreach(entry IN LISTS ARGN)
    string(REGEX REPLACE "^[^=]+=" "" file "${entry}")
    list(APPEND files "${file}")
  endforeach()
  string(REPLACE ";" "|" entries "${ARGN}")
  add_custom_command(OUTPUT ${output}
    COMMAND ${CMAKE_COMMAND} -DOUTPUT=${output} -DHEADER=${header} "-DENTRIES=${entries}"
      -P ${SPUNA_EMBED_SCRIPT}
    DEPENDS ${files} ${SPUNA_EMBED_SCRIPT}
    COMMENT "Embedding the files of ${header}"
    VERBATIM)
  # A library of its own: as a source of the target it would have every object of the target wait
  # for all the libraries that the target links.
  set(embedded ${target}_${name})
  add_library(${embedded} OBJECT ${output})
  target_include_directories(${embedded} PRIVATE ${PROJECT_SOURCE_DIR})
  spuna_configure_target(${embedded})
  target_sources(${target} PRIVATE $<TARGET_OBJECTS:${embedded}>)
endfunction()
