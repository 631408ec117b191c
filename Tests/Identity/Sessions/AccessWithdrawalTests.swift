import IdentityContract
import Operations
import Storage
import Testing

@testable import IdentityService

@Suite("Withdrawn access beyond sessions (ID-7, ID-8, ID-9)")
struct AccessWithdrawalTests {
  private func snapshot(_ identity: RunningIdentity) async throws -> [AccessWithdrawn] {
    var (key, events): (String?, [AccessWithdrawn]) = (nil, [])
    repeat {
      let page = try await identity.store.log.snapshot(after: key)
      events += try page.events.filter { $0.name == AccessWithdrawn.spec.name }.map { try AccessWithdrawn.decode($0.body) }
      key = page.nextKey
    } while key != nil
    return events
  }

  @Test("A subscriber without history learns of all withdrawn access, and of nothing more once everything was withdrawn")
  func history() async throws {
    try await RunningIdentity.run { identity in
      try await identity.register()
      let account = try await identity.logIn().account.id
      func withdraw(_ since: Instant?) async throws {
        try await identity.store.write { try AccessWithdrawalStore.withdraw(to: account, madeSince: since, $0) }
      }
      #expect(try await snapshot(identity).isEmpty)
      let (early, late) = (Instant(milliseconds: 1000), Instant(milliseconds: 2000))
      try await withdraw(late)
      try await withdraw(early)
      #expect(Set(try await snapshot(identity).map(\.since)) == [early, late])
      #expect(try await snapshot(identity).count == 2)
      try await withdraw(nil)
      #expect(try await snapshot(identity).map(\.since) == [nil])
      try await withdraw(late)
      #expect(try await snapshot(identity).count == 2)
      #expect(try await identity.published(AccessWithdrawn.self).count == 4)
    }
  }
}
