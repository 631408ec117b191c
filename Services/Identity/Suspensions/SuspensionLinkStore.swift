import GRDB
import IdentityContract
import Operations
import ServiceKit
import Storage

/// The secret of a mailed link about a suspension.
typealias SuspensionToken = LinkToken<SuspensionLink>

/// A mailed link about a suspension as it is kept: without its secret.
struct SuspensionLinkRecord: Sendable {
  let id: SuspensionLinkID
  let accountID: AccountID
  let expiresAt: Instant

  init(_ row: Row) {
    id = row["link_id"]
    accountID = row["account_id"]
    expiresAt = row["expires_at"]
  }
}

/// The same with the account that it was mailed to: its secret is bound to the address, so that it is of no use once that has changed.
struct SuspensionLink: EmailLink {
  typealias Mark = SuspensionLinkMark

  let record: SuspensionLinkRecord
  let account: AccountRecord

  var id: SuspensionLinkID { record.id }

  var binding: [UInt8] {
    Array("suspension".utf8) + [0] + record.id.bytes + record.accountID.bytes + Array(account.email.normalized.utf8)
  }
}

/// A link about a suspension, opened.
struct OpenedSuspensionLink: Sendable {
  let account: AccountRecord
  let suspension: SuspensionRecord
}

/// The mailed links by which owners of suspended accounts read why, appeal and delete the account.
enum SuspensionLinkStore {
  /// Those that still work, as events; see `SnapshotParts`.
  static func snapshot(_ database: Database, after key: String?, now: Instant) throws -> SnapshotParts.Page {
    let rows = try Row.fetchAll(
      database.cachedStatement(
        sql: """
          SELECT link_id, account_id FROM suspension_links WHERE expires_at > ? AND link_id > ? ORDER BY link_id LIMIT ?
          """),
      arguments: [now, try SnapshotParts.last(key), SnapshotParts.pageSize])
    let events = rows.map { row in SuspensionLinkRequested(linkID: row["link_id"], accountID: row["account_id"]) }
    return SnapshotParts.page(events, of: events, key: \.linkID)
  }

  /// Requests the mail with a link for the owner of a suspended account, who has logged in or asked for a new password: once a day. Nothing
  /// is written for any other account.
  ///
  /// - Parameter account: nil where there is none. The same lookups are made then, so that the duration reveals nothing.
  static func request(of account: AccountID?, _ transaction: Transaction) throws {
    let (database, now) = (transaction.database, transaction.now)
    guard try SuspensionStore.current(of: account ?? AccountID(), now: now, in: database) != nil, let account else { return }
    let lastSentAt = try Instant.fetchOne(
      database.cachedStatement(sql: "SELECT MAX(created_at) FROM suspension_links WHERE account_id = ?"), arguments: [account])
    guard SuspensionRules.isLinkDue(lastSentAt: lastSentAt, now: now) else { return }
    let id = SuspensionLinkID()
    try database.cachedStatement(
      sql: "INSERT INTO suspension_links (link_id, account_id, created_at, expires_at) VALUES (?, ?, ?, ?)"
    ).execute(arguments: [id, account, now, now.adding(seconds: SuspensionRules.linkLifetimeSeconds)])
    try transaction.publish(SuspensionLinkRequested(linkID: id, accountID: account))
  }

  /// The link of that id, with the account that it was mailed to.
  static func find(_ id: SuspensionLinkID, in database: Database) throws -> SuspensionLink? {
    let statement = try database.cachedStatement(sql: "SELECT * FROM suspension_links WHERE link_id = ?")
    guard let record = try Row.fetchOne(statement, arguments: [id]).map(SuspensionLinkRecord.init),
      let account = try AccountStore.find(record.accountID, in: database)
    else { return nil }
    return SuspensionLink(record: record, account: account)
  }

  /// Removes the account's links, which stop working.
  static func removeAll(of account: AccountID, _ transaction: Transaction) throws {
    try transaction.database.cachedStatement(sql: "DELETE FROM suspension_links WHERE account_id = ?")
      .execute(arguments: [account])
  }

  /// What the link of that token leads to: the suspension that the account is under now.
  static func open(
    _ token: SuspensionToken?, _ keys: IdentityKeys, now: Instant, in database: Database
  ) throws -> LinkOpening<OpenedSuspensionLink> {
    func refused(_ failure: SuspensionLinkFailure, _ account: AccountID?) -> LinkOpening<OpenedSuspensionLink> {
      .refused(LinkRefusal(.suspensionLinkRefused, failure, account))
    }
    guard let token, let link = try find(token.claimedLink, in: database), token.isOf(link, key: keys.suspensions) else {
      return refused(.linkInvalid, nil)
    }
    guard now < link.record.expiresAt else { return refused(.linkExpired, link.account.id) }
    guard let suspension = try SuspensionStore.current(of: link.account.id, now: now, in: database) else {
      return refused(.over, link.account.id)
    }
    return .works(OpenedSuspensionLink(account: link.account, suspension: suspension))
  }
}
