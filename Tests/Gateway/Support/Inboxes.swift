import IdentityContract
import Logging
import Messaging
import NotificationsContract
import Operations
import Synchronization

/// A log of events in memory, published over a ``FakeBus`` as a service publishes its own.
final class MemoryLog: EventLog {
  private let events = Mutex<[LoggedEvent]>([])
  /// The state as a new subscriber gets it.
  private let state = Mutex<[LoggedEvent]>([])
  private let epoch = "e1"

  func append<E: Event>(_ event: E, isState: Bool = false) -> PublishedEvents {
    events.withLock { events in
      let logged = LoggedEvent(number: Int64(events.count + 1), name: E.spec.name, at: .now, traceparent: nil, body: event.json)
      events.append(logged)
      if isState { state.withLock { $0.append(logged) } }
      return PublishedEvents(
        after: logged.number - 1, head: LogHead(epoch: epoch, number: logged.number), names: [E.spec.name], events: [logged])
    }
  }

  func head() async -> LogHead { LogHead(epoch: epoch, number: Int64(events.withLock { $0.count })) }

  func end(of epoch: String) async -> Int64? { nil }

  func events(after number: Int64, named names: Set<String>?, limit: Int, bytes: Int) async -> EventPage {
    let wanted = events.withLock { $0.dropFirst(Int(number)).filter { names?.contains($0.name) ?? true } }
    let page = Array(wanted.prefix(limit))
    let last = Int64(events.withLock { $0.count })
    return EventPage(page, through: page.count < wanted.count ? page.last?.number ?? number : last)
  }

  func snapshot(of names: Set<String>?, after key: String?) async -> SnapshotPage {
    let events = state.withLock { $0 }.filter { names?.contains($0.name) ?? true }
    return SnapshotPage(head: await head(), events: events, nextKey: nil)
  }

  func acknowledge(subscriber: ServiceName, epoch: String, number: Int64) async {}
}

/// Speaks over a ``FakeBus`` in a service's name; drops announcements as it is asked to.
struct PublishersBus: Bus {
  let bus: FakeBus
  let service: ServiceName
  let drops: @Sendable (Announcement) -> Bool

  func request(_ request: Operations.Request, to service: ServiceName) async throws(BusFailure) -> Reply {
    try await bus.request(request, to: service)
  }
  func serve(_ handler: @escaping @Sendable (Operations.Request) async -> Reply) {}
  func announce(_ announcement: Announcement) { if !drops(announcement) { bus.publish(announcement, of: service) } }
  func announcements(of publisher: ServiceName) -> AsyncStream<Announcement> { bus.announcements(of: publisher) }
}

/// Stands for notifications and identity: an inbox for one account with its backlog and events, and sessions that end.
final class Inboxes: Sendable {
  let account = AccountID()
  let bus: FakeBus
  private let items = Mutex<[Notification]>([])
  private let notifications = MemoryLog()
  private let identity = MemoryLog()
  private let publishers: [ServiceName: EventPublisher]
  private let isSilent = Mutex(false)
  private let asked = Mutex<[Operations.Request]>([])
  private let (asking, isAsking) = AsyncStream.makeStream(of: Void.self, bufferingPolicy: .bufferingNewest(1))

  /// What identity was asked by those who follow its events.
  var askedOfEvents: [Operations.Request] { asked.withLock { $0 } }

  /// Returns once identity was asked by those who follow its events.
  func isAskedOfEvents() async { for await _ in asking { return } }

  /// Lets identity answer nobody who follows its events, or answer again.
  func silence(_ isSilent: Bool) { self.isSilent.withLock { $0 = isSilent } }

