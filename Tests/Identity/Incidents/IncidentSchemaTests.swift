import EarlierStores
import GRDB
import IdentityContract
import Operations
import Storage
import Testing

@testable import IdentityService

@Suite("Security events of earlier stores (ID-15)")
struct IncidentSchemaTests {
  @Test("Security events of earlier stores count for their subscribers after the upgrade")
  func subscribers() async throws {
    try await UpgradedStore.upgrading(.identity, RunningIdentity.migrations(), before: 25) { transaction in
      for (number, address) in ["2001:db8:1:2::1", "2001:db8:1:2:3::4", "192.0.2.1", nil].enumerated() {
        try transaction.database.execute(
          sql: """
            INSERT INTO security_events (security_event_id, at, kind, severity, address)
            VALUES (?, ?, 'externalProofRefused', 'warning', ?)
            """, arguments: [ID<RecordedSecurityEvent>(), number, address])
      }
    } check: { store in
      let found = try await store.read { database in
        try Int.fetchAll(database, sql: "SELECT COUNT(*) FROM security_events GROUP BY subscriber ORDER BY subscriber")
      }
      let plan = try await store.read { database in
        try Row.fetchAll(
          database, sql: "EXPLAIN QUERY PLAN SELECT COUNT(*) FROM security_events WHERE subscriber = ? AND at > ?",
          arguments: [SecurityEvent.subscriber("192.0.2.1"), 0]
        ).map { $0["detail"] as String }
      }
      // Nobody's first, then by their bytes.
      #expect(found == [1, 2, 1])
      #expect(plan.count == 1 && plan.allSatisfy { $0.contains("security_events_by_subscriber") }, "\(plan)")
    }
  }
}
