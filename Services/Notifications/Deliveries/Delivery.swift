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
  /// What it is about, as its own mail asks for it.
  let subject: ID<Linked>
  /// What stands in the inbox; nil where nothing does.
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

/// A way out of the system, beside the inbox. It has a queue of its own, which is filled in the transaction that lets a notification go.
protocol DeliveryRoute: Sendable {
  var channel: NotificationChannel { get }

  /// Whether the account can be reached by it at all; where not, nothing is noted.
  func isOpen(to account: AccountID, in database: Database) throws -> Bool

  /// Takes over what goes to one account at the same time: the rows are `queued`, and the route ends them by
  /// ``DeliveryStore/finish(_:of:_:reason:_:)`` once it is known what became of them. More than one come together, as one.
  func enqueue(_ deliveries: [Delivery], to account: AccountID, _ transaction: Transaction) throws

  /// Lets what was sent say something else, or that it says nothing any more, where its channel allows that.
  func replace(_ sources: SourceRange, of account: AccountID, by what: DeliveryReplacement, _ transaction: Transaction) throws
}

extension DeliveryRoute {
  /// What was mailed stays mailed.
  func replace(_ sources: SourceRange, of account: AccountID, by what: DeliveryReplacement, _ transaction: Transaction) throws {}
}

/// What takes the place of something that was sent.
enum DeliveryReplacement: Hashable, Sendable {
  /// What it says now, and what it will say if it is changed again.
  case present
  /// That it is no longer current, which is the last of it.
  ///
  /// - Parameter answeredOn: the device that shows it no longer, since it was answered there; nil for none.
  case ended(answeredOn: ID<PushSubscription>? = nil)
}

/// The sources of what came of the same.
struct SourceRange: Hashable, Sendable {
  let start: String
  /// Behind the last of them.
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

/// What a notification says, as long as it says it.
struct DeliveryContent: Hashable, Sendable {
  let kind: NotificationKind
  let content: NotificationContent

  /// Title and text in a language, in which what others have chosen makes no link; what the system and its operators say is whole.
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

/// What a delivery keeps that stands in no inbox, until it is over.
struct KeptContent: Document, Hashable {
  var kind: NotificationKind
  var content: NotificationContent

  static let notes: Notes = ["kind": "Of which kind.", "content": "Its values and links."]
}
