import IdentityContract
import Mustache
import NotificationsContract
import Operations

/// Writes mails in the language of the account: in the common layout, or by templates of their own (NOT-6).
struct MailComposer: Sendable {
  private struct Pair: Sendable {
    let text: MustacheTemplate
    let html: MustacheTemplate

    init(_ files: MailTemplateFiles) throws {
      text = try MustacheTemplate(string: String(decoding: files.text, as: UTF8.self))
      html = try MustacheTemplate(
        string: "{{% CONTENT_TYPE:\(EscapedMarkup.name)}}\n" + String(decoding: files.html, as: UTF8.self))
    }
  }

  private let pairs: [String: [Language: Pair]]
  let words: Words

  /// Throws where a template is malformed; a test reads them all.
  init(_ specs: [MailSpec] = MailSpec.all, words: Words = Words(Contract.notifications.words)) throws {
    self.words = words
    MustacheContentTypes.register(EscapedMarkup(), named: EscapedMarkup.name)
    var pairs: [String: [Language: Pair]] = [:]
    for case (let name, .templates(let files)) in specs.map({ ($0.name, $0.body) }) {
      pairs[name] = try files.mapValues { try Pair($0) }
    }
    self.pairs = pairs
  }

  /// Composes the mail. The username in it may have been chosen by anybody who knows the address, so it cannot form a link.
  ///
  /// - Parameter end: the unsubscribe link for this kind of mail; nil for a mail that cannot be ended.
  /// - Throws: ``MailFailure/badAddress``.
  func message(
    _ job: MailStore.Job, _ spec: MailSpec, _ content: MailContent, from: MailAddress, ending end: String? = nil
  ) throws(MailFailure) -> MailMessage {
    guard let to = MailAddress(content.email.ascii) else { throw .badAddress }
    let language = content.language
    let subject = content.subject ?? words.text("mail.\(spec.name).subject", language) ?? spec.name
    var values = content.values.mapValues { value in
      if case .time(let instant) = value { MailValue.text(MailContent.minute(instant)) } else { value }
    }
    values["username"] = .text(LinkFree.text(content.username.description))
    values["subject"] = .text(subject)
    let (text, html): (String, String)
    switch spec.body {
    case .layout(let actions):
      let layout = MailLayout(
        stem: "mail.\(spec.name)", actions: actions, words: words, language: language, values: values, end: end)
      (text, html) = (layout.text, layout.html(subject: subject))
    case .templates:
      guard let pair = pairs[spec.name]?[language] else { preconditionFailure("a template is there in every language") }
      let plain = values.mapValues(\.plain)
      (text, html) = (pair.text.render(plain), pair.html.render(plain))
    }
    return MailMessage(
      id: job.id, from: from, to: to, language: language, subject: subject, date: job.createdAt, text: text, html: html,
      end: end, thread: content.thread)
  }
}

extension MailValue {
  /// As templates take it.
  fileprivate var plain: Any {
    switch self {
    case .text(let text): text
    case .time(let instant): MailContent.minute(instant)
    case .lines(let lines): lines
    case .verbatim(let text): text
    }
  }
}

/// Escapes what stands in HTML: the package's own way goes by characters, and lets pass what is one with the character beside it.
private struct EscapedMarkup: MustacheContentType {
  static let name = "MARKUP"

  func escapeText(_ text: String) -> String { Markup.escaped(text) }
}
