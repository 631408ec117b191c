public import GRDB
public import NotificationsContract
import Operations
import ServiceKit
import Storage

extension NotificationChannel: DatabaseValueConvertible {}

/// The choices of accounts: one row for each choice, none for defaults.
enum PreferenceStore {
  static func migration(_ number: Int) -> Migration {
    Migration(number, "preferences") { database in
      try database.execute(
        sql: """
          CREATE TABLE notification_choices (
            account_id BLOB NOT NULL CHECK (length(account_id) = 16),
            -- 'category.' or 'kind.', and its name.
            topic TEXT NOT NULL,
            channel TEXT NOT NULL CHECK (channel IN ('inbox', 'email', 'push')),
            is_on INTEGER NOT NULL CHECK (is_on IN (0, 1)),
            PRIMARY KEY (account_id, topic, channel)
          ) STRICT, WITHOUT ROWID;
          -- Accounts whose muting of help was copied from identity, or that have chosen it here: since then it is kept here.
          CREATE TABLE notification_help_choosers (
            account_id BLOB NOT NULL PRIMARY KEY CHECK (length(account_id) = 16)
          ) STRICT, WITHOUT ROWID;
          """)
      // Those who mute help by what identity published before it was chosen here.
      let muting = try AccountID.fetchAll(database, sql: "SELECT account_id FROM accounts WHERE mutes_help")
      for account in muting { try takeOverHelp(of: account, in: database) }
    }
  }

  /// Takes over, once, that an account muted help at identity: later choices here stay, whatever identity publishes.
  static func takeOverHelp(of account: AccountID, in database: Database) throws {
    let statement = try database.cachedStatement(
      sql: "INSERT INTO notification_help_choosers (account_id) VALUES (?) ON CONFLICT DO NOTHING")
    try statement.execute(arguments: [account])
    guard database.changesCount > 0 else { return }
    for (key, isOn) in PreferenceChoices.helpMuted.isOn { try put(key, isOn, of: account, in: database) }
  }

  /// What an account has chosen.
  static func choices(of account: AccountID, in database: Database) throws -> PreferenceChoices {
    let statement = try database.cachedStatement(
      sql: "SELECT topic, channel, is_on FROM notification_choices WHERE account_id = ?")
    var choices = PreferenceChoices()
    let rows = try Row.fetchCursor(statement, arguments: [account])
    while let row = try rows.next() {
      guard let topic = PreferenceChoices.Topic(stored: row["topic"]) else { continue }
      choices.isOn[.init(topic, row["channel"])] = row["is_on"]
    }
    return choices
  }

  /// Notes a choice, or that there is none any more.
  static func choose(
    _ key: PreferenceChoices.Key, _ isOn: Bool?, of account: AccountID, _ transaction: Transaction
  ) throws {
    let database = transaction.database
    if key.topic.isOfHelp {
      try database.cachedStatement(sql: "INSERT INTO notification_help_choosers (account_id) VALUES (?) ON CONFLICT DO NOTHING")
        .execute(arguments: [account])
    }
    // A row under the kind's former name would go on counting besides.
    for topic in key.topic.allStored where isOn == nil || topic != key.topic.stored {
      try database.cachedStatement(sql: "DELETE FROM notification_choices WHERE account_id = ? AND topic = ? AND channel = ?")
        .execute(arguments: [account, topic, key.channel])
    }
    if let isOn { try put(key, isOn, of: account, in: database) }
  }

  private static func put(
    _ key: PreferenceChoices.Key, _ isOn: Bool, of account: AccountID, in database: Database
  ) throws {
    try database.cachedStatement(
      sql: """
        INSERT INTO notification_choices (account_id, topic, channel, is_on) VALUES (?, ?, ?, ?)
        ON CONFLICT (account_id, topic, channel) DO UPDATE SET is_on = excluded.is_on
        """
    ).execute(arguments: [account, key.topic.stored, key.channel, isOn])
  }
}

extension PreferenceChoices.Topic {
  /// As the table has it.
  fileprivate var stored: String {
    switch self {
    case .category(let category): "category.\(category.rawValue)"
    case .kind(let kind): "kind.\(kind)"
    }
  }

  /// As the table may have it: under a former name of the kind, too.
  fileprivate var allStored: [String] {
    switch self {
    case .category: [stored]
    case .kind(let kind): NotificationKind.storedNames(of: kind).map { "kind.\($0)" }
    }
  }

  /// Nil for a category that is no more.
  fileprivate init?(stored: String) {
    let parts = stored.split(at: ".", maxSplits: 1)
    guard parts.count == 2 else { return nil }
    if parts[0] == "kind" {
      self = .kind(NotificationKind.presentName(of: String(parts[1])))
    } else if let category = NotificationCategory(rawValue: String(parts[1])) {
      self = .category(category)
    } else {
      return nil
    }
  }

  /// Whether it is about help, which accounts once muted at identity.
  fileprivate var isOfHelp: Bool {
    switch self {
    case .category(let category): category == .help
    case .kind(let name): NotificationSpec.named(name)?.category == .help
    }
  }
}
