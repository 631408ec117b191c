import GRDB
import IdentityContract
import Operations
import Storage

/// The recipients of broadcasts. The number of verified accounts is kept for each language, so that counting them takes as long for a
/// million accounts as for a thousand.
enum AudienceStore {
  static func migration(_ number: Int) -> Migration {
    Migration(number, "counts of audiences") { database in
      try database.execute(
        sql: """
          CREATE TABLE audience_counts (
            language TEXT NOT NULL PRIMARY KEY,
            -- verified accounts, whether suspended or not
            count INTEGER NOT NULL CHECK (count >= 0)
          ) STRICT, WITHOUT ROWID;
          INSERT INTO audience_counts
            SELECT language, count(*) FROM accounts WHERE verified_at IS NOT NULL GROUP BY language;

          CREATE TRIGGER audience_counts_added AFTER INSERT ON accounts WHEN NEW.verified_at IS NOT NULL
          BEGIN
            INSERT INTO audience_counts (language, count) VALUES (NEW.language, 1)
            ON CONFLICT DO UPDATE SET count = count + 1;
          END;
          CREATE TRIGGER audience_counts_removed AFTER DELETE ON accounts WHEN OLD.verified_at IS NOT NULL
          BEGIN UPDATE audience_counts SET count = count - 1 WHERE language = OLD.language; END;
          CREATE TRIGGER audience_counts_changed AFTER UPDATE OF verified_at, language ON accounts
          WHEN OLD.language <> NEW.language OR (OLD.verified_at IS NULL) <> (NEW.verified_at IS NULL)
          BEGIN
            UPDATE audience_counts SET count = count - 1 WHERE language = OLD.language AND OLD.verified_at IS NOT NULL;
            INSERT INTO audience_counts (language, count) SELECT NEW.language, 1 WHERE NEW.verified_at IS NOT NULL
            ON CONFLICT DO UPDATE SET count = count + 1;
          END;

          CREATE INDEX accounts_suspended ON accounts (suspended_until) WHERE suspended_until IS NOT NULL;
          """)
    }
  }

  /// Finds the accounts of a language, which may be that of few; the key of the table follows.
  static func languageMigration(_ number: Int) -> Migration {
    Migration(number, "verified accounts by their language") { database in
      try database.execute(sql: "CREATE INDEX accounts_by_language ON accounts (language) WHERE verified_at IS NOT NULL")
    }
  }

  /// The next of an audience behind an account, in the order of their ids.
  static func list(
    _ audience: Audience, after account: AccountID?, limit: Int, at now: Instant, in database: Database
  ) throws -> [AccountID] {
    let statement = try database.cachedStatement(
      sql: "SELECT a.account_id FROM \(accounts(of: audience)) AND a.account_id > :after ORDER BY a.account_id LIMIT :limit")
    var arguments = arguments(of: audience, at: now)
    arguments += ["since": audience.idleSince, "after": account ?? .placeholder, "limit": limit]
    return try AccountID.fetchAll(statement, arguments: arguments)
  }

  /// How many an audience has. The idle are counted one by one: whether one is changes with each use of a session.
  static func count(_ audience: Audience, at now: Instant, in database: Database) throws -> Int {
    var arguments = arguments(of: audience, at: now)
    let sql: String
    if let since = audience.idleSince {
      arguments += ["since": since]
      sql = "SELECT count(*) FROM \(accounts(of: audience))"
    } else {
      sql = """
        SELECT coalesce(sum(audience_counts.count), 0) - (
          SELECT count(*) FROM accounts
          WHERE suspended_until > :now AND verified_at IS NOT NULL AND (:language IS NULL OR language = :language))
        FROM audience_counts WHERE :language IS NULL OR language = :language
        """
    }
    return try Int.fetchOne(database.cachedStatement(sql: sql), arguments: arguments) ?? 0
  }

  /// SQLite would not take the index by itself, since the language is an optional condition.
  private static func accounts(of audience: Audience) -> String {
    audience.language == nil
      ? "accounts a WHERE \(condition)"
      : "accounts a INDEXED BY accounts_by_language WHERE \(condition) AND a.language = :language"
  }

  private static let condition = """
    a.verified_at IS NOT NULL AND (a.suspended_until IS NULL OR a.suspended_until <= :now)
    AND (:language IS NULL OR a.language = :language)
    AND (:since IS NULL OR NOT EXISTS (
      SELECT 1 FROM sessions s WHERE s.account_id = a.account_id AND max(s.created_at, s.last_seen_at) >= :since))
    """

  private static func arguments(of audience: Audience, at now: Instant) -> StatementArguments {
    ["now": now, "language": audience.language?.rawValue]
  }
}
