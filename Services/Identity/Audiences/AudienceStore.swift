import GRDB
import IdentityContract
import Operations
import Storage

/// The recipients of broadcasts. The day on which each verified account was last used is kept, and the number of accounts for each language
/// and day, so that counting them takes as long for a million accounts as for a thousand.
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

  /// Keeps the UTC day on which each verified account was last used: it changes once a day at most, and outlives the sessions. An account
  /// without a session since its verification counts as used on the day of that.
  static func dayMigration(_ number: Int) -> Migration {
    Migration(number, "days on which accounts were last used") { database in
      try database.execute(sql: dayTables + dayTriggers)
    }
  }

  private static let dayTables = """
    DROP TRIGGER audience_counts_added;
    DROP TRIGGER audience_counts_removed;
    DROP TRIGGER audience_counts_changed;
    DROP TABLE audience_counts;

    -- The verified accounts, whether suspended or not.
    CREATE TABLE audience_accounts (
      account_id BLOB NOT NULL PRIMARY KEY REFERENCES accounts (account_id) ON DELETE CASCADE,
      language TEXT NOT NULL,
      used_day INTEGER NOT NULL
    ) STRICT, WITHOUT ROWID;
    INSERT INTO audience_accounts (account_id, language, used_day)
      SELECT account_id, language, max(verified_at, coalesce((
        SELECT max(max(s.created_at, s.last_seen_at)) FROM sessions s WHERE s.account_id = a.account_id), 0)) / 86400000
      FROM accounts a WHERE verified_at IS NOT NULL;
    CREATE INDEX audience_accounts_by_day ON audience_accounts (language, used_day, account_id);

    CREATE TABLE audience_counts (
      language TEXT NOT NULL,
      used_day INTEGER NOT NULL,
      count INTEGER NOT NULL CHECK (count >= 0),
      PRIMARY KEY (language, used_day)
    ) STRICT, WITHOUT ROWID;
    INSERT INTO audience_counts (language, used_day, count)
      SELECT language, used_day, count(*) FROM audience_accounts GROUP BY language, used_day;

    """

  private static let dayTriggers = """
    CREATE TRIGGER audience_accounts_added AFTER INSERT ON accounts WHEN NEW.verified_at IS NOT NULL
    BEGIN
      INSERT INTO audience_accounts (account_id, language, used_day)
      VALUES (NEW.account_id, NEW.language, NEW.verified_at / 86400000);
    END;
    CREATE TRIGGER audience_accounts_changed AFTER UPDATE OF verified_at, language ON accounts
    WHEN NEW.verified_at IS NOT NULL AND (OLD.verified_at IS NULL OR OLD.language <> NEW.language)
    BEGIN
      INSERT INTO audience_accounts (account_id, language, used_day)
      VALUES (NEW.account_id, NEW.language, NEW.verified_at / 86400000)
      ON CONFLICT DO UPDATE SET language = excluded.language;
    END;
    CREATE TRIGGER audience_accounts_logged_in AFTER INSERT ON sessions
    BEGIN
      UPDATE audience_accounts SET used_day = max(NEW.created_at, NEW.last_seen_at) / 86400000
      WHERE account_id = NEW.account_id AND used_day < max(NEW.created_at, NEW.last_seen_at) / 86400000;
    END;
    CREATE TRIGGER audience_accounts_seen AFTER UPDATE OF last_seen_at ON sessions
    WHEN NEW.last_seen_at / 86400000 > OLD.last_seen_at / 86400000
    BEGIN
      UPDATE audience_accounts SET used_day = NEW.last_seen_at / 86400000
      WHERE account_id = NEW.account_id AND used_day < NEW.last_seen_at / 86400000;
    END;

    CREATE TRIGGER audience_counts_added AFTER INSERT ON audience_accounts
    BEGIN
      INSERT INTO audience_counts (language, used_day, count) VALUES (NEW.language, NEW.used_day, 1)
      ON CONFLICT DO UPDATE SET count = count + 1;
    END;
    CREATE TRIGGER audience_counts_removed AFTER DELETE ON audience_accounts
    BEGIN UPDATE audience_counts SET count = count - 1 WHERE language = OLD.language AND used_day = OLD.used_day; END;
    CREATE TRIGGER audience_counts_changed AFTER UPDATE OF language, used_day ON audience_accounts
    BEGIN
      UPDATE audience_counts SET count = count - 1 WHERE language = OLD.language AND used_day = OLD.used_day;
      INSERT INTO audience_counts (language, used_day, count) VALUES (NEW.language, NEW.used_day, 1)
      ON CONFLICT DO UPDATE SET count = count + 1;
    END;
    """
}

