import Foundation
import GRDB
import IdentityContract
import Logging
import Operations
import Storage
import Testing

@testable import IdentityService

@Suite("Stores of identity with security events from before (ID-15)")
struct IncidentSchemaTests {
  @Test("their events count for their subscribers from then on")
  func subscribers() async throws {
    let file = FileManager.default.temporaryDirectory.appendingPathComponent("racha-events-\(UUID().uuidString)").path
    defer { for end in ["", "-wal", "-shm", ".lock"] { try? FileManager.default.removeItem(atPath: file + end) } }
    func open(_ migrations: [Migration]) throws -> Store {
      try Store(
        path: file, service: .identity, migrations: migrations, secret: [UInt8](repeating: 1, count: 32),
        logger: Logger(label: "test") { _ in SwiftLogNoOpLogHandler() })
    }
    let old = try open(Schema.migrations.filter { $0.number < 25 })
    try await old.write { transaction in
      for (number, address) in ["2001:db8:1:2::1", "2001:db8:1:2:3::4", "192.0.2.1", nil].enumerated() {
        try transaction.database.execute(
          sql: """
            INSERT INTO security_events (security_event_id, at, kind, severity, address)
            VALUES (?, ?, 'externalProofRefused', 'warning', ?)
            """, arguments: [ID<RecordedSecurityEvent>(), number, address])
      }
    }
    await old.close()
    let new = try open(Schema.migrations)
    let found = try await new.read { database in
      try Int.fetchAll(database, sql: "SELECT COUNT(*) FROM security_events GROUP BY subscriber ORDER BY subscriber")
    }
    let plan = try await new.read { database in
      try Row.fetchAll(
        database, sql: "EXPLAIN QUERY PLAN SELECT COUNT(*) FROM security_events WHERE subscriber = ? AND at > ?",
        arguments: [SecurityEvent.subscriber("192.0.2.1"), 0]
      ).map { $0["detail"] as String }
    }
    await new.close()
    // Nobody's first, then by their bytes.
    #expect(found == [1, 2, 1])
    #expect(plan.count == 1 && plan.allSatisfy { $0.contains("security_events_by_subscriber") }, "\(plan)")
  }
}
