import GatewayContract
import IdentityContract
import Operations

/// `/recover`, where the link in a recovery mail leads (ID-8): a form for the new password. Without a link, or with one that does
/// not work, it is a form that asks for one.
///
/// Opening it changes nothing, since programs that look through mails open links too.
struct RecoveryPage: Sendable {
  static let path = "/recover"

  /// What the person is to fill in.
  enum Form: Hashable, Sendable {
    /// The e-mail address, to have a link sent.
    case ask(email: String)
    /// The new password, by the link of that token.
    case choose(token: String)
  }

  private let problems: ProblemWriter

  init(_ problems: ProblemWriter) { self.problems = problems }

  /// A form, with what was wrong when it was sent last.
  func form(_ form: Form, _ language: Language, _ problem: Problem? = nil) -> HTTPAnswer {
    switch form {
    case .ask(let email):
      return page(
        problem, "page.recover.ask", language,
        """
        \(field("email", of: problem, kind: "email", completion: "email", value: email, "page.recover.ask.email", language))
        <button type="submit">\(problems.text("page.recover.ask.button", language))</button>
        """)
    case .choose(let token):
      let fields = [("password", "password"), ("passwordRepetition", "repetition")].map { name, label in
        field(
          name, of: problem, kind: "password", completion: "new-password", value: "", "page.recover.choose.\(label)", language)
      }
      return page(
        problem, "page.recover.choose", language,
        """
        <input type="hidden" name="token" value="\(token)">
        \(fields)
        <button type="submit">\(problems.text("page.recover.choose.button", language))</button>
        """)
    }
  }

  /// The page that says that a link is on its way, if an account has the address.
  func asked(_ output: RequestPasswordRecovery.Output, _ language: Language) -> HTTPAnswer {
    let text = problems.text(
      "page.recover.asked.text", language,
      ["email": .text(output.email.description), "minutes": .number(output.linkLifetimeSeconds / 60)])
    return FormPage.answer(200, problems.text("page.recover.asked.title", language), language, "<p>\(text)</p>")
  }

  /// The page that says that the password is changed.
  func recovered(_ output: CompletePasswordRecovery.Output, _ language: Language) -> HTTPAnswer {
    let text = problems.text("page.recovered.text", language, ["username": .text(output.username.description)])
    return FormPage.answer(200, problems.text("page.recovered.title", language), language, "<p>\(text)</p>")
  }

  private func page(_ problem: Problem?, _ words: String, _ language: Language, _ content: HTML) -> HTTPAnswer {
    var alert: HTML = ""
    if let problem { alert = FormPage.refusal(problem) }
    return FormPage.answer(
      problem?.status ?? 200, problems.text("\(words).title", language), language,
      """
      \(alert)
      <p>\(problems.text("\(words).text", language))</p>
      <form method="post" action="recover">
      \(content)
      </form>
      """)
  }

  /// A field with its label, and below it every rule that it breaks.
  private func field(
    _ name: String, of problem: Problem?, kind: String, completion: String, value: String, _ label: String, _ language: Language
  ) -> HTML {
    let broken = (problem?.errors ?? []).filter { $0.field == name }
    let rules = broken.map { rule -> HTML in "<li>\(rule.message) \(rule.suggestion ?? "")</li>" }
    let state: HTML = broken.isEmpty ? "" : " aria-invalid=\"true\" aria-describedby=\"\(name)-rules\""
    let list: HTML = broken.isEmpty ? "" : "<ul id=\"\(name)-rules\">\(rules)</ul>"
    return """
      <label>\(problems.text(label, language))
      <input type="\(kind)" name="\(name)" value="\(value)" autocomplete="\(completion)" required\(state)></label>
      \(list)
      """
  }
}
