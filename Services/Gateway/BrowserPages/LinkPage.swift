import GatewayContract
import IdentityContract
import Operations

/// A page where the link in a mail leads: its one button sends the link's token to an operation. Whether the link works is shown at once.
struct LinkPage: BrowserPage {
  /// Which words of the page announce the end, and their values.
  typealias Outcome = (text: String, values: [String: Parameter])

  let path: String
  let purpose: EmailLinkPurpose
  /// The operation that the form calls, and its requirement.
  let operation: any Operation.Type
  let requirement: String
  /// Words of the page: `page.<name>.title`, `.text`, `.button`, `.done.title`, `.refused.title`, and the texts of ``complete``; and
  /// `.already.text` where its link may be opened again after it has done its work.
  let name: String
  /// The refusal where the link has no token.
  let invalid: Failure
  /// Calls the operation with a token.
  let complete: @Sendable (PageRequest, String) async throws(Failure) -> Outcome

  /// `/verify`: the e-mail address of a new account (ID-2).
  static let verification = LinkPage(
    path: "/verify", purpose: .verification, operation: VerifyAccount.self, requirement: "ID-2", name: "verify",
    invalid: Failure(VerificationFailure.linkInvalid)
  ) { request, token async throws(Failure) in
    let verified = try await request.call(VerifyAccount.self, .init(token: token))
    return ("done.text", ["username": .text(verified.username.description)])
  }

  /// `/change-email`: the new e-mail address of an account (ID-11).
  static let emailChange = LinkPage(
    path: "/change-email", purpose: .emailChange, operation: CompleteEmailChange.self, requirement: "ID-11",
    name: "changeEmail", invalid: Failure(EmailChangeFailure.linkInvalid)
  ) { request, token async throws(Failure) in
    let changed = try await request.call(CompleteEmailChange.self, .init(token: token))
    return ("done.text", ["username": .text(changed.username.description), "email": .text(changed.email.description)])
  }

  /// `/undo-email-change`: the address that an account had before (ID-11).
  static let emailChangeUndoing = LinkPage(
    path: "/undo-email-change", purpose: .emailChangeUndo, operation: UndoEmailChange.self, requirement: "ID-11",
    name: "undoEmailChange", invalid: Failure(EmailChangeUndoFailure.linkInvalid)
  ) { request, token async throws(Failure) in
    let kept = try await request.call(UndoEmailChange.self, .init(token: token))
    let values: [String: Parameter] = ["username": .text(kept.username.description), "email": .text(kept.email.description)]
    return (kept.wasCompleted ? "undone.text" : "done.text", values)
  }

  var routes: [PageRoute] {
    let called = operation.spec.name
    return [
      PageRoute(
        .get, path, "\(name)Page", "Page of a mailed link; its button calls `\(called)`.", requirement: requirement,
        parameters: [LinkToken.parameter]),
      PageRoute(
        .post, path, "\(name)Form", "Submits the page's form, as `\(called)`; always answers with a page.",
        requirement: requirement, form: LinkToken.form),
    ]
  }

  var operations: [any Operation.Type] { [ValidateEmailLink.self, operation] }

  func answer(_ request: inout PageRequest) async throws(Failure) -> PageAnswer {
    guard !request.isForm else {
      try await request.admit(operation)
      let outcome = try await complete(request, try LinkToken.read(try request.readForm(), orElse: invalid))
      return done(outcome, request)
    }
    let token = try LinkToken.read(try request.readQuery(), orElse: invalid)
    if try await request.validate(purpose, token).isDone { return done(("already.text", [:]), request) }
    return .page(
      PageContent(
        title: request.text("page.\(name).title"),
        """
        <p>\(request.text("page.\(name).text"))</p>
        <form method="post" action="\(String(path.dropFirst()))"><input type="hidden" name="token" value="\(token)">\
        <button type="submit">\(request.text("page.\(name).button"))</button></form>
        """))
  }

  private func done(_ outcome: Outcome, _ request: PageRequest) -> PageAnswer {
    .page(
      PageContent(
        title: request.text("page.\(name).done.title"),
        "<p>\(request.text("page.\(name).\(outcome.text)", outcome.values))</p>"))
  }

  func refusal(_ problem: Problem, _ request: PageRequest) -> PageContent {
    PageContent(problem, title: request.text("page.\(name).refused.title"))
  }
}
