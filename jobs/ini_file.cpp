#include "jobs/ini_file.hpp"

#include <fmt/format.h>

#include <filesystem>
#include <fstream>

#include "support/error.hpp"

namespace lcn {
namespace {

std::string without_blanks(const std::string& text) {
  constexpr const char* kBlanks = " \t\r";
  const std::size_t begin = text.find_first_not_of(kBlanks);
  return begin == text.npos ? "" : text.substr(begin, text.find_last_not_of(kBlanks) - begin + 1);
}

}  // namespace

std::string IniFile::place(int line) const {
  return fmt::format("{}:{}", path, line);
}

IniFile read_ini_file(const std::string& path) {
  std::ifstream stream(path);
  if (!stream || std::filesystem::is_directory(path))
    throw input_error(fmt::format("{}: cannot be read (an INI file is expected)", path));
  IniFile file{path, {{}}};
  std::string text;
  for (int line = 1; std::getline(stream, text); ++line) {
    if (line == 1 && text.starts_with("\xEF\xBB\xBF")) text.erase(0, 3);  // of editors that mark UTF-8
    text = without_blanks(text.substr(0, text.find('#')));
    if (text.empty()) continue;
    if (text.front() == '[' && text.back() == ']') {
      const std::string name = without_blanks(text.substr(1, text.size() - 2));
      if (name.empty()) throw usage_error(fmt::format("{}: a section needs a name", file.place(line)));
      for (const IniSection& section : file.sections)
        if (section.name == name)
          throw usage_error(fmt::format("{}: [{}] is there twice (first in line {})", file.place(line), name,
                                        section.line));
      file.sections.push_back({name, line, {}});
      continue;
    }
    const std::size_t equals = text.find('=');
    const std::string key = without_blanks(text.substr(0, equals));
    if (equals == text.npos || key.empty())
      throw usage_error(fmt::format("{}: '{}' is not KEY = VALUE", file.place(line), text));
    file.sections.back().entries.push_back({key, without_blanks(text.substr(equals + 1)), line});
  }
  return file;
}

}  // namespace lcn
