import GRDB
import IdentityContract
import Operations
import ServiceKit
import Storage

/// Suspensions: read and appealed by the mailed link; and what its mail needs. The account's deletion by it is with the other deletions, see
/// ``AccountDeletionHandlers``.
struct SuspensionHandlers: Sendable {
  let keys: IdentityKeys

  func get(_ input: GetSuspension.Input, _ call: OpenCall) async throws -> GetSuspension.Output {
    let token = SuspensionToken(input.token)
    switch try await call.read({ try SuspensionLinkStore.open(token, keys, now: call.now, in: $0) }) {
    case .works(let opened): return opened.suspension.details(of: opened.account)
    case .refused(let refusal):
      // It is recorded in the transaction, so it must be thrown after it.
      try await call.write { try IncidentDetection.refuseLink(refusal, from: call.caller, $0) }
      throw refusal.failure
    }
  }

  func appeal(_ input: AppealSuspension.Input, _ call: OpenCall) async throws -> AppealSuspension.Output {
    // A refusal is recorded in the transaction, so it must be thrown after it.
    try await call.write { try Self.appeal(input, keys, call, $0) }.get()
  }

  func getSecret(
    _ input: GetSuspensionSecret.Input, _ call: OpenCall, _ database: Database
  ) throws -> GetSuspensionSecret.Output {
    guard let link = try SuspensionLinkStore.find(input.linkID, in: database), call.now < link.record.expiresAt,
      let suspension = try SuspensionStore.current(of: link.account.id, now: call.now, in: database)
    else { throw Failure(RequestFailure.notFound) }
    return GetSuspensionSecret.Output(
      token: SuspensionToken.text(link, key: keys.suspensions), email: link.account.email, username: link.account.username,
      language: link.account.language, suspendedUntil: suspension.until == .endOfTime ? nil : suspension.until,
      expiresAt: link.record.expiresAt)
  }

  /// The appeal against the suspension of the account whose link was opened, or a record that the link was refused.
  private static func appeal(
    _ input: AppealSuspension.Input, _ keys: IdentityKeys, _ call: OpenCall, _ transaction: Transaction
  ) throws -> Result<AppealSuspension.Output, Failure> {
    let opening = try SuspensionLinkStore.open(
      SuspensionToken(input.token), keys, now: transaction.now, in: transaction.database)
    switch opening {
    case .refused(let refusal):
      try IncidentDetection.refuseLink(refusal, from: call.caller, transaction)
      return .failure(refusal.failure)
    case .works(let opened):
      let suspension = opened.suspension
      if let refusal = SuspensionRules.appealRefusal(canAppeal: suspension.canAppeal, appealedAt: suspension.appealedAt) {
        return .failure(Failure(refusal))
      }
      try SuspensionStore.appeal(suspension, input.text, transaction)
      try SecurityEventStore.record(
        SecurityEvent(.suspensionAppealed, account: opened.account.id, detail: suspension.id.description), from: call.caller,
        transaction)
      guard let appealed = try SuspensionStore.find(suspension.id, in: transaction.database) else {
        throw Failure(RequestFailure.notFound)
      }
      return .success(appealed.details(of: opened.account))
    }
  }
}
