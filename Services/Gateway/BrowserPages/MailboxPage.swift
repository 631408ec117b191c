import GatewayContract
import NotificationsContract
import Operations

/// `/mailbox` (NOT-6): the mails kept in a folder where no server sends them, for trying Racha on one's own machine. Notifications keeps
/// the folder.
///
/// Parts of a mail are written by strangers. Everything is escaped, and the HTML is shown in a frame that cannot run scripts, load anything
/// or navigate.
struct MailboxPage: BrowserPage {
  static let path = "/mailbox"

  let access: MailboxAccess
  /// Whether browsers reach it over TLS.
  let isEncrypted: Bool

  let routes = [
    PageRoute(
      .get, path, "mailboxPage", "Page with the mails of a cluster without mail server; served to this machine only.",
      requirement: "NOT-6"),
    PageRoute(
      .get, "\(path)/{name}", "mailboxMailPage", "Page with one of these mails.", requirement: "NOT-6",
      parameters: [
        ["name": "name", "in": "path", "required": true, "description": "The name of its file.", "schema": ["type": "string"]]
      ]),
  ]

  func answer(_ request: inout PageRequest) async throws(Failure) -> PageAnswer {
    guard LocalAccess.isGranted(request.exchange) else { throw Failure(GatewayFailure.localOnly) }
    if case .closed(let reason) = access { throw Failure(reason) }
    try await request.admit(.read)
    guard case .code(let code) = access else { throw Failure(RequestFailure.notFound) }
    let name = request.parameters["name"]
    // A browser that brings the code goes on to the list, with the code in a cookie.
    if name == nil, !request.exchange.query.isEmpty, let given = try request.readQuery()["code"],
      MailboxCookie.isSame(given, code)
    {
      return .redirect(to: "mailbox", cookie: MailboxCookie.value(code, isEncrypted: isEncrypted))
    }
    guard MailboxCookie.holds(code, request.exchange.headers) else { throw Failure(GatewayFailure.mailboxCodeRequired) }
    guard let name else { return .page(list(try await request.callAsGateway(ListMailbox.self, Empty()).items, request)) }
    return .page(mail(try await request.callAsGateway(GetMailboxMail.self, .init(name: try file(name))), request))
  }

  private func file(_ name: String) throws(Failure) -> MailFileName {
    do throws(FieldRule) {
      return try MailFileName(text: name)
    } catch {
      throw Failure(RequestFailure.notFound)
    }
  }

  /// The page that explains why the mailbox cannot be shown; the launcher finds the code in it.
  func refusal(_ problem: Problem, _ request: PageRequest) -> PageContent {
    PageContent(
      status: problem.status, title: request.text("page.mailbox.title"),
      "<p role=\"alert\" data-code=\"\(problem.code)\">\(problem.detail)</p>", layout: .mailbox)
  }

  // MARK: - Pages

  /// The list of mails.
  private func list(_ mails: [MailboxEntry], _ request: PageRequest) -> PageContent {
    let text = { (key: String) in request.text("page.mailbox.\(key)", ["max": .number(ListMailbox.maximum)]) }
    let rows = mails.map { mail -> HTML in
      """
      <tr><td><a href="mailbox/\(mail.name.description)"><bdi>\(mail.subject.isEmpty ? "–" : mail.subject)</bdi></a></td>\
      <td><bdi>\(mail.to)</bdi></td><td>\(time(mail.writtenAt))</td></tr>

      """
    }
    let table: HTML = """
      <table><thead><tr><th>\(text("subject"))</th><th>\(text("to"))</th><th>\(text("time"))</th></tr></thead><tbody>
      \(rows)</tbody></table>
      """
    let content: HTML = "<p>\(text("text"))</p>\n\(mails.isEmpty ? "<p>\(text("empty"))</p>" : table)"
    return PageContent(title: text("title"), content, layout: .mailbox)
  }

  /// One mail: its plain text, and its HTML in the frame.
  private func mail(_ mail: GetMailboxMail.Output, _ request: PageRequest) -> PageContent {
    let text = { (key: String) in request.text("page.mailbox.\(key)") }
    var content: HTML = """
      <p><a href="../mailbox">\(text("back"))</a></p>
      <dl><dt>\(text("from"))</dt><dd><bdi>\(mail.head.from)</bdi></dd><dt>\(text("to"))</dt><dd><bdi>\(mail.head.to)</bdi></dd>\
      <dt>\(text("time"))</dt><dd>\(time(mail.head.writtenAt))</dd></dl>
      """
    if let plain = mail.text {
      content = "\(content)\n<h2>\(text("plain"))</h2>\n<pre>\(MailboxPage.linked(plain))</pre>"
    }
    if let html = mail.html {
      content = """
        \(content)
        <h2>HTML</h2>
        <iframe sandbox referrerpolicy="no-referrer" title="HTML" srcdoc="\(html)"></iframe>
        """
    }
    let subject = mail.head.subject.isEmpty ? "–" : mail.head.subject
    return PageContent(title: subject, content, layout: .mail)
  }

  /// The text, in which addresses of the web can be opened: what a person does next with most of the mails.
  static func linked(_ text: String) -> HTML {
    var result = HTML(raw: "")
    var rest = text[...]
    while let match = rest.firstMatch(of: /https?:\/\/[^\s<>"'`]+/.matchingSemantics(.unicodeScalar)) {
      let address = String(match.output)
      result = """
        \(result)\(rest[..<match.range.lowerBound])<a href="\(address)" target="_blank" rel="noopener noreferrer">\(address)</a>
        """
      rest = rest[match.range.upperBound...]
    }
    return "\(result)\(rest)"
  }

  /// `2026-11-21 08:43:00 UTC`.
  private func time(_ instant: Instant) -> HTML {
    let text = instant.description
    return "<time datetime=\"\(text)\">\(text.prefix(10)) \(text.dropFirst(11).prefix(8)) UTC</time>"
  }
}

extension PageLayout {
  fileprivate static let mailbox = PageLayout(style: mailboxStyle, isolatesTitle: true)

  /// The frame's document, given within the page, is under the page's policy. Mails have their styles in attributes, which is why
  /// styles need no hash there: they can load nothing.
  fileprivate static let mail = PageLayout(style: mailboxStyle, styleSource: "'unsafe-inline'", isolatesTitle: true)

  private static let mailboxStyle = """
    :root{color-scheme:light dark}body{font:1rem/1.5 system-ui,sans-serif;max-width:60rem;margin:0 auto;padding:2rem 1rem}\
    h1{font-size:1.6rem;line-height:1.25}h2{font-size:1.2rem}table{border-collapse:collapse;width:100%}\
    th,td{text-align:start;padding:.4rem .8rem .4rem 0;border-bottom:1px solid;vertical-align:top;overflow-wrap:anywhere}\
    pre{white-space:pre-wrap;overflow-wrap:anywhere;border:1px solid;padding:1rem}dt{font-weight:bold}\
    iframe{width:100%;height:32rem;border:1px solid;background:#fff;color-scheme:light}a:focus-visible{outline:3px solid}
    """
}
