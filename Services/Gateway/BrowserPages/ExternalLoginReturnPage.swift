import GatewayContract
import IdentityContract
import Operations

/// `/v1/external-logins/callback`, the target of providers that answer with a form (`response_mode=form_post`; ID-10): it redirects the
/// browser to the client that waits for the answer.
///
/// The redirect leads only to the configured address of the flow, with only the data that the client needs. An observer gains nothing: the
/// flow ends with a secret that is not in the redirect.
struct ExternalLoginReturnPage: BrowserPage {
  /// The fields of the form that are passed on.
  private static let fields = ["state", "code", "error", "iss"]

  let operations: [any Operation.Type] = [CompleteExternalLogin.self]

  let routes = [
    PageRoute(
      .post, "/v1/external-logins/callback", "externalLoginReturn",
      "Receives the answer of a provider that answers by a form; redirects the browser to the client that waits for it.",
      requirement: "ID-10",
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
    let uri = try await request.callAsGateway(GetExternalLoginReturn.self, .init(state: state)).redirectURI
    let query = Self.fields.compactMap { name in form[name].map { "\(name)=\(PercentEncoding.encode($0))" } }
    return .redirect(to: uri + (uri.utf8.contains(UInt8(ascii: "?")) ? "&" : "?") + query.joined(separator: "&"))
  }

  func refusal(_ problem: Problem, _ request: PageRequest) -> PageContent {
    PageContent(problem, title: request.text("page.externalLogin.title"))
  }
}
