import Foundation
import GRDB
import Glibc
import Operations
import Storage
import Synchronization
import Testing

@Suite("Holding a store's writes", .timeLimit(.minutes(1)))
struct HoldTests {
  let folder: TemporaryFolder
  let path: String

  init() throws {
    folder = try TemporaryFolder()
    path = folder.file("store.sqlite")
  }

  @Test("A hold delays writes but not reads, and its state is copied, however much is written meanwhile")
  func snapshot() async throws {
    var limits = StoreLimits()
    limits.pagesPerCopyStep = 1
    let store = try Store.numbers(path, limits: limits)
    let count = 200_000
    try await store.write { transaction in
      try transaction.database.execute(
        sql: """
          WITH RECURSIVE n (number) AS (SELECT 0 UNION ALL SELECT number + 1 FROM n WHERE number < ?)
          INSERT INTO numbers (number) SELECT number FROM n
          """, arguments: [count - 1])
    }
    let hold = try await store.hold()
    let isOver = Atomic(false)
    let writing = Task {
      var number = count
      while !isOver.load(ordering: .relaxed) {
        try await store.insert(number)
        number += 1
      }
      return number
    }
    for _ in 0..<200 { #expect(try await store.count("numbers") == count) }
    let copy = folder.file("copy.sqlite")
    try await store.copy(hold, to: copy)
    let written = try await store.count("numbers")
    isOver.store(true, ordering: .relaxed)
    #expect(written > count, "writes went on while it was copied")
    #expect(try await store.count("numbers") <= writing.value)
    let file = try DatabaseQueue(path: copy)
    #expect(try await file.read { try Int.fetchOne($0, sql: "SELECT count(*) FROM numbers") } == count)
    try file.close()
    await store.close()
  }

  @Test("A hold is the only one until it is released or copied")
  func second() async throws {
    let store = try Store.numbers(path)
    let first = try await store.hold()
    await #expect(throws: BackupFailure.underWay) { try await store.hold() }
    try store.release(first)
    #expect(throws: BackupFailure.holdEnded) { try store.release(first) }
    let second = try await store.hold()
    await #expect(throws: BackupFailure.holdEnded) { try await store.copy(first, to: folder.file("copy.sqlite")) }
    try await store.copy(second, to: folder.file("copy.sqlite"))
    try store.release(try await store.hold())
    try await store.insert(1)
    await store.close()
  }

  @Test("A hold expires by itself: writes continue, and its copy fails")
  func forgotten() async throws {
    var limits = StoreLimits()
    limits.writesHeld = .milliseconds(100)
    let store = try Store.numbers(path, limits: limits)
    let hold = try await store.hold()
    try await store.insert(1)
    await #expect(throws: BackupFailure.holdEnded) { try await store.copy(hold, to: folder.file("copy.sqlite")) }
    #expect(throws: BackupFailure.holdEnded) { try store.release(hold) }
    #expect(!FileManager.default.fileExists(atPath: folder.file("copy.sqlite")))
    try store.release(try await store.hold())
    await store.close()
  }

  @Test("A hold does not begin after its caller's deadline")
  func late() async throws {
    var limits = StoreLimits()
    limits.writesHeld = .zero
    let store = try Store.numbers(path, limits: limits)
    for number in 0..<3 {
      await #expect(throws: BackupFailure.holdEnded) { try await store.hold() }
      try await store.insert(number)
    }
    await store.close()
  }

  @Test("The write queue keeps its limit during a hold")
  func bounded() async throws {
    var limits = StoreLimits()
    limits.waitingWrites = 2
    let store = try Store.numbers(path, limits: limits)
    let hold = try await store.hold()
    try await withThrowingTaskGroup(of: String?.self) { group in
      for number in 0..<3 {
        group.addTask {
          do {
            try await store.insert(number)
            return nil
          } catch let failure as Failure {
            return failure.code
          }
        }
      }
      #expect(try await group.next() == "overloaded")
      // The other two wait.
      for _ in 0..<200 { #expect(try await store.count("numbers") == 0) }
      try store.release(hold)
      for try await code in group { #expect(code == nil) }
    }
    #expect(try await store.count("numbers") == 2)
    await store.close()
  }

  @Test("A hold abandons its snapshot when the copy takes too long")
  func slow() async throws {
    var limits = StoreLimits()
    limits.copyDuration = .zero
    limits.pagesPerCopyStep = 1
    let store = try Store.numbers(path, limits: limits)
    for _ in 0..<2 {
      await #expect(throws: BackupFailure.tooLong) { try await store.copy(store.hold(), to: folder.file("copy.sqlite")) }
      try await store.insert(try await store.count("numbers"))
    }
    #expect(try FileManager.default.contentsOfDirectory(atPath: folder.path).filter { $0.hasPrefix("copy") } == [])
    await store.close()
  }

  @Test("A hold abandons its snapshot when the write-ahead log grows too large meanwhile")
  func growing() async throws {
    var limits = StoreLimits()
    limits.pagesPerCopyStep = 1
    limits.maxCopyLogBytes = -1
    let store = try Store.numbers(path, limits: limits)
    await #expect(throws: BackupFailure.tooLong) { try await store.copy(store.hold(), to: folder.file("copy.sqlite")) }
    try await store.insert(1)
    await store.close()
  }

  @Test("A hold waits for another copy into the same folder, and later writes are not in its copy")
  func turns() async throws {
    let store = try Store.numbers(path)
    try await store.insert(0)
    let other = open(folder.path, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
    #expect(other >= 0 && flock(other, LOCK_EX | LOCK_NB) == 0)
    let hold = try await store.hold()
    let copy = folder.file("copy.sqlite")
    let copying = Task { try await store.copy(hold, to: copy) }
    for number in 1..<200 { try await store.insert(number) }
    #expect(!FileManager.default.fileExists(atPath: copy))
    #expect(FileManager.default.contents(atPath: "\(copy).partial")?.count ?? 0 <= 4096, "nothing is copied yet")
    close(other)
    _ = try await copying.value
    let file = try DatabaseQueue(path: copy)
    #expect(try await file.read { try Int.fetchAll($0, sql: "SELECT number FROM numbers") } == [0])
    try file.close()
    // Its own turn is over.
    let next = open(folder.path, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
    #expect(next >= 0 && flock(next, LOCK_EX | LOCK_NB) == 0)
    close(next)
    await store.close()
  }

  @Test("A hold that waits for its turn ends when the store is closed")
  func closingMeanwhile() async throws {
    let store = try Store.numbers(path)
    let other = open(folder.path, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
    #expect(other >= 0 && flock(other, LOCK_EX | LOCK_NB) == 0)
    defer { close(other) }
    let hold = try await store.hold()
    let copying = Task { try await store.copy(hold, to: folder.file("copy.sqlite")) }
    // Writes go on once the copy has begun.
    try await store.insert(1)
    await store.close()
    await #expect(throws: Failure.self) { try await copying.value }
    #expect(try FileManager.default.contentsOfDirectory(atPath: folder.path).filter { $0.hasPrefix("copy") } == [])
  }

  @Test("A hold ends when the store is closed, and waiting writes are finished")
  func closing() async throws {
    var limits = StoreLimits()
    limits.writesHeld = .seconds(600)
    let store = try Store.numbers(path, limits: limits)
    let hold = try await store.hold()
    async let write: Void = store.insert(1)
    await store.close()
    do {
      try await write
    } catch let failure as Failure {
      #expect(failure.code == "unavailable", "it came after the store had begun to close")
    }
    await #expect(throws: BackupFailure.holdEnded) { try await store.copy(hold, to: folder.file("copy.sqlite")) }
  }
}
