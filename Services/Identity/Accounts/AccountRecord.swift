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
  let nameVisibility: ProfileVisibility
  let ageVisibility: ProfileVisibility
  let givesReadReceipts: Bool
  let taskEnrollment: TaskEnrollment
  let isAdministrator: Bool
  let createdAt: Instant
  let verifiedAt: Instant?
  let revision: Int
  let photoTag: String?
  /// Nil unless it was ever suspended; see ``AccountRecord/isSuspended(at:)``.
  let suspendedUntil: Instant?

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
    nameVisibility = row["name_visibility"]
    ageVisibility = row["age_visibility"]
    givesReadReceipts = row["gives_read_receipts"]
    taskEnrollment = row["task_enrollment"]
    isAdministrator = row["is_administrator"]
    createdAt = row["created_at"]
    verifiedAt = row["verified_at"]
    revision = row["revision"]
    photoTag = row["photo_tag"]
    suspendedUntil = row["suspended_until"]
  }

  /// Where its photo is read; nil without one.
  var photoURL: PhotoURL? { photoTag.map { PhotoURL(account: id, tag: $0) } }

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
      isVerified: verifiedAt != nil, consents: consents, mutesHelp: mutesHelp, photoTag: photoTag,
      givesReadReceipts: givesReadReceipts, taskEnrollment: taskEnrollment, suspendedUntil: suspendedUntil, revision: revision)
  }
}
