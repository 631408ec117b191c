import NotificationsContract
import Operations

/// A kind of notification, declared once: its category, severity, event, recipient and channels.
///
///     static let coinsEarned = NotificationSpec(
///       "coinsEarned", .rewards, on: CoinsEarned.self, about: { $0.transferID }, to: { $0.accountID },
///       inbox: .init(values: [.number("coins") { $0.coins }, .number("balance") { $0.balance }]))
///
/// Inbox, live delivery, mail and documentation follow from it and from its texts: `notification.<name>.title` and `.text` for the inbox,
/// `mail.<name>.…` for a mail (``MailLayout``). A test finds texts that are missing in a language.
struct NotificationSpec: Sendable {
  /// The stem of its words.
  let name: String
  let category: NotificationCategory
  let severity: NotificationSeverity
  /// How it goes out.
  let delivery: DeliverySpec
  /// The channels that can carry it; none where it only changes another event's notification.
  let channels: Set<NotificationChannel>
  /// Whether nothing of what it changes is left to be mailed or pushed, since what it is about was removed.
  let isRemoval: Bool
  /// Nil where no event brings it, but the service itself.
  let event: (any Event.Type)?
  /// Nil where it is not in the inbox.
  let inbox: InboxSpec?
  /// Nil where it does not go by mail.
  let mail: MailSpec?
  /// The draft for an event; nil where the event is not of this kind, or has no recipient.
  let make: @Sendable (any Event) -> NotificationDraft?
  /// The beginning of the sources in an inbox that the event supersedes; nil for most.
  let superseded: @Sendable (any Event) -> NotificationSource?
  /// The names of the values that the system or its operators say, which go by mail and push as they are.
  var ownValues: Set<String> = []

  /// - Parameters:
  ///   - severity: how serious the reported event is.
  ///   - event: the reported event. Several kinds may report the same event.
  ///   - condition: which of those events are of this kind.
  ///   - subject: the id of the subject, which is reported only once.
  ///   - recipient: the recipient's account; nil for none.
  ///   - delivery: how it is delivered, where not like the others of its category. Without a mail of its own it uses the common mail.
  ///   - end: when it is out of date; nil for most.
  init<E: Event, Subject>(
    _ name: String, _ category: NotificationCategory, _ severity: NotificationSeverity = .info, on event: E.Type,
    when condition: @escaping @Sendable (E) -> Bool = { _ in true }, about subject: @escaping @Sendable (E) -> ID<Subject>,
    to recipient: @escaping @Sendable (E) -> AccountID?, inbox: InboxPart<E>? = nil, mail: MailSpec? = nil,
    delivery: DeliverySpec? = nil, until end: @escaping @Sendable (E) -> NewsEnd? = { _ in nil }
  ) {
    self.name = name
    self.category = category
    self.severity = severity
    self.event = event
    self.inbox = inbox.map { InboxSpec(kind: NotificationKind(stringLiteral: name), values: Set($0.values.map(\.name))) }
    let mail = mail?.named(name)
    self.mail = mail
    var channels: Set<NotificationChannel> = mail == nil ? [] : [.email]
    if let inbox, !inbox.isAmending { channels = [.inbox, .email, .push] }
    self.channels = channels
    isRemoval = inbox?.isRemoval ?? false
    // By mail unasked goes what has a mail of its own, or says so.
    self.delivery = (delivery ?? category.delivery.limited(to: mail == nil ? [.inbox, .push] : [.inbox, .email, .push]))
      .limited(to: channels)
    let kind = self.inbox?.kind
    make = { event in
      guard let event = event as? E, condition(event), let account = recipient(event) else { return nil }
      let subject = subject(event)
      return NotificationDraft(
        accountID: account, subject: ID(linking: subject),
        inbox: kind.flatMap { kind in inbox.map { $0.item(kind, event, subject) } },
        mail: mail.map { MailDraft(spec: $0, subject: ID(linking: subject)) }, end: end(event))
    }
    superseded = { event in
      guard let inbox, inbox.isReplacing, let event = event as? E, let account = recipient(event) else { return nil }
      let replaced = inbox.replaced.map { $0(event) } ?? subject(event).description
      return NotificationSource(accountID: account, text: "\(E.spec.originalName)/\(replaced)/")
    }
  }
}

extension NotificationSpec {
  /// The same with values that the system or its operators say.
  func saying(_ names: String...) -> NotificationSpec {
    var spec = self
    spec.ownValues = Set(names)
    return spec
  }