extension AudienceStore {
  /// The next of an audience behind an account. Idle ones come in the order of their days, which lasts while a broadcast goes to them: only
  /// use changes an account's day, and takes it out of the audience.
  ///
  /// - Parameter day: the account's, if the audience is idle; without it, the order of days begins anew.
  static func list(
    _ audience: Audience, after account: AccountID?, of day: LocalDay?, limit: Int, at now: Instant, in database: Database
  ) throws -> ListAudience.Output {
    guard audience.idleSince != nil else {
      let accounts = try listAll(of: audience.language, after: account ?? .placeholder, limit: limit, at: now, in: database)
      return ListAudience.Output(accountIDs: accounts)
    }
    let start = UsedAccount(day: day ?? .placeholder, id: day == nil ? .placeholder : account ?? .placeholder)
    let languages = audience.language.map { [$0] } ?? Language.allCases
    let found = try languages.flatMap {
      try listIdle(of: $0, before: bound(of: audience), after: start, limit: limit, at: now, in: database)
    }
    let page = found.sorted { ($0.day, $0.id) < ($1.day, $1.id) }.prefix(limit)
    return ListAudience.Output(accountIDs: page.map(\.id), lastDay: page.last?.day)
  }

  /// How many an audience has, for a preview. The suspended are counted one by one, those banned for ever among them: of all accounts they
  /// are few.
  static func count(_ audience: Audience, at now: Instant, in database: Database) throws -> Int {
    let statement = try database.cachedStatement(
      sql: """
        SELECT coalesce(sum(audience_counts.count), 0) - (
          SELECT count(*) FROM accounts a CROSS JOIN audience_accounts i ON i.account_id = a.account_id
          WHERE a.suspended_until > :now AND (:language IS NULL OR i.language = :language) AND i.used_day < :before)
        FROM audience_counts WHERE (:language IS NULL OR language = :language) AND used_day < :before
        """)
    return try Int.fetchOne(
      statement, arguments: ["now": now, "language": audience.language?.rawValue, "before": bound(of: audience)]) ?? 0
  }

  /// An account and the day on which it was last used.
  private struct UsedAccount {
    let day: LocalDay
    let id: AccountID
  }

  /// Those of a language by its index, in which the key follows; all by the key.
  private static func listAll(
    of language: Language?, after account: AccountID, limit: Int, at now: Instant, in database: Database
  ) throws -> [AccountID] {
    let index = language == nil ? "" : "INDEXED BY accounts_by_language"
    let condition = language == nil ? "" : "AND language = :language"
    var arguments: StatementArguments = ["now": now, "after": account, "limit": limit]
    if let language { arguments += ["language": language.rawValue] }
    let statement = try database.cachedStatement(
      sql: """
        SELECT account_id FROM accounts \(index)
        WHERE verified_at IS NOT NULL AND (suspended_until IS NULL OR suspended_until <= :now)
          AND account_id > :after \(condition)
        ORDER BY account_id LIMIT :limit
        """)
    return try AccountID.fetchAll(statement, arguments: arguments)
  }

  private static func listIdle(
    of language: Language, before day: LocalDay, after start: UsedAccount, limit: Int, at now: Instant, in database: Database
  ) throws -> [UsedAccount] {
    let statement = try database.cachedStatement(
      sql: """
        SELECT i.used_day, i.account_id FROM audience_accounts i CROSS JOIN accounts a ON a.account_id = i.account_id
        WHERE i.language = :language AND i.used_day < :before AND (i.used_day, i.account_id) > (:day, :after)
          AND (a.suspended_until IS NULL OR a.suspended_until <= :now)
        ORDER BY i.used_day, i.account_id LIMIT :limit
        """)
    return try Row.fetchAll(
      statement,
      arguments: [
        "language": language.rawValue, "before": day, "day": start.day, "after": start.id, "now": now, "limit": limit,
      ]
    ).map { UsedAccount(day: $0["used_day"], id: $0["account_id"]) }
  }

  /// The day before which the accounts of an audience were last used: after all days where they need not be idle.
  private static func bound(of audience: Audience) -> LocalDay {
    LocalDay(daysSinceEpoch: audience.idleSince.map { Int32($0.milliseconds.floorDivided(by: 86_400_000)) } ?? .max)
  }
}
