import Foundation
import GRDB
import InProcess
import Operations
import SocialContract
import Storage
import Testing

@testable import SocialService

@Suite("Order and checkpoints of the register under load (TASK-9)")
struct RegisterOrderTests {
  @Test("Leaves are in the order in which social recorded their causes, each once, with concurrent callers")
  func order() async throws {
    try await ServicesInProcess.withPeople(6) { services, people in
      let other = people[5]
      try await withThrowingTaskGroup(of: Void.self) { group in
        for person in people.dropLast() {
          group.addTask {
            for round in 0..<4 {
              let task = try await services.makeTask("Task \(round)", by: person, with: [other])
              for _ in 0..<3 {
                try await person.confirm(task)
                try await person.withdraw(task)
              }
            }
          }
        }
        try await group.waitForAll()
      }
      // The events of the same transactions are numbered by the outbox.
      let owners = Set(people.dropLast().map(\.id))
      let events = try await services.published(TaskChanged.self).filter { owners.contains($0.accountID) }
      var seen: Set<ID<SharedTask>> = []
      let expected = events.map { event in
        seen.insert(event.taskID).inserted
          ? "taskCreated \(event.taskID)" : "\(event.isConfirmed ? "completionConfirmed" : "completionWithdrawn") \(event.taskID)"
      }
      let records = try await services.store(of: .social).read {
        try String.fetchAll(
          $0,
          sql: "SELECT kind || ' ' || json_extract(record, '$.task') FROM register_records ORDER BY number")
      }
      #expect(records.count == 5 * 4 * 7 && records == expected)
      let kinds = try await services.registerKinds()
      #expect(kinds == records.map { String($0.prefix { $0 != " " }) })
    }
  }

  @Test("Under steady load a checkpoint covers each leaf within about a second")
  func checkpoints() async throws {
    try await ServicesInProcess.running([{ Social.service($0) }], at: nil) { services in
      let store = services.store(of: .social)
      let begun = ContinuousClock.now
      var times: [Instant] = []
      while ContinuousClock.now - begun < .seconds(4) {
        times.append(
          try await store.write { transaction in
            try RegisterStore.append(.completion(.confirmed, of: ID(), by: AccountID()), transaction)
            return transaction.now
          })
      }
      _ = try await services.registered(times.count)
      let signed = try await store.read {
        try Row.fetchAll($0, sql: "SELECT size, signed_at FROM register_checkpoints ORDER BY size").map {
          (size: $0["size"] as Int, at: $0["signed_at"] as Instant)
        }
      }
      let waits = try times.enumerated().map { number, time in
        try #require(signed.first { $0.size > number }).at.milliseconds - time.milliseconds
      }.sorted()
      #expect(waits[waits.count * 9 / 10] <= 1_000, "\(waits.count) leaves, \(signed.count) checkpoints")
    }
  }
}
