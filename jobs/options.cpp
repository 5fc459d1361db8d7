#include "jobs/options.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <boost/program_options.hpp>
#include <cstdio>
#include <sstream>

#include "jobs/ini_file.hpp"
#include "jobs/values.hpp"
#include "support/error.hpp"

namespace lcn {
namespace {

namespace po = boost::program_options;

constexpr std::size_t kHelpWidth = 100;
constexpr std::size_t kHelpColumn = 26;

// Throws Error(usage) without naming the option: the caller knows where the value came from.
void check_value(const OptionSpec& spec, const std::string& text) {
  switch (spec.type) {
    case OptionType::flag:
      parse_flag(text);
      break;
    case OptionType::integer: {
      const std::int64_t value = parse_integer(text);
      if (value < spec.low || value > spec.high)
        throw usage_error(fmt::format("{} is outside {}..{}", text, spec.low, spec.high));
      break;
    }
    case OptionType::real: {
      const double value = parse_real(text);
      if (value < spec.real_low || value > spec.real_high)
        throw usage_error(fmt::format("{} is outside {}..{}", text, spec.real_low, spec.real_high));
      break;
    }
    case OptionType::duration: {
      const double value = parse_duration(text);
      if (value < spec.real_low || value > spec.real_high)
        throw usage_error(fmt::format("{} is outside {}..{}", text, duration_text(spec.real_low),
                                      duration_text(spec.real_high)));
      break;
    }
    case OptionType::choice:
      if (std::find(spec.choices.begin(), spec.choices.end(), text) == spec.choices.end())
        throw usage_error(fmt::format("'{}' is none of {}", text, fmt::join(spec.choices, ", ")));
      break;
    case OptionType::seeds:
      parse_seeds(text);
      break;
    case OptionType::size:
      parse_size(text);
      break;
    case OptionType::text:
      break;
  }
  if (spec.check && !text.empty()) spec.check(text);
}

// "(1..64, default 1)": what a reader must know about the value beside its meaning.
std::string limits_text(const OptionSpec& spec) {
  std::vector<std::string> parts;
  const bool any_high = spec.high == OptionTable::kAnyInteger;
  switch (spec.type) {
    case OptionType::integer:
      parts.push_back(any_high ? fmt::format("at least {}", spec.low)
                               : fmt::format("{}..{}", spec.low, spec.high));
      break;
    case OptionType::real:
      parts.push_back(spec.real_high == OptionTable::kAnyReal
                          ? fmt::format("at least {}", spec.real_low)
                          : fmt::format("{}..{}", spec.real_low, spec.real_high));
      break;
    case OptionType::duration:
      if (spec.real_high != OptionTable::kAnyReal)
        parts.push_back(fmt::format("{}..{}", duration_text(spec.real_low), duration_text(spec.real_high)));
      else if (spec.real_low > 0)
        parts.push_back(fmt::format("at least {}", duration_text(spec.real_low)));
      break;
    case OptionType::choice:
      parts.push_back(fmt::format("{}", fmt::join(spec.choices, "|")));
      break;
    default:
      break;
  }
  if (!spec.default_value.empty() && spec.type != OptionType::flag)
    parts.push_back("default " + spec.default_value);
  return parts.empty() ? "" : fmt::format(" ({})", fmt::join(parts, ", "));
}

// Where the continuation of a long line starts: under its text, or under the right column of a list ("  name
// text").
std::size_t hanging_indent(const std::string& line) {
  const std::size_t text = std::min(line.find_first_not_of(' '), line.size());
  const std::size_t gap = line.find("  ", text);
  const std::size_t right = gap == line.npos ? line.npos : line.find_first_not_of(' ', gap);
  return right == line.npos || right > kHelpWidth / 2 ? text : right;
}

// Breaks long lines at blanks and after commas; the first line starts at `column` already. Line breaks and
// alignment are kept, words that are too long stay whole.
std::string wrap(const std::string& text, std::size_t column) {
  const auto breaks = [](const std::string& line, std::size_t at) {
    return line[at] == ' ' || line[at - 1] == ',';
  };
  std::string out;
  std::istringstream lines(text);
  std::string line;
  for (bool first = true; std::getline(lines, line); first = false) {
    if (!first) out += "\n" + std::string(line.empty() ? 0 : column, ' ');
    const std::size_t hanging = hanging_indent(line);
    std::size_t width = kHelpWidth - column;
    while (line.size() > width) {
      const std::size_t least = line.find_first_not_of(' ') + 1;  // an indent alone makes no line
      std::size_t end = width;
      while (end > least && !breaks(line, end)) --end;
      if (end <= least)
        for (end = width; end < line.size() && !breaks(line, end);) ++end;
      const std::size_t next = line.find_first_not_of(' ', end);
      if (next == line.npos) break;
      out +=
          line.substr(0, line.find_last_not_of(' ', end - 1) + 1) + "\n" + std::string(column + hanging, ' ');
      line.erase(0, next);
      width = kHelpWidth - column - hanging;
    }
    out += line;
  }
  return out;
}

std::string help_row(const std::string& left, const std::string& right) {
  std::string row = "  " + left;
  if (row.size() + 2 > kHelpColumn)
    row += "\n" + std::string(kHelpColumn, ' ');
  else
    row.resize(kHelpColumn, ' ');
  return row + wrap(right, kHelpColumn) + "\n";
}

std::string escape_markdown(const std::string& text) {
  std::string out;
  for (char c : text) {
    if (c == '|') out += '\\';
    out += c;
  }
  return out;
}

}  // namespace

// Collects the values of one call, strongest source first.
struct OptionTable::Reader {
  const OptionTable& table;
  Options& options;

