#ifndef C_BUILT_IN_CHALLENGES_H
#define C_BUILT_IN_CHALLENGES_H

#include <CEmbeddedFile.h>

extern const EmbeddedFile built_in_challenges;

#endif
