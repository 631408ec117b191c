import Foundation
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

  @Test("A store put back from a copy goes on under another name and says what is not known; one that hides it is found")
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

    for file in ["", "-wal", "-shm"] { try? FileManager.default.removeItem(atPath: store + file) }
    try FileManager.default.copyItem(atPath: copy, toPath: store)
    let restored = try await visit(path, registering: 5, since: later.memory)
    #expect(restored.memory.checkpoint.origin == later.memory.checkpoint.origin + "/2")
    let continuation = try #require(restored.continuations.first)
    #expect(restored.continuations.count == 1 && continuation.previousOrigin == later.memory.checkpoint.origin)
    #expect(continuation.previousSize == 300 && continuation.restoredSize == 300)
    #expect(continuation.previousRoot == first.memory.checkpoint.root.description)
    #expect(restored.memory.checkpoint.size == 306 && restored.added == 6)
    // It keeps its name, and is followed on.
    #expect(try await visit(path, registering: 3, since: restored.memory).added == 3)
  }
}

extension ServicesInProcess {
  /// What the gateway answers below `/register/`; nil where there is nothing.
  func file(_ path: String) async throws -> [UInt8]? {
    if path == "checkpoint" { return try await call(ReadRegisterCheckpoint.self, .init(), as: .nobody).content.bytes }
    do {
      return try await call(ReadRegisterTile.self, .init(path: String(path.dropFirst(5))), as: .nobody).content.bytes
    } catch let failure as Failure where failure.code == "not_found" {
      return nil
    }
  }
}
