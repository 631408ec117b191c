import ActivityContract
import ActivityService
import Foundation
import GRDB
import InProcess
import Operations
import ServiceKit
import Storage
import Testing

@testable import ActivityService

@Suite("Recounting days of movement")
struct MovementDayWorkerTests {
  private static let services: [ServicesInProcess.Build] = [{ Activities.service($0) }]

  @Test("Accounts with stale days take turns")
  func turns() async throws {
    try await ServicesInProcess.running(Self.services) { services in
      let people = [try await services.register(), try await services.register(), try await services.register()]
      let found = try await services.store(of: .activity).write { transaction in
        let accounts = try people.map { try MovementAccountStore.findOrAdd($0.id, in: transaction.database) }
        for account in accounts.dropLast() {
          for day in 0..<3 {
            try transaction.database.run(
              "INSERT INTO movement_stale_days (account_number, kind, day) VALUES (?, 0, ?)", .integer(account.number),
              .number(20_000 + day))
          }
        }
        var found: [AccountID] = []
        var last: Int64 = 0
        for _ in 0..<4 {
          guard let next = try MovementDayStore.nextStale(after: last, in: transaction.database) else { break }
          found.append(next.id)
          last = next.number
        }
        try transaction.database.execute(sql: "DELETE FROM movement_stale_days")
        #expect(try MovementDayStore.nextStale(after: last, in: transaction.database) == nil)
        return found
      }
      #expect(found == [people[0].id, people[1].id, people[0].id, people[1].id])
    }
  }

  @Test("Days that are stale when the process ends keep their old figure until they are recounted after its start, each once")
  func resumed() async throws {
    let (home, identity) = ("/tmp/racha-stale-\(UInt32.random(in: .min ... .max))", IdentityDouble())
    defer { try? FileManager.default.removeItem(atPath: home) }
    let (from, to) = (try LocalDay(text: "2026-10-01"), try LocalDay(text: "2026-11-21"))
    @Sendable func steps(_ account: AccountID, _ store: Store) async throws -> [Int] {
      try await store.read { try MovementDayStore.list(of: account, from: from, to: to, in: $0).map(\.steps).filter { $0 > 0 } }
    }
    let (ana, before) = try await ServicesInProcess.running(Self.services, identity: identity, home: home) { services in
      let (ana, store) = (try await services.register(), services.store(of: .activity))
      var samples: [MovementSample] = []
      for back in 0..<40 {
        let start = try Instant(text: "2026-11-20T08:00:00.000Z").adding(seconds: -back * 86_400)
        for (device, steps) in [("Phone", 1000), ("Watch", 1200)] {
          samples.append(
            MovementSample(
              id: "\(device) \(back)", start: start, end: start.adding(seconds: 3600), steps: steps, device: device))
        }
      }
      _ = try await ana.send(RecordMovementSamples.self, .init(samples: samples))
      try await store.write { transaction in
        let account = try MovementAccountStore.findOrAdd(ana.id, in: transaction.database)
        try MovementSourceStore.order([MovementSource(device: "Phone")], of: account.number, in: transaction.database)
      }
      #expect(try await steps(ana.id, store) == Array(repeating: 1200, count: 40))
      return (ana.id, try await store.log.head().number)
    }
    try await ServicesInProcess.running(Self.services, identity: identity, home: home) { services in
      let store = services.store(of: .activity)
      try await store.until { try await store.rows("movement_stale_days") == 0 }
      #expect(try await steps(ana, store) == Array(repeating: 1000, count: 40))
      let changes = try await store.log.events(after: before, limit: 10_000, bytes: 64 << 20)
        .filter { $0.name == MovementDaysChanged.spec.name }.flatMap { try MovementDaysChanged.decode($0.body).days }
      #expect(changes.count == 40 && Set(changes.map(\.day)).count == 40)
      #expect(changes.allSatisfy { $0.steps == 1000 })
    }
  }
}
