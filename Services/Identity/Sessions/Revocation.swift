import IdentityContract
import Operations
import Storage

/// The end of all access to an account.
enum Revocation {
  /// For how long what was revoked is part of the snapshot: no access token lives longer.
  static let publishedSeconds = 900

  /// Ends the account's sessions and all other access to it, forgets its devices, and cancels pending changes of its address.
  static func revokeEverything(of account: AccountID, _ reason: SessionRevoked.Reason, _ transaction: Transaction) throws {
    try SessionStore.revokeAll(of: account, reason, transaction)
    try revokeAllButSessions(of: account, transaction)
  }

  /// The same for all but the sessions.
  static func revokeAllButSessions(of account: AccountID, _ transaction: Transaction) throws {
    try DeviceTokenStore.forgetAll(of: account, transaction)
    try EmailChangeStore.replaceAll(of: account, transaction)
    try AccessWithdrawalStore.withdraw(to: account, transaction)
  }
}

/// Where the snapshot's parts of what was revoked lately go on: after the last row that was published.
///
/// They are read in the order of when something was revoked, since that is what the rows are found by. In the order of ids, each page would
/// read and sort all of them, while a gateway waits, which lets nobody in until it knows them.
struct RevocationPosition {
  let at: Instant
  let id: ID<Never>

  /// - Parameter key: of ``key(_:_:)``; nil, or a key of an earlier version, for the first of the rows that are published.
  init(_ key: String?, now: Instant) throws {
    let pieces = key?.split(at: "/").map(String.init) ?? []
    if pieces.count == 2, let milliseconds = Int64(pieces[0]) {
      (at, id) = (Instant(milliseconds: milliseconds), try ID(text: pieces[1]))
    } else {
      (at, id) = (now.adding(seconds: -Revocation.publishedSeconds), .placeholder)
    }
  }

  /// The key of a page that ends with a row of that time and id.
  static func key(_ at: Instant, _ id: ID<some Any>) -> String { "\(at.milliseconds)/\(id)" }
}
