import Foundation
import GRDB
import Operations
import Storage
import Synchronization
import Testing

/// A process of its own that uses a store, and says what is durable.
private struct Probe {
  let process = Process()
  let output = Pipe()

  init(_ path: String, _ work: String, underShell prefix: String = "") throws {
    process.executableURL = URL(fileURLWithPath: "/bin/sh")
    process.arguments = ["-c", prefix + "exec \"$0\" \"$@\"", try Probe.executable(), path, work]
    process.standardOutput = output
    process.standardError = FileHandle.nullDevice
    try process.run()
  }

  /// Beside the test bundle.
  private static func executable() throws -> String {
    let own = URL(fileURLWithPath: CommandLine.arguments[0]).resolvingSymlinksInPath().deletingLastPathComponent().path
    for folder in [own, FileManager.default.currentDirectoryPath + "/.build/debug"]
    where FileManager.default.isExecutableFile(atPath: folder + "/storage-probe") { return folder + "/storage-probe" }
    throw CocoaError(.fileNoSuchFile)
  }

  /// The numbers acknowledged until it ended; kills it once there are that many.
  func acknowledged(killingAfter count: Int = .max) async throws -> [Int] {
    var text = ""
    var lines = 0
    while let data = try output.fileHandleForReading.read(upToCount: 4096), !data.isEmpty {
      text += String(decoding: data, as: UTF8.self)
      lines += data.count { $0 == UInt8(ascii: "\n") }
      if lines >= count { kill(process.processIdentifier, SIGKILL) }
    }
    process.waitUntilExit()
    // Without its newline, a number may be cut off.
    return text.split(separator: "\n", omittingEmptySubsequences: false).dropLast().compactMap { Int($0) }
  }
}

@Suite("A store whose process crashes", .timeLimit(.minutes(1)))
struct CrashTests {
  let folder: TemporaryFolder
  let path: String

  init() throws {
    folder = try TemporaryFolder()
    path = folder.file("store.sqlite")
  }

  private static let migrations = [
    Migration(1, "numbers") {
      try $0.execute(sql: "CREATE TABLE numbers (number INTEGER PRIMARY KEY, filler BLOB NOT NULL) STRICT")
    }
  ]

  /// Checks that the numbers are there, that nothing undone is, and that just what is there was published, without gaps.
  private func check(has acknowledged: Set<Int>) async throws {
    let store = try Store.numbers(path, migrations: CrashTests.migrations)
    let numbers = try await store.allNumbers()
    #expect(acknowledged.subtracting(numbers) == [])
    #expect(numbers.allSatisfy { $0 % 7 != 0 })
    #expect(try await store.sentNumbers().sorted() == numbers)
    #expect(try await store.read { try String.fetchAll($0, sql: "PRAGMA integrity_check") } == ["ok"])
    await store.close()
  }

  @Test("A store killed while it writes has everything that it acknowledged, and no partial write")
  func killed() async throws {
    var acknowledged: Set<Int> = []
    for round in 1...4 {
      let probe = try Probe(path, "write")
      acknowledged.formUnion(try await probe.acknowledged(killingAfter: round * 300))
      #expect(probe.process.terminationReason == .uncaughtSignal)
      #expect(acknowledged.count >= round * 300)
      try await check(has: acknowledged)
    }
  }

  @Test("A store killed while it receives events applies each once, also repeated ones")
  func killedSubscriber() async throws {
    var acknowledged = 0
    for round in 1...4 {
      let probe = try Probe(path, "subscribe")
      acknowledged = max(acknowledged, try await probe.acknowledged(killingAfter: round * 200).last ?? 0)
      let store = try Store.numbers(path, migrations: CrashTests.migrations)
      let effects = try await store.sentNumbers()
      #expect(effects == Array(1...effects.count))
      #expect(effects.count >= acknowledged)
      #expect(try await store.subscription { _, _, _ in }.cursor(of: .identity)?.number == Int64(effects.count))
      await store.close()
    }
  }

  @Test("A store whose disk fails ends its process with status 74, and has everything that it acknowledged")
  func diskError() async throws {
    // No file may grow beyond 1,000 blocks of 512 bytes: SQLite meets an error in its write-ahead log.
    let probe = try Probe(path, "write", underShell: "trap '' XFSZ; ulimit -f 1000; ")
    let acknowledged = try await probe.acknowledged()
    #expect(probe.process.terminationReason == .exit)
    #expect(probe.process.terminationStatus == 74)
    #expect(!acknowledged.isEmpty)
    try await check(has: Set(acknowledged))
  }

  @Test("A process whose store is damaged ends with the reason", arguments: ["reading", "writing"])
  func damaged(by access: String) async throws {
    let store = try Store.numbers(path)
    for number in 0..<2_000 { try await store.insert(number) }
    await store.close()
    // The table's pages, not those of the schema, are overwritten.
    let root = try await DatabaseQueue(path: path).read {
      try Int.fetchOne($0, sql: "SELECT rootpage FROM sqlite_schema WHERE name = 'numbers'") ?? 0
    }
    let file = try FileHandle(forUpdating: URL(fileURLWithPath: path))
    try file.seek(toOffset: UInt64(root - 1) * 4096)
    try file.write(contentsOf: Data(repeating: 0xEE, count: 4096))
    try file.close()

    let reasons = Mutex<[String]>([])
    let damaged = try Store.numbers(path, onFatal: { reason in reasons.withLock { $0.append(reason) } })
    if access == "reading" {
      await #expect(throws: DatabaseError.self) { try await damaged.allNumbers() }
    } else {
      await #expect(throws: DatabaseError.self) { try await damaged.insert(5_000) }
    }
    #expect(reasons.withLock { $0.first?.contains("malformed") } == true)
    await damaged.close()
  }
}
