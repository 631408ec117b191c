// The package manager takes no module of C without a source.
#include "CEmbeddedFile.h"
