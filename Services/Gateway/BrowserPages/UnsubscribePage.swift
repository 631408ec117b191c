import GatewayContract
import NotificationsContract
import Operations

/// `/unsubscribe`, the target of the link at the end of a mail (NOT-4): what the link ends, and a button. Mail programs unsubscribe with
/// one click, by a POST to the link itself (RFC 8058, section 3.2): with the token in the URL, no form is needed.
struct UnsubscribePage: BrowserPage {
  private static let path = "/unsubscribe"

  let operations: [any Operation.Type] = [GetUnsubscribe.self, CreateUnsubscribe.self]

  let routes = [
    PageRoute(
      .get, path, "unsubscribePage", "Page of the unsubscribe link in a mail; its button calls `unsubscribes.create`.",
      requirement: "NOT-4", parameters: [LinkToken.parameter]),
    PageRoute(
      .post, path, "unsubscribeForm",
      """
      Submits the page's form, as `unsubscribes.create`, or a mail program's one-click unsubscribe (RFC 8058); always \
      answers with a page.
      """,
      requirement: "NOT-4",
      form: [
        "type": "object",
        "properties": ["token": LinkToken.schema, "List-Unsubscribe": ["type": "string", "enum": ["One-Click"]]],
      ]),
  ]

  func answer(_ request: inout PageRequest) async throws(Failure) -> PageAnswer {
    let query = try request.readQuery()
    guard request.isForm else {
      try await request.admit(GetUnsubscribe.self)
      let token = try UnsubscribePage.token(query)
      let found = try await request.call(GetUnsubscribe.self, .init(token: token))
      return .page(found.isOff ? done(found, request) : form(found, token, request))
    }
    try await request.admit(CreateUnsubscribe.self)
    let token = try UnsubscribePage.token(query["token"] == nil ? try request.readForm() : query)
    return .page(done(try await request.call(CreateUnsubscribe.self, .init(token: token)), request))
  }

  private static func token(_ fields: [String: String]) throws(Failure) -> String {
    try LinkToken.read(fields, orElse: Failure(UnsubscribeFailure.linkInvalid))
  }

  private func form(_ found: MailUnsubscribe, _ token: String, _ request: PageRequest) -> PageContent {
    let text = request.text(
      "page.unsubscribe.text", ["name": .text(found.name), "username": .text(found.username.description)])
    return PageContent(
      title: request.text("page.unsubscribe.title"),
      """
      <p>\(text)</p>
      <form method="post" action="unsubscribe"><input type="hidden" name="token" value="\(token)">\
      <button type="submit">\(request.text("page.unsubscribe.button"))</button></form>
      """)
  }

  private func done(_ found: MailUnsubscribe, _ request: PageRequest) -> PageContent {
    let text = request.text(
      "page.unsubscribe.done.text", ["name": .text(found.name), "username": .text(found.username.description)])
    return PageContent(title: request.text("page.unsubscribe.done.title"), "<p>\(text)</p>")
  }

  func refusal(_ problem: Problem, _ request: PageRequest) -> PageContent {
    PageContent(problem, title: request.text("page.unsubscribe.refused.title"))
  }
}
