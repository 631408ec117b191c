public import GRDB
public import IdentityContract
public import Operations
import Storage

/// The read model of accounts that every service except identity keeps: what it needs to know of others' accounts without asking.
///
/// It is updated by ``AccountChanged`` and protected by the event's revision, so that late or repeated events never set it back. An account
/// whose event has not arrived yet is fetched from identity; see ``resolve(_:_:)``.
public enum Accounts {
  /// An account as other services know it.
  public struct Known: Sendable, Hashable {
    public let id: AccountID
    public let username: Username
    public let nickname: Nickname?
    public let timeZone: TimeZoneName
    public let dayStartHour: Int
    public let language: Language
    public let isVerified: Bool
    /// Nil without a photo.
    public let photoURL: PhotoURL?
    /// Whether others see how far the account has read their messages.
    public let givesReadReceipts: Bool
    /// Who may enrol the account in a task.
    public let taskEnrollment: TaskEnrollment
    /// Nil unless the account was suspended; ``Instant/endOfTime`` for a banned account.
    public let suspendedUntil: Instant?

    /// Whether the account is suspended at that time.
    public func isSuspended(at now: Instant) -> Bool { suspendedUntil.map { now < $0 } ?? false }

    fileprivate static let columns = """
      account_id, username, nickname, time_zone, day_start_hour, language, is_verified, photo_tag, gives_read_receipts, task_enrollment,
      suspended_until
      """

    /// The row's ``columns``.
    fileprivate init(_ row: Columns) throws {
      let id: AccountID = try row.id(0)
      self.id = id
      username = try Username(text: row.text(1))
      nickname = row.isNull(2) ? nil : try Nickname(text: row.text(2))
      timeZone = try TimeZoneName(text: row.text(3))
      dayStartHour = row.number(4)
      language = try row.choice(5)
      isVerified = row.truth(6)
      photoURL = row.isNull(7) ? nil : PhotoURL(account: id, tag: row.text(7))
      givesReadReceipts = row.truth(8)
      taskEnrollment = TaskEnrollment(rawValue: row.text(9)) ?? .nobody
      suspendedUntil = row.isNull(10) ? nil : row.instant(10)
    }
  }

  /// The account, if its event has arrived.
  public static func find(_ account: AccountID, in database: Database) throws -> Known? {
    try database.first("SELECT \(Known.columns) FROM accounts WHERE account_id = ?", .id(account), read: Known.init)
  }

  /// The account's day rule, if its event has arrived.
  public static func dayRule(
    of account: AccountID, in database: Database
  ) throws -> DayRule? {
    try database.first("SELECT time_zone, day_start_hour FROM accounts WHERE account_id = ?", .id(account)) {
      DayRule(timeZone: $0.text(0), dayStartHour: $0.number(1))
    }
  }

  /// The account with that username, if its event has arrived. If a change of names leaves two rows for a moment, the newest.
  public static func find(_ username: Username, in database: Database) throws -> Known? {
    try database.first(
      "SELECT \(Known.columns) FROM accounts WHERE username = ? ORDER BY account_id DESC LIMIT 1", .text(username.description),
      read: Known.init)
  }

  /// The account, fetched from identity if its event has not arrived yet; nil if identity does not know it.
  public static func resolve(_ account: AccountID, _ call: some Call) async throws -> Known? {
    if let known = try await call.read({ try find(account, in: $0) }) { return known }
    return try await fetch(LookUpAccount.Input(accountID: account), call)
  }

  /// The account that others find by that username, fetched from identity if its event has not arrived yet; nil if identity does not know
  /// it, and while it is suspended.
  public static func resolve(_ username: Username, _ call: some Call) async throws -> Known? {
    var found = try await call.read { try find(username, in: $0) }
    if found == nil { found = try await fetch(LookUpAccount.Input(username: username), call) }
    return found.flatMap { $0.isSuspended(at: call.now) ? nil : $0 }
  }

  /// The SQL condition that an account may be shown to others who do not know it already: that it is not suspended.
  ///
  /// - Parameters:
  ///   - table: the name of `accounts` in the query.
  ///   - now: the parameter that holds the time, with its colon.
  public static func isShown(_ table: String, at now: String) -> String {
    "(\(table).suspended_until IS NULL OR \(table).suspended_until <= \(now))"
  }

  static func fetch(_ input: LookUpAccount.Input, _ call: some Call) async throws -> Known? {
    let found: AccountChanged
    do {
      found = try await call.request(LookUpAccount.self, input)
    } catch let failure as Failure where failure.status == 404 {
      return nil
    }
    return try await call.write { transaction in
      try keep(found, transaction, call.base.context.accountWatch)
      return try find(found.accountID, in: transaction.database)
    }
  }

