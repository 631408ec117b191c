#include "COperationsWords.h"

static const unsigned char en[] = {
#embed "en.json"
};

static const unsigned char es[] = {
#embed "es.json"
};

const EmbeddedFile operations_words_en = {en, sizeof en};
const EmbeddedFile operations_words_es = {es, sizeof es};
