#pragma once

namespace lcn {

// A block has at most 512 threads: with more, each would have too few registers for the chain. Parts of a
// block wait for each other at named barriers, of which there are 16, one of them the block's own.
inline constexpr int kWarpLanes = 32, kMaxTeamLanes = 512, kMaxGroupMembers = 15;

}  // namespace lcn
