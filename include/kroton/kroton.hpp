// Kroton: symbolic tensor code, differentiated, fused and planned by the compiler.
#pragma once

#include <kroton/expr/functions.hpp>
#include <kroton/nn/cross_entropy.hpp>
#include <kroton/optim/sgd.hpp>
#include <kroton/runtime/session.hpp>
#include <kroton/runtime/stats.hpp>
