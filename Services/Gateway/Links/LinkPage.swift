import GatewayContract
import IdentityContract
import Operations

/// A page where the link in a mail leads: its one button sends the link's token to an operation.
///
/// Opening it changes nothing, since programs that look through mails open links too; the button sends the form that does. Whether the
/// link works is told at once.
struct LinkPage: Sendable {
  let path: String
  let purpose: MailedLinkPurpose
  /// The operation that the form calls, and its requirement.
  let operation: String
  let requirement: String
  /// Words of the page: `page.<name>.title`, `.text`, `.button`, `.done.title`, `.refused.title`, and the texts of ``outcome``; and
  /// `.already.text` where its link may be opened again after it has done its work.
  let name: String
  /// What is told where there is no token.
  let invalid: Failure
  /// The operation's input for a token.
  let input: @Sendable (String) -> [UInt8]
  /// Which words of the page tell the end, and what they need of the operation's output.
  let outcome: @Sendable ([UInt8]) throws(Failure) -> (text: String, values: [String: Parameter])

  /// All there are.
  static let all = [verification, emailChange, emailChangeUndoing]

  /// `/verify`: the e-mail address of a new account (ID-2).
  static let verification = LinkPage(
    path: "/verify", purpose: .verification, operation: VerifyAccount.spec.name, requirement: "ID-2", name: "verify",
    invalid: Failure(VerificationFailure.linkInvalid), input: { VerifyAccount.Input(token: $0).json },
    outcome: { output throws(Failure) in
      ("done.text", ["username": .text(try VerifyAccount.Output.decode(output).username.description)])
    })

  /// `/change-email`: the new e-mail address of an account (ID-11).
  static let emailChange = LinkPage(
    path: "/change-email", purpose: .emailChange, operation: CompleteEmailChange.spec.name, requirement: "ID-11",
    name: "changeEmail",
    invalid: Failure(EmailChangeFailure.linkInvalid), input: { CompleteEmailChange.Input(token: $0).json },
    outcome: { output throws(Failure) in
      let changed = try CompleteEmailChange.Output.decode(output)
      return ("done.text", ["username": .text(changed.username.description), "email": .text(changed.email.description)])
    })

  /// `/undo-email-change`: the address that an account had before (ID-11).
  static let emailChangeUndoing = LinkPage(
    path: "/undo-email-change", purpose: .emailChangeUndo, operation: UndoEmailChange.spec.name, requirement: "ID-11",
    name: "undoEmailChange",
    invalid: Failure(EmailChangeUndoFailure.linkInvalid), input: { UndoEmailChange.Input(token: $0).json },
    outcome: { output throws(Failure) in
      let kept = try UndoEmailChange.Output.decode(output)
      let values: [String: Parameter] = ["username": .text(kept.username.description), "email": .text(kept.email.description)]
      return (kept.hadTakenPlace ? "undone.text" : "done.text", values)
    })
}

extension HTTPResponder {
  /// Answers a ``LinkPage``: whoever opens a mail's link is a person, so that every outcome is a page, refusals too.
  func open(
    _ page: LinkPage, _ validator: LinkValidator, _ endpoint: Endpoint, _ body: [UInt8], _ exchange: inout Exchange
  ) async -> HTTPAnswer {
    do throws(Failure) {
      guard exchange.method == "POST" else {
        var parameters: [String: String] = [:]
        try Query.parse(exchange.query, into: &parameters)
        let token = try page.token(parameters)
        if try await look(validator, page.purpose, token, &exchange).isDone {
          let text = problems.text("page.\(page.name).already.text", exchange.language)
          return show(200, page, "done.title", exchange, "<p>\(text)</p>")
        }
        return show(
          200, page, "title", exchange,
          """
          <p>\(problems.text("page.\(page.name).text", exchange.language))</p>
          <form method="post" action="\(String(page.path.dropFirst()))"><input type="hidden" name="token" value="\(token)">\
          <button type="submit">\(problems.text("page.\(page.name).button", exchange.language))</button></form>
          """)
      }
      let identification = try await admit(endpoint.spec.rate, needsAccount: endpoint.needsAccount, endpoint.scope, &exchange)
      let input = page.input(try page.token(try exchange.form(body)))
      let (_, output) = try await pass(endpoint, [:], input, identification, exchange)
      let (words, values) = try page.outcome(output)
      let text = problems.text("page.\(page.name).\(words)", exchange.language, values)
      return show(200, page, "done.title", exchange, "<p>\(text)</p>")
    } catch {
      let problem = problems.problem(error, exchange.language, request: exchange.name.outer)
      return show(
        problem.status, page, "refused.title", exchange,
        FormPage.refusal(problem)
      ).retried(after: error)
    }
  }

  private func show(_ status: Int, _ page: LinkPage, _ title: String, _ exchange: Exchange, _ content: HTML) -> HTTPAnswer {
    FormPage.answer(status, problems.text("page.\(page.name).\(title)", exchange.language), exchange.language, content)
  }
}

/// Where identity is asked whether a link works that somebody opens.
struct LinkValidator: Sendable {
  let endpoint: Endpoint

  /// Nil where that is not served.
  init?(_ byName: [String: Endpoint]) {
    guard let endpoint = byName[ValidateMailedLink.spec.name] else { return nil }
    self.endpoint = endpoint
  }
}

extension HTTPResponder {
  /// Asks whether a link works that is opened, within the same budget as its form.
  ///
  /// - Throws: why it does not.
  @discardableResult
  func look(
    _ validator: LinkValidator, _ purpose: MailedLinkPurpose, _ token: String, _ exchange: inout Exchange
  ) async throws(Failure) -> ValidateMailedLink.Output {
    let endpoint = validator.endpoint
    let identification = try await admit(endpoint.spec.rate, needsAccount: endpoint.needsAccount, endpoint.scope, &exchange)
    let (_, output) = try await pass(
      endpoint, [:], ValidateMailedLink.Input(purpose: purpose, token: token).json, identification, exchange)
    return try ValidateMailedLink.Output.decode(output)
  }
}

extension LinkPage {
  /// The token among the fields of the link's query or of the form.
  fileprivate func token(_ fields: [String: String]) throws(Failure) -> String {
    guard let token = fields["token"], (1...200).contains(token.utf8.count) else { throw invalid }
    return token
  }
}

extension Exchange {
  /// The fields of a page's form.
  func form(_ body: [UInt8]) throws(Failure) -> [String: String] {
    try given.checkContentCoding()
    guard given.isForm else { throw Failure(GatewayFailure.formRequired) }
    guard let text = String(validating: body, as: UTF8.self) else { throw Malformation.formEncoding.failure() }
    var fields: [String: String] = [:]
    try Query.parse(text[...], into: &fields, orElse: .formEncoding)
    return fields
  }
}

extension HTTPAnswer {
  /// The same, telling when a repetition may succeed.
  func retried(after failure: Failure) -> HTTPAnswer {
    guard let seconds = failure.retryAfterSeconds else { return self }
    var answer = self
    answer.extra.append(ResponseField(name: "Retry-After", value: String(seconds)))
    return answer
  }
}
