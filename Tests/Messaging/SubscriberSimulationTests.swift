import InMemoryBus
import Operations
import Sampling
import Testing

@testable import Messaging

/// A publisher, a subscriber and what lies between them, as a game of single steps in which anything may be lost, doubled, late or
/// killed between any two steps. Only what a store would keep is kept.
private struct Simulation {
  // The publisher's store.
  var epoch = 1
  var events: [LoggedEvent] = []
  var pruned: Int64 = 0
  var acknowledged: Int64 = 0
  // On the way.
  var hints: [Announcement] = []
  // The subscriber's store.
  var cursor: LogHead?
  /// The numbers that took effect, in the epoch of the cursor, and up to where a snapshot stood for them.
  var effects: [Int64] = []
  var covered: Int64 = 0
  // The subscriber's process.
  var subscriber = Simulation.freshSubscriber
  var action: SubscriberState.Action?
  var outcome: ((inout SubscriberState) -> Void)?
  var clock: Int64 = 0
  var faults: [String] = []
  var random: SeededGenerator

  static var freshSubscriber: SubscriberState {
    var limits = SubscriberState.Limits()
    limits.events = 7
    limits.acknowledgedEvents = 3
    return SubscriberState(start: .snapshot, keepsCursor: true, names: ["wanted"], limits: limits)
  }

  init(seed: UInt64) { random = SeededGenerator(seed) }

  var head: LogHead { LogHead(epoch: String(epoch), number: pruned + Int64(events.count)) }

  mutating func chance(_ percent: Int) -> Bool { Int.random(in: 0..<100, using: &random) < percent }

  /// Whether the event of that number is one that the subscriber wants.
  static func isWanted(_ number: Int64) -> Bool { number % 7 < 4 }

  // MARK: - The publisher

  /// A commit: one event, or several of which only the names are announced.
  mutating func publish() {
    guard chance(10) else { return publishOne(isHinted: true) }
    let before = head.number
    for _ in 0...Int.random(in: 0...9, using: &random) { publishOne(isHinted: false) }
    let names = Set(events.suffix(Int(head.number - before)).map(\.name))
    let burst = Announcement.burst(names: names, after: before, head: head)
    if chance(80) { hints.append(burst) }
    if chance(10) { hints.append(burst) }
  }

  private mutating func publishOne(isHinted: Bool) {
    let number = head.number + 1
    let name = Simulation.isWanted(number) ? "wanted" : "other"
    let event = LoggedEvent(number: number, name: name, at: .placeholder, traceparent: nil, body: [])
    events.append(event)
    if isHinted, chance(80) { hints.append(.event(event, epoch: head.epoch)) }
    if isHinted, chance(10) { hints.append(.event(event, epoch: head.epoch)) }
  }

  mutating func prune(beyondAcknowledged: Bool) {
    let through = beyondAcknowledged ? head.number - Int64.random(in: 0...5, using: &random) : acknowledged
    guard through > pruned else { return }
    events.removeFirst(Int(through - pruned))
    pruned = through
  }

  mutating func beginEpoch() {
    epoch += 1
    events = []
    pruned = 0
    acknowledged = 0
    for _ in 0..<Int.random(in: 0...5, using: &random) { publish() }
  }

  // MARK: - The subscriber, one step at a time

  mutating func step(isCalm: Bool) {
    clock += 20
    if let outcome {
      outcome(&subscriber)
      (self.outcome, action) = (nil, nil)
      return
    }
    guard let action else {
      action = subscriber.next(at: clock)
      return
    }
    let now = clock
    switch action {
    case .load:
      let cursor = cursor
      outcome = { $0.loaded(cursor) }
    case .fetch, .fetchSnapshot:
      if !isCalm, chance(15) { outcome = { $0.fetchFailed(.unreachable, at: now) } } else { answer(action) }
    case .apply(let page, let after):
      if !isCalm, chance(15) {
        outcome = { $0.applyFailed(at: now) }
      } else {
        let part = chance(30) ? page.first(Int.random(in: 1...9, using: &random)) : page
        commit(part, after)
        outcome = { $0.applied(through: part.through) }
      }
    case .applyPage(let page):
      if !isCalm, chance(15) {
        outcome = { $0.applyFailed(at: now) }
      } else {
        if page.isLast {
          cursor = page.from
          (effects, covered) = ([], page.from.number)
        }
        outcome = { $0.applied() }
      }
    case .acknowledge(let cursor):
      if cursor.epoch == head.epoch { acknowledged = max(acknowledged, cursor.number) }
      outcome = { $0.acknowledged() }
    case .enter:
      faults.append("goes on in an epoch that goes on from no other")
      outcome = { $0.entered(nil) }
    case .wait, .idle: self.action = nil
    }
  }

