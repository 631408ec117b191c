import GatewayContract
import IdentityContract
import NIOCore
import Operations

/// `/verify`, where the link in a verification mail leads (ID-2).
///
/// Opening it changes nothing, since programs that look through mails open links too; the button sends the form that does. The
/// page needs nothing but itself, and sends the token nowhere else.
struct VerificationPage: Sendable {
  static let path = "/verify"

  private let problems: ProblemWriter
  private let policy: String

  init(_ problems: ProblemWriter) {
    self.problems = problems
    policy =
      "default-src 'none'; style-src '\(HTML.hash(of: VerificationPage.style))'; form-action 'self'; base-uri 'none'; "
      + "frame-ancestors 'none'"
  }

  /// The token of the link's query or of the form.
  ///
  /// - Throws: what the text breaks; `verification_link_invalid` where it holds no token.
  static func token(_ text: Substring, orElse broken: Malformation) throws(Failure) -> String {
    var parameters: [String: String] = [:]
    try Query.parse(text, into: &parameters, orElse: broken)
    guard let token = parameters["token"], (1...200).contains(token.count) else {
      throw Failure(VerificationFailure.linkInvalid)
    }
    return token
  }

  /// The page with the button.
  func form(_ token: String, _ language: Language) -> HTTPAnswer {
    page(
      200, "page.verify.title", language,
      """
      <p>\(problems.text("page.verify.text", language))</p>
      <form method="post" action="verify"><input type="hidden" name="token" value="\(token)">\
      <button type="submit">\(problems.text("page.verify.button", language))</button></form>
      """)
  }

  /// The page that says that the address is verified.
  func verified(_ output: VerifyAccount.Output, _ language: Language) -> HTTPAnswer {
    let text = problems.text("page.verified.text", language, ["username": .text(output.username.description)])
    return page(200, "page.verified.title", language, "<p>\(text)</p>")
  }

  /// The page that tells a failure in its own words.
  func refusal(_ problem: Problem, _ language: Language) -> HTTPAnswer {
    page(
      problem.status, "page.unverified.title", language,
      "<p role=\"alert\">\(problem.detail)</p><p><small>\(problem.requestID)</small></p>")
  }

  private func page(_ status: Int, _ title: String, _ language: Language, _ content: HTML) -> HTTPAnswer {
    let title = problems.text(title, language)
    let html: HTML = """
      <!doctype html>
      <html lang="\(language.rawValue)"><head><meta charset="utf-8">\
      <meta name="viewport" content="width=device-width, initial-scale=1"><meta name="robots" content="noindex">
      <title>\(title) – Racha</title><style>\(HTML(raw: VerificationPage.style))</style></head>
      <body><main><h1>\(title)</h1>
      \(content)
      </main></body></html>

      """
    return HTTPAnswer(
      status: status, type: "text/html; charset=utf-8", body: .init(string: html.description),
      extra: [ResponseField(name: "Content-Language", value: language.rawValue)], policy: policy)
  }

  private static let style = """
    :root{color-scheme:light dark}body{font:1.125rem/1.5 system-ui,sans-serif;max-width:32rem;margin:0 auto;padding:2rem 1rem}\
    h1{font-size:1.6rem;line-height:1.25}button{font:inherit;padding:.6rem 1.2rem;border:0;border-radius:.4rem;color:#fff;\
    background:#0a5c36;cursor:pointer}button:focus-visible{outline:3px solid;outline-offset:3px}
    """
}
