import GRDB
import NotificationsContract
import Operations
import Storage

/// A notification on its way by one channel, as the queue of that channel gets it.
struct Delivery: Hashable, Sendable {
  let id: ID<NotificationDelivery>
  let account: AccountID
  let channel: NotificationChannel
  /// The name of its ``NotificationSpec``.
  let kind: String
  /// What happened: the same for every channel.
  let source: String
  /// The id of its subject, which its own mail needs.
  let subject: ID<Linked>
  /// The notification in the inbox; nil where there is none.
  let notification: ID<NotificationsContract.Notification>?
  /// When that happened which it reports.
  let createdAt: Instant
  /// From when on it is of no use, and neither mailed nor pushed; nil for most.
  var endsAt: Instant?
  /// Why it waited; nil where it did not.
  var hold: HoldReason?

  /// Whether it is worth sending, as far as its time says.
  func isOfUse(at now: Instant) -> Bool { endsAt.map { now < $0 } ?? true }
}

/// A channel besides the inbox. It has its own queue, which is filled in the transaction that releases a notification.
protocol DeliveryRoute: Sendable {
  var channel: NotificationChannel { get }

  /// Whether the channel can reach the account; if not, no delivery is noted.
  func isOpen(to account: AccountID, in database: Database) throws -> Bool

  /// Takes over the deliveries to one account at the same time. Their rows are `queued`, and the route ends them by
  /// ``DeliveryStore/finish(_:of:_:reason:_:)`` once their outcome is known. Several deliveries are sent as one.
  func enqueue(_ deliveries: [Delivery], to account: AccountID, _ transaction: Transaction) throws

  /// Replaces or withdraws what was sent, where the channel allows that.
  func replace(_ sources: SourceRange, of account: AccountID, by what: DeliveryReplacement, _ transaction: Transaction) throws
}

extension DeliveryRoute {
  /// What was mailed stays mailed.
  func replace(_ sources: SourceRange, of account: AccountID, by what: DeliveryReplacement, _ transaction: Transaction) throws {}
}

/// What takes the place of something that was sent.
enum DeliveryReplacement: Hashable, Sendable {
  /// The current content, and any later change of it.
  case present
  /// A final statement that it is no longer current.
  ///
  /// - Parameter answeredOn: the device that no longer shows it, since it was answered there; nil for none.
  case ended(answeredOn: ID<PushSubscription>? = nil)
}

/// The sources of what came of the same.
struct SourceRange: Hashable, Sendable {
  let start: String
  /// The end of the range, exclusive.
  let end: String

  init(start: String, end: String) { (self.start, self.end) = (start, end) }

  /// That one alone.
  init(only source: String) {
    // The first character that a source has none of; a zero would end the text where it is bound to a statement.
    (start, end) = (source, "\(source)\u{1}")
  }

  /// Those that begin so, or are the same without the slash.
  ///
  /// - Parameter beginning: ends with a slash.
  init(from beginning: String) {
    start = String(beginning.dropLast())
    // What begins with a slash's beginning lies before the character that follows the slash.
    end = "\(start)0"
  }

  func contains(_ source: String) -> Bool { start <= source && source < end }
}

/// The current content of a notification.
struct DeliveryContent: Hashable, Sendable {
  let kind: NotificationKind
  let content: NotificationContent

  /// Title and text in a language. Text chosen by other accounts cannot form a link; text of the system and its operators is unchanged.
  func words(_ language: Language) -> (title: String, text: String) {
    let own = NotificationSpec.named(kind.rawValue)?.ownValues ?? []
    var parameters = content.parameters
    for (name, value) in content.parameters {
      // `summary.es` is a value of `summary`.
      guard case .text(let text) = value, !own.contains(String(name.prefix { $0 != "." })) else { continue }
      parameters[name] = .text(LinkFree.text(text))
    }
    return (NotificationText.title(kind, language, parameters), NotificationText.text(kind, language, parameters))
  }
}

/// The content that a delivery without a notification in the inbox keeps until it ends.
struct KeptContent: Document, Hashable {
  var kind: NotificationKind
  var content: NotificationContent

  static let notes: Notes = ["kind": "Of which kind.", "content": "Its values and links."]
}
