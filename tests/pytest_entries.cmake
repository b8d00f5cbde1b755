# The tests that pytest runs, cut into entries of ctest that run at the same time. A file that is added to
# one of the folders is found. The most costly start first; after a run ctest takes the measured seconds.
set(SPUNA_COSTS
  python/package=1000  # others wait for it
  lake/object_store=900  # it waits for networks, not for a core
  python/spark=120
  python/core=100
  python/wheel=70
  python/cleaned=60
  python/ray=80
  python/spark_cluster=80
  lake/stop_and_go_on=60
  lake/nights=60
)

function(spuna_add_pytest name)
  cmake_parse_arguments(arg "" "" "COMMAND;LABELS" ${ARGN})
  list(POP_FRONT arg_COMMAND script)
  add_test(NAME ${name} COMMAND ${PROJECT_SOURCE_DIR}/scripts/${script} ${arg_COMMAND})
  set(cost 20)
  if(";${SPUNA_COSTS};" MATCHES ";${name}=([0-9]+);")
    set(cost ${CMAKE_MATCH_1})
  endif()
  set_tests_properties(${name} PROPERTIES LABELS "${arg_LABELS}" COST ${cost})
endfunction()

# The names of the files test_NAME.py in a folder, those with a beginning.
function(spuna_pytest_files names folder beginning)
  file(GLOB files CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/${folder}/test_${beginning}*.py)
  list(TRANSFORM files REPLACE "^.*/test_(.*)\\.py$" "\\1")
  set(${names} ${files} PARENT_SCOPE)
endfunction()

# One build of the package serves all its tests.
spuna_add_pytest(python/package COMMAND test_python package LABELS python)
set_tests_properties(python/package PROPERTIES FIXTURES_SETUP python_package)
spuna_add_pytest(python/core COMMAND test_python --installed core LABELS python)
set(package_tests python/core)
# Files that are apart because they take long, and the label of those that are too slow for a fast run.
foreach(name cleaned types wheel)
  set(labels python)
  if(NOT name STREQUAL cleaned)
    list(APPEND labels slow)
  endif()
  spuna_add_pytest(python/${name} COMMAND test_python --installed ${name} LABELS ${labels})
  list(APPEND package_tests python/${name})
endforeach()
foreach(cluster spark ray)
  spuna_pytest_files(names python/tests ${cluster})
  foreach(name IN LISTS names)
    spuna_add_pytest(python/${name} COMMAND test_python --installed ${name}
      LABELS python ${cluster} slow)
    list(APPEND package_tests python/${name})
  endforeach()
endforeach()
set_tests_properties(${package_tests} PROPERTIES FIXTURES_REQUIRED python_package)

foreach(folder lake report)
  spuna_pytest_files(names tests/${folder} "")
  foreach(name IN LISTS names)
    spuna_add_pytest(${folder}/${name} COMMAND test_${folder} ${name} LABELS ${folder} slow)
  endforeach()
endforeach()
