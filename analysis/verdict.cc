#include "analysis/verdict.h"
