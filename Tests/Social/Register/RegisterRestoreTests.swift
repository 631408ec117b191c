import Foundation
import GRDB
import InProcess
import Operations
import SocialContract
import Storage
import Testing
import TransparencyLog

@testable import SocialService

@Suite("The register after a restore (TASK-9)")
struct RegisterRestoreTests {
  /// Runs social over a folder, registers so much, and reads what a verifier finds.
  private func visit(
    _ path: String, registering count: Int, since memory: LogMemory?,
    before body: @escaping (ServicesInProcess) async throws -> Void = { _ in }
  ) async throws -> LogVerifier.Report {
    try await ServicesInProcess.running([{ Social.service($0) }], home: path) { services in
      let store = services.store(of: .social)
      // The log has its name before anything is registered.
      let epoch = try await store.log.head().epoch
      try await store.until { try await store.read { try RegisterTileStore.origin($0)?.epoch } == epoch }
      let leaves = try await store.write { transaction in
        for _ in 0..<count { try RegisterStore.append(.completion(.confirmed, of: ID(), by: AccountID()), transaction) }
        return try RegisterStore.leafCount(transaction.database)
      }
      _ = try await services.registered(leaves)
      try await body(services)
      let verifier = LogVerifier { path in try await services.file(path) }
      return try await verifier.verify(since: memory, keys: try await services.registerKeys())
    }
  }

  @Test("A store restored from a copy continues under another name and states the gap, and a hidden restore is detected")
  func restored() async throws {
    let path = "/tmp/racha-in-register-\(UInt64.random(in: .min ... .max))"
    defer { try? FileManager.default.removeItem(atPath: path) }
    let (store, copy) = ("\(path)/stores/social.sqlite", "\(path)/copy.sqlite")
    let first = try await visit(path, registering: 300, since: nil) { services in
      let store = services.store(of: .social)
      let hold = try await store.hold()
      _ = try await store.copy(hold, to: copy)
    }
    #expect(first.continuations.isEmpty && first.memory.checkpoint.size == 300)
    let later = try await visit(path, registering: 40, since: first.memory)
    #expect(later.added == 40 && later.continuations.isEmpty)

    try putBack(copy, to: store)
    let restored = try await visit(path, registering: 5, since: later.memory)
    #expect(restored.memory.checkpoint.origin.hasPrefix(later.memory.checkpoint.origin + "/2-"))
    let continuation = try #require(restored.continuations.first)
    #expect(restored.continuations.count == 1 && continuation.previousOrigin == later.memory.checkpoint.origin)
    #expect(continuation.previousSize == 300 && continuation.restoredSize == 300)
    #expect(continuation.previousRoot == first.memory.checkpoint.root.description)
    #expect(restored.memory.checkpoint.size == 306 && restored.added == 6)
    // It keeps its name, and is followed on.
    #expect(try await visit(path, registering: 3, since: restored.memory).added == 3)

    // Put back from the same copy once more: another name, and what the first restore added is told apart from it.
    try putBack(copy, to: store)
    let again = try await visit(path, registering: 20, since: restored.memory)
    #expect(again.memory.checkpoint.origin != restored.memory.checkpoint.origin)
    #expect(again.added == 21 && again.continuations.map(\.restoredSize) == [300])
    #expect(try await visit(path, registering: 1, since: later.memory).added == 22)
    // A restore that also changes what is older is found.
    try putBack(copy, to: store)
    try rewrite(store)
    await #expect(throws: LogFinding.rewritten(size: 340)) { _ = try await visit(path, registering: 1, since: later.memory) }
  }

  private func putBack(_ copy: String, to store: String) throws {
    for file in ["", "-wal", "-shm"] { try? FileManager.default.removeItem(atPath: store + file) }
    try FileManager.default.copyItem(atPath: copy, toPath: store)
  }

  /// Changes an old leaf in a store that nobody has open, and leaves the service to make the tree anew.
  private func rewrite(_ store: String) throws {
    let queue = try DatabaseQueue(path: store)
    try queue.write { database in
      try database.execute(
        sql: """
          DROP TRIGGER register_leaves_are_not_changed;
          DROP TRIGGER register_tiles_are_not_deleted;
          UPDATE register_leaves SET entry = replace(entry, 'Confirmed', 'Withdrawn') WHERE number = 7;
          DELETE FROM register_tiles;
          DELETE FROM register_checkpoints;
          """)
    }
    try queue.close()
  }

  @Test("After a restore tiles are served under the log's new name, and only there may be cached for good")
  func addresses() async throws {
    let path = "/tmp/racha-in-register-\(UInt64.random(in: .min ... .max))"
    defer { try? FileManager.default.removeItem(atPath: path) }
    let (store, copy) = ("\(path)/stores/social.sqlite", "\(path)/copy.sqlite")
    _ = try await visit(path, registering: 3, since: nil) { services in
      #expect(try await services.call(GetRegisterTile.self, .init(path: "0/000.p/3"), as: .nobody).isImmutable == true)
      let other = GetRegisterLogTile.Input(log: "2-00000000", path: "0/000.p/3")
      #expect(try await services.refusal(GetRegisterLogTile.self, other, as: .nobody) == "not_found")
      let store = services.store(of: .social)
      _ = try await store.copy(try await store.hold(), to: copy)
    }
    try putBack(copy, to: store)
    _ = try await visit(path, registering: 1, since: nil) { services in
      let note = try await services.registered(5).note
      let log = try #require(try Checkpoint(text: note.text).origin.split(separator: "/").last.map(String.init))
      let own = try await services.call(GetRegisterLogTile.self, .init(log: log, path: "0/000.p/5"), as: .nobody)
      let old = try await services.call(GetRegisterTile.self, .init(path: "0/000.p/5"), as: .nobody)
      #expect(own.isImmutable == true && own.isPublic == true && old.isImmutable == nil && old.content == own.content)
      let checkpoint = try await services.call(GetRegisterLogCheckpoint.self, .init(log: log), as: .nobody)
      #expect(checkpoint.content.bytes == Array(note.description.utf8))
      for other in ["", "2", "register", "..", log + "x"] {
        #expect(try await services.refusal(GetRegisterLogCheckpoint.self, .init(log: other), as: .nobody) != nil)
        #expect(
          try await services.refusal(GetRegisterLogTile.self, .init(log: other, path: "0/000.p/1"), as: .nobody) != nil)
      }
    }
  }
}

extension ServicesInProcess {
  /// What the gateway answers below `/register/`; nil where there is nothing.
  func file(_ path: String) async throws -> [UInt8]? {
    if path == "checkpoint" { return try await call(GetRegisterCheckpoint.self, .init(), as: .nobody).content.bytes }
    let parts = path.split(separator: "/", maxSplits: 1).map(String.init)
    do {
      guard parts[0] != "tile" else {
        return try await call(GetRegisterTile.self, .init(path: parts[1]), as: .nobody).content.bytes
      }
      let tile = String(parts[1].dropFirst("tile/".count))
      return try await call(GetRegisterLogTile.self, .init(log: parts[0], path: tile), as: .nobody).content.bytes
    } catch let failure as Failure where failure.code == "not_found" {
      return nil
    }
  }
}
