// Kroton: symbolic tensor code, differentiated, fused and planned by the compiler.
#pragma once

// first what holds the sentences of errors: compilers print the way to them, which is short from here
#include <kroton/expr/check.hpp>
#include <kroton/expr/extents.hpp>
#include <kroton/expr/expr.hpp>
#include <kroton/expr/diagnose.hpp>

#include <kroton/expr/functions.hpp>
#include <kroton/nn/cross_entropy.hpp>
#include <kroton/optim/sgd.hpp>
#include <kroton/runtime/session.hpp>
#include <kroton/runtime/stats.hpp>
