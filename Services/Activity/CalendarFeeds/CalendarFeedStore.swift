import ActivityContract
import Crypto
import Foundation
import GRDB
import IdentityContract
import Operations
import ServiceKit
import Storage

/// The links to feeds, at most one per account, and the data of which a feed is made.
enum CalendarFeedStore {
  static func migration(_ number: Int) -> Migration {
    Migration(number, "calendar feeds") { database in
      try database.execute(
        sql: """
          CREATE TABLE calendar_feeds (
            account_id BLOB NOT NULL PRIMARY KEY CHECK (length(account_id) = 16),
            -- SHA-256 of the link's key, which is random and nowhere kept
            key_hash BLOB NOT NULL UNIQUE CHECK (length(key_hash) = 32),
            created_at INTEGER NOT NULL
          ) STRICT, WITHOUT ROWID;
          """)
    }
  }

  /// Adds the session that created each link; a later migration than the table's.
  static func makersMigration(_ number: Int) -> Migration {
    Migration(number, "makers of calendar feeds") { database in
      // Null for older links: closing a session does not end them.
      try database.execute(sql: "ALTER TABLE calendar_feeds ADD COLUMN session_id BLOB CHECK (length(session_id) = 16)")
    }
  }

  /// Gives the account a new link, which replaces the old one.
  static func create(of account: AccountID, by session: SessionID, _ transaction: Transaction) throws -> CalendarFeedLink {
    var random = SystemRandomNumberGenerator()
    let key = Base64URL.encode((0..<32).map { _ in UInt8.random(in: .min ... .max, using: &random) })
    try transaction.database.run(
      """
      INSERT INTO calendar_feeds (account_id, key_hash, created_at, session_id) VALUES (?1, ?2, ?3, ?4)
      ON CONFLICT (account_id) DO UPDATE SET key_hash = ?2, created_at = ?3, session_id = ?4
      """, .id(account), .bytes(hash(key)), .instant(transaction.now), .id(session))
    return CalendarFeedLink(key: key, createdAt: transaction.now)
  }

  /// When the account's link was created; nil without one.
  static func createdAt(of account: AccountID, in database: Database) throws -> Instant? {
    try database.first("SELECT created_at FROM calendar_feeds WHERE account_id = ?", .id(account)) { $0.instant(0) }
  }

  /// Deletes the account's link.
  static func revoke(of account: AccountID, _ transaction: Transaction) throws {
    try transaction.database.run("DELETE FROM calendar_feeds WHERE account_id = ?", .id(account))
  }

  /// Deletes the account's link if the ended session created it and may have been an intruder's: at any time if the session was closed for
  /// that reason, otherwise only after its end, which the gateway learns a moment later than identity.
  static func end(madeBy session: SessionRevoked, _ transaction: Transaction) throws {
    try transaction.database.run(
      "DELETE FROM calendar_feeds WHERE account_id = ? AND session_id = ? AND created_at >= ?", .id(session.accountID),
      .id(session.sessionID), .instant(session.reason.endsLinks ? Instant(milliseconds: 0) : session.at))
  }

  /// Deletes the account's link if it was created while an intruder may have had access.
  static func end(withdrawn access: AccessWithdrawn, _ transaction: Transaction) throws {
    try transaction.database.run(
      "DELETE FROM calendar_feeds WHERE account_id = ?1 AND created_at <= ?2 AND created_at >= ?3", .id(access.accountID),
      .instant(access.at), .instant(access.since ?? Instant(milliseconds: 0)))
  }

  /// Returns the owner of the feed that the key opens.
  ///
  /// - Throws: `not_found`, whatever is wrong with the key.
  static func account(_ key: String, in database: Database) throws -> Accounts.Known {
    let owner = try database.cachedStatement(sql: "SELECT account_id FROM calendar_feeds WHERE key_hash = ?")
    guard let id = try AccountID.fetchOne(owner, arguments: [Data(hash(key))]), let account = try Accounts.find(id, in: database)
    else { throw Failure(RequestFailure.notFound) }
    return account
  }

  private static func hash(_ key: String) -> [UInt8] { Array(SHA256.hash(data: Array(key.utf8))) }

  /// The events of the account's activities that are not archived, in its order.
  static func events(of account: AccountID, today: LocalDay, in database: Database) throws -> [CalendarEvent] {
    let owned = "WHERE activity_id IN (SELECT activity_id FROM activities WHERE account_id = ? AND archived_day IS NULL)"
    func grouped<Value>(_ sql: String, _ read: (Row) -> Value) throws -> [ActivityID: [Value]] {
      let rows = try Row.fetchAll(database.cachedStatement(sql: sql), arguments: [account])
      return Dictionary(grouping: rows) { $0["activity_id"] as ActivityID }.mapValues { $0.map(read) }
    }
    let versions = try grouped(
      "SELECT activity_id, \(ActivityVersionStore.columns) FROM activity_versions \(owned) ORDER BY activity_id, from_day",
      ActivityVersion.init)
    let pauses = try grouped("SELECT activity_id, first_day, last_day FROM activity_pauses \(owned)") { row in
      (row["first_day"] as LocalDay)...(row["last_day"] as LocalDay)
    }
    let skips = try grouped("SELECT activity_id, day FROM activity_skips \(owned)") { row in
      (row["day"] as LocalDay)...(row["day"] as LocalDay)
    }
    let statement = try database.cachedStatement(
      sql: """
        \(ActivityStore.current) WHERE activities.account_id = ? AND activities.archived_day IS NULL
        ORDER BY activities.position, activities.activity_id
        """)
    return try Row.fetchAll(statement, arguments: [account]).flatMap { row in
      let activity = Activity(row)
      let held = versions[activity.id, default: []]
      let rest = pauses[activity.id, default: []] + skips[activity.id, default: []]
      return held.enumerated().compactMap { index, version in
        CalendarEvent(
          activity, version, until: index + 1 < held.count ? held[index + 1].fromDay : nil, rest: rest, today: today,
          changedAt: row["changed_at"])
      }
    }
  }
}

extension SessionRevoked.Reason {
  /// Whether a session that ended for this reason may have been an intruder's. If all access was withdrawn with it, ``AccessWithdrawn``
  /// covers its link; if the owner kept what the session created, the link stays.
  fileprivate var endsLinks: Bool {
    switch self {
    case .closedByOwner, .refreshTokenReused, .loginUnanswered: true
    case .loggedOut, .passwordRecovered, .emailChangeUndone, .passwordChanged, .suspiciousActivity, .accountDeleted,
      .secretDamaged, .accountSuspended, .replaced:
      false
    }
  }
}
