#pragma once
#include <cstdint>
#include <map>
#include <set>
#include <string>

namespace lcn {

// A member of a family as a person names it: "NAME" or "NAME:key=value,key=value". The getters record which
// keys exist, so that finish() can tell a misspelt key from a known one; every error is Error(usage) and
// names the spec.
class Spec {
 public:
  // Throws for an empty name, an entry without '=', an empty key, or a key that is given twice.
  static Spec parse(const std::string& text);

  const std::string& name() const { return name_; }
  // The key's value, or `fallback` where the spec does not give it. Throws when the value is no (finite)
  // number or lies outside low..high (both ends included).
  double real(const std::string& key, double fallback, double low, double high);
  std::int64_t integer(const std::string& key, std::int64_t fallback, std::int64_t low, std::int64_t high);
  std::string text(const std::string& key, const std::string& fallback);
  // Throws for a key that no getter asked for, listing the known ones. Call it after the last getter.
  void finish() const;

 private:
  const std::string* value(const std::string& key);

  std::string name_;
  std::map<std::string, std::string> values_;
  std::set<std::string> asked_;
};

}  // namespace lcn
