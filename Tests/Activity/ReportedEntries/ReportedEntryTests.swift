import ActivityContract
import ActivityService
import InProcess
import Operations
import SocialContract
import Testing

@Suite("Reported entries (SOC-8)")
struct ReportedEntryTests {
  /// An entry whose comment is reported.
  private struct Scene {
    let services: ServicesInProcess
    let owner: Person
    let follower: Person
    let activity: ActivityID
    let day: LocalDay

    func copy(for reader: Person) async throws -> ReportedEntry {
      try await services.call(
        GetReportedEntry.self, .init(readerAccountID: reader.id, activityID: activity, day: day), as: .service(.social))
    }

    func refusal(of reader: Person) async throws -> String? {
      try await services.refusal(
        GetReportedEntry.self, .init(readerAccountID: reader.id, activityID: activity, day: day), as: .service(.social))
    }

    var comment: String? {
      get async throws { try await owner.send(GetEntry.self, .init(activityID: activity, day: .day(day))).comment }
    }

    func setComment(_ comment: String) async throws {
      _ = try await owner.send(UpdateEntry.self, .init(activityID: activity, day: .day(day), comment: .set(comment)))
    }

    /// Lets moderators remove the reported comment, or restore what a removal took away.
    func decide(at instant: Instant, restoring removedAt: Instant? = nil) async throws {
      try await services.publish(
        .social,
        EntryRemovalChanged(
          accountID: owner.id, activityID: activity, day: day, isRemoved: removedAt == nil, comment: "you fool", photoTags: [],
          at: instant, removedAt: removedAt))
      try await services.hasReceived(.activity, of: .social)
    }
  }

  private func running(_ body: @escaping @Sendable (Scene) async throws -> Void) async throws {
    try await ServicesInProcess.running(HistoryTests.services) { services in
      let (owner, follower) = (try await services.register(), try await services.register())
      let walk = try await owner.makeActivity(title: "Walk").id
      let entry = try await owner.send(
        RecordEntry.self, .init(activityID: walk, day: .today, isDone: true, comment: "you fool"))
      try await services.follow(follower, owner)
      try await body(Scene(services: services, owner: owner, follower: follower, activity: walk, day: entry.day))
    }
  }

  @Test("Moderators get a copy of an entry as a follower sees it; strangers and former followers cannot report it")
  func copies() async throws {
    try await running { scene in
      let copy = try await scene.copy(for: scene.follower)
      #expect(copy.accountID == scene.owner.id && copy.title == "Walk" && copy.comment == "you fool" && copy.photo == nil)
      #expect(try await scene.refusal(of: try await scene.services.register()) == "not_found")
      try await scene.services.follow(scene.follower, scene.owner, .ended, revision: 2)
      #expect(try await scene.refusal(of: scene.follower) == "not_found")
    }
  }

  @Test("A removal takes the reported comment and keeps the progress; a granted appeal restores it")
  func removal() async throws {
    try await running { scene in
      let removedAt = scene.services.clock.now
      try await scene.decide(at: removedAt)
      let entry = try await scene.owner.send(GetEntry.self, .init(activityID: scene.activity, day: .day(scene.day)))
      #expect(entry.comment == nil && entry.isDone)
      scene.services.clock.advance(seconds: 60)
      try await scene.decide(at: scene.services.clock.now, restoring: removedAt)
      #expect(try await scene.comment == "you fool")
    }
  }

  @Test("A comment written after a removal stays, whether the removal arrives late or is undone")
  func laterComments() async throws {
    try await running { scene in
      let removedAt = scene.services.clock.now
      scene.services.clock.advance(seconds: 60)
      try await scene.setComment("lovely")
      try await scene.decide(at: removedAt)
      #expect(try await scene.comment == "lovely")
      try await scene.decide(at: scene.services.clock.now, restoring: removedAt)
      #expect(try await scene.comment == "lovely")
    }
  }
}