  void set(const OptionSpec& spec, const std::string& text, const std::string& source,
           const std::string& place) {
    Options::Value& value = options.values_.at(spec.name);
    if (!value.source.empty()) return;  // a stronger source has spoken
    try {
      check_value(spec, text);
    } catch (const Error& error) {
      throw usage_error(fmt::format("{}: {}", place, error.what()));
    }
    value.text = text;
    value.source = source;
  }

  std::string suggestion(const std::string& name) const {
    std::vector<std::string> names;
    for (const OptionSpec& spec : table.specs_) names.push_back(spec.name);
    const std::string near = nearest_word(name, names);
    return near.empty() ? fmt::format("see lcn {} --help", table.command_)
                        : fmt::format("did you mean {}?", near);
  }

  po::options_description description() const {
    po::options_description known;
    for (const OptionSpec& spec : table.specs_) {
      known.add_options()(spec.name.c_str(), po::value<std::string>(), "");
    }
    if (!table.positional_name_.empty())
      known.add_options()(table.positional_name_.c_str(), po::value<std::string>(), "");
    return known;
  }

  // A flag never takes the next word as its value (Program_options would give it one): --json becomes
  // --json=true.
  std::vector<std::string> spell_out_flags(std::vector<std::string> args) const {
    for (std::string& arg : args) {
      if (arg == "--") break;
      const OptionSpec* spec = arg.rfind("--", 0) == 0 ? table.find(arg.substr(2)) : nullptr;
      if (arg == "-h") spec = table.find("help");
      if (spec != nullptr && spec->type == OptionType::flag) arg = "--" + spec->name + "=true";
    }
    return args;
  }

