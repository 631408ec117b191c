import Operations
import ServiceKit

/// Decides whether a call may go on to its service: within the budgets, and signed in where that is needed.
struct Admission: Sendable {
  /// The caller, if known, and the state of the tightest budget.
  struct Pass: Sendable {
    let identification: Identification?
    let standing: RateLimiter.Standing
  }

  /// Why a call may not go on.
  struct Refusal: Error {
    let failure: Failure
    /// Known where the token was good.
    let identification: Identification?
    let standing: RateLimiter.Standing?
  }

  let limiter: RateLimiter
  let verifier: TokenVerifier

  /// Draws on the address's budget first, so that guessing tokens costs calls, and then on the account's.
  ///
  /// On operations that anyone may call, an invalid token counts as none: a client that refreshes an expired token or logs in again often
  /// still sends the old one. So does a token whose scope does not allow the call.
  func admit(
    _ rateClass: RateClass, needsAccount: Bool, scope: ScopeRule, token: String?, address: ClientAddress
  ) async throws(Refusal) -> Pass {
    let standing = limiter.take(.address(address), rateClass)
    guard standing.isAllowed else { throw Admission.rateLimited(standing, nil) }
    guard let token else {
      guard !needsAccount else {
        throw Refusal(failure: Failure(RequestFailure.unauthenticated), identification: nil, standing: standing)
      }
      return Pass(identification: nil, standing: standing)
    }
    let identification: Identification
    do {
      identification = try await verifier.identify(token)
    } catch {
      guard needsAccount else { return Pass(identification: nil, standing: standing) }
      let failure = (error as? TokenRefusal)?.failure ?? Failure(error)
      throw Refusal(failure: failure, identification: nil, standing: standing)
    }
    guard identification.allows(scope) else {
      guard needsAccount else { return Pass(identification: nil, standing: standing) }
      throw Refusal(failure: scope.failure, identification: identification, standing: standing)
    }
    let own = limiter.take(.account(identification.account), rateClass)
    guard own.isAllowed else { throw Admission.rateLimited(own, identification) }
    return Pass(identification: identification, standing: own.remaining < standing.remaining ? own : standing)
  }

  /// Draws on the address's budget for what no operation is asked by: unknown paths, documents, lines that are no requests.
  ///
  /// - Parameter calls: how many of them.
  /// - Throws: `rate_limited`.
  func draw(_ address: ClientAddress, calls: Int = 1) throws(Failure) {
    let standing = limiter.take(.address(address), .read, calls: calls)
    guard standing.isAllowed else { throw Admission.rateLimited(standing, nil).failure }
  }

  private static func rateLimited(_ standing: RateLimiter.Standing, _ identification: Identification?) -> Refusal {
    let failure = Failure(RequestFailure.rateLimited, ["seconds": .number(standing.seconds)], retryAfterSeconds: standing.seconds)
    return Refusal(failure: failure, identification: identification, standing: standing)
  }
}

extension Caller {
  /// Who calls through the gateway.
  init(_ identification: Identification?, language: Language, address: String?, userAgent: String?) {
    self.init(
      kind: identification == nil ? .anonymous : .account, account: identification?.account,
      session: identification?.session, isVerified: identification?.isVerified ?? false,
      isAdministrator: identification?.isAdministrator ?? false, isInDoubt: identification?.isInDoubt == true ? true : nil,
      language: identification?.language ?? language, address: address, userAgent: userAgent)
  }
}
