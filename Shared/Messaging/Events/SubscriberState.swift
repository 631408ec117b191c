import Operations

/// The protocol by which a subscriber follows one publisher's log, without clock, network or store: it is given what happened and says what
/// to do next, one action at a time.
///
/// It follows four rules. Events take effect in order, without gaps, each with the cursor in one transaction. Announcements are only hints:
/// events that follow on the cursor are taken from them, anything else only causes a fetch. Only the publisher's own answer, never a hint,
/// makes the subscriber begin again from the snapshot. If the log began another epoch, the publisher says how much of the former one it
/// has, and the store, which knows what has taken effect, decides whether the cursor continues there. All state beyond the durable cursor
/// may be lost at any step.
struct SubscriberState {
  /// What to do next; the outcome is reported by the methods named in each case.
  enum Action: Equatable {
    /// Read the durable cursor: ``loaded(_:)``.
    case load
    /// Ask the publisher for what comes after the cursor: ``fetched(_:_:end:at:)``, ``fetchFailed(_:at:)``.
    case fetch(after: LogHead?)
    /// Ask for a page of the snapshot: ``snapshot(_:)``, ``fetchFailed(_:at:)``.
    case fetchSnapshot(after: String?)
    /// Apply these events after the position of the store's cursor, or the first of them, and move it: ``applied(through:)``,
    /// ``applyFailed(at:)``, ``applyRefused(at:)``.
    case apply(EventPage, after: LogHead)
    /// Apply a page of the snapshot: ``applied(through:)``, ``applyFailed(at:)``.
    case applyPage(Page)
    /// Move the store's cursor into that epoch of the log if nothing after `end` has taken effect: ``entered(_:)``, ``applyFailed(at:)``,
    /// ``applyRefused(at:)``.
    case enter(epoch: String, after: LogHead)
    /// Report the cursor to the publisher: ``acknowledged()``.
    case acknowledge(LogHead)
    /// Nothing before that time, on the caller's clock in milliseconds.
    case wait(until: Int64)
    /// Nothing until something is received.
    case idle
  }

  struct Page: Equatable {
    let events: [LoggedEvent]
    let head: LogHead
    let nextKey: String?
    /// The log's head when the snapshot's first page was read: all later pages hold at least that state.
    let from: LogHead

    var isLast: Bool { nextKey == nil }
  }

  struct Limits {
    /// Events buffered, and applied in one transaction at most, and their bytes.
    var events = 500
    var bytes = 1 << 20
    /// The number of effects after which the cursor is acknowledged, and the longest time until then.
    var acknowledgedEvents: Int64 = 5000
    var acknowledgedMilliseconds: Int64 = 5000
    /// Pauses after a failure, doubled from the first to the longest. A service is ready once it has caught up with its publishers, so one
    /// that starts at the same time is retried soon.
    var firstPause: Int64 = 50
    var longestFetchPause: Int64 = 250
    var longestApplyPause: Int64 = 30_000
    /// A running publisher announces its position every half second. After so long a silence it is unknown what it has published since; after
    /// half of that, it is asked.
    var maxSilenceMilliseconds: Int64 = 5000
    /// The pause if the store refuses because nothing can be written.
    var refusedPause: Int64 = 500
    /// The number of failed effects in a row at which the subscriber counts as stuck: one or two are normal for a busy store.
    var failuresBeforeStuck = 3
  }

  private enum Stage {
    case unloaded
    /// Learning the log's position, to begin there.
    case joining
    case following
    case snapshotting(after: String?, from: LogHead?)
    case page(Page)
    /// The log began another epoch, and has the former one up to that position.
    case entering(epoch: String, after: LogHead)
  }

