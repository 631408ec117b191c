import GatewayContract
import NIOCore
import NotificationsContract
import Operations

/// `/mailbox` (NOT-6): the mails that lie in a folder because no server sends them, for whoever tries Racha out on their own machine.
///
/// A mail is written by strangers in part. All of it is escaped; its HTML is shown in a frame that may run nothing, load nothing and
/// lead nowhere.
struct MailboxPage: Sendable {
  static let path = "/mailbox"
  static let mailPath = "/mailbox/{name}"

  /// The frame's document, given within the page, is under the page's policy. Mails have their styles in attributes, which is why
  /// styles need no hash there: they can load nothing.
  private static let mailPolicy =
    "default-src 'none'; style-src 'unsafe-inline'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'"
  private static let policy =
    "default-src 'none'; style-src '\(HTML.hash(of: style))'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'"

  let access: MailboxAccess
  /// Whether browsers reach it over TLS.
  let isEncrypted: Bool
  private let problems: ProblemWriter

  init(_ problems: ProblemWriter, _ access: MailboxAccess, isEncrypted: Bool) {
    self.problems = problems
    self.access = access
    self.isEncrypted = isEncrypted
  }

  /// Sends a browser that has brought the code on to the list, with the code in a cookie.
  func opened(_ code: String) -> HTTPAnswer {
    HTTPAnswer(
      status: 303, type: "text/plain; charset=utf-8", body: ByteBuffer(),
      extra: [ResponseField(name: "Location", value: "mailbox"), MailboxCookie.field(code, isEncrypted: isEncrypted)])
  }

  /// The list of mails.
  func list(_ mails: [MailboxEntry], _ language: Language) -> HTTPAnswer {
    let text = { (key: String) in problems.text("page.mailbox.\(key)", language, ["max": .number(ListMailbox.maximum)]) }
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
    return page(200, text("title"), language, content, MailboxPage.policy)
  }

  /// One mail: its plain text, and its HTML in the frame.
  func mail(_ mail: ReadMailboxMail.Output, _ language: Language) -> HTTPAnswer {
    let text = { (key: String) in problems.text("page.mailbox.\(key)", language) }
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
    return page(200, subject, language, content, MailboxPage.mailPolicy)
  }

  /// The page that tells why there is nothing to see; the launcher finds the code in it.
  func refusal(_ problem: Problem, _ language: Language) -> HTTPAnswer {
    page(
      problem.status, problems.text("page.mailbox.title", language), language,
      "<p role=\"alert\" data-code=\"\(problem.code)\">\(problem.detail)</p>", MailboxPage.policy)
  }

  /// The text, in which addresses of the web can be opened: what a person does next with most of the mails.
  static func linked(_ text: String) -> HTML {
    var result = HTML(raw: "")
    var rest = text[...]
    while let match = rest.firstMatch(of: /https?:\/\/[^\s<>"'`]+/) {
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

  private func page(_ status: Int, _ title: String, _ language: Language, _ content: HTML, _ policy: String) -> HTTPAnswer {
    let html: HTML = """
      <!doctype html>
      <html lang="\(language.rawValue)"><head><meta charset="utf-8">\
      <meta name="viewport" content="width=device-width, initial-scale=1"><meta name="robots" content="noindex">
      <title>\(title) – Racha</title><style>\(HTML(raw: MailboxPage.style))</style></head>
      <body><main><h1><bdi>\(title)</bdi></h1>
      \(content)
      </main></body></html>

      """
    return HTTPAnswer(
      status: status, type: "text/html; charset=utf-8", body: ByteBuffer(string: html.description),
      extra: [ResponseField(name: "Content-Language", value: language.rawValue)], policy: policy)
  }

  private static let style = """
    :root{color-scheme:light dark}body{font:1rem/1.5 system-ui,sans-serif;max-width:60rem;margin:0 auto;padding:2rem 1rem}\
    h1{font-size:1.6rem;line-height:1.25}h2{font-size:1.2rem}table{border-collapse:collapse;width:100%}\
    th,td{text-align:start;padding:.4rem .8rem .4rem 0;border-bottom:1px solid;vertical-align:top;overflow-wrap:anywhere}\
    pre{white-space:pre-wrap;overflow-wrap:anywhere;border:1px solid;padding:1rem}dt{font-weight:bold}\
    iframe{width:100%;height:32rem;border:1px solid;background:#fff;color-scheme:light}a:focus-visible{outline:3px solid}
    """
}

extension HTTPResponder {
  /// `/mailbox` and its mails, of which notifications keeps the folder.
  ///
  /// - Parameter name: of the mail's file; nil for the list.
  func showMailbox(_ name: String?, _ exchange: inout Exchange) async -> HTTPAnswer {
    do throws(Failure) {
      guard LocalAccess.isGranted(exchange) else { throw Failure(GatewayFailure.localOnly) }
      if case .closed(let reason) = mailbox.access { throw Failure(reason) }
      _ = try await admit(.read, needsAccount: false, .none, &exchange)
      guard case .code(let code) = mailbox.access else { throw Failure(RequestFailure.notFound) }
      if name == nil, !exchange.query.isEmpty {
        var fields: [String: String] = [:]
        try Query.parse(exchange.query, into: &fields)
        if let given = fields["code"], MailboxCookie.isSame(given, code) { return mailbox.opened(code) }
      }
      guard MailboxCookie.holds(code, exchange.headers) else { throw Failure(GatewayFailure.mailboxCodeRequired) }
      guard let name else {
        let mails = try await client.request(ListMailbox.self, Empty())
        return mailbox.list(mails.items, exchange.language)
      }
      return mailbox.mail(try await client.request(ReadMailboxMail.self, .init(name: try file(name))), exchange.language)
    } catch {
      let problem = problems.problem(error, exchange.language, request: exchange.name.outer)
      var answer = mailbox.refusal(problem, exchange.language)
      if let seconds = error.retryAfterSeconds { answer.extra.append(ResponseField(name: "Retry-After", value: String(seconds))) }
      return answer
    }
  }

  private func file(_ name: String) throws(Failure) -> MailFileName {
    do throws(FieldRule) {
      return try MailFileName(text: name)
    } catch {
      throw Failure(RequestFailure.notFound)
    }
  }
}
