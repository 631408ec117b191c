import GatewayContract
import IdentityContract
import Operations

/// `/v1/external-logins/callback`, where a provider that answers by a form sends the browser (`response_mode=form_post`; ID-10): the
/// browser goes on to the client that waits for the answer.
///
/// Only the configured address that the flow was begun with is gone to, and only what the client needs goes along. Whoever watches
/// learns nothing that is of use: the flow ends with a secret that is not in it.
struct ExternalLoginReturnPage: BrowserPage {
  /// What of the form goes on.
  private static let fields = ["state", "code", "error", "iss"]

  let operations: [any Operation.Type] = [CompleteExternalLogin.self]

  let routes = [
    PageRoute(
      .post, "/v1/external-logins/callback", "externalLoginReturn",
      "Where a provider sends the browser that answers by a form; it goes on to the client that waits.", requirement: "ID-10",
      form: [
        "type": "object", "required": ["state"],
        "properties": [
          "state": LinkToken.schema, "code": ["type": "string"], "error": ["type": "string"], "iss": ["type": "string"],
        ],
      ],
      redirect: "On to the client, with `state`, `code`, `error` and `iss` in the query.")
  ]

  func answer(_ request: inout PageRequest) async throws(Failure) -> PageAnswer {
    try await request.admit(.sensitive)
    let form = try request.readForm()
    let state = try LinkToken.read(form, orElse: Failure(ExternalLoginFailure.stateInvalid), from: "state")
    let uri = try await request.callAsGateway(ReadExternalLoginReturn.self, .init(state: state)).redirectURI
    let query = Self.fields.compactMap { name in form[name].map { "\(name)=\(PercentEncoding.encode($0))" } }
    return .redirect(to: uri + (uri.utf8.contains(UInt8(ascii: "?")) ? "&" : "?") + query.joined(separator: "&"))
  }

  func refusal(_ problem: Problem, _ request: PageRequest) -> PageContent {
    PageContent(problem, title: request.text("page.externalLogin.title"))
  }
}