  /// - Parameters:
  ///   - drops: announcements that nobody receives.
  ///   - processor: what identity answers about personal access tokens.
  init(
    _ bus: FakeBus, _ signer: Signer, processor: TokenIssuer = TokenIssuer(),
    drops: @escaping @Sendable (Announcement) -> Bool = { _ in false }
  ) {
    self.bus = bus
    let logger = Logger(label: "test") { _ in SwiftLogNoOpLogHandler() }
    func publisher(_ service: ServiceName, _ log: MemoryLog) -> EventPublisher {
      let bus = PublishersBus(bus: bus, service: service, drops: drops)
      return EventPublisher(service, log: log, bus: bus, heartbeat: .milliseconds(20), logger: logger)
    }
    publishers = [.notifications: publisher(.notifications, notifications), .identity: publisher(.identity, identity)]
    let published = signer.published
    bus.answerAsPublisher(.identity) { request in
      if EventExchange(rawValue: request.header.operation) != nil {
        self.asked.withLock { $0.append(request) }
        self.isAsking.yield()
        if self.isSilent.withLock({ $0 }) { throw BusFailure.unavailable }
      }
      if let reply = await self.publishers[.identity]?.answer(request) { return reply }
      guard request.header.operation == IdentifyPersonalAccessToken.spec.name else {
        return Reply(request, ListKeys.Output(keys: [published]))
      }
      return Reply(request, try processor.answer(try IdentifyPersonalAccessToken.Input.decode(request.body).hash))
    }
    bus.answerAsPublisher(.notifications) { request in
      if let reply = await self.publishers[.notifications]?.answer(request) { return reply }
      let input = try ListNotificationsSince.Input.decode(request.body)
      guard request.header.caller.account == self.account else { throw Failure(RequestFailure.forbidden) }
      return self.items.withLock { items in
        // As notifications does it.
        let hidden: Set<NotificationKind> = request.header.caller.isInDoubt == true ? ["loginNoticed"] : []
        let page = items.filter { $0.number > input.after && !hidden.contains($0.kind) }.prefix(input.limit ?? 100)
        return Reply(request, ListNotificationsSince.Output(items: Array(page), lastNumber: items.count))
      }
    }
  }

  /// Publishes events until the task is cancelled.
  func run() async {
    await withDiscardingTaskGroup { tasks in
      for publisher in publishers.values { tasks.addTask { await publisher.run() } }
    }
  }

  /// A new notification is committed and published.
  func add(_ kind: NotificationKind = "messageReceived") {
    let published = items.withLock { items in
      let notification = Notification(
        id: ID(), number: items.count + 1, kind: kind, severity: .info, title: "New message", text: "Ana wrote.",
        parameters: [:],
        links: NotificationLinks(), createdAt: .now, readAt: nil)
      items.append(notification)
      return notifications.append(
        NotificationCreated(accountID: account, number: notification.number, notification: notification))
    }
    publishers[.notifications]?.publish(published)
  }

  /// A notification has changed.
  func change(_ event: NotificationChanged) { publishers[.notifications]?.publish(notifications.append(event)) }

  func revoke(_ session: SessionID, _ reason: SessionRevoked.Reason = .loggedOut) {
    publishers[.identity]?.publish(
      identity.append(SessionRevoked(sessionID: session, accountID: account, reason: reason, at: .now), isState: true))
  }

  func invalidateTokens(_ session: SessionID, _ generation: Int) {
    publishers[.identity]?.publish(
      identity.append(
        AccessTokensInvalidated(sessionID: session, accountID: account, generation: generation, at: .now), isState: true))
  }

  /// The account chose another language, or was published anew.
  func choose(_ language: Language, revision: Int = 2) throws {
    let changed = AccountChanged(
      accountID: account, username: try Username(text: "ana"), nickname: nil, timeZone: .utc, dayStartHour: 0, language: language,
      isVerified: true, revision: revision)
    publishers[.identity]?.publish(identity.append(changed, isState: true))
  }

  func revoke(_ token: PersonalAccessTokenID) {
    publishers[.identity]?.publish(
      identity.append(PersonalAccessTokenRevoked(tokenID: token, accountID: account, at: .now), isState: true))
  }
}
