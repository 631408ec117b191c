import GatewayContract
import IdentityContract
import Operations

/// `/verify`, where the link in a verification mail leads (ID-2).
///
/// Opening it changes nothing, since programs that look through mails open links too; the button sends the form that does.
struct VerificationPage: Sendable {
  static let path = "/verify"

  private let problems: ProblemWriter

  init(_ problems: ProblemWriter) { self.problems = problems }

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
    FormPage.answer(status, problems.text(title, language), language, content)
  }
}
