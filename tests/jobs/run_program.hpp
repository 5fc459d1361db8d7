#pragma once
#include <sys/wait.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <string>

#include "tests/io/test_folder.hpp"

namespace lcn {

// A program with sanitizers is that much slower: time limits of tests are multiplied by it.
#ifdef __SANITIZE_ADDRESS__
inline constexpr double kSlowness = 4;
#else
inline constexpr double kSlowness = 1;
#endif

struct ProgramResult {
  int code = -1;  // exit code; 128 + signal when killed
  std::string out, err;
};

inline std::string file_text(const std::filesystem::path& path) {
  std::ifstream file(path, std::ios::binary);
  std::ostringstream buffer;
  buffer << file.rdbuf();
  return buffer.str();
}

// Runs `lcn ARGUMENTS` through the shell: quote what needs it. Standard input is empty.
inline ProgramResult run_lcn(const std::string& arguments) {
  const TestFolder folder;
  const std::string out = folder.path() + "/out", err = folder.path() + "/err";
  const std::string command =
      std::string(LCN_PROGRAM) + " " + arguments + " </dev/null >" + out + " 2>" + err;
  const int status = std::system(command.c_str());
  ProgramResult result;
  result.code = WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
  result.out = file_text(out);
  result.err = file_text(err);
  return result;
}

}  // namespace lcn
