import ActivityContract
import ActivityService
import IdentityContract
import InProcess
import Operations
import SocialContract
import Testing

@testable import SocialService

@Suite("Reports of entries and their photos (SOC-8)")
struct EntryReportTests {
  private static let day = "2026-11-21"

  /// Runs social and activity: Ana follows Ben, who has written about a day; Eva is a stranger.
  private func running(_ body: (Moderating, ActivityID) async throws -> Void) async throws {
    let identity = IdentityDouble()
    let (ana, ben, eva) = (try identity.person("ana"), try identity.person("ben"), try identity.person("eva"))
    let (root, vera) = (try identity.administrator("root"), try identity.administrator("vera"))
    try await ServicesInProcess.challenging(identity) { services in
      try await services.publish(.identity, ana.event, ben.event, eva.event)
      try await services.hasReceived(.activity, of: .identity)
      let walk = try await services.makeActivity("Walk", of: ben).id
      _ = try await services.call(
        RecordEntry.self, .init(activityID: walk, day: .today, isDone: true, comment: "you fool"), as: ben.caller)
      _ = try await services.call(
        PutEntryPhoto.self, .init(activityID: walk, day: .today, content: try Pictures.png()), as: ben.caller)
      try await services.follow(ana, ben)
      try await services.hasReceived(.activity, of: .social)
      try await body(Moderating(services: services, ana: ana, ben: ben, eva: eva, root: root, vera: vera), walk)
    }
  }

  private func entry(_ activity: ActivityID, _ people: Moderating) async throws -> Entry {
    try await people.services.hasReceived(.activity, of: .social)
    return try await people.services.call(
      GetEntry.self, .init(activityID: activity, day: .day(try LocalDay(text: Self.day))), as: people.ben.caller)
  }

