import GatewayContract
import IdentityContract
import Operations

/// `/suspension`, where the link in the mail to the owner of a suspended account leads (SOC-8): why, until when, and two forms, one to
/// appeal and one to delete the account.
struct SuspensionPage: BrowserPage {
  /// What a form of the page does.
  private enum Action: String, Choice { case appeal, delete }

  private static let path = "/suspension"

  let operations: [any Operation.Type] = [GetSuspension.self, AppealSuspension.self, DeleteSuspendedAccount.self]

  let routes = [
    PageRoute(
      .get, path, "suspensionPage",
      "Page of the link in a mail about a suspension: why, until when, and forms to appeal and to delete the account.",
      requirement: "SOC-8", parameters: [LinkToken.parameter]),
    PageRoute(
      .post, path, "suspensionForm",
      "Submits the page's forms, as `suspensions.appeal` or `suspensions.deleteAccount`; always answers with a page.",
      requirement: "SOC-8",
      form: [
        "type": "object", "required": ["token", "action"],
        "properties": [
          "token": LinkToken.schema, "action": ["type": "string", "enum": ["appeal", "delete"]], "text": ["type": "string"],
          "confirm": ["type": "string", "enum": ["yes"]],
        ],
      ]),
  ]

  func answer(_ request: inout PageRequest) async throws(Failure) -> PageAnswer {
    guard request.isForm else {
      try await request.admit(GetSuspension.self)
      let token = try SuspensionPage.token(try request.readQuery())
      return .page(show(try await request.call(GetSuspension.self, .init(token: token)), token, request))
    }
    try await request.admit(AppealSuspension.self)
    let fields = try request.readForm(withLinesIn: ["text"])
    let token = try SuspensionPage.token(fields)
    guard let text = fields["action"] else { throw Failure.field("action", FieldRule("required")) }
    let action: Action
    do throws(FieldRule) {
      action = try Action(text: text)
    } catch {
      throw Failure.field("action", error)
    }
    switch action {
    case .appeal: return .page(try await appeal(fields["text"] ?? "", token, request))
    case .delete: return .page(try await delete(fields["confirm"], token, request))
    }
  }

  private static func token(_ fields: [String: String]) throws(Failure) -> String {
    try LinkToken.read(fields, orElse: Failure(SuspensionLinkFailure.linkInvalid))
  }

  // MARK: - Forms

  private func appeal(_ text: String, _ token: String, _ request: PageRequest) async throws(Failure) -> PageContent {
    let reasons: SuspensionAppealText
    do throws(FieldRule) {
      // A browser sends a line's end as two characters.
      reasons = try SuspensionAppealText(text: text.replacing("\r\n", with: "\n"))
    } catch {
      throw Failure.field("text", error)
    }
    let appealed = try await request.call(AppealSuspension.self, .init(token: token, text: reasons))
    let thanks = request.text("page.suspension.sent.text", ["username": .text(appealed.username.description)])
    return PageContent(title: request.text("page.suspension.sent.title"), "<p>\(thanks)</p>")
  }

  private func delete(_ confirm: String?, _ token: String, _ request: PageRequest) async throws(Failure) -> PageContent {
    guard confirm == "yes" else { throw Failure.field("confirm", FieldRule("required")) }
    _ = try await request.call(DeleteSuspendedAccount.self, .init(token: token))
    return PageContent(
      title: request.text("page.suspension.deleted.title"), "<p>\(request.text("page.suspension.deleted.text"))</p>")
  }

  // MARK: - Pages

  /// Why and until when, and the forms.
  private func show(_ suspension: SuspensionDetails, _ token: String, _ request: PageRequest) -> PageContent {
    let username = Parameter.text(suspension.username.description)
    let state =
      if let until = suspension.until {
        request.text("page.suspension.until", ["username": username, "until": .text(until.description)])
      } else {
        request.text("page.suspension.banned", ["username": username])
      }
    return PageContent(
      title: request.text(suspension.isBanned ? "page.suspension.banned.title" : "page.suspension.title"),
      """
      <p>\(state)</p>
      <h2>\(request.text("page.suspension.reason"))</h2>
      <blockquote dir="auto">\(suspension.reason)</blockquote>
      <h2>\(request.text("page.suspension.appeal.title"))</h2>
      \(appealPart(suspension, token, request))
      <h2>\(request.text("page.suspension.delete.title"))</h2>
      <p>\(request.text("page.suspension.delete.text"))</p>
      <form method="post" action="suspension"><input type="hidden" name="token" value="\(token)">\
      <input type="hidden" name="action" value="delete">
      <label><input type="checkbox" name="confirm" value="yes" required> \(request.text("page.suspension.delete.confirm"))</label>
      <button type="submit" class="alarm">\(request.text("page.suspension.delete.button"))</button></form>
      """)
  }

  /// The form to appeal, or why there is none.
  private func appealPart(_ suspension: SuspensionDetails, _ token: String, _ request: PageRequest) -> HTML {
    if suspension.canAppeal { return "<p>\(request.text("page.suspension.appeal.text"))</p>\n\(appealForm(token, "", request))" }
    guard let at = suspension.appealedAt else { return "<p>\(request.text("page.suspension.final"))</p>" }
    return "<p>\(request.text("page.suspension.appealed", ["at": .text(at.description)]))</p>"
  }

  /// - Parameter text: what was filled in before.
  private func appealForm(_ token: String, _ text: String, _ request: PageRequest) -> HTML {
    let label = request.text("page.suspension.appeal.label", ["max": .number(SuspensionAppealText.maxCharacters)])
    // The first line's end in a text area is none of the text's.
    return """
      <form method="post" action="suspension"><input type="hidden" name="token" value="\(token)">\
      <input type="hidden" name="action" value="appeal">
      <label>\(label)
      <textarea name="text" rows="6" dir="auto" required>
      \(text)</textarea></label>
      <button type="submit">\(request.text("page.suspension.appeal.button"))</button></form>
      """
  }

  /// Whose form was not right is led back to it, and loses nothing of what was written.
  func refusal(_ problem: Problem, _ request: PageRequest) -> PageContent {
    PageContent(problem, title: request.text("page.suspension.refused.title"), remedy(problem, request))
  }

  private func remedy(_ problem: Problem, _ request: PageRequest) -> HTML {
    guard let errors = problem.errors, !errors.isEmpty else { return "" }
    let rules: HTML = "<ul>\(errors.map { error -> HTML in "<li>\(error.message) \(error.suggestion ?? "")</li>" })</ul>"
    guard let token = request.fields?["token"], LinkToken.isPlain(token) else { return rules }
    if let text = request.fields?["text"], request.fields?["action"] == Action.appeal.rawValue {
      return "\(rules)\n\(appealForm(token, text, request))"
    }
    return "\(rules)\n<p><a href=\"suspension?token=\(token)\">\(request.text("page.suspension.again"))</a></p>"
  }
}
