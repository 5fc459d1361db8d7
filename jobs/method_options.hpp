#pragma once
#include <string>

#include "jobs/options.hpp"

namespace lcn {

// What a unit is computed with, for every command that computes units: start, search and replicas, checked by
// the factories.
void add_method_options(OptionTable& table);

// The members of the factories with their parameters, for the end of --help.
std::string method_list();

}  // namespace lcn