  /// Where a subscriber without cursor begins.
  let start: EventSubscriber.Start
  /// Whether the cursor is acknowledged to the publisher, so that it keeps later events.
  let keepsCursor: Bool
  /// The events that have an effect; nil for all.
  let names: Set<String>?
  private let limits: Limits
  private var stage = Stage.unloaded
  /// The position up to which every event has taken effect for certain, or has no effect here.
  private(set) var cursor: LogHead?
  /// The number of the store's cursor; events without effect move it only now and then.
  private var stored: Int64 = 0
  /// The last number that the publisher is known to have, in its epoch.
  private(set) var head: LogHead?
  /// Events that follow on the cursor, without gaps up to ``reached``.
  private var buffer: [LoggedEvent] = []
  private var reached: Int64 = 0
  /// The number after which the publisher was asked last; hints may have moved the cursor since.
  private var asked: Int64 = 0
  private var bufferBytes = 0
  /// Whether the publisher must be asked: at the start, and after any doubt.
  private var hasDoubt = true
  private var failures = 0
  private var pauseUntil: Int64 = 0
  /// Events in one transaction: one after an effect failed, so that those before the failing one get through.
  private var batch: Int
  /// Whether, at some moment since the start or since the publisher was silent, nothing that it had published was missing.
  private(set) var hadAll = false
  /// When the publisher last announced or answered something; nil until then.
  private var receivedAt: Int64?
  /// When it was last asked because it was silent.
  private var silenceAskedAt: Int64 = 0
  /// How many effects failed in a row.
  private var failedEffects = 0
  private var acknowledgedNumber: Int64 = 0
  private var acknowledgedAt: Int64 = 0
  /// The number last reported to the publisher, whether it arrived or not.
  private var sentNumber: Int64 = 0
  /// How many buffered events are taking effect, and up to which number.
  private var inHand: (count: Int, through: Int64)?

  init(start: EventSubscriber.Start, keepsCursor: Bool, names: Set<String>? = nil, limits: Limits = Limits()) {
    self.names = names
    self.start = start
    self.keepsCursor = keepsCursor
    self.limits = limits
    batch = limits.events
  }

  /// Whether effects fail again and again: what comes after them waits.
  var isStuck: Bool { failedEffects >= limits.failuresBeforeStuck }

  /// Whether everything that the publisher had published has taken effect at some moment since the start. Unknown while the publisher is
  /// silent, and after a silence until it has stated its position again: this process may have slept through events.
  func hasCaughtUp(at now: Int64) -> Bool { hadAll && !isSilent(at: now) }

  /// How many events the subscriber is behind the publisher; nil if unknown.
  func lag(at now: Int64) -> Int64? { head == nil || hasDoubt || isSilent(at: now) ? nil : lag }

  private func isSilent(at now: Int64) -> Bool {
    receivedAt.map { now - $0 > limits.maxSilenceMilliseconds } ?? true
  }

  /// How many events the subscriber is behind the last number received.
  private var lag: Int64 {
    guard let head else { return 0 }
    return max(0, head.number - (cursor?.epoch == head.epoch ? cursor?.number ?? 0 : 0))
  }

  // MARK: - What to do

  mutating func next(at now: Int64) -> Action {
    if now < pauseUntil { return .wait(until: pauseUntil) }
    switch stage {
    case .unloaded: return .load
    case .joining: return .fetch(after: nil)
    case .snapshotting(let key, _): return .fetchSnapshot(after: key)
    case .page(let page): return .applyPage(page)
    case .entering(let epoch, let end): return .enter(epoch: epoch, after: end)
    case .following: return follow(now)
    }
  }

  /// Whether an announcement may lead to an action at once: most of them do not concern a subscriber. Acknowledging the cursor is left to
  /// the periodic check.
  var isAwaited: Bool {
    guard case .following = stage else { return true }
    return !buffer.isEmpty || isBehind
  }

  /// The position after which the publisher will be asked once the events in hand have taken effect; nil if it is not known to have more.
  var nextFetch: LogHead? {
    guard let cursor, let head, head.epoch == cursor.epoch, let inHand, inHand.through == reached, head.number > reached else {
      return nil
    }
    return LogHead(epoch: cursor.epoch, number: reached)
  }

  /// Whether the publisher has something that did not arrive.
  private var isBehind: Bool { hasDoubt || lag > 0 || head?.epoch != cursor?.epoch }

  private mutating func follow(_ now: Int64) -> Action {
    guard let cursor else { return .load }
    if !buffer.isEmpty { return apply(min(batch, buffer.count), cursor.epoch) }
    let isMuch = cursor.number - max(acknowledgedNumber, sentNumber) >= limits.acknowledgedEvents
    let isBehind = isBehind
    if isBehind, !isMuch || !keepsCursor {
      asked = cursor.number
      return .fetch(after: cursor)
    }
    if !isBehind { hadAll = true }
    if let receivedAt, now - max(receivedAt, silenceAskedAt) > limits.maxSilenceMilliseconds / 2 {
      silenceAskedAt = now
      asked = cursor.number
      return .fetch(after: cursor)
    }
    let isDue = now - acknowledgedAt >= limits.acknowledgedMilliseconds
    if keepsCursor, cursor.number > acknowledgedNumber, isDue || isMuch {
      guard stored > max(acknowledgedNumber, isDue ? 0 : sentNumber) else { return apply(0, cursor.epoch) }
      acknowledgedAt = now
      sentNumber = stored
      return .acknowledge(LogHead(epoch: cursor.epoch, number: stored))
    }
    return .idle
  }

