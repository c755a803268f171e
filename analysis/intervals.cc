#include "analysis/intervals.h"
