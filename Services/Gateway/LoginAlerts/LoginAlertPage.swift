import GatewayContract
import IdentityContract
import Operations

/// `/login-alert`, where both links of a mail about a login lead (ID-7): whether it was the owner.
///
/// Opening it answers nothing, since programs that look through mails open links too; the buttons send the form that does.
struct LoginAlertPage: Sendable {
  static let path = "/login-alert"

  private let problems: ProblemWriter

  init(_ problems: ProblemWriter) { self.problems = problems }

  /// The page with both buttons, the one that the link stands for first.
  func form(_ token: String, _ answer: LoginAlertAnswer, _ language: Language) -> HTTPAnswer {
    let order: [LoginAlertAnswer] = answer == .close ? [.close, .confirm] : [.confirm, .close]
    let buttons = order.map { answer -> HTML in
      """
      <p><button type="submit" name="answer" value="\(answer.rawValue)">\
      \(problems.text("page.login.\(answer.rawValue)", language))</button></p>
      """
    }
    return page(
      200, "page.login.title", language,
      """
      <p>\(problems.text("page.login.text", language))</p>
      <form method="post" action="login-alert"><input type="hidden" name="token" value="\(token)">
      \(buttons)
      </form>
      """)
  }

  /// The page that says what came of the answer, and what to do next.
  func answered(_ output: AnswerLoginAlertByLink.Output, _ language: Language) -> HTTPAnswer {
    let words = output.answer == .close ? "page.login.closed" : "page.login.confirmed"
    let text = problems.text("\(words).text", language, ["username": .text(output.username.description)])
    var advice: HTML = ""
    if output.isPasswordChangeAdvised {
      advice = "<p><a href=\"recover\">\(problems.text("page.login.closed.recover", language))</a></p>"
    }
    return page(200, "\(words).title", language, "<p>\(text)</p>\(advice)")
  }

  /// The page that tells a failure in its own words, and what to do. Whoever comes too late can still keep others out, by another password;
  /// whose answer was none is led back to the buttons.
  ///
  /// - Parameter token: of the link, where one was given.
  func refusal(_ problem: Problem, token: String?, _ language: Language) -> HTTPAnswer {
    var remedy: HTML = ""
    if problem.code == LoginAlertFailure.expired.rawValue {
      remedy = "<p><a href=\"recover\">\(problems.text("page.login.closed.recover", language))</a></p>"
    } else if let errors = problem.errors, !errors.isEmpty {
      let rules = errors.map { error -> HTML in "<li>\(error.message) \(error.suggestion ?? "")</li>" }
      remedy = "<ul>\(rules)</ul>"
      // What else may stand in place of a token is no link's.
      if let token, token.utf8.allSatisfy(LoginAlertPage.isUnreserved) {
        remedy = "\(remedy)\n<p><a href=\"login-alert?token=\(token)\">\(problems.text("page.login.again", language))</a></p>"
      }
    }
    return page(problem.status, "page.login.unanswered.title", language, "\(FormPage.refusal(problem))\(remedy)")
  }

  /// Whether the byte stands for itself in a URL (RFC 3986, section 2.3).
  private static func isUnreserved(_ byte: UInt8) -> Bool {
    switch byte {
    case 0x30...0x39, 0x41...0x5A, 0x61...0x7A, UInt8(ascii: "-"), UInt8(ascii: "."), UInt8(ascii: "_"), UInt8(ascii: "~"): true
    default: false
    }
  }

  private func page(_ status: Int, _ title: String, _ language: Language, _ content: HTML) -> HTTPAnswer {
    FormPage.answer(status, problems.text(title, language), language, content)
  }
}
