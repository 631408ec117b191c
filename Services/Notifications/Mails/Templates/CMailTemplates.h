#ifndef C_MAIL_TEMPLATES_H
#define C_MAIL_TEMPLATES_H

#include <CEmbeddedFile.h>

/// The templates of a kind of mail: text and HTML in each language.
typedef struct {
  EmbeddedFile en_txt, en_html, es_txt, es_html;
} __attribute__((swift_attr("@Sendable"))) MailTemplateFiles;

extern const MailTemplateFiles mail_template_verification;
extern const MailTemplateFiles mail_template_recovery;
extern const MailTemplateFiles mail_template_passwordChanged;
extern const MailTemplateFiles mail_template_accountDeleted;
extern const MailTemplateFiles mail_template_loginNoticed;
extern const MailTemplateFiles mail_template_loginSuspicious;
extern const MailTemplateFiles mail_template_loginRefused;
extern const MailTemplateFiles mail_template_locked;
extern const MailTemplateFiles mail_template_tokensReused;
extern const MailTemplateFiles mail_template_everythingRevoked;
extern const MailTemplateFiles mail_template_incident;
extern const MailTemplateFiles mail_template_report;
extern const MailTemplateFiles mail_template_emailChange;
extern const MailTemplateFiles mail_template_emailChanged;
extern const MailTemplateFiles mail_template_emailChangeNotice;
extern const MailTemplateFiles mail_template_identityLinked;
extern const MailTemplateFiles mail_template_identityUnlinked;
extern const MailTemplateFiles mail_template_tokenCreated;

#endif
