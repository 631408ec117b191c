import IdentityContract
import InProcess
import Operations
import RewardsContract
import ServiceKit
import Storage
import Testing

@testable import IdentityService

@Suite("A ledger of coins that does not balance (REW-2, ID-15)")
struct LedgerIncidentTests {
  @Test("A faulty ledger of coins is a critical security event, and one incident however often it is found")
  func critical() async throws {
    try await RunningIdentity.run { identity in
      let now = identity.time.now
      for faults in [2, 3] {
        try await identity.store.write { transaction in
          let logged = LoggedEvent(number: 1, name: LedgerFailed.spec.name, at: now, traceparent: nil, body: [])
          try IncidentSubscriptions.ledgerFailed(LedgerFailed(faults: faults, at: now), logged, transaction)
        }
      }
      #expect(try await identity.securityEvents() == ["ledgerFailed", "ledgerFailed"])
      #expect(try await identity.count("SELECT count(*) FROM security_events WHERE severity = 'critical'") == 2)
      #expect(
        try await identity.count("SELECT count(*) FROM incidents WHERE pattern = 'ledgerFailing' AND severity = 'critical'") == 1)
    }
  }
}