  void command_line(const std::vector<std::string>& args) {
    const po::options_description known = description();
    po::positional_options_description positional;
    if (!table.positional_name_.empty()) positional.add(table.positional_name_.c_str(), -1);
    po::parsed_options parsed(nullptr);
    const std::string command = "lcn " + table.command_;
    try {
      // Without allow_guessing: a prefix of a name is an unknown option.
      using namespace po::command_line_style;
      const int style = allow_long | long_allow_adjacent | long_allow_next | allow_short |
                        allow_dash_for_short | short_allow_adjacent | short_allow_next;
      parsed = po::command_line_parser(spell_out_flags(args))
                   .options(known)
                   .positional(positional)
                   .style(style)
                   .run();
    } catch (const po::unknown_option& error) {
      const std::string name = error.get_option_name();
      throw usage_error(
          fmt::format("{}: unknown option {} ({})", command, name,
                      suggestion(name.substr(std::min(name.find_first_not_of('-'), name.size())))));
    } catch (const po::too_many_positional_options_error&) {
      throw usage_error(fmt::format("{} takes no arguments without -- (see {} --help)", command, command));
    } catch (const po::error& error) {
      throw usage_error(fmt::format("{}: {}", command, error.what()));
    }
    for (const auto& option : parsed.options) {
      if (option.string_key == table.positional_name_) {
        options.positional_.insert(options.positional_.end(), option.value.begin(), option.value.end());
        options.positional_source_ = "command line";
        continue;
      }
      const OptionSpec& spec = *table.find(option.string_key);
      if (!options.values_.at(spec.name).source.empty())
        throw usage_error(fmt::format("{}: --{} is given twice", command, spec.name));
      set(spec, option.value.empty() ? "" : option.value.front(), "command line",
          fmt::format("{} --{}", command, spec.name));
    }
  }

  void ini(const std::string& path) {
    const IniFile file = read_ini_file(path);
    section(file, file.sections.front());
    if (file.sections.size() > 1)
      throw usage_error(fmt::format("{}: [{}] (lcn {} has no sections, only lcn study has)",
                                    file.place(file.sections[1].line), file.sections[1].name,
                                    table.command_));
  }

  // One section of an INI file; the name of the section is part of the place that errors name.
  void section(const IniFile& file, const IniSection& part) {
    const bool positional_given = !options.positional_.empty();
    std::map<std::string, int> seen;
    for (const IniEntry& entry : part.entries) {
      std::string place = file.place(entry.line);
      if (!part.name.empty()) place += fmt::format(": [{}]", part.name);
      if (entry.key == table.positional_name_) {
        if (positional_given) continue;
        options.positional_.push_back(entry.value);
        options.positional_source_ = place;
        continue;
      }
      const OptionSpec* spec = table.find(entry.key);
      if (spec == nullptr || spec->name == "help" || spec->name == "config" || spec->name == "dump-config")
        throw usage_error(fmt::format("{}: unknown key {} ({})", place, entry.key, suggestion(entry.key)));
      if (const auto [first, is_new] = seen.emplace(spec->name, entry.line); !is_new)
        throw usage_error(
            fmt::format("{}: {} is set twice (first in line {})", place, spec->name, first->second));
      set(*spec, entry.value, place, fmt::format("{}: {}", place, spec->name));
    }
  }

  void preset(const std::string& name) {
    for (const Preset& preset : table.presets_) {
      if (preset.name != name) continue;
      for (const auto& [option, text] : preset.values)
        set(*table.find(option), text, "preset " + name, fmt::format("preset {}: {}", name, option));
    }
  }

  void defaults() {
    for (const OptionSpec& spec : table.specs_) {
      Options::Value& value = options.values_.at(spec.name);
      if (!value.source.empty()) continue;
      if (!spec.default_value.empty())
        set(spec, spec.default_value, "default", fmt::format("default of --{}", spec.name));
      value.source = "default";
    }
  }

