#include "CMailTemplates.h"

// The four files of each kind, see Template.inc.
#define KIND accountDeleted
#include "Template.inc"
