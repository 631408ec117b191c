import GatewayContract
import Operations

/// Admits HTTP requests, and passes their calls on to the services.
struct OperationCaller: Sendable {
  let admission: Admission
  let switchboard: Switchboard

  /// Draws on the budgets of an operation, and learns who calls.
  func admit(_ endpoint: Endpoint, _ exchange: inout Exchange) async throws(Failure) -> Identification? {
    try await admit(endpoint.spec.rate, needsAccount: endpoint.needsAccount, endpoint.scope, &exchange)
  }

  /// Draws on the budgets of that class, and learns who calls.
  func admit(
    _ rateClass: RateClass, needsAccount: Bool, _ scope: ScopeRule, _ exchange: inout Exchange
  ) async throws(Failure) -> Identification? {
    do {
      let pass = try await admission.admit(
        rateClass, needsAccount: needsAccount, scope: scope, token: exchange.given.token, address: exchange.address)
      exchange.standing = (pass.standing, rateClass)
      if let identification = pass.identification { exchange.language = identification.language }
      return pass.identification
    } catch {
      exchange.standing = error.standing.map { ($0, rateClass) }
      if let identification = error.identification { exchange.language = identification.language }
      throw error.failure
    }
  }

  /// Passes an admitted call on, and gives back its output unread.
  func call(
    _ endpoint: Endpoint, _ parameters: [String: String], _ body: [UInt8], _ identification: Identification?,
    _ exchange: Exchange
  ) async throws(Failure) -> (status: Int, output: [UInt8]) {
    let call = ClientCall(
      endpoint: endpoint, name: exchange.name, trace: exchange.trace,
      caller: Caller(
        identification, language: exchange.language, address: exchange.addressText, userAgent: exchange.given.userAgent),
      parameters: parameters, idempotencyKey: try exchange.given.checkedIdempotencyKey(), body: body)
    switch await switchboard.answer(call) {
    case .output(let status, let output): return (status, output)
    case .failure(let failure): throw failure
    }
  }
}
