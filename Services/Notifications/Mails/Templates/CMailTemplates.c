#include "CMailTemplates.h"

// The four files of each kind, see Template.inc.
#define KIND verification
#include "Template.inc"
#define KIND recovery
#include "Template.inc"
#define KIND passwordChanged
#include "Template.inc"
#define KIND accountDeleted
#include "Template.inc"
#define KIND loginNoticed
#include "Template.inc"
#define KIND loginSuspicious
#include "Template.inc"
#define KIND loginRefused
#include "Template.inc"
#define KIND locked
#include "Template.inc"
#define KIND tokensReused
#include "Template.inc"
#define KIND everythingRevoked
#include "Template.inc"
#define KIND incident
#include "Template.inc"
#define KIND report
#include "Template.inc"
#define KIND emailChange
#include "Template.inc"
#define KIND emailChanged
#include "Template.inc"
#define KIND emailChangeNotice
#include "Template.inc"
#define KIND identityLinked
#include "Template.inc"
#define KIND identityUnlinked
#include "Template.inc"
#define KIND tokenCreated
#include "Template.inc"
