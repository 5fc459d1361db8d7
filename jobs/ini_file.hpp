#pragma once
#include <string>
#include <vector>

namespace lcn {

struct IniEntry {
  std::string key, value;
  int line = 0;
};

struct IniSection {
  std::string name;
  int line = 0;
  std::vector<IniEntry> entries;  // in the order of the file; a key may come twice
};

// The grammar of all INI files: [SECTION] and KEY = VALUE lines, '#' starts a comment anywhere, blanks around
// names and values are cut. The first section has no name and is there even without entries; an empty section
// is kept.
struct IniFile {
  std::string path;
  std::vector<IniSection> sections;

  std::string place(int line) const;  // "FILE:LINE", for errors
};

// Error(input) when it cannot be read; Error(usage) "FILE:LINE: ..." for a line of neither form or a section
// that comes twice.
IniFile read_ini_file(const std::string& path);

}  // namespace lcn