  void count_positional() const {
    const auto count = static_cast<int>(options.positional_.size());
    if (count < table.positional_least_)
      throw usage_error(fmt::format("lcn {}: {} is missing ({}) see lcn {} --help", table.command_,
                                    table.positional_value_name_, table.positional_help_, table.command_));
    if (count > table.positional_most_)
      throw usage_error(fmt::format("lcn {}: '{}' is one argument too many (usage: {})", table.command_,
                                    options.positional_[static_cast<std::size_t>(table.positional_most_)],
                                    table.usage()));
  }
};

OptionTable::OptionTable(std::string command, std::string description)
    : command_(std::move(command)), description_(std::move(description)) {}

OptionTable& OptionTable::add(OptionSpec spec) {
  if (find(spec.name) != nullptr)
    throw Error(ErrorKind::internal,
                fmt::format("option {} of lcn {} is declared twice", spec.name, command_));
  spec.section = section_;
  specs_.push_back(std::move(spec));
  return *this;
}

const OptionSpec* OptionTable::find(const std::string& name) const {
  for (const OptionSpec& spec : specs_)
    if (spec.name == name) return &spec;
  return nullptr;
}

OptionTable& OptionTable::section(std::string title) {
  section_ = std::move(title);
  return *this;
}

OptionTable& OptionTable::flag(std::string name, std::string help) {
  OptionSpec spec;
  spec.name = std::move(name);
  spec.default_value = "false";
  spec.help = std::move(help);
  spec.type = OptionType::flag;
  return add(std::move(spec));
}

OptionTable& OptionTable::integer(std::string name, std::string default_value, std::int64_t low,
                                  std::int64_t high, std::string help) {
  OptionSpec spec;
  spec.name = std::move(name);
  spec.value_name = "N";
  spec.default_value = std::move(default_value);
  spec.help = std::move(help);
  spec.type = OptionType::integer;
  spec.low = low;
  spec.high = high;
  return add(std::move(spec));
}

OptionTable& OptionTable::real(std::string name, std::string default_value, double low, double high,
                               std::string help) {
  OptionSpec spec;
  spec.name = std::move(name);
  spec.value_name = "X";
  spec.default_value = std::move(default_value);
  spec.help = std::move(help);
  spec.type = OptionType::real;
  spec.real_low = low;
  spec.real_high = high;
  return add(std::move(spec));
}

OptionTable& OptionTable::text(std::string name, std::string value_name, std::string default_value,
                               std::string help, std::function<void(const std::string&)> check) {
  OptionSpec spec;
  spec.name = std::move(name);
  spec.value_name = std::move(value_name);
  spec.default_value = std::move(default_value);
  spec.help = std::move(help);
  spec.type = OptionType::text;
  spec.check = std::move(check);
  return add(std::move(spec));
}

OptionTable& OptionTable::choice(std::string name, std::string default_value,
                                 std::vector<std::string> choices, std::string help) {
  OptionSpec spec;
  spec.name = std::move(name);
  spec.value_name = "NAME";
  spec.default_value = std::move(default_value);
  spec.help = std::move(help);
  spec.type = OptionType::choice;
  spec.choices = std::move(choices);
  return add(std::move(spec));
}

OptionTable& OptionTable::duration(std::string name, std::string default_value, double low, double high,
                                   std::string help) {
  OptionSpec spec;
  spec.name = std::move(name);
  spec.value_name = "DURATION";
  spec.default_value = std::move(default_value);
  spec.help = std::move(help);
  spec.type = OptionType::duration;
  spec.real_low = low;
  spec.real_high = high;
  return add(std::move(spec));
}

OptionTable& OptionTable::seeds(std::string name, std::string default_value, std::string help) {
  OptionSpec spec;
  spec.name = std::move(name);
  spec.value_name = "LIST";
  spec.default_value = std::move(default_value);
  spec.help = std::move(help);
  spec.type = OptionType::seeds;
  return add(std::move(spec));
}

OptionTable& OptionTable::size(std::string name, std::string default_value, std::string help) {
  OptionSpec spec;
  spec.name = std::move(name);
  spec.value_name = "WxH";
  spec.default_value = std::move(default_value);
  spec.help = std::move(help);
  spec.type = OptionType::size;
  return add(std::move(spec));
}

OptionTable& OptionTable::positional(std::string name, std::string value_name, int least, int most,
                                     std::string help) {
  positional_name_ = std::move(name);
  positional_value_name_ = std::move(value_name);
  positional_least_ = least;
  positional_most_ = most;
  positional_help_ = std::move(help);
  return *this;
}

OptionTable& OptionTable::with_config() {
  config_ = true;
  text("config", "FILE", "",
       "INI file: one KEY = VALUE a line, keys are option names; weaker than the command line");
  return flag("dump-config",
              "print the resolved options as an INI file that names each value's source, and end");
}

OptionTable& OptionTable::preset(Preset preset) {
  presets_.push_back(std::move(preset));
  OptionSpec* known = nullptr;
  for (OptionSpec& spec : specs_)
    if (spec.name == "preset") known = &spec;
  if (known == nullptr) {
    choice("preset", "", {}, "named values of several options, weaker than command line and INI");
    known = &specs_.back();
  }
  known->choices.push_back(presets_.back().name);
  return *this;
}

OptionTable& OptionTable::epilogue(std::string text) {
  epilogue_ = std::move(text);
  return *this;
}

Options OptionTable::unset() const {
  Options options;
  options.command_ = command_;
  options.positional_name_ = positional_name_;
  for (const OptionSpec& spec : specs_) {
    options.values_[spec.name].spec = spec;
    options.order_.push_back(spec.name);
  }
  return options;
}

Options OptionTable::parse(const IniFile& file, const IniSection& section) const {
  Options options = unset();
  Reader reader{*this, options};
  reader.section(file, section);
  reader.defaults();
  return options;
}

Options OptionTable::parse(const std::vector<std::string>& args) const {
  OptionTable full = *this;
  full.section("Help").flag("help", "print this text, and end");
  Options options = full.unset();
  Reader reader{full, options};
  reader.command_line(args);
  if (options.values_.at("help").text == "true") {
    fmt::print("{}", help());
    options.handled_ = true;
    return options;
  }
  if (config_ && options.has("config")) reader.ini(options.text("config"));
  if (!presets_.empty() && options.has("preset")) reader.preset(options.text("preset"));
  reader.defaults();
  reader.count_positional();
  if (config_ && options.flag("dump-config")) {
    fmt::print("{}", options.dump_config());
    options.handled_ = true;
  }
  return options;
}

std::string OptionTable::usage() const {
  std::string text = "lcn " + command_;
  if (!specs_.empty()) text += " [OPTIONS]";
  if (!positional_name_.empty()) {
    const std::string many = positional_value_name_ + (positional_most_ > 1 ? "..." : "");
    text += positional_least_ > 0 ? " " + many : " [" + many + "]";
  }
  return text;
}

std::string OptionTable::help() const {
  std::string text = "usage: " + usage() + "\n\n" + wrap(description_, 0) + "\n";
  if (!positional_name_.empty())
    text += "\nArguments:\n" + help_row(positional_value_name_, positional_help_);
  std::string section;
  for (const OptionSpec& spec : specs_) {
    if (spec.section != section) text += "\n" + spec.section + ":\n";
    section = spec.section;
    text += help_row("--" + spec.name + (spec.value_name.empty() ? "" : " " + spec.value_name),
                     spec.help + limits_text(spec));
  }
  if (!presets_.empty()) text += "\nPresets:\n";
  for (const Preset& preset : presets_) {
    std::vector<std::string> values;
    for (const auto& [option, value] : preset.values) values.push_back(option + "=" + value);
    text += help_row(preset.name, fmt::format("{}: {}", preset.summary, fmt::join(values, " ")));
  }
  if (!epilogue_.empty()) text += "\n" + wrap(epilogue_, 0) + "\n";
  return text;
}

std::string OptionTable::markdown() const {
  std::string text = fmt::format("## lcn {}\n\n{}\n\n    {}\n", command_, description_, usage());
  if (!positional_name_.empty())
    text += fmt::format("\n`{}`: {}.\n", positional_value_name_, positional_help_);
  std::string section;
  for (const OptionSpec& spec : specs_) {
    if (spec.section != section)
      text += fmt::format("\n| {} | value | default | meaning |\n|---|---|---|---|\n", spec.section);
    section = spec.section;
    OptionSpec bare = spec;
    bare.default_value.clear();
    text += fmt::format(
        "| `--{}` | {} | {} | {} |\n", spec.name, spec.value_name,
        spec.default_value.empty() || spec.type == OptionType::flag ? "" : "`" + spec.default_value + "`",
        escape_markdown(spec.help + limits_text(bare)));
  }
  if (!presets_.empty()) text += "\n| preset | values | meant for |\n|---|---|---|\n";
  for (const Preset& preset : presets_) {
    std::vector<std::string> values;
    for (const auto& [option, value] : preset.values) values.push_back(fmt::format("`{}={}`", option, value));
    text += fmt::format("| `{}` | {} | {} |\n", preset.name, fmt::join(values, " "),
                        escape_markdown(preset.summary));
  }
  if (!epilogue_.empty()) text += "\n```\n" + wrap(epilogue_, 0) + "\n```\n";
  return text;
}

const Options::Value& Options::value(const std::string& name, OptionType type) const {
  const auto found = values_.find(name);
  if (found == values_.end() || found->second.spec.type != type)
    throw Error(ErrorKind::internal,
                fmt::format("lcn {} asks for an option {} that its table lacks", command_, name));
  if (found->second.text.empty() && type != OptionType::text && type != OptionType::choice)
    throw Error(ErrorKind::internal, fmt::format("lcn {} reads --{}, which is not set", command_, name));
  return found->second;
}

bool Options::has(const std::string& name) const {
  const auto found = values_.find(name);
  if (found == values_.end())
    throw Error(ErrorKind::internal,
                fmt::format("lcn {} asks for an option {} that its table lacks", command_, name));
  return !found->second.text.empty();
}

bool Options::given(const std::string& name) const {
  return has(name) && source(name) != "default";
}

bool Options::flag(const std::string& name) const {
  return value(name, OptionType::flag).text == "true";
}

std::int64_t Options::integer(const std::string& name) const {
  return parse_integer(value(name, OptionType::integer).text);
}

double Options::real(const std::string& name) const {
  return parse_real(value(name, OptionType::real).text);
}

const std::string& Options::text(const std::string& name) const {
  const auto found = values_.find(name);
  const bool is_choice = found != values_.end() && found->second.spec.type == OptionType::choice;
  return value(name, is_choice ? OptionType::choice : OptionType::text).text;
}

double Options::seconds(const std::string& name) const {
  return parse_duration(value(name, OptionType::duration).text);
}

std::vector<std::int64_t> Options::seeds(const std::string& name) const {
  return parse_seeds(value(name, OptionType::seeds).text);
}

Grid Options::size(const std::string& name) const {
  return parse_size(value(name, OptionType::size).text);
}

const std::string& Options::source(const std::string& name) const {
  const auto found = values_.find(name);
  if (found == values_.end())
    throw Error(ErrorKind::internal,
                fmt::format("lcn {} asks for an option {} that its table lacks", command_, name));
  return found->second.source;
}

std::string Options::dump_config() const {
  std::string text = fmt::format("# lcn {}\n", command_);
  const auto line = [&](const std::string& key, const std::string& value, const std::string& source) {
    const bool blank_end = !value.empty() && (value.front() == ' ' || value.back() == ' ' ||
                                              value.front() == '\t' || value.back() == '\t');
    if (blank_end || value.find_first_of("#\n\r") != value.npos)
      throw usage_error(
          fmt::format("--dump-config: the value of {} cannot stand in an INI file ('#' starts a comment "
                      "there, line breaks and blanks at an end are lost) rename '{}'",
                      key, value));
    if (value.empty())
      text += fmt::format("# {} is not set\n", key);
    else
      text += fmt::format("{} = {}  # {}\n", key, value, source);
  };
  for (const std::string& argument : positional_) line(positional_name_, argument, positional_source_);
  for (const std::string& name : order_) {
    if (name == "help" || name == "config" || name == "dump-config") continue;
    const Value& value = values_.at(name);
    line(name, value.text, value.source);
  }
  return text;
}

}  // namespace lcn
