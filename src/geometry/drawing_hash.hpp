#pragma once
#include <vector>

#include "geometry/point.hpp"
#include "support/sha256.hpp"

namespace lcn {

// SHA-256 of the drawings' coordinates: for each drawing in order, for each vertex in order, x and then y as
// little-endian int32. Identifies the admitted starts of a unit. Throws Error(internal) for a coordinate
// beyond int32.
Sha256 drawing_sha256(const std::vector<Drawing>& drawings);

}  // namespace lcn
