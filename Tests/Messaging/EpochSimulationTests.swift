import InMemoryBus
import Operations
import Sampling
import Testing

@testable import Messaging

/// A publisher whose store is copied and put back, a subscriber whose store is too, and processes that die between any two steps. Both stores
/// are models, as small as they can be, of what `Storage` promises.
private struct RestoreGame {
  /// The publisher's store. Every event that ever happened has an id of its own, whatever number it has in which epoch.
  struct Log {
    var epoch = 0
    var ids: [Int] = []
    var ancestors: [(epoch: Int, end: Int)] = []
    var acknowledged = 0
    var pruned = 0

    var head: LogHead { LogHead(epoch: String(epoch), number: Int64(ids.count)) }
  }

  /// The subscriber's store.
  struct Inbox {
    var cursor: LogHead?
    var snapshotNumber: Int64 = 0
    /// What has taken effect, in order: as events, and before them what the last snapshot stood for.
    var effects: [Int] = []
    /// Whatever the store may show an effect of since it began from a snapshot, wanted or not.
    var seen: Set<Int> = []
  }

  static let maxAncestors = 3

  // The publisher.
  var log = Log()
  var copies: [Log] = []
  /// The events that were in each epoch's log last.
  var histories: [String: [Int]] = [:]
  var epochs = 1
  var ids = 0
  // On the way.
  var hints: [Announcement] = []
  // The subscriber.
  var inbox = Inbox(cursor: LogHead(epoch: "0", number: 0))
  var inboxCopies: [Inbox] = []
  var subscriber = RestoreGame.freshSubscriber
  var action: SubscriberState.Action?
  var outcome: ((inout SubscriberState) -> Void)?
  var clock: Int64 = 0
  // What came of it.
  var faults: [String] = []
  var entered = 0
  var snapshots = 0
  var hasPruned = false
  var random: SeededGenerator

  static var freshSubscriber: SubscriberState {
    var limits = SubscriberState.Limits()
    limits.events = 5
    limits.acknowledgedEvents = 3
    return SubscriberState(start: .snapshot, keepsCursor: true, names: ["wanted"], limits: limits)
  }

  init(seed: UInt64) { random = SeededGenerator(seed) }

  mutating func chance(_ percent: Int) -> Bool { Int.random(in: 0..<100, using: &random) < percent }

  static func isWanted(_ id: Int) -> Bool { id % 5 < 3 }

  // MARK: - The publisher

  func event(_ number: Int) -> LoggedEvent {
    let id = log.ids[number - 1]
    return LoggedEvent(
      number: Int64(number), name: RestoreGame.isWanted(id) ? "wanted" : "other", at: .placeholder, traceparent: nil,
      body: Array(String(id).utf8))
  }

  static func id(_ event: LoggedEvent) -> Int { Int(String(decoding: event.body, as: UTF8.self)) ?? -1 }

  mutating func publish() {
    log.ids.append(ids)
    ids += 1
    if chance(70) { hints.append(.event(event(log.ids.count), epoch: log.head.epoch)) }
  }

  mutating func prune() {
    log.pruned = max(log.pruned, log.acknowledged)
  }

