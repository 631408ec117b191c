import GRDB
import IdentityContract
import NotificationsContract
import Operations
import ServiceKit
import Storage

/// Delivers a notification by the channels that its kind, its reader's choices and the hour allow, in the transaction that creates it: into
/// the inbox, into the queues of the other channels, or nowhere, and always into the log.
struct DeliveryDispatch: Sendable {
  let quietHours: QuietHoursStore
  /// The channels besides the inbox.
  let routes: [any DeliveryRoute]
  /// Wakes the worker that releases held deliveries.
  let signal: WakeSignal

  /// - Parameter instant: when that happened which it reports.
  func deliver(
    _ kind: NotificationSpec, _ draft: NotificationDraft, at instant: Instant, _ transaction: Transaction
  ) throws {
    let (account, database) = (draft.accountID, transaction.database)
    if let item = draft.inbox, item.isAmendment { return try amend(kind, item, of: account, transaction) }
    // After a block, no notification of either account reaches the other.
    if let item = draft.inbox, try BlockStore.isApart(account, fromAnyOf: item.accounts, in: database) { return }
    // An erased account gets nothing late, and nothing late names it; except for the report of the deletion, of which nothing is kept.
    if kind.mail?.name == MailSpec.deletionReport {
      if let mail = draft.mail, try MailStore.add(mail, to: account, at: instant, transaction) != nil { wakeRoutes(transaction) }
      return
    }
    // It was missed, or sent before.
    if kind.name == NotificationSpec.reminderDue.name,
      try ReminderStore.open(draft.subject, at: transaction.now, in: database) == nil
    {
      return
    }
    for named in (draft.inbox?.accounts ?? []).union([account]) where try database.isErased(named) { return }
    let known = try Accounts.find(account, in: database)
    let recipient = try recipient(account, known, at: transaction.now, in: database)
    let decisions = PreferenceRules.decide(kind, for: recipient, at: transaction.now)
    let source = draft.inbox?.source ?? "\(kind.event?.spec.originalName ?? kind.name)/\(draft.subject)"
    var notification: ID<NotificationsContract.Notification>?
    if var item = draft.inbox {
      let base = Delivery(
        id: ID(), account: account, channel: .inbox, kind: kind.name, source: source, subject: draft.subject,
        notification: nil, createdAt: instant)
      if decisions[.inbox] == .now {
        if let total = item.total {
          item = try InboxStore.countUp(item, total, day: calendar(known).day(of: total.at), of: account, transaction)
        }
        guard let added = try KindSubscriptions.notify(account, item, transaction, in: known?.language) else { return }
        notification = added
        try DeliveryStore.add(base.standing(in: added), .sent, transaction)
      } else if try !DeliveryStore.add(base, .silent(.switchedOff), transaction) {
        return
      }
    }
    let endsAt = draft.end.map { end in
      switch end {
      case .day(let day): calendar(known).end(of: day)
      case .instant(let instant): instant
      }
    }
    for channel in [NotificationChannel.email, .push] {
      guard let decision = decisions[channel]?.ended(at: endsAt, now: transaction.now) else { continue }
      let delivery = Delivery(
        id: ID(), account: account, channel: channel, kind: kind.name, source: source, subject: draft.subject,
        notification: notification, createdAt: instant, endsAt: endsAt)
      try start(delivery, decision, keeping: notification == nil ? draft.inbox : nil, transaction)
    }
  }

  private func start(
    _ delivery: Delivery, _ decision: DeliveryDecision, keeping item: InboxItem?, _ transaction: Transaction
  ) throws {
    guard let route = route(delivery.channel), try route.isOpen(to: delivery.account, in: transaction.database) else { return }
    switch decision {
    case .now:
      try DeliveryStore.add(delivery, .queued, keeping: item, transaction)
      try route.enqueue([delivery], to: delivery.account, transaction)
    case .hold(let until, let reason):
      try DeliveryStore.add(delivery, .held(until: until, reason), keeping: item, transaction)
      transaction.afterCommit { [signal] in signal.send() }
    case .silent(let reason):
      try DeliveryStore.add(delivery, .silent(reason), transaction)
    }
  }

  /// Logs that nothing is sent of what would have gone by each channel that is on.
  ///
  /// - Parameter instant: when it was to happen.
  func log(
    _ kind: NotificationSpec, _ reason: SilenceReason, of account: AccountID, about subject: ID<Linked>, source: String,
    at instant: Instant, _ transaction: Transaction
  ) throws {
    let database = transaction.database
    let recipient = try recipient(account, try Accounts.find(account, in: database), at: transaction.now, in: database)
    let decisions = PreferenceRules.decide(kind, for: recipient, at: transaction.now, isDelayOver: true)
    for channel in NotificationChannel.allCases {
      guard let decision = decisions[channel], try route(channel)?.isOpen(to: account, in: database) ?? true else { continue }
      var why = reason
      if case .silent(let chosen) = decision { why = chosen }
      let delivery = Delivery(
        id: ID(), account: account, channel: channel, kind: kind.name, source: source, subject: subject, notification: nil,
        createdAt: instant)
      // By the inbox's row it is known that it was logged before.
      guard try DeliveryStore.add(delivery, .silent(why), transaction) else { return }
    }
  }

