import GatewayContract
import IdentityContract
import Operations

/// `/login-alert`, where both links of a mail about a login lead (ID-7): whether it was the owner.
struct LoginAlertPage: BrowserPage {
  private static let path = "/login-alert"
  private static let answers: JSON = ["type": "string", "enum": ["confirm", "close"]]

  let operations: [any Operation.Type] = [ValidateEmailLink.self, AnswerLoginAlertByLink.self]

  let routes = [
    PageRoute(
      .get, path, "loginAlertPage",
      "Page of both links in a mail about a login; its buttons call `loginAlerts.answerByLink`.", requirement: "ID-7",
      parameters: [
        LinkToken.parameter,
        ["name": "answer", "in": "query", "description": "Which button stands first.", "schema": answers],
      ]),
    PageRoute(
      .post, path, "loginAlertForm", "Submits the page's form, as `loginAlerts.answerByLink`; always answers with a page.",
      requirement: "ID-7",
      form: ["type": "object", "required": ["token"], "properties": ["token": LinkToken.schema, "answer": answers]]),
  ]

  func answer(_ request: inout PageRequest) async throws(Failure) -> PageAnswer {
    guard request.isForm else {
      let (token, answer) = try LoginAlertPage.choice(try request.readQuery())
      try await request.validate(.loginAlert, token)
      return .page(form(token, answer ?? .confirm, request))
    }
    try await request.admit(AnswerLoginAlertByLink.self)
    let (token, answer) = try LoginAlertPage.choice(try request.readForm())
    guard let answer else { throw Failure.field("answer", FieldRule("required")) }
    return .page(answered(try await request.call(AnswerLoginAlertByLink.self, .init(token: token, answer: answer)), request))
  }

  /// The token and the answer, from the link's query or from the form.
  ///
  /// - Throws: `login_alert_link_invalid` where there is no token, `invalid_fields` for an unknown answer.
  private static func choice(_ fields: [String: String]) throws(Failure) -> (token: String, answer: LoginAlertAnswer?) {
    let token = try LinkToken.read(fields, orElse: Failure(LoginAlertFailure.linkInvalid))
    guard let text = fields["answer"] else { return (token, nil) }
    do throws(FieldRule) {
      return (token, try LoginAlertAnswer(text: text))
    } catch {
      throw Failure.field("answer", error)
    }
  }

  /// The page with both buttons; the answer that the link stands for comes first.
  private func form(_ token: String, _ answer: LoginAlertAnswer, _ request: PageRequest) -> PageContent {
    let order: [LoginAlertAnswer] = answer == .close ? [.close, .confirm] : [.confirm, .close]
    let buttons = order.map { answer -> HTML in
      """
      <p><button type="submit" name="answer" value="\(answer.rawValue)">\
      \(request.text("page.login.\(answer.rawValue)"))</button></p>
      """
    }
    return PageContent(
      title: request.text("page.login.title"),
      """
      <p>\(request.text("page.login.text"))</p>
      <form method="post" action="login-alert"><input type="hidden" name="token" value="\(token)">
      \(buttons)
      </form>
      """)
  }

  /// The page that says what came of the answer, and what to do next.
  private func answered(_ output: AnswerLoginAlertByLink.Output, _ request: PageRequest) -> PageContent {
    let words = output.answer == .close ? "page.login.closed" : "page.login.confirmed"
    let text = request.text("\(words).text", ["username": .text(output.username.description)])
    let advice = output.isPasswordChangeAdvised ? recovery(request) : ""
    return PageContent(title: request.text("\(words).title"), "<p>\(text)</p>\(advice)")
  }

  /// After an expired link the page offers a new password, which still keeps others out; after an invalid answer it leads back to the
  /// buttons.
  func refusal(_ problem: Problem, _ request: PageRequest) -> PageContent {
    PageContent(problem, title: request.text("page.login.unanswered.title"), remedy(problem, request))
  }

  private func remedy(_ problem: Problem, _ request: PageRequest) -> HTML {
    if problem.code == LoginAlertFailure.expired.rawValue { return recovery(request) }
    guard let errors = problem.errors, !errors.isEmpty else { return "" }
    let rules: HTML = "<ul>\(errors.map { error -> HTML in "<li>\(error.message) \(error.suggestion ?? "")</li>" })</ul>"
    guard let token = request.fields?["token"], LinkToken.isPlain(token) else { return rules }
    return "\(rules)\n<p><a href=\"login-alert?token=\(token)\">\(request.text("page.login.again"))</a></p>"
  }

  private func recovery(_ request: PageRequest) -> HTML {
    "<p><a href=\"recover\">\(request.text("page.login.closed.recover"))</a></p>"
  }
}
