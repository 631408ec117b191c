import GatewayContract
import IdentityContract
import NIOCore
import Operations

/// `/v1/external-logins/callback`, where a provider that answers by a form sends the browser (`response_mode=form_post`; ID-10): the
/// browser goes on to the client that waits for the answer.
///
/// Only the configured address that the flow was begun with is gone to, and only what the client needs goes along. Whoever watches
/// learns nothing that is of use: the flow ends with a secret that is not in it.
struct ExternalLoginReturn: Sendable {
  static let path = "/v1/external-logins/callback"
  /// What of the form goes on.
  private static let fields = ["state", "code", "error", "iss"]

  private let problems: ProblemWriter
  private let client: GatewayClient

  init(_ problems: ProblemWriter, _ client: GatewayClient) {
    self.problems = problems
    self.client = client
  }

  /// The answer to the form.
  func answer(_ form: [String: String], _ language: Language) async throws(Failure) -> HTTPAnswer {
    guard let state = form["state"], (1...200).contains(state.utf8.count) else {
      throw Failure(ExternalLoginFailure.stateInvalid)
    }
    let uri = try await client.request(ReadExternalLoginReturn.self, .init(state: state)).redirectURI
    let query = Self.fields.compactMap { name in form[name].map { "\(name)=\(PercentEncoding.encode($0))" } }
    let target = uri + (uri.utf8.contains(UInt8(ascii: "?")) ? "&" : "?") + query.joined(separator: "&")
    return HTTPAnswer(
      status: 303, type: "text/plain; charset=utf-8", body: ByteBuffer(), extra: [ResponseField(name: "Location", value: target)])
  }

  /// The page that tells a failure in its own words.
  func refusal(_ problem: Problem, _ language: Language) -> HTTPAnswer {
    FormPage.answer(
      problem.status, problems.text("page.externalLogin.title", language), language,
      FormPage.refusal(problem))
  }
}

extension HTTPResponder {
  /// Sends the browser on; whoever comes here is a person, so that a refusal is a page.
  func goOn(_ body: [UInt8], _ exchange: inout Exchange) async -> HTTPAnswer {
    do throws(Failure) {
      _ = try await admit(.sensitive, needsAccount: false, .none, &exchange)
      return try await externalLoginReturn.answer(try exchange.form(body), exchange.language)
    } catch {
      let problem = problems.problem(error, exchange.language, request: exchange.name.outer)
      return externalLoginReturn.refusal(problem, exchange.language).retried(after: error)
    }
  }
}