  private mutating func answer(_ action: SubscriberState.Action) {
    let now = clock
    let head = head
    switch action {
    case .fetch(let after):
      guard let after, after.epoch == head.epoch, after.number <= head.number else {
        outcome = { $0.fetched(head, EventPage([], through: head.number), at: now) }
        return
      }
      guard after.number >= pruned else {
        outcome = { $0.fetchFailed(.pruned, at: now) }
        return
      }
      let wanted = events.dropFirst(Int(after.number - pruned)).filter { $0.name == "wanted" }
      let page = Array(wanted.prefix(Int.random(in: 1...9, using: &random)))
      let through = page.count < wanted.count ? page.last?.number ?? after.number : head.number
      outcome = { $0.fetched(head, EventPage(page, through: through), at: now) }
    case .fetchSnapshot(let key):
      let next = key == nil ? "2" : key == "2" ? "3" : nil
      outcome = { $0.snapshot(SnapshotPage(head: head, events: [], nextKey: next)) }
    default: break
    }
  }

  /// What a subscription does in its transaction: ignores the old, and takes effect with the cursor.
  private mutating func commit(_ page: EventPage, _ after: LogHead) {
    guard let before = cursor, before.epoch == after.epoch else {
      faults.append("applied events of epoch \(after.epoch) at cursor \(String(describing: cursor))")
      return
    }
    if after.number > before.number { faults.append("gap: events after \(after.number) at \(before.number)") }
    effects += page.events.map(\.number).filter { $0 > before.number }
    cursor = LogHead(epoch: after.epoch, number: max(before.number, page.through))
  }

  mutating func crash() {
    subscriber = Simulation.freshSubscriber
    (action, outcome) = (nil, nil)
  }

  // MARK: - Playing

  mutating func play(steps: Int, losesHistory: Bool) {
    for _ in 0..<steps {
      switch Int.random(in: 0..<100, using: &random) {
      case 0..<15: publish()
      case 15..<18: hints.append(.heartbeat(head))
      case 18..<35:
        guard let index = hints.indices.randomElement(using: &random) else { break }
        let hint = hints.remove(at: index)
        if !chance(20) { subscriber.received(hint, at: clock) }
      case 35..<38: crash()
      case 38..<39: hints = []
      case 39..<42: prune(beyondAcknowledged: losesHistory && chance(30))
      case 42..<43: if losesHistory, chance(30) { beginEpoch() }
      default: step(isCalm: false)
      }
    }
    for _ in 0..<3000 where cursor != head || outcome != nil {
      if chance(10) { subscriber.received(.heartbeat(head), at: clock) }
      step(isCalm: true)
    }
    if cursor != head { faults.append("stuck at \(String(describing: cursor)), the log is at \(head)") }
    let expected = head.number > covered ? (covered + 1...head.number).filter(Simulation.isWanted) : []
    if effects != expected { faults.append("effects \(effects) beyond \(covered), expected up to \(head.number)") }
  }
}

@Suite struct SubscriberSimulationTests {
  @Test("A subscriber killed, cut off or misled between any two steps takes every event once and in order: 1,500 games")
  func exactlyOnce() async {
    for seed in 0..<1500 as Range<UInt64> {
      // Others measure time meanwhile.
      await Task.yield()
      var game = Simulation(seed: seed)
      game.cursor = LogHead(epoch: "1", number: 0)
      game.play(steps: 600, losesHistory: false)
      #expect(game.faults.isEmpty, "seed \(seed)")
      #expect(game.covered == 0, "seed \(seed): no snapshot is needed where nothing is lost")
    }
  }

  @Test("A publisher that lost history or its whole store is followed from its snapshot: 1,500 games")
  func snapshots() async {
    var games = 0
    for seed in 0..<1500 as Range<UInt64> {
      // Others measure time meanwhile.
      await Task.yield()
      var game = Simulation(seed: seed)
      game.play(steps: 600, losesHistory: true)
      #expect(game.faults.isEmpty, "seed \(seed)")
      games += game.covered > 0 ? 1 : 0
    }
    #expect(games > 0, "in some of them a snapshot stands for what was lost")
  }
}

@Suite("A subscriber that makes no progress")
struct StuckSubscriberTests {
  private func state() -> SubscriberState {
    var state = SubscriberState(start: .snapshot, keepsCursor: true)
    state.loaded(LogHead(epoch: "1", number: 0))
    state.received(.heartbeat(LogHead(epoch: "1", number: 1)), at: 0)
    let event = LoggedEvent(number: 1, name: "wanted", at: .now, traceparent: nil, body: [])
    state.fetched(LogHead(epoch: "1", number: 1), EventPage([event], through: 1), at: 0)
    return state
  }

  @Test("A subscriber counts as stuck from the third consecutive failed effect until one succeeds")
  func failing() {
    var state = state()
    var now: Int64 = 0
    for count in 1...5 {
      guard case .apply = state.next(at: now) else {
        Issue.record("nothing to apply")
        return
      }
      state.applyFailed(at: now)
      now += 60_000
      #expect(state.isStuck == (count >= 3))
    }
    _ = state.next(at: now)
    state.applied()
    #expect(!state.isStuck)
  }

