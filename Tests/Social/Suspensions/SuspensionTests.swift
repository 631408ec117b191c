import IdentityContract
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

  @Test("Suspensions end by themselves in time, which is published once")
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

  @Test("Suspensions are listed with their accounts, and lifted once by an administrator, not by the account")
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

  @Test(
    "The account can see how and when its suspensions ended: in time, lifted or by a granted appeal",
    arguments: SuspensionEnd.allCases)
  func ends(end: SuspensionEnd) async throws {
    try await Moderating.running { people in
      let (services, decided) = (people.services, try await suspend(2, people))
      let imposed = try #require(try await people.sanctions(of: people.ben).first)
      #expect(imposed.end == nil && imposed.endedAt == nil && imposed.until != nil)
      services.clock.advance(seconds: 3600)
      var endedAt: Instant? = services.clock.now
      switch end {
      case .over:
        endedAt = imposed.until
        services.clock.advance(days: 3)
      case .lifted:
        let suspension = try #require(try await running(people).first)
        let lift = LiftSuspension.Input(suspensionID: suspension.id, note: try ReportText(text: "Enough."))
        _ = try await services.call(LiftSuspension.self, lift, as: people.vera.caller)
      case .appealGranted:
        let appeal = AppealSanction.Input(caseID: decided.id, text: try ChatText(text: "No."))
        _ = try await services.call(AppealSanction.self, appeal, as: people.ben.caller)
        let granted = DecideAppeal.Input(caseID: decided.id, outcome: .granted, reason: try ReportText(text: "Right."), note: nil)
        _ = try await services.call(DecideAppeal.self, granted, as: people.vera.caller)
      }
      // The same before and after the worker has noted it.
      for _ in 0..<2 {
        let sanction = try #require(try await people.sanctions(of: people.ben).first)
        #expect(sanction.end == end && sanction.endedAt == endedAt && sanction.until == imposed.until)
        services.clock.advance(days: 3)
        try await SuspensionWorker(store: services.store(of: .social)).sweep()
      }
    }
  }

  @Test("Suspended accounts are listed without their photo until the suspension is lifted")
  func photo() async throws {
    try await Moderating.running { people in
      let (services, tag) = (people.services, "0123456789abcdef0123456789abcdef")
      var event = people.ben.event
      (event.revision, event.photoTag) = (2, tag)
      try await services.publish(.identity, event)
      try await services.hasReceived(.social, of: .identity)
      let message = SendMessage.Input(accountID: people.ben.account, text: try ChatText(text: "Hello"))
      _ = try await services.call(SendMessage.self, message, as: people.ana.caller)
      _ = try await services.call(SendFollowRequest.self, .init(username: people.ben.username), as: people.ana.caller)
      let request = try #require(try await services.call(ListFollowRequests.self, .init(), as: people.ben.caller).items.first)
      _ = try await services.call(AcceptFollowRequest.self, .init(followRequestID: request.id), as: people.ben.caller)
      func photos() async throws -> [PhotoURL?] {
        let caller = people.ana.caller
        return [
          try await services.call(ListFriends.self, .init(), as: caller).items.first?.photoURL,
          try await services.call(ListFollows.self, .init(), as: caller).items.first?.photoURL,
          try await services.call(ListConversations.self, .init(), as: caller).items.first?.photoURL,
          try await services.call(ListMessages.self, .init(accountID: people.ben.account), as: caller).photoURL,
        ]
      }
      let url = PhotoURL(account: people.ben.account, tag: tag)
      #expect(try await photos() == [url, url, url, url])
      _ = try await suspend(2, people)
      #expect(try await photos() == [nil, nil, nil, nil])
      let suspension = try #require(try await running(people).first)
      let lift = LiftSuspension.Input(suspensionID: suspension.id, note: try ReportText(text: "Enough."))
      _ = try await services.call(LiftSuspension.self, lift, as: people.vera.caller)
      #expect(try await photos() == [url, url, url, url])
    }
  }

  @Test("The longest of an account's suspensions is published, then the next one when it ends, and then none")
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

  @Test("The last suspension of each account is in the snapshot, ended ones included")
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
