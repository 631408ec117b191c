#include "CReservedUsernames.h"

static const unsigned char bytes[] = {
#embed "reserved-usernames.txt"
};

const EmbeddedFile reserved_usernames = {bytes, sizeof bytes};