  @Test("A subscriber does not count as stuck because its publisher is down")
  func away() {
    var state = state()
    for count in 1...10 { state.fetchFailed(.unreachable, at: Int64(count) * 60_000) }
    #expect(!state.isStuck)
  }

  private struct HangingSubscription: EventSubscription {
    let began: AsyncStream<Void>.Continuation

    func cursor(of publisher: ServiceName) async throws -> LogHead? {
      began.yield()
      try await Task.sleep(for: .seconds(600))
      return nil
    }
    func apply(_ page: EventPage, after number: Int64, of publisher: ServiceName, epoch: String) async throws -> Int64 {
      page.through
    }
    func apply(_ page: SnapshotPage, of publisher: ServiceName, isLast: Bool, from: LogHead) async throws {}
    func enter(_ epoch: String, after end: LogHead, of publisher: ServiceName) async throws -> LogHead? { nil }
  }

  @Test("A subscriber counts as stuck while one of its steps hangs")
  func hanging() async {
    let (begun, began) = AsyncStream<Void>.makeStream()
    func subscriber(_ longest: Int64) -> EventSubscriber {
      EventSubscriber(
        .rewards, to: .social, subscription: HangingSubscription(began: began), bus: MemoryBus(.rewards, on: MemoryExchange()),
        longestStepMilliseconds: longest, logger: .quiet)
    }
    for (longest, isStuck) in [(Int64(0), true), (600_000, false)] {
      let subscriber = subscriber(longest)
      #expect(!subscriber.isStuck)
      let running = Task { await subscriber.run() }
      for await _ in begun { break }
      #expect(subscriber.isStuck == isStuck)
      running.cancel()
      await running.value
    }
  }
}

extension EventPage {
  /// What takes effect where all of it would take long.
  func first(_ count: Int) -> EventPage {
    let part = Array(events.prefix(count))
    return part.count < events.count ? EventPage(part, through: part.last?.number ?? through) : self
  }
}

@Suite("A subscriber after its publisher's or its own silence")
struct SilentPublisherTests {
  private let here = LogHead(epoch: "1", number: 7)

  /// One that has everything at time 0.
  private func caughtUp() -> SubscriberState {
    var state = SubscriberState(start: .snapshot, keepsCursor: false)
    state.loaded(here)
    #expect(state.lag(at: 0) == nil && !state.hasCaughtUp(at: 0), "nobody has said where the publisher stands")
    #expect(state.next(at: 0) == .fetch(after: here))
    state.fetched(here, EventPage([], through: 7), at: 0)
    #expect(state.next(at: 0) == .idle)
    #expect(state.lag(at: 0) == 0 && state.hasCaughtUp(at: 0))
    return state
  }

  @Test("A subscriber after a silence does not know its lag until the publisher has published its position")
  func waking() {
    var state = caughtUp()
    for time in stride(from: 1000, through: 10_000, by: 1000) as StrideThrough<Int64> {
      state.received(.heartbeat(here), at: time)
      #expect(state.next(at: time) == .idle)
      #expect(state.lag(at: time) == 0 && state.hasCaughtUp(at: time))
    }
    #expect(state.lag(at: 60_000) == nil && !state.hasCaughtUp(at: 60_000))
    // What is received first was said before, and waited.
    state.received(.heartbeat(here), at: 60_000)
    #expect(state.lag(at: 60_001) == nil && !state.hasCaughtUp(at: 60_001))
    #expect(state.next(at: 60_001) == .fetch(after: here))
    let event = LoggedEvent(number: 8, name: "wanted", at: .placeholder, traceparent: nil, body: [])
    state.fetched(LogHead(epoch: "1", number: 49_179), EventPage([event], through: 8), at: 60_002)
    #expect(state.lag(at: 60_002) == 49_172 && !state.hasCaughtUp(at: 60_002))
    guard case .apply = state.next(at: 60_003) else {
      Issue.record("nothing to apply")
      return
    }
    state.applied()
    #expect(state.lag(at: 60_004) == 49_171 && !state.hasCaughtUp(at: 60_004))
    #expect(state.next(at: 60_005) == .fetch(after: LogHead(epoch: "1", number: 8)))
    state.fetched(LogHead(epoch: "1", number: 49_179), EventPage([], through: 49_179), at: 60_006)
    _ = state.next(at: 60_007)
    #expect(state.lag(at: 60_007) == 0 && state.hasCaughtUp(at: 60_007))
  }

  @Test("A subscriber asks a silent publisher from time to time")
  func asking() {
    var state = caughtUp()
    #expect(state.next(at: 2500) == .idle)
    #expect(state.next(at: 2501) == .fetch(after: here))
    state.fetchFailed(.unreachable, at: 2502)
    #expect(state.next(at: 5000) == .idle)
    #expect(state.next(at: 5002) == .fetch(after: here))
    state.fetched(here, EventPage([], through: 7), at: 5003)
    #expect(state.next(at: 5004) == .idle)
    #expect(state.lag(at: 5004) == 0)
  }
}
