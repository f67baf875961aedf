#include "../support_definitions.hpp"
