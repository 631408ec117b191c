import GRDB
import IdentityContract
import Operations
import Storage

/// Marks ids of links to public profiles.
enum PublicLinkMark {}

/// The secret of a link to a public profile.
typealias PublicLinkKey = LinkToken<PublicLinkRecord>

/// A link to a public profile as it is kept: without its secret.
struct PublicLinkRecord: EmailLink {
  let id: ID<PublicLinkMark>
  let accountID: AccountID
  let createdAt: Instant

  init(_ row: Row) {
    id = row["link_id"]
    accountID = row["account_id"]
    createdAt = row["created_at"]
  }

  var binding: [UInt8] { Array("public profile".utf8) + [0] + id.bytes + accountID.bytes }

  /// What its owner sees.
  func own(key: SecretKey) -> PublicLink {
    let text = PublicLinkKey.text(self, key: key)
    return PublicLink(key: text, path: "/v1/public-profiles/\(text)", page: "/profile/\(text)", createdAt: createdAt)
  }
}

/// The links to public profiles.
enum PublicLinkStore {
  static func migration(_ number: Int) -> Migration {
    Migration(number, "links to public profiles") { database in
      try database.execute(
        sql: """
          -- An account has one link at most. As with mailed links, its key is derived and not stored.
          CREATE TABLE public_links (
            account_id BLOB NOT NULL PRIMARY KEY REFERENCES accounts (account_id) ON DELETE CASCADE,
            link_id BLOB NOT NULL UNIQUE CHECK (length(link_id) = 16),
            created_at INTEGER NOT NULL
          ) STRICT, WITHOUT ROWID;
          """)
    }
  }

  /// The account's link.
  static func find(of account: AccountID, in database: Database) throws -> PublicLinkRecord? {
    try Row.fetchOne(database.cachedStatement(sql: "SELECT * FROM public_links WHERE account_id = ?"), arguments: [account])
      .map(PublicLinkRecord.init)
  }

  /// Whose public profile that key opens.
  ///
  /// - Throws: `not_found`, whatever is wrong with the key, and while the account is suspended.
  static func findAccount(_ text: String, key: SecretKey, now: Instant, in database: Database) throws -> AccountRecord {
    guard let opened = PublicLinkKey(text),
      let link = try Row.fetchOne(
        database.cachedStatement(sql: "SELECT * FROM public_links WHERE link_id = ?"), arguments: [opened.claimedLink]
      ).map(PublicLinkRecord.init), opened.isOf(link, key: key),
      let account = try AccountStore.find(link.accountID, in: database),
      !account.isSuspended(at: now)
    else { throw Failure(RequestFailure.notFound) }
    return account
  }

  /// Replaces the account's link by a new one.
  static func create(of account: AccountID, _ transaction: Transaction) throws {
    try transaction.database.cachedStatement(
      sql: """
        INSERT INTO public_links (account_id, link_id, created_at) VALUES (?, ?, ?)
        ON CONFLICT (account_id) DO UPDATE SET link_id = excluded.link_id, created_at = excluded.created_at
        """
    ).execute(arguments: [account, ID<PublicLinkMark>(), transaction.now])
  }

  /// Revokes the account's link.
  static func revoke(of account: AccountID, _ transaction: Transaction) throws {
    try transaction.database.cachedStatement(sql: "DELETE FROM public_links WHERE account_id = ?").execute(arguments: [account])
  }
}
