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

  @Test("A new order of sources writes as much however many days there are; they become stale in steps, the newest first")
  func reorders() async throws {
    try await ServicesInProcess.running(Self.services) { services in
      let ana = try await services.register()
      let (written, steps) = try await services.store(of: .activity).write { transaction in
        let database = transaction.database
        let account = try MovementAccountStore.findOrAdd(ana.id, in: database)
        for device in ["Phone", "Watch"] {
          _ = try MovementSourceStore.add(MovementSource(device: device), of: account.number, in: database)
        }
        // Each third day was measured by both, steps and walking in turns.
        for day in 0..<100 {
          for source in 1...2 where source == 1 || day % 3 == 0 {
            try database.run(
              "INSERT INTO movement_day_sources VALUES (?, ?, ?, ?, ?, ?)", .integer(account.number), .number(day % 2),
              .number(20_000 + day), .number(source), .number(day * 86_400_000), .number(day * 86_400_000 + 1000))
          }
        }
        let before = database.totalChangesCount
        try MovementSourceStore.order([MovementSource(device: "Phone")], of: account, in: database)
        let written = database.totalChangesCount - before
        var steps: [[Int]] = []
        while try Int.fetchOne(database, sql: "SELECT count(*) FROM movement_reorders") != 0 {
          try MovementDayStore.noteStale(of: ana.id, days: 10, in: database)
          steps.append(try Int.fetchAll(database, sql: "SELECT day - 20000 FROM movement_stale_days ORDER BY day"))
        }
        return (written, steps)
      }
      // Both sources lose their places, and one gets one.
      #expect(written == 4)
      #expect(steps.count == 11 && steps.first == [90, 93, 96, 99])
      #expect(steps.last == (0..<100).filter { $0 % 3 == 0 })
    }
  }

  @Test("To find an account's next stale days takes no longer where there are many")
  func effort() async throws {
    try await ServicesInProcess.running(Self.services) { services in
      let store = services.store(of: .activity)
      var steps: [Int] = []
      for count in [100, 10_000] {
        let person = try await services.register()
        let number = try await store.write { transaction in
          let account = try MovementAccountStore.findOrAdd(person.id, in: transaction.database)
          for day in 0..<count {
            try transaction.database.run(
              "INSERT INTO movement_stale_days (account_number, kind, day) VALUES (?, 0, ?)", .integer(account.number),
              .number(10_000 + day))
          }
          return account.number
        }
        steps.append(try await store.effort { _ = try MovementDayStore.stale(of: number, limit: 4, in: $0) }.steps)
      }
      #expect(steps[1] <= steps[0] + 2, "\(steps)")
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
        try MovementSourceStore.order([MovementSource(device: "Phone")], of: account, in: transaction.database)
      }
      #expect(try await steps(ana.id, store) == Array(repeating: 1200, count: 40))
      return (ana.id, try await store.log.head().number)
    }
    try await ServicesInProcess.running(Self.services, identity: identity, home: home) { services in
      let store = services.store(of: .activity)
      try await services.areCountedAnew()
      #expect(try await steps(ana, store) == Array(repeating: 1000, count: 40))
      let changes = try await store.log.events(after: before, limit: 10_000, bytes: 64 << 20)
        .filter { $0.name == MovementDaysChanged.spec.name }.flatMap { try MovementDaysChanged.decode($0.body).days }
      #expect(changes.count == 40 && Set(changes.map(\.day)).count == 40)
      #expect(changes.allSatisfy { $0.steps == 1000 })
    }
  }
}
