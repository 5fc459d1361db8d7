#pragma once
#include <cstdint>
#include <functional>
#include <limits>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "geometry/point.hpp"
#include "jobs/ini_file.hpp"

namespace lcn {

// One table per subcommand makes its command line, INI file, --help, --dump-config and the page docs/cli.md.
//
// How to add a subcommand: in jobs/NAME.cpp write
//
//   std::vector<OptionTable> NAME_options() {
//     OptionTable table("NAME", "What it does, in a sentence.");
//     table.positional("input", "FILE", 1, 1, "contest JSON file");
//     table.section("Output").flag("json", "print JSON").text("out", "FILE", "", "write to FILE");
//     return {table};
//   }
//   int NAME_command(const std::vector<std::string>& args) {
//     const Options options = NAME_options().front().parse(args);
//     if (options.handled()) return 0;  // --help or --dump-config has been printed
//     ...
//   }
//
// declare both in jobs/commands.hpp, add the row to jobs/commands.cpp, and write the page anew:
// `lcn help --markdown > docs/cli.md` (a test compares it).

enum class OptionType { flag, integer, real, text, choice, duration, seeds, size };

struct OptionSpec {
  std::string name;           // without dashes
  std::string value_name;     // "N", "DURATION", ...; empty for flags
  std::string default_value;  // as it would be typed; empty: not set
  std::string help;           // with the unit of the value
  std::string section;
  OptionType type = OptionType::text;
  std::int64_t low = 0, high = 0;      // integer: both ends allowed
  double real_low = 0, real_high = 0;  // real, and duration in seconds
  std::vector<std::string> choices;
  std::function<void(const std::string&)> check;  // text: throws Error(usage) for a bad value
};

// Named values of several options at once: weaker than command line and INI, stronger than defaults.
struct Preset {
  std::string name, summary;
  std::vector<std::pair<std::string, std::string>> values;  // option, value
};

class OptionTable;

// The values of one call, each with its source. The typed readers throw Error(internal) for a name that the
// table does not have, a type that differs, or an option that is not set: ask has() first where the default
// is empty.
class Options {
 public:
  bool handled() const { return handled_; }   // --help or --dump-config: printed already, return 0
  bool has(const std::string& name) const;    // set to something that is not empty
  bool given(const std::string& name) const;  // set by command line, INI or preset, not by default
  bool flag(const std::string& name) const;
  std::int64_t integer(const std::string& name) const;
  double real(const std::string& name) const;
  const std::string& text(const std::string& name) const;  // text and choice; empty when not set
  double seconds(const std::string& name) const;
  std::vector<std::int64_t> seeds(const std::string& name) const;
  Grid size(const std::string& name) const;
  const std::vector<std::string>& positional() const { return positional_; }

  // "command line", "FILE:LINE", "preset NAME" or "default".
  const std::string& source(const std::string& name) const;
  // An INI file that --config reads back to the same values; a comment names each value's source, options
  // that are not set are comments. Error(usage) for a value that INI cannot hold ('#', line breaks, blanks at
  // an end).
  std::string dump_config() const;

 private:
  friend class OptionTable;
  struct Value {
    OptionSpec spec;
    std::string text, source;
  };
  const Value& value(const std::string& name, OptionType type) const;

  std::string command_, positional_name_, positional_source_;
  std::map<std::string, Value> values_;
  std::vector<std::string> order_;  // names in table order
  std::vector<std::string> positional_;
  bool handled_ = false;
};

class OptionTable {
 public:
  static constexpr std::int64_t kAnyInteger = std::numeric_limits<std::int64_t>::max();
  static constexpr double kAnyReal = std::numeric_limits<double>::max();

  // `command` as typed after "lcn", for example "eval" or "archive merge".
  OptionTable(std::string command, std::string description);

  // Declarations, in the order of --help. Defaults are written as the user would type them and are checked
  // like any other value; "" means not set.
  OptionTable& section(std::string title);  // heading for what follows
  OptionTable& flag(std::string name, std::string help);
  OptionTable& integer(std::string name, std::string default_value, std::int64_t low, std::int64_t high,
                       std::string help);
  OptionTable& real(std::string name, std::string default_value, double low, double high, std::string help);
  OptionTable& text(std::string name, std::string value_name, std::string default_value, std::string help,
                    std::function<void(const std::string&)> check = {});
  OptionTable& choice(std::string name, std::string default_value, std::vector<std::string> choices,
                      std::string help);
  OptionTable& duration(std::string name, std::string default_value, double low, double high,
                        std::string help);
  OptionTable& seeds(std::string name, std::string default_value, std::string help);
  OptionTable& size(std::string name, std::string default_value, std::string help);  // WIDTHxHEIGHT
  OptionTable& positional(std::string name, std::string value_name, int least, int most, std::string help);
  OptionTable& with_config();          // adds --config FILE and --dump-config; INI keys are the option names
  OptionTable& preset(Preset preset);  // the first one adds --preset NAME
  OptionTable& epilogue(std::string text);  // end of --help: examples, members of a factory

  // Reads command line > INI > preset > default. Prints for --help and --dump-config (see Options::handled).
  // Throws Error(usage) for unknown or repeated options, values out of range, a wrong number of positional
  // arguments; errors in an INI file name file and line.
  Options parse(const std::vector<std::string>& args) const;

  // Reads one section of an INI file, with the defaults of this table: no presets, no positional arguments
  // but those of the section. Errors read "FILE:LINE: [SECTION]: ...".
  Options parse(const IniFile& file, const IniSection& section) const;

  std::string help() const;
  std::string markdown() const;  // the command's part of docs/cli.md
  const std::string& command() const { return command_; }
  const std::vector<OptionSpec>& specs() const { return specs_; }
  const std::vector<Preset>& presets() const { return presets_; }

 private:
  struct Reader;
  OptionTable& add(OptionSpec spec);
  const OptionSpec* find(const std::string& name) const;
  Options unset() const;  // every option of the table, none with a value
  std::string usage() const;

  std::string command_, description_, epilogue_, section_ = "Options";
  std::vector<OptionSpec> specs_;
  std::vector<Preset> presets_;
  std::string positional_name_, positional_value_name_, positional_help_;
  int positional_least_ = 0, positional_most_ = 0;
  bool config_ = false;
};

}  // namespace lcn
