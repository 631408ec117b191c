import Operations

/// The layout that mails have in common, twice: as plain text and as HTML. It is made of words:
///
/// - `mail.<kind>.subject`
/// - `mail.<kind>.body`: paragraphs with an empty line between. Values stand in braces; one that is a list is a paragraph alone. Where
///   `{actions}` is a paragraph, what the mail leads to stands; otherwise at the end.
/// - `mail.<kind>.action`, or by the name of each action: the words on its button.
/// - `mail.<kind>.preheader`, if there is one: what lists of mails show beside the subject.
/// - `mail.<kind>.reason`, if there is one: why its reader gets it.
/// - `mail.<kind>.plain`, if there is one: the body of the plain text, where it is to differ.
///
/// Words and values are escaped together, byte by byte, so that a value is never markup; and a paragraph is divided before it is
/// filled, so that a value is never one. One that is nothing but a value which is not there is left out.
struct MailLayout: Sendable {
  let stem: String
  let actions: [MailAction]
  let words: Words
  let language: Language
  let values: [String: MailValue]
  /// The link that ends this kind of mail; nil for one that cannot be ended.
  var end: String?

  private enum Block {
    case paragraph(String)
    case list([String])
    case verbatim(String)
    case action(MailAction)
  }

  private static let actionsMark = "{actions}"

  /// The plain text.
  var text: String {
    let ownBody = words.paragraphs("\(stem).plain", language)
    let blocks = ownBody.map { $0.map(block) } ?? body
    let parts = [common("greeting")] + blocks.map(text) + [common("footer")] + optional("reason") + ending
    return parts.joined(separator: "\n\n") + "\n"
  }

  /// The HTML.
  func html(subject: String) -> String {
    let head = """
      <!DOCTYPE html>
      <html lang="\(language.rawValue)">
      <head><meta charset="utf-8"><meta name="viewport" content="width=device-width">
      <meta name="color-scheme" content="light dark"><meta name="supported-color-schemes" content="light dark">
      <style>:root { color-scheme: light dark; supported-color-schemes: light dark }</style>
      <title>\(Markup.escaped(subject))</title></head>
      <body style="font-family: sans-serif; line-height: 1.5; max-width: 36em; margin: 2em auto; padding: 0 1em">
      """
    let preheader = optional("preheader").map {
      "<div style=\"display: none; max-height: 0; overflow: hidden\">\(Markup.escaped($0))</div>"
    }
    let reason = (optional("reason").map { Markup.escaped($0) } + htmlEnding).map { "<p style=\"font-size: .85em\">\($0)</p>" }
    let parts =
      [head] + preheader + [paragraph(common("greeting"))] + body.map(html) + [paragraph(common("footer"))] + reason
      + ["</body>", "</html>"]
    return parts.joined(separator: "\n") + "\n"
  }

  // MARK: - Parts

  private var body: [Block] {
    let paragraphs = words.paragraphs("\(stem).body", language) ?? []
    let marked = paragraphs.contains(MailLayout.actionsMark) ? paragraphs : paragraphs + [MailLayout.actionsMark]
    return marked.flatMap { paragraph -> [Block] in
      if paragraph == MailLayout.actionsMark { return actions.map { .action($0) } }
      // What there is not needs no paragraph.
      if let name = onlyValue(paragraph), values[name] == nil { return [] }
      return [block(paragraph)]
    }
  }

  private func block(_ paragraph: String) -> Block {
    switch onlyValue(paragraph).flatMap({ values[$0] }) {
    case .lines(let lines): .list(lines)
    case .verbatim(let text): .verbatim(text)
    case .text, .time, nil: .paragraph(words.filled(paragraph, language, parameters))
    }
  }

  /// The value that is all of a paragraph.
  private func onlyValue(_ paragraph: String) -> String? {
    guard paragraph.begins(with: "{"), paragraph.ends(with: "}") else { return nil }
    let name = String(paragraph.dropFirst().dropLast())
    return name.utf8.contains { [UInt8(ascii: "{"), UInt8(ascii: "}"), UInt8(ascii: ":")].contains($0) } ? nil : name
  }

  private var parameters: [String: Parameter] {
    values.compactMapValues { value in
      switch value {
      case .text(let text): .text(text)
      case .time(let instant): .text(MailContent.minute(instant))
      case .lines, .verbatim: nil
      }
    }
  }

  private func common(_ name: String) -> String { words.text("mail.\(name)", language, parameters) ?? "" }

  /// How its reader ends this kind of mail.
  private var ending: [String] {
    guard let end, let words = words.text("mail.end", language) else { return [] }
    return ["\(words):\n\(end)"]
  }

  private var htmlEnding: [String] {
    guard let end, let words = words.text("mail.end", language) else { return [] }
    return ["<a href=\"\(Markup.escaped(end))\">\(Markup.escaped(words))</a>"]
  }

  private func optional(_ name: String) -> [String] {
    words.text("\(stem).\(name)", language, parameters).map { [$0] } ?? []
  }

  private func label(_ action: MailAction) -> String { words.text("\(stem).\(action.name)", language, parameters) ?? action.name }

  private func value(_ name: String) -> String { parameters[name]?.description ?? "" }

  // MARK: - As text

  private func text(_ block: Block) -> String {
    switch block {
    case .paragraph(let text): return text
    case .list(let lines): return lines.map { "- \($0)" }.joined(separator: "\n")
    case .verbatim(let text): return text
    case .action(let action):
      let link = "\(label(action)):\n\(value(action.url))"
      return action.hasCode ? "\(link)\n\n\(common("code"))\n\n\(value("token"))" : link
    }
  }

  // MARK: - As HTML

  private func paragraph(_ text: String) -> String { "<p>\(Markup.escaped(text))</p>" }

  private func html(_ block: Block) -> String {
    switch block {
    case .paragraph(let text): paragraph(text)
    case .list(let lines): (["<ul>"] + lines.map { "<li>\(Markup.escaped($0))</li>" } + ["</ul>"]).joined(separator: "\n")
    case .verbatim(let text):
      "<pre style=\"white-space: pre-wrap; overflow-wrap: anywhere; font-size: .85em\">\(Markup.escaped(text))</pre>"
    case .action(let action): html(action)
    }
  }

  private func html(_ action: MailAction) -> String {
    let url = Markup.escaped(value(action.url))
    let style: String
    switch action.style {
    case .button: style = MailLayout.button("#14532d")
    case .alarm: style = MailLayout.button("#8b1a1a")
    case .link: style = ""
    }
    var parts = ["<p><a href=\"\(url)\"\(style)>\(Markup.escaped(label(action)))</a></p>"]
    if let address = action.addressWords.flatMap({ words.text($0, language) }) {
      parts.append("<p>\(Markup.escaped(address)) <a href=\"\(url)\">\(url)</a></p>")
    }
    if action.hasCode {
      parts.append("<p>\(Markup.escaped(common("code"))) <code>\(Markup.escaped(value("token")))</code></p>")
    }
    return parts.joined(separator: "\n")
  }

  private static func button(_ color: String) -> String {
    " style=\"display: inline-block; padding: .6em 1.2em; background: \(color); color: #ffffff; border-radius: .4em; text-decoration: none\""
  }
}
