import GRDB
import IdentityContract
import Operations
import Storage

/// Marks ids of links to public profiles.
enum PublicLinkMark {}

/// The secret of a link to a public profile.
typealias PublicLinkKey = LinkToken<PublicLinkRecord>

/// A link to a public profile as it is kept: without its secret.
struct PublicLinkRecord: MailedLink {
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
    return PublicLink(key: text, path: "/v1/public-profiles/\(text)", createdAt: createdAt)
  }
}

extension Database {
  /// The account's link.
  func publicLink(of account: AccountID) throws -> PublicLinkRecord? {
    try Row.fetchOne(cachedStatement(sql: "SELECT * FROM public_links WHERE account_id = ?"), arguments: [account])
      .map(PublicLinkRecord.init)
  }

  /// Whose public profile that key opens.
  ///
  /// - Throws: `not_found`, whatever is wrong with the key.
  func publicAccount(_ text: String, key: SecretKey) throws -> AccountRecord {
    guard let opened = PublicLinkKey(text),
      let link = try Row.fetchOne(
        cachedStatement(sql: "SELECT * FROM public_links WHERE link_id = ?"), arguments: [opened.claimedLink]
      ).map(PublicLinkRecord.init), opened.isOf(link, key: key), let account = try account(link.accountID)
    else { throw Failure(RequestFailure.notFound) }
    return account
  }
}

extension Transaction {
  /// Gives the account a new link in place of the one it had.
  func createPublicLink(of account: AccountID) throws {
    try database.cachedStatement(
      sql: """
        INSERT INTO public_links (account_id, link_id, created_at) VALUES (?, ?, ?)
        ON CONFLICT (account_id) DO UPDATE SET link_id = excluded.link_id, created_at = excluded.created_at
        """
    ).execute(arguments: [account, ID<PublicLinkMark>(), now])
  }

  /// Lets the account's link open nothing any more.
  func revokePublicLink(of account: AccountID) throws {
    try database.cachedStatement(sql: "DELETE FROM public_links WHERE account_id = ?").execute(arguments: [account])
  }
}