  private mutating func apply(_ count: Int, _ epoch: String) -> Action {
    let through = count < buffer.count ? buffer[count - 1].number : reached
    inHand = (count, through)
    return .apply(EventPage(Array(buffer[..<count]), through: through), after: LogHead(epoch: epoch, number: stored))
  }

  // MARK: - What happened

  mutating func loaded(_ cursor: LogHead?) {
    self.cursor = cursor
    stored = cursor?.number ?? 0
    hasDoubt = true
    empty()
    switch (cursor, start) {
    case (.some, _): stage = .following
    case (nil, .snapshot): stage = .snapshotting(after: nil, from: nil)
    case (nil, .head): stage = .joining
    }
  }

  /// Takes a hint, at any time.
  mutating func received(_ announcement: Announcement, at now: Int64) {
    subscribe(at: now)
    switch announcement {
    case .burst(let names, let after, let published):
      note(published)
      guard published.epoch == cursor?.epoch, case .following = stage, after <= reached, published.number > reached else {
        return
      }
      if let wanted = self.names, wanted.isDisjoint(with: names) { reach(published.number) }
    case .heartbeat(let published): note(published)
    case .event(let event, let epoch):
      note(LogHead(epoch: epoch, number: event.number))
      if epoch == cursor?.epoch, case .following = stage { take(event) }
    }
  }

  /// Notes that something was received. After a silence it may be old: only the publisher's own answer states its position.
  private mutating func subscribe(at now: Int64) {
    if isSilent(at: now) {
      hasDoubt = true
      hadAll = false
    }
    receivedAt = now
  }

  private mutating func note(_ published: LogHead) {
    if let head, head.epoch == published.epoch, head.number >= published.number { return }
    // A hint of another epoch may be older than what the publisher itself said: it only makes the subscriber ask.
    if let cursor, published.epoch != cursor.epoch {
      hasDoubt = true
    } else {
      head = published
    }
  }

  /// Buffers the event if it is the next one.
  private mutating func take(_ event: LoggedEvent) {
    guard event.number == reached + 1, append(event) else { return }
    reach(event.number)
  }

  /// Buffers an event that follows on ``reached`` unless it has no effect; false if there is no room for it.
  private mutating func append(_ event: LoggedEvent) -> Bool {
    guard names?.contains(event.name) ?? true else { return true }
    guard buffer.count < limits.events, buffer.isEmpty || bufferBytes + event.body.count <= limits.bytes else { return false }
    buffer.append(event)
    bufferBytes += event.body.count
    return true
  }

  /// Moves to the number up to which nothing is missing; the cursor follows while no event waits to take effect.
  private mutating func reach(_ number: Int64) {
    reached = max(reached, number)
    if buffer.isEmpty, inHand == nil, let cursor { self.cursor = LogHead(epoch: cursor.epoch, number: reached) }
  }

  /// Discards the events that wait.
  private mutating func empty() {
    buffer = []
    bufferBytes = 0
    inHand = nil
    reached = cursor?.number ?? 0
  }

  /// The publisher's answer to a fetch: its log's position, and events after the requested number.
  ///
  /// - Parameters:
  ///   - end: up to which number the log has the events of the requested epoch, if that is an earlier one than its present one.
  ///   - now: when the publisher answered.
  mutating func fetched(_ published: LogHead, _ page: EventPage, end: Int64? = nil, at now: Int64) {
    failures = 0
    pauseUntil = 0
    if isSilent(at: now) { hadAll = false }
    receivedAt = max(receivedAt ?? now, now)
    guard let cursor else {
      // A subscriber that begins at the head: nothing to apply, but the cursor to set.
      stage = .page(Page(events: [], head: published, nextKey: nil, from: published))
      return
    }
    guard published.epoch == cursor.epoch else {
      guard let end else { return beginAgain() }
      stage = .entering(epoch: published.epoch, after: LogHead(epoch: cursor.epoch, number: end))
      head = nil
      empty()
      return
    }
    // The log has lost events that were seen here.
    guard published.number >= asked else { return beginAgain() }
    hasDoubt = false
    head = LogHead(epoch: published.epoch, number: max(published.number, head?.epoch == published.epoch ? head?.number ?? 0 : 0))
    // Hints that came meanwhile may have been taken already.
    let before = reached
    var isWhole = true
    for event in page.events where event.number > reached {
      isWhole = append(event)
      if !isWhole { break }
      reached = event.number
    }
    if isWhole { reach(page.through) }
    // A publisher whose answer does not help is asked again, but not at once.
    if reached == before, buffer.isEmpty, lag > 0 { pause(at: now, longest: limits.longestFetchPause) }
  }