  @Test(
    "Only a follower can report an entry and its photo, with a copy; for others, and on other days, it is unknown")
  func copies() async throws {
    try await running { people, walk in
      let day = try LocalDay(text: Self.day)
      for subject in [ReportSubject.entry(walk, day), .entryPhoto(walk, day), .entry(ActivityID(), day)] {
        #expect(try await people.refusal(subject, by: people.eva) == "not_found")
      }
      #expect(try await people.refusal(.entry(walk, day.advanced(by: -1)), by: people.ana) == "not_found")
      #expect(try await people.refusal(.entry(walk, day), by: people.ben) == "report_of_oneself")
      let report = try await people.report(.entry(walk, day), by: people.ana)
      #expect(report.subject == .entry(walk, day) && report.accountID == people.ben.account)
      #expect(try await people.refusal(.entry(walk, day), by: people.ana) == "already_reported")
      try await people.report(.entryPhoto(walk, day), by: people.ana)
      let (queue, tag) = (try await people.queue(), try await entry(walk, people).photoTag)
      #expect(queue.map(\.subject) == [.entry(walk, day), .entryPhoto(walk, day)])
      #expect(queue.map(\.content?.text) == ["Walk", "Walk"] && queue.map(\.content?.comment) == ["you fool", nil])
      #expect(queue.allSatisfy { $0.content?.photoTag == tag && $0.content?.username == people.ben.username } && tag != nil)
      let photo = try await people.services.call(GetReportedPhoto.self, .init(reportID: report.id), as: people.root.caller)
      #expect(photo.tag == tag)
      let wrong = ReportSubject(kind: .entry, activityID: walk)
      let input = CreateReport.Input(subject: wrong, reason: .spam)
      #expect(
        try await people.services.refusedFields(CreateReport.self, input, as: people.ana.caller) == ["subject.day required"])
    }
  }

  @Test(
    "Removing a reported entry removes comment and photo and keeps the progress, and a granted appeal restores both")
  func removed() async throws {
    try await running { people, walk in
      let (services, day) = (people.services, try LocalDay(text: Self.day))
      try await people.report(.entry(walk, day), by: people.ana)
      let before = try await entry(walk, people)
      let decided = try await people.decide(.removed)
      let after = try await entry(walk, people)
      #expect(after.comment == nil && after.photoTag == nil && after.isDone)
      #expect(try await people.sanctions(of: people.ben).first?.content?.comment == "you fool")
      let appeal = AppealSanction.Input(caseID: decided.id, text: try ChatText(text: "No."))
      _ = try await services.call(AppealSanction.self, appeal, as: people.ben.caller)
      let granted = DecideAppeal.Input(caseID: decided.id, outcome: .granted, reason: try ReportText(text: "Right."), note: nil)
      _ = try await services.call(DecideAppeal.self, granted, as: people.vera.caller)
      let again = try await entry(walk, people)
      #expect(again.comment == "you fool" && again.photoTag == before.photoTag && again.isDone)
      let photo = try await services.call(GetEntryPhoto.self, .init(activityID: walk, day: .day(day)), as: people.ben.caller)
      #expect(photo.tag == before.photoTag && !photo.content.bytes.isEmpty)
    }
  }

  @Test("Removing only an entry's photo keeps its comment, and a newer photo")
  func photo() async throws {
    try await running { people, walk in
      let (services, day) = (people.services, try LocalDay(text: Self.day))
      try await people.report(.entryPhoto(walk, day), by: people.ana)
      _ = try await services.call(
        PutEntryPhoto.self, .init(activityID: walk, day: .today, content: try Pictures.jpeg()), as: people.ben.caller)
      let before = try await entry(walk, people)
      try await people.decide(.removed)
      #expect(try await entry(walk, people) == before)
      try await people.report(.entryPhoto(walk, day), by: people.ana)
      try await people.decide(.removed)
      let after = try await entry(walk, people)
      #expect(after.comment == "you fool" && after.photoTag == nil)
    }
  }

  @Test(
    "Removals of entries are in the snapshot until an appeal restores them, and affect nothing that is newer")
  func snapshot() async throws {
    try await running { people, walk in
      let (services, day) = (people.services, try LocalDay(text: Self.day))
      try await people.report(.entry(walk, day), by: people.ana)
      try await people.decide(.removed)
      _ = try await entry(walk, people)
      services.clock.advance(seconds: 60)
      _ = try await services.call(
        UpdateEntry.self, .init(activityID: walk, day: .day(day), comment: .set("lovely")), as: people.ben.caller)
      let events = try await services.snapshot(of: .social).filter { $0.name == EntryRemovalChanged.spec.name }
        .map { try EntryRemovalChanged.decode($0.body) }
      #expect(events.map(\.comment) == ["you fool"] && events.allSatisfy { $0.isRemoved })
      for event in events { try await services.publish(.social, event) }
      #expect(try await entry(walk, people).comment == "lovely")
    }
  }

  private func comment(_ text: String?, on activity: ActivityID, _ people: Moderating) async throws {
    _ = try await people.services.call(
      UpdateEntry.self, .init(activityID: activity, day: .day(try LocalDay(text: Self.day)), comment: .set(text)),
      as: people.ben.caller)
  }

  @Test("A comment edited since its report is not removed, since nobody reported it")
  func edited() async throws {
    try await running { people, walk in
      try await people.report(.entry(walk, try LocalDay(text: Self.day)), by: people.ana)
      try await comment("lovely", on: walk, people)
      let decided = try await people.decide(.removed)
      let after = try await entry(walk, people)
      #expect(after.comment == "lovely" && after.photoTag == nil)
      try await people.grantAppeal(decided.id, of: people.ben)
      #expect(try await entry(walk, people).comment == "lovely")
    }
  }

  @Test("A comment changed back to a reported version is removed, and an appeal restores that version")
  func putBack() async throws {
    try await running { people, walk in
      let (services, day) = (people.services, try LocalDay(text: Self.day))
      try await services.follow(people.eva, people.ben)
      try await services.hasReceived(.activity, of: .social)
      try await people.report(.entry(walk, day), by: people.ana)
      try await comment("you idiot", on: walk, people)
      try await people.report(.entry(walk, day), by: people.eva)
      try await comment("you fool", on: walk, people)
      let decided = try await people.decide(.removed)
      #expect(try await entry(walk, people).comment == nil)
      try await people.grantAppeal(decided.id, of: people.ben)
      #expect(try await entry(walk, people).comment == "you fool")
    }
  }

  @Test("A removed photo of an entry does not replace a newer one when it is restored")
  func photoSince() async throws {
    try await running { people, walk in
      let (services, day) = (people.services, try LocalDay(text: Self.day))
      try await people.report(.entryPhoto(walk, day), by: people.ana)
      let decided = try await people.decide(.removed)
      services.clock.advance(seconds: 60)
      #expect(try await entry(walk, people).photoTag == nil)
      let other = try await services.call(
        PutEntryPhoto.self, .init(activityID: walk, day: .day(day), content: try Pictures.jpeg()), as: people.ben.caller)
      try await people.grantAppeal(decided.id, of: people.ben)
      #expect(try await entry(walk, people).photoTag == other.photoTag)
    }
  }

  @Test("A comment that its owner deleted is not restored by a granted appeal", arguments: [true, false])
  func withdrawn(isBefore: Bool) async throws {
    try await running { people, walk in
      try await people.report(.entry(walk, try LocalDay(text: Self.day)), by: people.ana)
      if isBefore { try await comment(nil, on: walk, people) }
      people.services.clock.advance(seconds: 60)
      let decided = try await people.decide(.removed)
      #expect(try await entry(walk, people).comment == nil)
      people.services.clock.advance(seconds: 60)
      if !isBefore {
        try await comment("lovely", on: walk, people)
        try await comment(nil, on: walk, people)
      }
      try await people.grantAppeal(decided.id, of: people.ben)
      #expect(try await entry(walk, people).comment == nil)
    }
  }
}
