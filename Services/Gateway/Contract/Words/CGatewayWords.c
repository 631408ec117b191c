#include "CGatewayWords.h"

static const unsigned char en[] = {
#embed "en.json"
};

static const unsigned char es[] = {
#embed "es.json"
};

const EmbeddedFile gateway_words_en = {en, sizeof en};
const EmbeddedFile gateway_words_es = {es, sizeof es};
