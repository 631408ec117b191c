import GatewayContract
import IdentityContract
import Operations

extension HTTPResponder {
  /// `/login-alert`: whoever opens a mail's link is a person, so that every outcome is a page, refusals too.
  func answerLoginAlert(
    _ validator: LinkValidator, _ endpoint: Endpoint, _ body: [UInt8], _ exchange: inout Exchange
  ) async -> HTTPAnswer {
    var token: String?
    do throws(Failure) {
      guard exchange.method == "POST" else {
        var fields: [String: String] = [:]
        try Query.parse(exchange.query, into: &fields)
        let given = try LoginAlertPage.token(fields)
        token = given
        let answer = try LoginAlertPage.answer(fields)
        try await look(validator, .loginAlert, given, &exchange)
        return loginAlerts.form(given, answer ?? .confirm, exchange.language)
      }
      let identification = try await admit(endpoint.spec.rate, needsAccount: endpoint.needsAccount, endpoint.scope, &exchange)
      let fields = try exchange.form(body)
      let given = try LoginAlertPage.token(fields)
      token = given
      guard let answer = try LoginAlertPage.answer(fields) else { throw Failure.field("answer", FieldRule("required")) }
      let input = AnswerLoginAlertByLink.Input(token: given, answer: answer)
      let (_, output) = try await pass(endpoint, [:], input.json, identification, exchange)
      return loginAlerts.answered(try AnswerLoginAlertByLink.Output.decode(output), exchange.language)
    } catch {
      let problem = problems.problem(error, exchange.language, request: exchange.name.outer)
      return loginAlerts.refusal(problem, token: token, exchange.language).retried(after: error)
    }
  }
}

extension LoginAlertPage {
  /// The token in the link's query or in the form.
  ///
  /// - Throws: `login_alert_link_invalid` where there is none.
  fileprivate static func token(_ fields: [String: String]) throws(Failure) -> String {
    guard let token = fields["token"], (1...200).contains(token.utf8.count) else { throw Failure(LoginAlertFailure.linkInvalid) }
    return token
  }

  /// The answer there; nil where there is none.
  ///
  /// - Throws: `invalid_fields` for an answer that is none.
  fileprivate static func answer(_ fields: [String: String]) throws(Failure) -> LoginAlertAnswer? {
    guard let text = fields["answer"] else { return nil }
    do throws(FieldRule) {
      return try LoginAlertAnswer(text: text)
    } catch {
      throw Failure.field("answer", error)
    }
  }
}