  /// Puts a copy back: the latest one, or any.
  mutating func restore() {
    guard let copy = chance(60) ? copies.last : copies.randomElement(using: &random) else { return }
    log = copy
    log.ancestors.append((log.epoch, log.ids.count))
    if log.ancestors.count > RestoreGame.maxAncestors { log.ancestors.removeFirst() }
    log.epoch = epochs
    epochs += 1
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
    case .wait, .idle: self.action = nil
    case .acknowledge(let cursor):
      if cursor.epoch == log.head.epoch { log.acknowledged = max(log.acknowledged, Int(cursor.number)) }
      outcome = { $0.acknowledged() }
    case .load:
      let cursor = inbox.cursor
      outcome = { $0.loaded(cursor) }
    case .fetch, .fetchSnapshot:
      if !isCalm, chance(10) { outcome = { $0.fetchFailed(.unreachable, at: now) } } else { answer(action) }
    case .apply, .applyPage, .enter:
      if !isCalm, chance(10) { outcome = { $0.applyFailed(at: now) } } else { commit(action) }
    }
  }

  private mutating func answer(_ action: SubscriberState.Action) {
    let (now, head) = (clock, log.head)
    switch action {
    case .fetch(let after):
      guard let after else {
        faults.append("asked where the log stands, with a cursor")
        return
      }
      guard after.epoch == head.epoch else {
        let end = log.ancestors.first { String($0.epoch) == after.epoch }.map { Int64($0.end) }
        outcome = { $0.fetched(head, EventPage([], through: head.number), end: end, at: now) }
        return
      }
      guard after.number >= log.pruned else {
        hasPruned = true
        outcome = { $0.fetchFailed(.pruned, at: now) }
        return
      }
      let wanted =
        after.number < log.ids.count ? (Int(after.number) + 1...log.ids.count).map(event).filter { $0.name == "wanted" } : []
      let page = Array(wanted.prefix(Int.random(in: 1...6, using: &random)))
      let through = page.count < wanted.count ? page.last?.number ?? after.number : max(after.number, head.number)
      outcome = { $0.fetched(head, EventPage(page, through: through), at: now) }
    case .fetchSnapshot(let key):
      outcome = { $0.snapshot(SnapshotPage(head: head, events: [], nextKey: key == nil ? "2" : key == "2" ? "3" : nil)) }
    default: break
    }
  }

  /// What the subscription does in its transaction.
  private mutating func commit(_ action: SubscriberState.Action) {
    switch action {
    case .apply(let page, let after):
      guard let cursor = inbox.cursor, cursor.epoch == after.epoch, after.number <= cursor.number else {
        faults.append("applied events after \(after) at \(String(describing: inbox.cursor))")
        return
      }
      let part = Int.random(in: 0..<10, using: &random) < 3 ? page.first(Int.random(in: 1...6, using: &random)) : page
      // What the page counts as had, whether it holds it or not.
      inbox.seen.formUnion(histories[after.epoch, default: []].prefix(Int(part.through)).dropFirst(Int(cursor.number)))
      inbox.effects += part.events.filter { $0.number > cursor.number }.map(RestoreGame.id)
      inbox.cursor = LogHead(epoch: cursor.epoch, number: max(cursor.number, part.through))
      outcome = { $0.applied(through: part.through) }
    case .applyPage(let page):
      let shown = histories[page.head.epoch, default: []].prefix(Int(page.head.number))
      // The first page.
      if page.nextKey == "2" { inbox.seen = [] }
      inbox.seen.formUnion(shown)
      inbox.cursor = nil
      if page.isLast {
        inbox.cursor = page.from
        inbox.snapshotNumber = page.head.number
        inbox.effects = shown.prefix(Int(page.from.number)).filter(RestoreGame.isWanted)
        snapshots += 1
      }
      outcome = { $0.applied() }
    case .enter(let epoch, let end):
      guard let cursor = inbox.cursor, cursor.epoch == end.epoch, max(cursor.number, inbox.snapshotNumber) <= end.number else {
        if let cursor = inbox.cursor, cursor.epoch == end.epoch, inbox.seen.isSubset(of: known(end)) {
          faults.append("\(cursor) begins from the snapshot, and has seen nothing but what \(end) has")
        }
        outcome = { $0.entered(nil) }
        return
      }
      if !inbox.seen.isSubset(of: known(end)) { faults.append("\(cursor) goes on in \(epoch), and has seen what \(end) lacks") }
      inbox.cursor = LogHead(epoch: epoch, number: cursor.number)
      entered += 1
      let moved = inbox.cursor
      outcome = { $0.entered(moved) }
    default: break
    }
  }

  private func known(_ end: LogHead) -> Set<Int> { Set(histories[end.epoch, default: []].prefix(Int(end.number))) }

  mutating func crash() {
    subscriber = RestoreGame.freshSubscriber
    (action, outcome) = (nil, nil)
  }

  // MARK: - Playing

  mutating func play(steps: Int, restoresSubscriber: Bool) {
    for _ in 0..<steps {
      switch Int.random(in: 0..<100, using: &random) {
      case 0..<12: publish()
      case 12..<14: hints.append(.heartbeat(log.head))
      case 14..<28:
        guard let index = hints.indices.randomElement(using: &random) else { break }
        let hint = hints.remove(at: index)
        if !chance(20) { subscriber.received(hint, at: clock) }
      case 28..<31: crash()
      case 31..<33: copies.append(log)
      case 33..<35: if chance(60) { restore() }
      case 35..<36: prune()
      case 36..<37: inboxCopies.append(inbox)
      case 37..<38:
        if restoresSubscriber, let copy = inboxCopies.randomElement(using: &random) {
          inbox = copy
          crash()
        }
      default: step(isCalm: false)
      }
      histories[log.head.epoch] = log.ids
    }
    for _ in 0..<3000 where inbox.cursor != log.head || outcome != nil {
      if chance(10) { subscriber.received(.heartbeat(log.head), at: clock) }
      step(isCalm: true)
    }
    if inbox.cursor != log.head { faults.append("stuck at \(String(describing: inbox.cursor)), the log is at \(log.head)") }
    let expected = log.ids.filter(RestoreGame.isWanted)
    if inbox.effects != expected { faults.append("effects \(inbox.effects), and the log has \(expected)") }
  }
}

@Suite struct EpochSimulationTests {
  @Test(
    "Whatever copies are restored, each event takes effect once, and a subscriber that saw no lost one needs no snapshot",
    arguments: [false, true])
  func restores(restoresSubscriber: Bool) async {
    var (entered, snapshots) = (0, 0)
    for seed in 0..<1000 as Range<UInt64> {
      // Others measure time meanwhile.
      await Task.yield()
      var game = RestoreGame(seed: seed)
      game.play(steps: 700, restoresSubscriber: restoresSubscriber)
      #expect(game.faults.isEmpty, "seed \(seed)")
      if !restoresSubscriber { #expect(!game.hasPruned, "seed \(seed): what it said of its cursor keeps what it lacks") }
      entered += game.entered
      snapshots += game.snapshots
    }
    #expect(entered > 1000 && snapshots > 1000, "both ways were taken: \(entered) and \(snapshots)")
  }
}
