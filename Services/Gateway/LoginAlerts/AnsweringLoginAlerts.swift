import GatewayContract
import IdentityContract
import Operations

extension HTTPResponder {
  /// `/login-alert`: whoever opens a mail's link is a person, so that every outcome is a page, refusals too.
  func answerLoginAlert(
    _ validator: LinkValidator, _ endpoint: Endpoint, _ body: [UInt8], _ exchange: inout Exchange
  ) async -> HTTPAnswer {
    do throws(Failure) {
      guard exchange.method == "POST" else {
        var fields: [String: String] = [:]
        try Query.parse(exchange.query, into: &fields)
        let (token, answer) = try LoginAlertPage.choice(fields)
        try await look(validator, .loginAlert, token, &exchange)
        return loginAlerts.form(token, answer ?? .confirm, exchange.language)
      }
      let identification = try await admit(endpoint.spec.rate, needsAccount: endpoint.needsAccount, endpoint.scope, &exchange)
      let (token, answer) = try LoginAlertPage.choice(try exchange.form(body))
      guard let answer else { throw Failure.field("answer", FieldRule("required")) }
      let input = AnswerLoginAlertByLink.Input(token: token, answer: answer)
      let (_, output) = try await pass(endpoint, [:], input.json, identification, exchange)
      return loginAlerts.answered(try AnswerLoginAlertByLink.Output.decode(output), exchange.language)
    } catch {
      let problem = problems.problem(error, exchange.language, request: exchange.name.outer)
      return loginAlerts.refusal(problem, exchange.language).retried(after: error)
    }
  }
}

extension LoginAlertPage {
  /// What stands in the link's query or in the form.
  ///
  /// - Throws: `login_alert_link_invalid` where it holds no token, `invalid_fields` for an answer that is none.
  fileprivate static func choice(_ fields: [String: String]) throws(Failure) -> (token: String, answer: LoginAlertAnswer?) {
    guard let token = fields["token"], (1...200).contains(token.utf8.count) else { throw Failure(LoginAlertFailure.linkInvalid) }
    guard let text = fields["answer"] else { return (token, nil) }
    do throws(FieldRule) {
      return (token, try LoginAlertAnswer(text: text))
    } catch {
      throw Failure.field("answer", error)
    }
  }
}