  /// A kind that the service itself makes, and no event.
  ///
  /// - Parameter values: the names of the values in its words.
  init(
    _ name: String, _ category: NotificationCategory, values: Set<String>, mail: MailSpec? = nil, delivery: DeliverySpec? = nil
  ) {
    self.name = name
    self.category = category
    severity = .info
    event = nil
    inbox = InboxSpec(kind: NotificationKind(stringLiteral: name), values: values)
    self.mail = mail?.named(name)
    channels = [.inbox, .email, .push]
    isRemoval = false
    self.delivery = (delivery ?? category.delivery).limited(to: [.inbox, .email, .push])
    make = { _ in nil }
    superseded = { _ in nil }
  }
}

/// What the inbox needs to know of a kind.
struct InboxSpec: Sendable {
  let kind: NotificationKind
  /// The names of the values in its words.
  let values: Set<String>
}

/// What an event makes of itself in an inbox (NOT-4).
struct InboxPart<E: Event>: Sendable {
  fileprivate let values: [NotificationValue<E>]
  fileprivate let isReplacing: Bool
  fileprivate let replaced: (@Sendable (E) -> String)?
  /// Whether it reports the removal of what it changes.
  fileprivate let isRemoval: Bool
  private let total: (@Sendable (E) -> InboxTotal)?
  /// The event whose notification it changes; nil where it adds one of its own.
  private let amended: (any Event.Type)?
  private let source: (@Sendable (E) -> String)?
  private let links: @Sendable (E) -> NotificationLinks
  private let accounts: @Sendable (E) -> [AccountID]

  /// - Parameters:
  ///   - source: identifies what happened where the subject's id does not: the same source never appears twice in an inbox.
  ///   - isReplacing: whether it replaces the notifications about the same subject; `source` then begins with the subject's id, or with the
  ///     result of `replaced`.
  ///   - amended: the event about the same subject whose notification is changed in place, instead of adding one; where there is none,
  ///     nothing is done.
  ///   - isRemoval: for one that changes another: whether nothing of the other's content is left.
  ///   - accounts: the accounts that it names besides the one that it links to.
  ///   - total: the number that is added up over a day, in one notification.
  init(
    source: (@Sendable (E) -> String)? = nil, isReplacing: Bool = false, replacing replaced: (@Sendable (E) -> String)? = nil,
    amending amended: (any Event.Type)? = nil,
    isRemoval: Bool = false, values: [NotificationValue<E>] = [],
    links: @escaping @Sendable (E) -> NotificationLinks = { _ in NotificationLinks() },
    naming accounts: @escaping @Sendable (E) -> [AccountID] = { _ in [] },
    total: (@Sendable (E) -> InboxTotal)? = nil
  ) {
    self.source = source
    self.isReplacing = isReplacing || replaced != nil
    self.replaced = replaced
    self.amended = amended
    self.isRemoval = isRemoval
    self.total = total
    self.values = values
    self.links = links
    self.accounts = accounts
  }

  fileprivate var isAmending: Bool { amended != nil }

  fileprivate func item(_ kind: NotificationKind, _ event: E, _ subject: some CustomStringConvertible) -> InboxItem {
    let links = links(event)
    return InboxItem(
      kind: kind,
      content: NotificationContent(
        parameters: Dictionary(values.map { ($0.name, $0.read(event)) }, uniquingKeysWith: { $1 }), links: links),
      source: "\((amended ?? E.self).spec.originalName)/\(source.map { $0(event) } ?? subject.description)",
      isAmendment: amended != nil, total: total.map { $0(event) },
      accounts: Set(accounts(event) + [links.accountID].compactMap { $0 }))
  }
}

/// A value in the words of a kind.
struct NotificationValue<E: Event>: Sendable {
  let name: String
  let read: @Sendable (E) -> Parameter

  static func text(_ name: String, _ read: @escaping @Sendable (E) -> String) -> NotificationValue {
    NotificationValue(name: name) { .text(read($0)) }
  }

  /// A value for each language, of which a text names the one of its own: `{title:translated}`.
  static func translated(_ name: String, _ read: @escaping @Sendable (E, Language) -> String) -> [NotificationValue] {
    Language.allCases.map { language in
      NotificationValue(name: language == .english ? name : "\(name).\(language.rawValue)") { .text(read($0, language)) }
    }
  }

  static func number(_ name: String, _ read: @escaping @Sendable (E) -> Int) -> NotificationValue {
    NotificationValue(name: name) { .number(read($0)) }
  }
}
