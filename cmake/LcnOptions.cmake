set(CMAKE_CXX_STANDARD 20)
set(CMAKE_CXX_STANDARD_REQUIRED ON)
set(CMAKE_CXX_EXTENSIONS OFF)
set(CMAKE_EXPORT_COMPILE_COMMANDS ON)
set(CMAKE_RUNTIME_OUTPUT_DIRECTORY ${CMAKE_BINARY_DIR}/bin)
set(CMAKE_INSTALL_RPATH_USE_LINK_PATH ON) # an installed program finds the libraries of environment modules

option(LCN_TESTS "build the tests" ON)
option(LCN_NATIVE "tune for this machine (-march=native); results stay the same" OFF)
option(LCN_UNITY "compile io and jobs in a few large units: builds from nothing take half as long" OFF)
set(LCN_CUDA AUTO CACHE STRING "AUTO (use nvcc when found), ON (require it) or OFF")
set_property(CACHE LCN_CUDA PROPERTY STRINGS AUTO ON OFF)
set(LCN_SANITIZE "" CACHE STRING "sanitizers for C++ code, for example address,undefined")

if(NOT CMAKE_BUILD_TYPE AND NOT CMAKE_CONFIGURATION_TYPES)
  set(CMAKE_BUILD_TYPE Release CACHE STRING "build type" FORCE)
endif()
set(CMAKE_CXX_FLAGS_RELEASE "-O3 -g1 -DNDEBUG")

find_program(LCN_CCACHE ccache)
if(LCN_CCACHE)
  set(CMAKE_CXX_COMPILER_LAUNCHER ${LCN_CCACHE})
  set(CMAKE_CUDA_COMPILER_LAUNCHER ${LCN_CCACHE})
endif()

add_library(lcn_flags INTERFACE)
target_include_directories(lcn_flags INTERFACE ${PROJECT_SOURCE_DIR} ${PROJECT_SOURCE_DIR}/src)
# No contraction of a*b+c in real arithmetic: layouts must not depend on what the compiler fuses.
target_compile_options(lcn_flags INTERFACE
  $<$<COMPILE_LANGUAGE:CXX>:-Wall -Wextra -Wno-unused-parameter -ffp-contract=off>)
if(LCN_NATIVE)
  target_compile_options(lcn_flags INTERFACE $<$<COMPILE_LANGUAGE:CXX>:-march=native>)
endif()
if(LCN_SANITIZE)
  # A finding ends the program: the undefined-behaviour sanitizer would print it and go on, and its test pass.
  target_compile_options(lcn_flags INTERFACE
    $<$<COMPILE_LANGUAGE:CXX>:-fsanitize=${LCN_SANITIZE} -fno-sanitize-recover=all -fno-omit-frame-pointer>)
  target_link_options(lcn_flags INTERFACE -fsanitize=${LCN_SANITIZE})
  if(LCN_SANITIZE MATCHES "address")
    target_sources(lcn_flags INTERFACE
      $<$<STREQUAL:$<TARGET_PROPERTY:TYPE>,EXECUTABLE>:${CMAKE_CURRENT_LIST_DIR}/sanitizer_defaults.cpp>)
  endif()
endif()
find_package(Threads REQUIRED)
target_link_libraries(lcn_flags INTERFACE Threads::Threads)
