import Foundation
import GRDB
import Logging
import Operations
import Storage
import Synchronization
import Testing

@testable import ServiceKit

@Suite("Work in steps by turns", .timeLimit(.minutes(1)))
final class RoundRobinWorkerTests {
  private enum Box {}

  private struct Ended: Error {}

  /// From which boxes something was taken; with room for so many.
  private final class Order: Sendable {
    private let boxes = Mutex<[ID<Box>]>([])

    var all: [ID<Box>] { boxes.withLock { $0 } }

    func add(_ box: ID<Box>, atMost count: Int = .max) throws {
      try boxes.withLock { boxes in
        guard boxes.count < count else { throw Ended() }
        boxes.append(box)
      }
    }
  }

  private let path = "/tmp/racha-turns-\(UInt32.random(in: .min ... .max))"

  deinit { try? FileManager.default.removeItem(atPath: path) }

  private static let migrations = [
    Migration(1, "boxes") { database in
      try database.execute(sql: "CREATE TABLE boxes (box_id BLOB NOT NULL PRIMARY KEY, number INTEGER NOT NULL) STRICT")
    }
  ]

  private func open() throws -> Store {
    try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true)
    return try Store(
      path: "\(path)/a.sqlite", service: .identity, migrations: Self.migrations, secret: [UInt8](repeating: 1, count: 32),
      logger: Logger(label: "test") { _ in SwiftLogNoOpLogHandler() })
  }

  /// Takes from a box, and notes from which, until it is empty.
  private func worker(
    _ store: Store, _ signal: WakeSignal, _ note: @escaping @Sendable (ID<Box>) throws -> Void
  ) -> RoundRobinWorker<Box> {
    RoundRobinWorker("boxes", of: "boxes", by: "box_id", limits: StepLimits(first: 1, max: 1), store: store, signal: signal) {
      box, count, transaction in
      try transaction.database.run("UPDATE boxes SET number = number - ?2 WHERE box_id = ?1", .id(box), .number(count))
      try transaction.database.run("DELETE FROM boxes WHERE box_id = ? AND number <= 0", .id(box))
      try note(box)
    }
  }

  private func fill(_ boxes: [ID<Box>], with number: Int, _ store: Store) async throws {
    try await store.write { transaction in
      for box in boxes { try transaction.database.run("INSERT INTO boxes VALUES (?, ?)", .id(box), .number(number)) }
    }
  }

  private func whenEmpty(_ store: Store) async throws {
    while try await store.read({ try Int.fetchOne($0, sql: "SELECT count(*) FROM boxes") }) != 0 { await Task.yield() }
  }

  @Test("Remaining work of several owners is done in turns, at the start and after each signal")
  func turns() async throws {
    let store = try open()
    let boxes = (0..<3).map { _ in ID<Box>() }.sorted()
    let (order, signal) = (Order(), WakeSignal())
    try await fill(boxes, with: 3, store)
    try await withThrowingTaskGroup(of: Void.self) { group in
      let worker = worker(store, signal) { try order.add($0) }
      group.addTask { try await worker.run() }
      try await whenEmpty(store)
      #expect(order.all == boxes + boxes + boxes)
      try await fill([boxes[1], boxes[0]], with: 2, store)
      signal.send()
      try await whenEmpty(store)
      // Behind the last of them comes the first.
      #expect(order.all.suffix(4) == [boxes[0], boxes[1], boxes[0], boxes[1]])
      group.cancelAll()
    }
    await store.close()
  }

  @Test("Steps left by a process that ends between two of them are done by the next one")
  func resumed() async throws {
    let store = try open()
    let box = ID<Box>()
    try await fill([box], with: 5, store)
    let order = Order()
    let interrupted = worker(store, WakeSignal()) { try order.add($0, atMost: 2) }
    await #expect(throws: Ended.self) { try await interrupted.run() }
    #expect(try await store.read { try Int.fetchOne($0, sql: "SELECT number FROM boxes") } == 3)
    try await withThrowingTaskGroup(of: Void.self) { group in
      let worker = worker(store, WakeSignal()) { try order.add($0) }
      group.addTask { try await worker.run() }
      try await whenEmpty(store)
      group.cancelAll()
    }
    #expect(order.all.count == 5)
    await store.close()
  }
}
