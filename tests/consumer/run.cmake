# Installs the build into an empty prefix, builds the consumer against it, and runs both programs.
# Called with BUILD_DIR, SOURCE_DIR, WORK_DIR and CXX_FLAGS.
set(prefix ${WORK_DIR}/prefix)
set(sample ${SOURCE_DIR}/examples/quickstart)
file(REMOVE_RECURSE ${WORK_DIR})
file(MAKE_DIRECTORY ${WORK_DIR})

function(run)
  execute_process(COMMAND ${ARGN} RESULT_VARIABLE code OUTPUT_VARIABLE out ERROR_VARIABLE out)
  if(NOT code EQUAL 0)
    message(FATAL_ERROR "${ARGN} ended with ${code}:\n${out}")
  endif()
  set(out "${out}" PARENT_SCOPE)
endfunction()

run(${CMAKE_COMMAND} --install ${BUILD_DIR} --prefix ${prefix})
run(${prefix}/bin/spuna --version)
run(${CMAKE_COMMAND} -S ${SOURCE_DIR}/tests/consumer -B ${WORK_DIR}/build -G Ninja
  -DCMAKE_PREFIX_PATH=${prefix} -DCMAKE_CXX_FLAGS=${CXX_FLAGS} -DCMAKE_C_FLAGS=${CXX_FLAGS}
  -DEXAMPLES_DIR=${SOURCE_DIR}/examples)
run(${CMAKE_COMMAND} --build ${WORK_DIR}/build)
run(${WORK_DIR}/build/consumer
  ${sample}/trusted.parquet ${sample}/pool.parquet ${WORK_DIR}/model.safetensors)
if(NOT out MATCHES "^1500\n")
  message(FATAL_ERROR "expected 1500 pool rows but found: ${out}")
endif()
run(${prefix}/bin/spuna inspect ${WORK_DIR}/model.safetensors)
run(${WORK_DIR}/build/clean_in_c
  ${sample}/trusted.parquet ${sample}/pool.parquet ${WORK_DIR}/model_c.safetensors)
if(NOT out MATCHES "^keep [0-9]+ of 1500 rows\n")
  message(FATAL_ERROR "expected a count of 1500 rows but found: ${out}")
endif()
foreach(name trusted pool)
  file(COPY ${sample}/${name}.parquet DESTINATION ${WORK_DIR}/${name})
endforeach()
run(${WORK_DIR}/build/clean_in_acero ${WORK_DIR}/trusted ${WORK_DIR}/pool ${WORK_DIR}/out)
if(NOT EXISTS ${WORK_DIR}/out/kept-0.parquet)
  message(FATAL_ERROR "expected ${WORK_DIR}/out/kept-0.parquet")
endif()
