import GRDB
import IdentityContract
import Operations
import ServiceKit
import Storage

/// External identities: listed, linked and unlinked.
struct ExternalIdentityHandlers: Sendable {
  let logins: ExternalLogins

  static func list(_ input: Empty, _ call: AccountCall, _ database: Database) throws -> ListIdentities.Output {
    let account = try call.liveAccount(database)
    return ListIdentities.Output(
      identities: try ExternalIdentityStore.list(of: account.id, in: database).map { try $0.own() },
      hasPassword: account.hasPassword)
  }

  func beginLink(_ input: BeginIdentityLink.Input, _ call: AccountCall) async throws -> BeginIdentityLink.Output {
    try await logins.begin(input, owner: try await call.flowOwner(), call)
  }

  func prove(_ input: CompleteIdentityLink.Input, _ call: AccountCall) async throws -> ProvenIdentity {
    try await logins.end(input, owner: try await call.flowOwner(), call)
  }

  func completeLink(
    _ input: CompleteIdentityLink.Input, _ proven: ProvenIdentity, _ call: AccountCall, _ transaction: Transaction
  ) throws -> Result<CompleteIdentityLink.Output, Failure> {
    switch try Self.link(proven, call, transaction) {
    case .success(let identity): return .success(try identity.own())
    case .failure(let failure): return .failure(failure.with(["provider": logins.title(proven.provider)]))
    }
  }

  static func unlink(_ input: UnlinkIdentity.Input, _ call: AccountCall, _ transaction: Transaction) throws -> Empty {
    let account = try call.liveAccount(transaction.database)
    let identities = try ExternalIdentityStore.list(of: account.id, in: transaction.database)
    guard let identity = identities.first(where: { $0.id == input.identityID }) else {
      throw Failure(RequestFailure.notFound)
    }
    guard ExternalLoginRules.mayUnlink(hasPassword: account.hasPassword, identities: identities.count) else {
      throw IdentityFailure.lastWayIn
    }
    try ExternalIdentityStore.unlink(identity, call.caller, transaction)
    return Empty()
  }
}

extension AccountCall {
  /// Whom a flow to link an identity belongs to, if the session has not ended.
  fileprivate func flowOwner() async throws -> FlowOwner {
    let account = try await read { try liveAccount($0).id }
    return FlowOwner(account: account, session: try session)
  }
}

extension ExternalIdentityHandlers {
  /// Links the person to the signed-in account, whose session may have ended while the provider was asked.
  private static func link(
    _ proven: ProvenIdentity, _ call: AccountCall, _ transaction: Transaction
  ) throws -> Result<ExternalIdentityRecord, IdentityFailure> {
    let account = try call.liveAccount(transaction.database)
    let found = try ExternalIdentityStore.find(proven, in: transaction.database)
    let hasOther = try ExternalIdentityStore.list(of: account.id, in: transaction.database).contains {
      $0.provider == proven.provider.description
    }
    switch ExternalLoginRules.link(account.id, linked: found?.accountID, hasOther: hasOther) {
    case .refuse(let failure):
      try SecurityEventStore.record(
        SecurityEvent(
          .externalLoginFailed, account: account.id, session: try call.session,
          detail: "\(proven.provider) \(failure.rawValue)"), from: call.caller, transaction)
      // If the person is linked to another account, the grant belongs to that identity, which still needs it.
      if let found {
        try ProviderGrantStore.keep(proven.grant, of: found, transaction)
      } else {
        try ProviderGrantStore.giveBack(proven.grant, transaction)
      }
      return .failure(failure)
    case .alreadyLinked:
      guard let found else { throw Failure(RequestFailure.notFound) }
      try ProviderGrantStore.keep(proven.grant, of: found, transaction)
      return .success(found)
    case .link:
      let alert = try LoginAlertStore.findUnconfirmed(of: try call.session, in: transaction.database)
      let identity = try ExternalIdentityStore.add(proven, of: account.id, under: alert, transaction)
      try ProviderGrantStore.keep(proven.grant, of: identity, transaction)
      try SecurityEventStore.record(
        SecurityEvent(
          .identityLinked, account: account.id, session: try call.session, detail: proven.provider.description),
        from: call.caller, transaction)
      try transaction.publish(IdentityLinkChanged(changeID: IdentityLinkChangeID(), accountID: account.id, isLinked: true))
      return .success(identity)
    }
  }
}
