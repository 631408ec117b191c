import GatewayContract
import IdentityContract
import Operations

/// The operations that ``RecoveryPage`` and its forms call.
struct RecoveryEndpoints: Sendable {
  let validator: LinkValidator
  let ask: Endpoint
  let complete: Endpoint

  /// Nil where they are not served.
  init?(_ byName: [String: Endpoint]) {
    guard let validator = LinkValidator(byName), let ask = byName[RequestPasswordRecovery.spec.name],
      let complete = byName[CompletePasswordRecovery.spec.name]
    else { return nil }
    self.validator = validator
    self.ask = ask
    self.complete = complete
  }
}

extension HTTPResponder {
  /// `/recover`: whoever opens a mail's link is a person, so that every outcome is a page, refusals too.
  func recover(_ endpoints: RecoveryEndpoints, _ body: [UInt8], _ exchange: inout Exchange) async -> HTTPAnswer {
    var form = RecoveryPage.Form.ask(email: "")
    do throws(Failure) {
      guard exchange.method == "POST" else {
        var parameters: [String: String] = [:]
        try Query.parse(exchange.query, into: &parameters)
        if let token = parameters["token"] {
          form = .choose(token: try RecoveryPage.checked(token))
          try await look(endpoints.validator, .recovery, token, &exchange)
        }
        return recovery.form(form, exchange.language)
      }
      let identification = try await admit(endpoints.complete.spec.rate, needsAccount: false, .none, &exchange)
      let fields = try exchange.form(body)
      guard let token = fields["token"] else {
        let email = fields["email", default: ""]
        form = .ask(email: email)
        let input = RequestPasswordRecovery.Input(email: FormField(text: email))
        let (_, output) = try await pass(endpoints.ask, [:], input.json, identification, exchange)
        return recovery.asked(try RequestPasswordRecovery.Output.decode(output), exchange.language)
      }
      form = .choose(token: try RecoveryPage.checked(token))
      let input = CompletePasswordRecovery.Input(
        token: token, password: FormField(text: fields["password", default: ""]),
        passwordRepetition: FormField(text: fields["passwordRepetition", default: ""]))
      let (_, output) = try await pass(endpoints.complete, [:], input.json, identification, exchange)
      return recovery.recovered(try CompletePasswordRecovery.Output.decode(output), exchange.language)
    } catch {
      // With a link that does not work there is nothing to be done but to ask for another.
      if RecoveryFailure(rawValue: error.code) != nil { form = .ask(email: "") }
      let problem = problems.problem(error, exchange.language, request: exchange.name.outer)
      return recovery.form(form, exchange.language, problem).retried(after: error)
    }
  }
}

extension RecoveryPage {
  /// The token, if one can look like that.
  fileprivate static func checked(_ token: String) throws(Failure) -> String {
    guard (1...200).contains(token.utf8.count) else { throw Failure(RecoveryFailure.linkInvalid) }
    return token
  }
}
