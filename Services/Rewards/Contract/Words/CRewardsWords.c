#include "CRewardsWords.h"

static const unsigned char en[] = {
#embed "en.json"
};

static const unsigned char es[] = {
#embed "es.json"
};

const EmbeddedFile rewards_words_en = {en, sizeof en};
const EmbeddedFile rewards_words_es = {es, sizeof es};
