#pragma once
// libxml2 needs ICU for its own converters only, and its types clash with those of the ICU that Swift's Foundation brings.
#include <libxml/xmlversion.h>
#undef LIBXML_ICU_ENABLED
#include <libxml/parser.h>

// Silence for what libxml2 thinks of files that people send; what is wrong shows in the parser's state.
static inline void racha_xml_ignore(void *context, const xmlError *error) {
  (void)context;
  (void)error;
}

// A push parser without a tree: nothing is loaded from outside, nothing is substituted but the five entities of XML itself.
static inline xmlParserCtxtPtr racha_xml_open(
  void *context, startElementNsSAX2Func start, endElementNsSAX2Func end, charactersSAXFunc characters, entityDeclSAXFunc entity,
  attributeDeclSAXFunc attribute) {
  xmlSAXHandler handler = {0};
  handler.initialized = XML_SAX2_MAGIC;
  handler.startElementNs = start;
  handler.endElementNs = end;
  handler.characters = characters;
  handler.cdataBlock = characters;
  handler.entityDecl = entity;
  handler.attributeDecl = attribute;
  handler.serror = (xmlStructuredErrorFunc)racha_xml_ignore;
  xmlParserCtxtPtr parser = xmlCreatePushParserCtxt(&handler, context, NULL, 0, NULL);
  if (parser != NULL) xmlCtxtUseOptions(parser, XML_PARSE_NONET | XML_PARSE_NOERROR | XML_PARSE_NOWARNING);
  return parser;
}

// Hands over the next bytes; whether the text is well-formed up to there.
static inline int racha_xml_parse(xmlParserCtxtPtr parser, const char *bytes, int count, int is_last) {
  xmlParseChunk(parser, bytes, count, is_last);
  return parser->wellFormed != 0 && parser->disableSAX == 0;
}

// How much of what was handed over waits for its end: of a tag that began, a comment, a document type. In the parser's own encoding,
// whatever that of the text is.
static inline long racha_xml_pending(xmlParserCtxtPtr parser) {
  return parser->input == NULL ? 0 : parser->input->end - parser->input->cur;
}

// How many bytes the different names take that the text has so far.
static inline size_t racha_xml_names(xmlParserCtxtPtr parser) { return xmlDictGetUsage(parser->dict); }

// Frees the values of a declared attribute, which belong to whoever receives them; one by one, since libxml2 descends into the next.
static inline void racha_xml_free(xmlEnumerationPtr values) {
  while (values != NULL) {
    xmlEnumerationPtr next = values->next;
    values->next = NULL;
    xmlFreeEnumeration(values);
    values = next;
  }
}

static inline long racha_xml_line(xmlParserCtxtPtr parser) { return parser->input == NULL ? 0 : parser->input->line; }

static inline void racha_xml_close(xmlParserCtxtPtr parser) {
  if (parser->myDoc != NULL) xmlFreeDoc(parser->myDoc);
  parser->myDoc = NULL;
  xmlFreeParserCtxt(parser);
}
