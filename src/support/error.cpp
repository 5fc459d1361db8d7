#include "support/error.hpp"

#include <fmt/format.h>

#include <cstring>

namespace lcn {

int exit_code(ErrorKind kind) {
  switch (kind) {
    case ErrorKind::usage:
    case ErrorKind::input:
      return 2;
    case ErrorKind::unit:
      return 3;
    case ErrorKind::environment:
      return 4;
    case ErrorKind::rejected:
      return 5;
    case ErrorKind::insufficient:
      return 6;
    case ErrorKind::internal:
      return 1;
  }
  return 1;
}

const char* to_string(ErrorKind kind) {
  switch (kind) {
    case ErrorKind::usage:
      return "usage";
    case ErrorKind::input:
      return "input";
    case ErrorKind::unit:
      return "unit";
    case ErrorKind::rejected:
      return "rejected";
    case ErrorKind::insufficient:
      return "insufficient evidence";
    case ErrorKind::environment:
      return "environment";
    case ErrorKind::internal:
      return "internal";
  }
  return "internal";
}

Error::Error(ErrorKind kind, const std::string& message, std::source_location where)
    : std::runtime_error(message), kind_(kind), where_(where) {}

Error::Error(ErrorKind kind, const std::string& library, const std::string& call, long code,
             const std::string& reason, std::source_location where)
    : std::runtime_error(fmt::format("{} [{} code {}]", reason, call, code)),
      kind_(kind),
      library_(library),
      call_(call),
      code_(code),
      where_(where) {}

std::string Error::describe() const {
  const char* slash = std::strrchr(file(), '/');
  std::string text =
      fmt::format("{} error: {} [{}:{}", to_string(kind_), what(), slash ? slash + 1 : file(), line());
  if (!library_.empty()) text += fmt::format(", {} {} code {}", library_, call_, code_);
  if (rank >= 0) text += fmt::format(", rank {}", rank);
  if (!host.empty()) text += fmt::format(", host {}", host);
  return text + "]";
}

}  // namespace lcn