  /// The same for an answer that was fetched ahead; false in case of doubt, since the publisher then has to state its present position.
  ///
  /// - Parameter time: when the publisher answered.
  mutating func fetchedAhead(_ published: LogHead, _ page: EventPage, end: Int64?, at time: Int64) -> Bool {
    guard !hasDoubt else { return false }
    fetched(published, page, end: end, at: time)
    return true
  }

  enum FetchFailure { case pruned, unreachable }

  mutating func fetchFailed(_ failure: FetchFailure, at now: Int64) {
    switch failure {
    case .pruned: beginAgain()
    case .unreachable: pause(at: now, longest: limits.longestFetchPause)
    }
  }

  private mutating func beginAgain() {
    head = nil
    switch start {
    case .snapshot: stage = .snapshotting(after: nil, from: nil)
    case .head:
      cursor = nil
      stage = .joining
    }
    empty()
  }

  /// The store's cursor in the epoch it was to enter; nil if something has taken effect that the log no longer has.
  mutating func entered(_ cursor: LogHead?) {
    failures = 0
    failedEffects = 0
    pauseUntil = 0
    guard let cursor else { return beginAgain() }
    begin(at: cursor)
  }

  /// Follows the log from that cursor, in an epoch in which the publisher does not know this subscriber yet.
  private mutating func begin(at cursor: LogHead) {
    self.cursor = cursor
    stored = cursor.number
    head = cursor
    acknowledgedNumber = 0
    sentNumber = 0
    hasDoubt = true
    stage = .following
    empty()
  }

  mutating func snapshot(_ page: SnapshotPage) {
    guard case .snapshotting(_, let first) = stage else { return }
    failures = 0
    pauseUntil = 0
    let from = first ?? page.head
    guard from.epoch == page.head.epoch else {
      beginAgain()
      return
    }
    stage = .page(Page(events: page.events, head: page.head, nextKey: page.nextKey, from: from))
  }

  /// The page has taken effect, or the events up to a number, all of them if it is nil; and the cursor has moved with them.
  mutating func applied(through number: Int64? = nil) {
    failures = 0
    failedEffects = 0
    pauseUntil = 0
    if case .page(let page) = stage {
      if let key = page.nextKey {
        stage = .snapshotting(after: key, from: page.from)
      } else {
        begin(at: page.from)
      }
      return
    }
    guard let cursor, let whole = inHand else { return }
    var (count, through) = whole
    if let number, number < through {
      count = buffer[..<count].count { $0.number <= number }
      through = number
    }
    stored = through
    bufferBytes -= buffer[..<count].reduce(0) { $0 + $1.body.count }
    buffer.removeFirst(count)
    inHand = nil
    // Nothing follows the last event up to the number that was reached, unless more was in hand.
    self.cursor = LogHead(epoch: cursor.epoch, number: buffer.isEmpty && through == whole.through ? reached : through)
    batch = min(batch * 2, limits.events)
  }

  /// Nothing has taken effect: the same is retried after a pause, and never skipped.
  mutating func applyFailed(at now: Int64) {
    batch = 1
    failedEffects += 1
    inHand = nil
    pause(at: now, longest: limits.longestApplyPause)
  }

  /// Nothing has taken effect because nothing can be written: the same is retried soon. No effect is to blame.
  mutating func applyRefused(at now: Int64) {
    inHand = nil
    pauseUntil = now + limits.refusedPause
  }

  mutating func acknowledged() { acknowledgedNumber = max(acknowledgedNumber, stored) }

  private mutating func pause(at now: Int64, longest: Int64) {
    pauseUntil = now + min(limits.firstPause << Int64(min(failures, 20)), longest)
    failures += 1
  }
}
