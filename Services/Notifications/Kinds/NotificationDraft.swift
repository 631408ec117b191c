import NotificationsContract
import Operations

/// What an event makes of itself by one kind.
struct NotificationDraft: Hashable, Sendable {
  /// Whom it is for.
  let accountID: AccountID
  /// What it is about.
  let subject: ID<Linked>
  let inbox: InboxItem?
  let mail: MailDraft?
  /// When it is of no use any more; nil for most.
  var end: NewsEnd?
}

/// The time from which a notification is out of date: it is then neither mailed nor pushed, and no longer held.
enum NewsEnd: Hashable, Sendable {
  /// That day of the account, where they are of a day.
  case day(LocalDay)
  case instant(Instant)
}

/// What comes into an inbox: of which kind, with which values and links (NOT-4).
struct InboxItem: Hashable, Sendable {
  let kind: NotificationKind
  var content: NotificationContent
  /// Identifies what happened, so that it never appears twice in an inbox: the event's name, then its subject.
  let source: String
  /// Whether it changes the notification of that source in place of adding one.
  var isAmendment = false
  /// What is added up in one notification for each day; nil for most.
  var total: InboxTotal?
  /// Every account that it names: the notification is deleted when one of them is erased.
  let accounts: Set<AccountID>
}

/// A number that is added up over a day of the account, so that an inbox has one notification for it, under the newest number.
struct InboxTotal: Hashable, Sendable {
  /// The value's name.
  let parameter: String
  let at: Instant
}

/// A mail to be written.
struct MailDraft: Hashable, Sendable {
  let spec: MailSpec
  let subject: ID<Linked>
}

/// Where notifications in an inbox come from.
struct NotificationSource: Hashable, Sendable {
  let accountID: AccountID
  let text: String
}

/// The stored meaning of a notification; its texts are chosen for each reader.
struct NotificationContent: Document, Hashable {
  var parameters: [String: Parameter]
  var links: NotificationLinks

  static let notes: Notes = ["parameters": "The values in title and text.", "links": "What it leads to."]
}

extension ID where Entity == Linked {
  /// The id of a thing of another service.
  init<Other>(linking other: ID<Other>) {
    guard let id = Self(bytes: other.bytes) else { preconditionFailure("ids have 16 bytes") }
    self = id
  }
}

/// The beginning of a long text, on one line.
enum Excerpt {
  static let maxCharacters = 140
  /// A character can weigh any number of bytes; this bounds what a notification carries.
  static let maxBytes = 1120

  static func of(_ text: String) -> String {
    let line = text.split(whereSeparator: \.isWhitespace).joined(separator: " ")
    guard line.count > maxCharacters || line.utf8.count > maxBytes else { return line }
    var excerpt = ""
    for character in line.prefix(maxCharacters - 1) {
      guard excerpt.utf8.count + character.utf8.count <= maxBytes - 3 else { break }
      excerpt.append(character)
    }
    return excerpt + "…"
  }
}
