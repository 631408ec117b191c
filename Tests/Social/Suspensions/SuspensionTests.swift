import InProcess
import Operations
import SocialContract
import Testing

@testable import SocialService

@Suite("Suspensions (SOC-8)")
struct SuspensionTests {
  private func suspend(_ days: Int, _ people: Moderating) async throws -> ModerationCase {
    try await people.report(.account(people.ben.account), by: people.ana)
    return try await people.decide(.suspended, days: days)
  }

  private func running(_ people: Moderating) async throws -> [Suspension] {
    try await people.services.call(ListSuspensions.self, .init(), as: people.vera.caller).items
  }

  @Test("Suspensions end by themselves when their time is over, and that is published once")
  func expiry() async throws {
    try await Moderating.running { people in
      let decided = try await suspend(2, people)
      let worker = SuspensionWorker(store: people.services.store(of: .social))
      people.services.clock.advance(days: 1)
      try await worker.sweep()
      #expect(try await running(people).map(\.caseID) == [decided.id])
      people.services.clock.advance(days: 1)
      for _ in 0..<2 { try await worker.sweep() }
      #expect(try await running(people).isEmpty)
      let published = try await people.published(SuspensionChanged.self)
      #expect(published.map { $0.until == nil } == [false, true] && published[0].revision < published[1].revision)
      #expect(Set(published.map(\.suspensionID)).count == 1)
    }
  }

  @Test("Suspensions are listed with whom they are of, and lifted by an administrator, not by their own account, once")
  func lifting() async throws {
    try await Moderating.running { people in
      let decided = try await suspend(30, people)
      let suspension = try #require(try await running(people).first)
      #expect(suspension.caseID == decided.id && suspension.username == people.ben.username && suspension.nickname == "Benji")
      #expect(suspension.reason == "No insults." && suspension.since == people.services.clock.now)
      let input = LiftSuspension.Input(suspensionID: suspension.id, note: try ReportText(text: "Enough."))
      let services = people.services
      let unknown = LiftSuspension.Input(suspensionID: ID(), note: input.note)
      #expect(try await services.refusal(LiftSuspension.self, unknown, as: people.vera.caller) == "not_found")
      #expect(try await services.refusal(LiftSuspension.self, input, as: people.vera.caller) == nil)
      #expect(try await services.refusal(LiftSuspension.self, input, as: people.root.caller) == "suspension_ended")
      #expect(try await running(people).isEmpty)
      #expect(try await people.published(SuspensionChanged.self).last?.until == nil)
      let records = try await services.call(ListModerationRecords.self, .init(), as: people.root.caller).items
      #expect(records.map(\.action) == [.lifted, .decided] && records[0].note?.description == "Enough.")
      #expect(records[0].administratorUsername == people.vera.username)
    }
  }

  @Test("Of an account's suspensions others know the one that lasts longest, when it ends the next, and then none")
  func several() async throws {
    try await Moderating.running { people in
      let now = people.services.clock.now
      let short = try await suspend(3, people)
      let long = try await suspend(10, people)
      _ = try await suspend(1, people)
      func untils() async throws -> [Int?] {
        try await people.published(SuspensionChanged.self).map { event in
          event.until.map { Int($0.milliseconds - now.milliseconds) / 86_400_000 }
        }
      }
      #expect(try await untils() == [3, 10, 10])
      let suspensions = try await running(people)
      let longest = try #require(suspensions.first { $0.caseID == long.id })
      let lift = LiftSuspension.Input(suspensionID: longest.id, note: try ReportText(text: "Enough."))
      _ = try await people.services.call(LiftSuspension.self, lift, as: people.vera.caller)
      #expect(try await untils() == [3, 10, 10, 3])
      people.services.clock.advance(days: 3)
      try await SuspensionWorker(store: people.services.store(of: .social)).sweep()
      let published = try await people.published(SuspensionChanged.self)
      #expect(published.last?.until == nil)
      let revisions = published.map(\.revision)
      #expect(zip(revisions, revisions.dropFirst()).allSatisfy { $0 < $1 })
      #expect(suspensions.contains { $0.caseID == short.id })
    }
  }

  @Test("Suspensions stand in the snapshot, the last of each account, those that ended too")
  func snapshot() async throws {
    try await Moderating.running { people in
      _ = try await suspend(3, people)
      try await people.report(.account(people.eva.account), by: people.ana)
      try await people.decide(.banned)
      people.services.clock.advance(days: 3)
      try await SuspensionWorker(store: people.services.store(of: .social)).sweep()
      let snapshot = try await people.services.snapshot(of: .social).filter { $0.name == SuspensionChanged.spec.name }
      let last = try snapshot.map { try SuspensionChanged.decode($0.body) }
      #expect(Set(last.map(\.accountID)) == [people.ben.account, people.eva.account])
      #expect(last.first { $0.accountID == people.ben.account }?.until == nil)
      #expect(last.first { $0.accountID == people.eva.account }?.until == .endOfTime)
      let published = try await people.published(SuspensionChanged.self)
      #expect(last.allSatisfy { published.contains($0) })
    }
  }
}
