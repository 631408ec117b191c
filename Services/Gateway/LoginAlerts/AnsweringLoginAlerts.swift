import GatewayContract
import IdentityContract
import Operations

extension HTTPResponder {
  /// `/login-alert`: whoever opens a mail's link is a person, so that every outcome is a page, refusals too.
  func answerLoginAlert(_ endpoint: Endpoint, _ body: [UInt8], _ exchange: inout Exchange) async -> HTTPAnswer {
    do throws(Failure) {
      guard exchange.method == "POST" else {
        let (token, answer) = try LoginAlertPage.fields(exchange.query, orElse: .queryEncoding)
        return loginAlerts.form(token, answer ?? .confirm, exchange.language)
      }
      let identification = try await admit(endpoint.spec.rate, needsAccount: endpoint.needsAccount, endpoint.scope, &exchange)
      guard exchange.given.isForm else { throw Failure(GatewayFailure.formRequired) }
      guard let form = String(validating: body, as: UTF8.self) else { throw Malformation.formEncoding.failure() }
      let (token, answer) = try LoginAlertPage.fields(form[...], orElse: .formEncoding)
      guard let answer else { return loginAlerts.form(token, .confirm, exchange.language) }
      let input = AnswerLoginAlertByLink.Input(token: token, answer: answer)
      let (_, output) = try await pass(endpoint, [:], input.json, identification, exchange)
      return loginAlerts.answered(try AnswerLoginAlertByLink.Output.decode(output), exchange.language)
    } catch {
      let problem = problems.problem(error, exchange.language, request: exchange.name.outer)
      var answer = loginAlerts.refusal(problem, exchange.language)
      if let seconds = error.retryAfterSeconds { answer.extra.append(ResponseField(name: "Retry-After", value: String(seconds))) }
      return answer
    }
  }
}

extension LoginAlertPage {
  /// What stands in the link's query or in the form.
  ///
  /// - Throws: what the text breaks; `login_alert_link_invalid` where it holds no token.
  fileprivate static func fields(
    _ text: Substring, orElse broken: Malformation
  ) throws(Failure) -> (token: String, answer: LoginAlertAnswer?) {
    var fields: [String: String] = [:]
    try Query.parse(text, into: &fields, orElse: broken)
    guard let token = fields["token"], (1...200).contains(token.count) else { throw Failure(LoginAlertFailure.linkInvalid) }
    return (token, fields["answer"].flatMap { LoginAlertAnswer(rawValue: $0) })
  }
}
