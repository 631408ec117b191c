import Operations

/// The mail of a kind: what identity is asked for when it is written, and how it looks. There is one mail for each thing that it is about.
struct MailSpec: Sendable {
  /// Its name in the queue, and the stem of its texts: the kind's name where none is given.
  let name: String
  let source: MailSource
  let body: MailBody

  /// A mail in the common layout, from words alone.
  init(_ name: String = "", from source: MailSource, actions: [MailAction] = []) {
    self.init(name: name, source: source, body: .layout(actions))
  }

  /// A mail by templates of its own.
  init(_ name: String = "", from source: MailSource, templates: [Language: MailTemplateFiles]) {
    self.init(name: name, source: source, body: .templates(templates))
  }

  private init(name: String, source: MailSource, body: MailBody) {
    self.name = name
    self.source = source
    self.body = body
  }

  /// The same as the mail of that kind.
  func named(_ kind: String) -> MailSpec { MailSpec(name: name.isEmpty ? kind : name, source: source, body: body) }

  /// The report of a deletion: the one mail that outlives its account.
  static let deletionReport = "accountDeleted"
}

extension MailSpec: Hashable {
  static func == (one: MailSpec, other: MailSpec) -> Bool { one.name == other.name }
  func hash(into hasher: inout Hasher) { hasher.combine(name) }
}

/// How a mail is written.
enum MailBody: Sendable {
  /// In the common layout; see ``MailLayout``.
  case layout([MailAction])
  case templates([Language: MailTemplateFiles])
}

/// Templates of Mustache, as embedded in the code.
struct MailTemplateFiles: Sendable {
  let text: [UInt8]
  let html: [UInt8]
}

/// Where a mail leads.
struct MailAction: Sendable {
  enum Style: Sendable { case button, alarm, link }

  /// Its words are `mail.<kind>.<name>`.
  let name: String
  /// The value that is its address.
  let url: String
  let style: Style
  /// The common words before the address in HTML, for whom a button does not work.
  var addressWords: String?
  /// Whether the mail also shows the link's secret, for apps that ask for it.
  var hasCode = false

  static let button = MailAction(name: "action", url: "url", style: .button)
  /// For what its reader did not do.
  static let alarm = MailAction(name: "action", url: "url", style: .alarm)
  static let link = MailAction(name: "action", url: "url", style: .link)
  /// A button and the page's address.
  static let page = MailAction(name: "action", url: "url", style: .button, addressWords: "mail.openPage")
  /// A link that works once: a button, its address and its secret.
  static let secretLink = MailAction(name: "action", url: "url", style: .button, addressWords: "mail.openLink", hasCode: true)
  /// That it was oneself.
  static let confirm = MailAction(name: "confirm", url: "confirmURL", style: .button)
  /// That it was not.
  static let deny = MailAction(name: "deny", url: "url", style: .alarm)
}
