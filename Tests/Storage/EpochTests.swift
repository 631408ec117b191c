import Foundation
import Operations
import Storage
import Testing

@Suite("The epochs of an outbox", .timeLimit(.minutes(1)))
struct EpochTests {
  let folder: TemporaryFolder

  init() throws { folder = try TemporaryFolder() }

  private static let snapshot: Store.Snapshot = { _, _, _ in ([], nil) }

  private func publish(_ count: Int, in store: Store) async throws {
    for number in 0..<count { try await store.write { try $0.publish(NumberWritten(number: number)) } }
  }

  /// Copies an open store.
  private func copy(_ store: Store, _ name: String) async throws {
    try await store.copy(store.hold(), to: folder.file(name))
  }

  /// Opens the copy as a store, as often as one likes.
  private func restore(_ name: String, limits: StoreLimits = StoreLimits()) throws -> Store {
    let path = folder.file("restored-\(UUID().uuidString).sqlite")
    try FileManager.default.copyItem(atPath: folder.file(name), toPath: path)
    return try Store.numbers(path, snapshot: EpochTests.snapshot, limits: limits)
  }

  @Test("A copy's new epoch continues the copy's former epochs, each up to its last number")
  func lineage() async throws {
    let first = try Store.numbers(folder.file("store.sqlite"))
    try await publish(3, in: first)
    let former = try await first.log.head()
    #expect(try await first.log.end(of: former.epoch) == nil, "it is the present one")
    try await copy(first, "a")
    try await publish(4, in: first)
    try await copy(first, "b")
    await first.close()

    let second = try restore("a")
    let next = try await second.log.head()
    #expect(next.number == 3)
    #expect(try await second.log.end(of: former.epoch) == 3)
    try await publish(2, in: second)
    try await copy(second, "c")
    await second.close()

    let third = try restore("c")
    #expect(try await third.log.end(of: former.epoch) == 3)
    #expect(try await third.log.end(of: next.epoch) == 5)
    try await publish(1, in: third)
    #expect(try await third.log.head().number == 6)
    await third.close()

    // Copies of the same epoch, an older and a newer one: neither goes on from the other's.
    for (name, end) in [("a", 3), ("b", 7)] as [(String, Int64)] {
      let other = try restore(name)
      #expect(try await other.log.end(of: former.epoch) == end)
      #expect(try await other.log.end(of: next.epoch) == nil)
      await other.close()
    }
  }

  @Test("A store remembers its last hundred former epochs")
  func bound() async throws {
    let path = folder.file("store.sqlite")
    var epochs: [String] = []
    for _ in 0...101 {
      let store = try Store.numbers(path)
      epochs.append(try await store.log.head().epoch)
      if epochs.count == 102 {
        for (index, epoch) in epochs.enumerated() {
          #expect(try await store.log.end(of: epoch) == (1...100 ~= index ? 0 : nil))
        }
        #expect(try await store.count("outbox_ancestors") == 100)
      }
      await store.close()
      try Store.beginNewEpoch(path: path)
      // Asked for twice, it is still one.
      try Store.beginNewEpoch(path: path)
    }
  }

  @Test("A copy keeps events that its subscribers had not acknowledged, and prunes no more than before")
  func pruning() async throws {
    var limits = StoreLimits()
    limits.eventsKept = 0
    let store = try Store.numbers(folder.file("store.sqlite"), snapshot: EpochTests.snapshot, limits: limits)
    try await publish(6, in: store)
    try await store.log.acknowledge(subscriber: .rewards, epoch: try await store.log.head().epoch, number: 4)
    try await copy(store, "copy")
    await store.close()

    let restored = try restore("copy", limits: limits)
    try await publish(2, in: restored)
    try await restored.housekeep()
    #expect(try await restored.log.events(after: 4, limit: 10, bytes: 1000).map(\.number) == [5, 6, 7, 8])
    await #expect(throws: EventLogFailure.pruned) { try await restored.log.events(after: 3, limit: 10, bytes: 1000) }
    try await restored.log.acknowledge(subscriber: .rewards, epoch: try await restored.log.head().epoch, number: 7)
    try await restored.housekeep()
    #expect(try await restored.count("outbox") == 1)
    await restored.close()
  }
}