  /// Changes the notification in the inbox, and what waits on the other channels.
  private func amend(_ kind: NotificationSpec, _ item: InboxItem, of account: AccountID, _ transaction: Transaction) throws {
    // What was taken back is gone also between two of whom one has blocked the other; names stay those by which the two knew each other.
    let isInInbox =
      if try BlockStore.isApart(account, fromAnyOf: item.accounts, in: transaction.database) {
        try InboxStore.amend(item, of: account, .english, keepsName: true, transaction) != nil
      } else {
        try KindSubscriptions.notify(account, item, transaction) != nil
      }
    // Without a notification in the inbox, the sent content is not kept: it can only be withdrawn.
    if isInInbox || kind.isRemoval {
      for route in routes { try route.replace(SourceRange(only: item.source), of: account, by: .present, transaction) }
    }
    try DeliveryStore.amend(item, of: account, isRemoval: kind.isRemoval, transaction)
  }

  /// Retracts what is no longer true: waiting deliveries are not sent, and sent ones are marked as ended where their channel allows that.
  ///
  /// - Parameters:
  ///   - keepsInbox: whether the notification is still true, and only waiting deliveries are cancelled.
  ///   - device: the device that no longer shows it, since it was answered there; nil for none.
  func retract(
    _ source: NotificationSource, keepsInbox: Bool = false, answeredOn device: ID<PushSubscription>? = nil,
    _ transaction: Transaction
  ) throws {
    if !keepsInbox {
      try InboxStore.deleteAll(from: source.text, of: source.accountID, transaction)
      for route in routes {
        try route.replace(
          SourceRange(from: source.text), of: source.accountID, by: .ended(answeredOn: device), transaction)
      }
    }
    try DeliveryStore.withdraw(from: source.text, of: source.accountID, transaction)
  }

  /// Whether what a draft reports is in its account's inbox already, was, or was logged in its stead.
  func isKnown(_ draft: NotificationDraft, in database: Database) throws -> Bool {
    guard let source = draft.inbox?.source else { return false }
    return try DeliveryStore.isKnown(source, of: draft.accountID, in: database)
  }

  // MARK: - What was held

  /// Releases the due deliveries of a group, by its reader's current choices and the current hour.
  ///
  /// - Returns: how many were due.
  @discardableResult
  func release(_ group: DeliveryStore.Group, _ transaction: Transaction) throws -> Int {
    let (account, database) = (group.account, transaction.database)
    let recipient = try recipient(account, try Accounts.find(account, in: database), at: transaction.now, in: database)
    let route = route(group.channel)
    let isOpen = try route?.isOpen(to: account, in: database) ?? false
    let due = try DeliveryStore.due(group, at: transaction.now, in: database)
    var going: [Delivery] = []
    for delivery in due {
      let decision = isOpen ? try self.decision(on: delivery, recipient, at: transaction.now, in: database) : .silent(.noDevice)
      switch decision {
      case .now:
        try DeliveryStore.queue(delivery, transaction)
        going.append(delivery)
      case .hold(let until, let reason): try DeliveryStore.hold(delivery, until: until, reason, transaction)
      case .silent(let reason):
        try DeliveryStore.finish(delivery.id, of: account, .silent, reason: reason.rawValue, transaction)
      }
    }
    if !going.isEmpty { try route?.enqueue(going, to: account, transaction) }
    return due.count
  }

  private func decision(
    on delivery: Delivery, _ recipient: DeliveryRecipient, at now: Instant, in database: Database
  ) throws -> DeliveryDecision {
    guard let kind = NotificationSpec.named(delivery.kind) else { return .silent(.obsolete) }
    if kind.inbox != nil, try DeliveryStore.content(of: delivery.id, delivery.account, in: database) == nil {
      return .silent(.withdrawn)
    }
    if try ReminderStore.isOver(delivery, at: now, in: database) { return .silent(.late) }
    if kind.delivery.endsWhenRead, try DeliveryStore.isRead(delivery, in: database) { return .silent(.read) }
    let decision = PreferenceRules.decide(kind, delivery.channel, for: recipient, at: now, isDelayOver: true)
    return (decision ?? .silent(.switchedOff)).ended(at: delivery.endsAt, now: now)
  }

  // MARK: - Parts

  private func calendar(_ known: Accounts.Known?) -> LocalCalendar {
    LocalCalendar(quietHours.zones.offsets(known?.timeZone.description ?? "UTC"), dayStartHour: known?.dayStartHour ?? 0)
  }

  private func route(_ channel: NotificationChannel) -> (any DeliveryRoute)? { routes.first { $0.channel == channel } }

  private func wakeRoutes(_ transaction: Transaction) {
    for case let route as MailRoute in routes { transaction.afterCommit { route.signal.send() } }
  }

  private func recipient(
    _ account: AccountID, _ known: Accounts.Known?, at now: Instant, in database: Database
  ) throws -> DeliveryRecipient {
    DeliveryRecipient(
      choices: try PreferenceStore.choices(of: account, in: database), isVerified: known?.isVerified ?? true,
      isSuspended: known?.isSuspended(at: now) ?? false,
      quietUntil: try quietHours.end(of: account, timeZone: known?.timeZone.description, at: now, in: database))
  }
}

extension Delivery {
  /// The row of the inbox has the id of what stands there.
  fileprivate func standing(in notification: ID<NotificationsContract.Notification>) -> Delivery {
    guard let id = ID<NotificationDelivery>(bytes: notification.bytes) else { preconditionFailure("ids have 16 bytes") }
    return Delivery(
      id: id, account: account, channel: channel, kind: kind, source: source, subject: subject, notification: notification,
      createdAt: createdAt)
  }
}
