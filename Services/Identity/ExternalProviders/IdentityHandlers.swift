import GRDB
import IdentityContract
import Operations
import ServiceKit
import Storage

extension ServiceDefinition {
  /// Serves linking external identities to accounts.
  mutating func serveIdentities(_ logins: ExternalLogins) {
    serve(
      ListIdentities.self,
      read: { _, call, database in
        let account = try call.liveAccount(database)
        return ListIdentities.Output(
          identities: try database.externalIdentities(of: account.id).map { try $0.own() }, hasPassword: account.hasPassword)
      })

    serve(BeginIdentityLink.self) { input, call in
      try await logins.begin(input, owner: try await call.flowOwner(), call)
    }

    serveAttempt(
      LinkIdentity.self,
      prepare: { input, call in try await logins.end(input, owner: try await call.flowOwner(), call) },
      write: { _, proven, call, transaction in
        switch try transaction.link(proven, call) {
        case .success(let identity): return .success(try identity.own())
        case .failure(let failure): return .failure(failure.with(["provider": logins.title(proven.provider)]))
        }
      })

    serve(
      UnlinkIdentity.self,
      write: { input, call, transaction in
        let account = try call.liveAccount(transaction.database)
        let identities = try transaction.database.externalIdentities(of: account.id)
        guard let identity = identities.first(where: { $0.id == input.identityID }) else {
          throw Failure(RequestFailure.notFound)
        }
        guard ExternalLoginRule.mayUnlink(hasPassword: account.hasPassword, identities: identities.count) else {
          throw IdentityFailure.lastWayIn
        }
        try transaction.unlink(identity, call.caller)
        return Empty()
      })
  }
}

extension Call {
  /// Whom a flow to link an identity belongs to, if the session has not ended.
  fileprivate func flowOwner() async throws -> FlowOwner {
    let account = try await read { try liveAccount($0).id }
    return FlowOwner(account: account, session: try session)
  }
}

extension Transaction {
  /// Links the person to the signed-in account, whose session may have ended while the provider was asked.
  fileprivate func link(_ proven: ProvenIdentity, _ call: Call) throws -> Result<ExternalIdentityRecord, IdentityFailure> {
    let account = try call.liveAccount(database)
    let found = try database.externalIdentity(proven)
    let hasOther = try database.externalIdentities(of: account.id).contains { $0.provider == proven.provider.description }
    switch ExternalLoginRule.link(account.id, linked: found?.accountID, hasOther: hasOther) {
    case .refuse(let failure):
      try record(
        SecurityEvent(
          .externalLoginFailed, account: account.id, session: try call.session,
          detail: "\(proven.provider) \(failure.rawValue)"), from: call.caller)
      // Of a person who is linked to another account it is that identity's, which goes on needing it.
      if let found { try keepGrant(proven.grant, of: found) } else { try giveBack(proven.grant) }
      return .failure(failure)
    case .alreadyLinked:
      guard let found else { throw Failure(RequestFailure.notFound) }
      try keepGrant(proven.grant, of: found)
      return .success(found)
    case .link:
      let alert = try database.unconfirmedLoginAlert(of: try call.session)
      let identity = try insertExternalIdentity(proven, of: account.id, under: alert)
      try keepGrant(proven.grant, of: identity)
      try record(
        SecurityEvent(
          .identityLinked, account: account.id, session: try call.session, detail: proven.provider.description),
        from: call.caller)
      try publish(IdentityLinkChanged(changeID: IdentityLinkChangeID(), accountID: account.id, isLinked: true))
      return .success(identity)
    }
  }
}
