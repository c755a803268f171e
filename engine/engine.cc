// Compiles the engine's headers on their own.
#include "engine/contract.h"
#include "engine/histogram.h"
#include "engine/log.h"
#include "engine/random.h"
#include "engine/time.h"
