import GRDB
import IdentityContract
import Operations
import Storage

/// An account as identity keeps it.
struct AccountRecord: Sendable {
  let id: AccountID
  let email: EmailAddress
  let username: Username
  let passwordHash: PasswordHash
  /// False for one that was made by an external login, until a password is set.
  let hasPassword: Bool
  let name: PersonName?
  let age: Int?
  let nickname: Nickname?
  let timeZone: TimeZoneName
  let dayStartHour: Int
  let language: Language
  let mutesHelp: Bool
  let consents: [ConsentPurpose]
  let directoryVisibility: DirectoryVisibility
  let isAdministrator: Bool
  let createdAt: Instant
  let verifiedAt: Instant?
  let revision: Int
  let photoTag: String?

  init(_ row: Row) throws {
    id = row["account_id"]
    email = row["email"]
    username = row["username"]
    passwordHash = PasswordHash(text: row["password_hash"])
    hasPassword = row["has_password"]
    name = row["name"]
    age = row["age"]
    nickname = row["nickname"]
    timeZone = row["time_zone"]
    dayStartHour = row["day_start_hour"]
    language = row["language"]
    mutesHelp = row["mutes_help"]
    consents = try ConsentPurpose.list(row["consents"])
    directoryVisibility = row["directory_visibility"]
    isAdministrator = row["is_administrator"]
    createdAt = row["created_at"]
    verifiedAt = row["verified_at"]
    revision = row["revision"]
    photoTag = row["photo_tag"]
  }

  /// What its owner sees.
  var own: OwnAccount {
    OwnAccount(
      id: id, email: email, username: username, name: name, age: age, nickname: nickname, timeZone: timeZone,
      dayStartHour: dayStartHour, language: language, isVerified: verifiedAt != nil, isAdministrator: isAdministrator,
      createdAt: createdAt, photoTag: photoTag)
  }

  /// What other services know.
  var changed: AccountChanged {
    AccountChanged(
      accountID: id, username: username, nickname: nickname, timeZone: timeZone, dayStartHour: dayStartHour, language: language,
      isVerified: verifiedAt != nil, consents: consents, mutesHelp: mutesHelp, revision: revision)
  }
}

extension Database {
  /// The account of that id.
  func account(_ id: AccountID) throws -> AccountRecord? {
    try Row.fetchOne(cachedStatement(sql: "SELECT * FROM accounts WHERE account_id = ?"), arguments: [id]).map(AccountRecord.init)
  }

  /// The account of that username.
  func account(_ username: Username) throws -> AccountRecord? {
    try Row.fetchOne(cachedStatement(sql: "SELECT * FROM accounts WHERE username = ?"), arguments: [username])
      .map(AccountRecord.init)
  }

  /// The account of that e-mail address.
  func account(_ email: EmailAddress) throws -> AccountRecord? {
    try Row.fetchOne(cachedStatement(sql: "SELECT * FROM accounts WHERE email_normalized = ?"), arguments: [email.normalized])
      .map(AccountRecord.init)
  }
}

extension Transaction {
  /// Adds an account and tells of it.
  func insertAccount(_ form: RegistrationForm, _ hash: PasswordHash) throws -> AccountRecord {
    let id = AccountID()
    try database.cachedStatement(
      sql: """
        INSERT INTO accounts (account_id, email, email_normalized, username, password_hash, name, age, nickname, time_zone, language,
          created_at)
        VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
        """
    ).execute(arguments: [
      id, form.email, form.email.normalized, form.username, hash.text, form.name, form.age, form.nickname, form.timeZone,
      form.language, now,
    ])
    try changeConsents(of: id, from: [], by: form.consents)
    return try publishAccount(id)
  }

  /// Notes that the e-mail address is verified, if it was not, and tells of it.
  func verifyAccount(_ id: AccountID) throws {
    try database.cachedStatement(
      sql: "UPDATE accounts SET verified_at = ?, revision = revision + 1 WHERE account_id = ? AND verified_at IS NULL"
    ).execute(arguments: [now, id])
    guard database.changesCount > 0 else { return }
    _ = try publishAccount(id)
    try publish(AccountVerified(accountID: id, at: now))
  }

  /// Keeps the same password's hash at today's cost.
  func renewPasswordHash(_ id: AccountID, _ hash: PasswordHash) throws {
    try database.cachedStatement(sql: "UPDATE accounts SET password_hash = ? WHERE account_id = ?").execute(arguments: [
      hash.text, id,
    ])
  }

  /// Tells the account as it is now, and lets the directory follow.
  func publishAccount(_ id: AccountID) throws -> AccountRecord {
    guard let account = try database.account(id) else { throw Failure(RequestFailure.notFound) }
    try publish(account.changed)
    try keepInDirectory(account)
    return account
  }
}
