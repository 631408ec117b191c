#include "CCommonPasswords.h"

static const unsigned char bytes[] = {
#embed "common-passwords.txt"
};

const EmbeddedFile common_passwords = {bytes, sizeof bytes};
