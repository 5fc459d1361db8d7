find_program(GIT git)
set(commit unknown)
set(dirty unknown)
set(diff_hash "")
if(GIT)
  execute_process(COMMAND ${GIT} -C ${SOURCE} rev-parse HEAD OUTPUT_VARIABLE out RESULT_VARIABLE rc
                  OUTPUT_STRIP_TRAILING_WHITESPACE ERROR_QUIET)
  if(rc EQUAL 0)
    set(commit ${out})
    execute_process(COMMAND ${GIT} -C ${SOURCE} diff HEAD --no-ext-diff OUTPUT_VARIABLE diff ERROR_QUIET)
    execute_process(COMMAND ${GIT} -C ${SOURCE} status --porcelain OUTPUT_VARIABLE status ERROR_QUIET)
    if(status STREQUAL "")
      set(dirty false)
    else()
      set(dirty true)
      string(SHA256 diff_hash "${diff}${status}")
    endif()
  endif()
endif()
string(STRIP "${FLAGS}" FLAGS)
set(text "#pragma once
// Written by the build: what this program was built from and with.
#define LCN_VERSION \"${VERSION}\"
#define LCN_GIT_COMMIT \"${commit}\"
#define LCN_GIT_DIRTY \"${dirty}\"
#define LCN_GIT_DIFF_SHA256 \"${diff_hash}\"
#define LCN_COMPILER \"${COMPILER}\"
#define LCN_COMPILER_FLAGS \"${FLAGS}\"
#define LCN_BUILD_TYPE \"${BUILD_TYPE}\"
#define LCN_SANITIZERS \"${SANITIZE}\"
#define LCN_BUILT_WITH_CUDA \"${CUDA}\"
#define LCN_BUILT_WITH_NCCL \"${NCCL}\"
#define LCN_CUDA_COMPILER \"${CUDA_VERSION}\"
#define LCN_CUDA_ARCHITECTURES \"${CUDA_ARCH}\"
")
set(old "")
if(EXISTS ${OUT})
  file(READ ${OUT} old)
endif()
if(NOT old STREQUAL text)
  file(WRITE ${OUT} "${text}")
endif()
