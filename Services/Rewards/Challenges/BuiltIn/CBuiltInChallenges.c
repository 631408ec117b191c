#include "CBuiltInChallenges.h"

static const unsigned char bytes[] = {
#embed "challenges.json"
};

const EmbeddedFile built_in_challenges = {bytes, sizeof bytes};
