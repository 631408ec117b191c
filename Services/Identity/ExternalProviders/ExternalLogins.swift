import Foundation
import IdentityContract
import Logging
import Operations
import SecureStorage
import ServiceKit
import Storage

/// The configured providers and the flows with them.
struct ExternalLogins: Sendable {
  let settings: ExternalProviderSettings
  /// Where tokens of providers rest.
  let secrets: SecureStorage
  private let providers: [String: ProviderClient]
  private let key: SecretKey

  init(_ settings: ExternalProviderSettings, web: ProviderWeb, clock: Clock, key: SecretKey, secrets: SecureStorage) {
    self.settings = settings
    self.secrets = secrets
    self.key = key
    providers = Dictionary(
      uniqueKeysWithValues: settings.providers.map { ($0.name.description, ProviderClient($0, web: web, clock: clock)) })
  }

  /// Begins a flow. The provider is asked first, so that no flow begins while it is unavailable.
  func begin(_ input: BeginExternalLogin.Input, owner: FlowOwner?, _ call: some Call) async throws -> ExternalLoginStart {
    guard let provider = providers[input.provider.description] else { throw ExternalLoginFailure.unknownProvider }
    guard settings.redirectURIs.contains(input.redirectURI) else {
      throw Failure.field("redirectURI", FieldRule("redirect_not_allowed"))
    }
    let endpoint: ProviderURL
    do {
      endpoint = try await provider.authorizationEndpoint()
    } catch let problem as ProviderError {
      throw try await failure(problem, provider, owner: owner, call)
    }
    let flow = try await call.write {
      try ExternalLoginStore.begin(input.provider, owner: owner, redirectURI: input.redirectURI, $0)
    }
    let secrets = ExternalLoginSecrets(flow, key: key)
    return ExternalLoginStart(
      authorizationURL: provider.authorizationURL(endpoint, secrets, redirectURI: answerURI(flow, provider)),
      state: secrets.state, flowSecret: secrets.flowSecret, expiresAt: flow.expiresAt)
  }

  /// Ends a flow with the provider's answer, and returns the identity that it proves.
  ///
  /// The flow is ended first, in its own transaction; no transaction is open while the provider is asked. A process killed in between
  /// leaves an ended flow, and the grant to give back if the code was exchanged: the person begins again.
  func end(_ answer: some ProviderAnswer, owner: FlowOwner?, _ call: some Call) async throws -> ProvenIdentity {
    let key = key
    // A refusal is recorded in the transaction, so it must be thrown after it.
    let flow = try await call.write {
      try ExternalLoginStore.end(
        state: answer.state, flowSecret: answer.flowSecret, owner: owner, call.caller, key: key, $0)
    }.get()
    // The provider may have been removed from the configuration.
    guard let provider = providers[flow.provider] else { throw ExternalLoginFailure.stateInvalid }
    let flowSecrets = ExternalLoginSecrets(flow, key: key)
    var grant: ProviderGrantID?
    do {
      try await provider.checkIssuer(answer.iss)
      guard let code = answer.code else { throw ProviderError.ended(answer.error ?? "") }
      let tokens = try await provider.exchange(
        code: code, flowSecrets, redirectURI: answerURI(flow, provider), now: call.now)
      grant = try await hold(tokens.grant, of: provider, call)
      var proven = try await provider.identity(tokens, flowSecrets, now: call.now)
      proven.grant = grant
      return proven
    } catch let problem as ProviderError {
      throw try await failure(problem, provider, owner: owner, grant: grant, call)
    }
  }

  /// The redirect target of the gateway's page.
  func redirectURI(_ state: String, _ call: some Call) async throws -> String {
    let key = key
    guard let flow = try await call.read({ try ExternalLoginStore.find(state, key: key, in: $0) }) else {
      throw ExternalLoginFailure.stateInvalid
    }
    guard call.now < flow.expiresAt else { throw ExternalLoginFailure.stateExpired }
    return flow.redirectURI
  }

  /// Gives a grant back to its provider: to the issuer that gave it and to no other, whichever now has the provider's name in the
  /// configuration.
  ///
  /// - Throws: ``ProviderError``.
  func revoke(_ revocation: TakenRevocation, now: Instant) async throws {
    // One that is no longer configured may be again.
    guard let provider = providers[revocation.provider], provider.settings.issuer.description == revocation.issuer else {
      throw ProviderError.unavailable("unknown_provider")
    }
    try await provider.revoke(revocation.token, now: now)
  }

  /// How people know the provider, for words.
  func title(_ name: ExternalProviderName) -> Parameter {
    .text(providers[name.description]?.settings.title ?? name.description)
  }

  private func answerURI(_ flow: ExternalLoginRecord, _ provider: ProviderClient) -> String {
    provider.settings.usesFormPost ? settings.formURI : flow.redirectURI
  }

  /// Stores a grant before it is used for anything.
  private func hold(_ token: ProviderToken?, of provider: ProviderClient, _ call: some Call) async throws -> ProviderGrantID? {
    guard let token else { return nil }
    let (name, issuer) = (provider.settings.name, provider.settings.issuer.description)
    let secrets = secrets
    return try await call.write { try ProviderGrantStore.hold(token, of: name, issuer, in: secrets, $0) }
  }

  /// Records the problem, for the account's safety and for diagnosis, and turns it into the call's failure.
  ///
  /// - Parameter grant: the person's grant so far, which is given back.
  private func failure(
    _ problem: ProviderError, _ provider: ProviderClient, owner: FlowOwner?, grant: ProviderGrantID? = nil, _ call: some Call
  ) async throws -> Failure {
    let name = provider.settings.name.description
    let kind: SecurityEvent.Kind =
      switch problem.failure {
      case .cancelled: .externalLoginCancelled
      case .providerUnavailable: .externalProviderUnavailable
      default: problem.isOfProof ? .externalProofRefused : .externalLoginFailed
      }
    if problem.failure != .cancelled {
      call.logger.warning("external login failed", metadata: ["provider": .string(name), "reason": .string(problem.code)])
    }
    try await call.write { transaction in
      let event = SecurityEvent(kind, account: owner?.account, session: owner?.session, detail: "\(name) \(problem.code)")
      try SecurityEventStore.record(event, from: call.caller, transaction)
      if kind == .externalProofRefused { try IncidentDetection.detectForgeries(provider.settings.name, call.caller, transaction) }
      try ProviderGrantStore.giveBack(grant, transaction)
    }
    return problem.failure.with(
      ["provider": .text(provider.settings.title)], retryAfterSeconds: problem.failure == .providerUnavailable ? 5 : nil)
  }
}

/// What a provider sent back, as both ends of a flow take it.
protocol ProviderAnswer: Sendable {
  var state: String { get }
  var flowSecret: String { get }
  var code: String? { get }
  var iss: String? { get }
  var error: String? { get }
}

extension CompleteExternalLogin.Input: ProviderAnswer {}
extension CompleteIdentityLink.Input: ProviderAnswer {}
