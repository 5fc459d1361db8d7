#pragma once
#include <memory>

#include "layout/layout.hpp"
#include "layout/spec.hpp"

namespace lcn {

// The makers behind the factory: each reads its parameters from the spec; the factory then calls
// spec.finish().

// Uniform points over the whole grid.
std::unique_ptr<StartProvider> make_random_provider(Spec& spec);
// The file's own coordinates; whole-number scaling only, so crossings and touches stay what they are.
std::unique_ptr<StartProvider> make_input_provider(Spec& spec);
// A straight-line drawing without crossings on a (2n - 4) x (n - 2) grid (Chrobak and Payne 1995) after
// augmentation to a maximal planar graph, by Boost.Graph. Error(unit) for a non-planar graph, or a grid that
// holds it in no orientation.
std::unique_ptr<StartProvider> make_planar_provider(Spec& spec);
// Two smallest non-trivial eigenvectors of L x = lambda D x (Koren 2005) per component, components side by
// side.
std::unique_ptr<StartProvider> make_spectral_provider(Spec& spec);
// BFS order along a snake path over a square, then rounds of neighbour averaging.
std::unique_ptr<StartProvider> make_snake_provider(Spec& spec);
// Multilevel force-directed layout (fmmm.hpp) per component, components side by side.
std::unique_ptr<StartProvider> make_fmmm_provider(Spec& spec);

}  // namespace lcn
