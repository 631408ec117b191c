import GatewayContract
import IdentityContract
import Operations

/// `/recover`, the target of the link in a recovery mail (ID-8): a form for the new password. Without a valid link it is a form that
/// requests one.
struct RecoveryPage: BrowserPage {
  /// What the person is to fill in.
  private enum Form {
    /// The e-mail address, to have a link sent.
    case ask(email: String)
    /// The new password, by the link of that token.
    case choose(token: String)
  }

  private static let path = "/recover"

  let operations: [any Operation.Type] = [
    ValidateEmailLink.self, RequestPasswordRecovery.self, CompletePasswordRecovery.self,
  ]

  let routes = [
    PageRoute(
      .get, path, "recoverPage", "Page of a recovery mail's link or, without a token, the form that requests one.",
      requirement: "ID-8",
      parameters: [
        ["name": "token", "in": "query", "description": "The mailed link's token.", "schema": LinkToken.schema]
      ]),
    PageRoute(
      .post, path, "recoverForm",
      """
      Submits the page's forms: with a token as `passwordRecoveries.complete`, without as `passwordRecoveries.request`; always \
      answers with a page.
      """,
      requirement: "ID-8",
      form: [
        "type": "object",
        "properties": [
          "token": LinkToken.schema, "password": ["type": "string"], "passwordConfirmation": ["type": "string"],
          "email": ["type": "string"],
        ],
      ]),
  ]

  func answer(_ request: inout PageRequest) async throws(Failure) -> PageAnswer {
    guard !request.isForm else {
      try await request.admit(.sensitive)
      let fields = try request.readForm()
      return .page(fields["token"] == nil ? try await ask(fields, request) : try await complete(fields, request))
    }
    let fields = try request.readQuery()
    guard fields["token"] != nil else { return .page(show(.ask(email: ""), request)) }
    let token = try RecoveryPage.token(fields)
    try await request.validate(.recovery, token)
    return .page(show(.choose(token: token), request))
  }

  /// Has a link sent, and says that it is on its way if an account has the address.
  private func ask(_ fields: [String: String], _ request: PageRequest) async throws(Failure) -> PageContent {
    let asked = try await request.call(
      RequestPasswordRecovery.self, .init(email: FormField(text: fields["email", default: ""])))
    let text = request.text(
      "page.recover.asked.text",
      ["email": .text(asked.email.description), "minutes": .number(asked.linkLifetimeSeconds / 60)])
    return PageContent(title: request.text("page.recover.asked.title"), "<p>\(text)</p>")
  }

  /// Changes the password.
  private func complete(_ fields: [String: String], _ request: PageRequest) async throws(Failure) -> PageContent {
    let input = CompletePasswordRecovery.Input(
      token: try RecoveryPage.token(fields), password: FormField(text: fields["password", default: ""]),
      passwordConfirmation: FormField(text: fields["passwordConfirmation", default: ""]))
    let recovered = try await request.call(CompletePasswordRecovery.self, input)
    let text = request.text("page.recovered.text", ["username": .text(recovered.username.description)])
    return PageContent(title: request.text("page.recovered.title"), "<p>\(text)</p>")
  }

  private static func token(_ fields: [String: String]) throws(Failure) -> String {
    try LinkToken.read(fields, orElse: Failure(RecoveryFailure.linkInvalid))
  }

  // MARK: - Forms

  /// Shows the same form again. If the link does not work, the only way on is to request another.
  func refusal(_ problem: Problem, _ request: PageRequest) -> PageContent {
    guard RecoveryFailure(rawValue: problem.code) == nil, let fields = request.fields else {
      return show(.ask(email: ""), request, problem)
    }
    let form = fields["token"].map { Form.choose(token: $0) } ?? .ask(email: fields["email", default: ""])
    return show(form, request, problem)
  }

  /// A form, with what was wrong when it was sent last.
  private func show(_ form: Form, _ request: PageRequest, _ problem: Problem? = nil) -> PageContent {
    let words: String
    let content: HTML
    switch form {
    case .ask(let email):
      words = "page.recover.ask"
      content = """
        \(field("email", of: problem, kind: "email", completion: "email", value: email, "page.recover.ask.email", request))
        <button type="submit">\(request.text("page.recover.ask.button"))</button>
        """
    case .choose(let token):
      words = "page.recover.choose"
      let fields = [("password", "password"), ("passwordConfirmation", "repetition")].map { name, label in
        field(name, of: problem, kind: "password", completion: "new-password", value: "", "page.recover.choose.\(label)", request)
      }
      content = """
        <input type="hidden" name="token" value="\(token)">
        \(fields)
        <button type="submit">\(request.text("page.recover.choose.button"))</button>
        """
    }
    let alert: HTML = problem.map { PageContent.alert($0) } ?? ""
    return PageContent(
      status: problem?.status ?? 200, title: request.text("\(words).title"),
      """
      \(alert)
      <p>\(request.text("\(words).text"))</p>
      <form method="post" action="recover">
      \(content)
      </form>
      """)
  }

  /// A field with its label, and below it every rule that it breaks.
  private func field(
    _ name: String, of problem: Problem?, kind: String, completion: String, value: String, _ label: String, _ request: PageRequest
  ) -> HTML {
    let broken = (problem?.errors ?? []).filter { $0.field == name }
    let rules = broken.map { rule -> HTML in "<li>\(rule.message) \(rule.suggestion ?? "")</li>" }
    let state: HTML = broken.isEmpty ? "" : " aria-invalid=\"true\" aria-describedby=\"\(name)-rules\""
    let list: HTML = broken.isEmpty ? "" : "<ul id=\"\(name)-rules\">\(rules)</ul>"
    return """
      <label>\(request.text(label))
      <input type="\(kind)" name="\(name)" value="\(value)" autocomplete="\(completion)" required\(state)></label>
      \(list)
      """
  }
}