  /// The properties of an account whose changes services act on.
  private struct Standing {
    var dayRule: DayRule
    var suspendedUntil: Instant?
    var consents: Set<ConsentPurpose>
  }

  private static func standing(of account: AccountID, in database: Database) throws -> Standing? {
    try database.first(
      "SELECT time_zone, day_start_hour, suspended_until, consents FROM accounts WHERE account_id = ?", .id(account)
    ) {
      Standing(
        dayRule: DayRule(timeZone: $0.text(0), dayStartHour: $0.number(1)), suspendedUntil: $0.isNull(2) ? nil : $0.instant(2),
        consents: consents(in: $0.text(3)))
    }
  }

  /// Stores an account's state. A late event of an erased account has no effect.
  static func keep(_ account: AccountChanged, _ transaction: Transaction, _ watch: Watch) throws {
    let database = transaction.database
    guard try !database.isErased(account.accountID) else { return }
    let before = try standing(of: account.accountID, in: database)
    try database.run(
      """
      INSERT INTO accounts (account_id, username, nickname, time_zone, day_start_hour, language, is_verified, consents,
        mutes_help, photo_tag, gives_read_receipts, task_enrollment, suspended_until, revision)
      VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
      ON CONFLICT (account_id) DO UPDATE SET
        username = excluded.username, nickname = excluded.nickname, time_zone = excluded.time_zone,
        day_start_hour = excluded.day_start_hour, language = excluded.language, is_verified = excluded.is_verified,
        consents = excluded.consents, mutes_help = excluded.mutes_help, photo_tag = excluded.photo_tag,
        gives_read_receipts = excluded.gives_read_receipts, task_enrollment = excluded.task_enrollment,
        suspended_until = excluded.suspended_until,
        revision = excluded.revision
      WHERE excluded.revision > accounts.revision
      """, .id(account.accountID), .text(account.username.description), .text(account.nickname?.description),
      .text(account.timeZone.description), .number(account.dayStartHour), .text(account.language.rawValue),
      .truth(account.isVerified), .text(text(of: account.consents ?? [])), .truth(account.mutesHelp ?? false),
      .text(account.photoTag), .truth(account.givesReadReceipts ?? true),
      .text((account.taskEnrollment ?? .everyone).rawValue), account.suspendedUntil.map(Bound.instant) ?? .null,
      .number(account.revision))
    // A late event changes nothing.
    if database.changesCount > 0 {
      let after = Standing(
        dayRule: DayRule(timeZone: account.timeZone.description, dayStartHour: account.dayStartHour),
        suspendedUntil: account.suspendedUntil, consents: Set(account.consents ?? []))
      try follow(from: before, to: after, of: account.accountID, transaction, watch)
    }
    for feature in watch.features { try feature.accountChanged(account.accountID, transaction) }
  }

  /// Applies the consequences of a change.
  ///
  /// - Parameter before: nil for an account that was not known before.
  private static func follow(
    from before: Standing?, to after: Standing, of account: AccountID, _ transaction: Transaction, _ watch: Watch
  ) throws {
    if let known = watch.known, after.suspendedUntil != before?.suspendedUntil {
      let until = after.suspendedUntil
      transaction.afterCommit { known.note(account, suspendedUntil: until) }
    }
    guard let before else { return }
    if before.dayRule != after.dayRule {
      let move = AccountMove(account: account, from: before.dayRule, to: after.dayRule)
      for feature in watch.features { try feature.accountMoved(move, transaction) }
    }
    let withdrawn = before.consents.subtracting(after.consents)
    guard !withdrawn.isEmpty else { return }
    for feature in watch.features { try feature.consentsWithdrawn(withdrawn, by: account, transaction) }
  }
}

extension Accounts {
  /// The features and caches of a service that follow the changes of accounts.
  struct Watch: Sendable {
    /// In the order of the service's list.
    var features: [any Feature] = []
    /// The known accounts, against which calls are checked.
    var known: KnownAccounts?
  }
}

/// What an account's days depend on.
public struct DayRule: Sendable, Hashable {
  /// An IANA time zone.
  public let timeZone: String
  /// 0 to 6.
  public let dayStartHour: Int
}

/// An account's change of its time zone, or of the hour at which its day starts.
public struct AccountMove: Sendable {
  public let account: AccountID
  public let from: DayRule
  public let to: DayRule
}
