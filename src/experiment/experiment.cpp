#include "experiment/experiment.h"
