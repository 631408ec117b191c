import GRDB
import InProcess
import Operations
import Storage
import Testing

@testable import SocialService

@Suite("Forgetting checkpoints of the register (TASK-9)")
struct RegisterCheckpointTests {
  @Test("Old checkpoints are forgotten a hundred at a time, the oldest first, and never the last one")
  func forgotten() async throws {
    try await ServicesInProcess.running([{ Social.service($0) }]) { services in
      let store = services.store(of: .social)
      let start = services.clock.now
      // The service's own, of an empty register.
      try await store.until { try await store.read { try RegisterTileStore.last($0) != nil } }
      try await store.write { transaction in
        try transaction.database.execute(sql: "DELETE FROM register_checkpoints")
        for size in 1...250 {
          let signedAt = size <= 150 ? start.adding(seconds: size - 1000) : start.adding(seconds: size)
          try transaction.database.run(
            "INSERT INTO register_checkpoints (size, note, signed_at) VALUES (?, 'note', ?)", .number(size), .instant(signedAt))
        }
      }
      func left(before time: Instant) async throws -> [Int] {
        try await store.write { transaction in
          try RegisterTileStore.forgetCheckpoints(before: time, transaction)
          return try Int.fetchAll(transaction.database, sql: "SELECT size FROM register_checkpoints ORDER BY size")
        }
      }
      #expect(try await left(before: start) == Array(101...250))
      #expect(try await left(before: start) == Array(151...250))
      #expect(try await left(before: start) == Array(151...250))
      #expect(try await left(before: start.adding(seconds: 1000)) == [250])
      #expect(try await left(before: start.adding(seconds: 1000)) == [250])
    }
  }
}
