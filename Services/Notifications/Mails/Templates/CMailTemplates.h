#ifndef C_MAIL_TEMPLATES_H
#define C_MAIL_TEMPLATES_H

#include <CEmbeddedFile.h>

/// The templates of a kind of mail: text and HTML in each language.
typedef struct {
  EmbeddedFile en_txt, en_html, es_txt, es_html;
} __attribute__((swift_attr("@Sendable"))) MailTemplateFiles;

extern const MailTemplateFiles mail_template_accountDeleted;

#endif
