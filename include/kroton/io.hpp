// This header saves sessions and loads them: session.save("model.safetensors") and session.load("model.safetensors").
// It needs nlohmann/json.hpp, which reads JSON (Debian and Ubuntu: nlohmann-json3-dev).
#pragma once

#include <kroton/kroton.hpp>

#if !__has_include(<nlohmann/json.hpp>)
#error "kroton: kroton/io.hpp needs nlohmann/json.hpp (Debian and Ubuntu: nlohmann-json3-dev)"
#include <kroton/see_the_error_above>
#endif

#include <kroton/warnings_off.hpp>

#include <kroton/io/safetensors.hpp>

#include <kroton/warnings_back.hpp>
