import ActivityContract
import ActivityService
import IdentityContract
import InProcess
import Operations
import SocialContract
import SocialService
import Storage
import Testing

@Suite("Activities of followed accounts (ACT-13)")
struct FollowedActivityTests {
  @Test("T UC 01.07: followed activities show title and today's state in the owner's time zone, by username, page by page")
  func list() async throws {
    try await ServicesInProcess.running(HistoryTests.services, at: "2026-11-21T20:00:00.000Z") { services in
      let ana = try await services.register()
      // Already Sunday the 22nd there.
      let ben = try await services.register(timeZone: "Asia/Tokyo")
      let eve = try await services.register()
      let done = try await ben.makeActivity(title: "Done", startDay: "2026-11-01")
      _ = try await ben.makeActivity(title: "Open", startDay: "2026-11-01")
      _ = try await ben.makeActivity(title: "Mondays", schedule: .weekdays([1]), startDay: "2026-11-01")
      _ = try await eve.makeActivity(title: "Eve's", startDay: "2026-11-01")
      _ = try await ben.send(RecordEntry.self, .init(activityID: done.id, day: .today, isDone: true))
      try await services.follow(ana, ben)
      try await services.follow(ana, eve)
      let first = try await ana.send(ListFollowedActivities.self, .init(limit: 2))
      let second = try await ana.send(ListFollowedActivities.self, .init(limit: 2, cursor: first.nextCursor))
      #expect(first.items.map(\.title) == ["Done", "Open"] && second.items.map(\.title) == ["Mondays", "Eve's"])
      #expect(second.nextCursor == nil)
      #expect((first.items + second.items).map(\.state) == [.done, .pending, nil, .pending])
      #expect((first.items + second.items).map(\.day.description) == ["2026-11-22", "2026-11-22", "2026-11-22", "2026-11-21"])
      #expect(first.items[0].username.description == "person1" && first.items[0].accountID == ben.id)
      let eves = try await ana.send(ListFollowedActivities.self, .init(accountID: eve.id)).items
      #expect(eves.map(\.title) == ["Eve's"])
    }
  }

  @Test("Followed activities are not shown once they are archived, nor are their entries")
  func archived() async throws {
    try await ServicesInProcess.running(HistoryTests.services) { services in
      let (ana, ben) = (try await services.register(), try await services.register())
      let walk = try await ben.makeActivity().id
      _ = try await ben.send(RecordEntry.self, .init(activityID: walk, day: .today, isDone: true))
      _ = try await ben.send(PutEntryPhoto.self, .init(activityID: walk, day: .today, content: try Snapshots.png()))
      try await services.follow(ana, ben)
      #expect(try await ana.failure(GetEntryPhoto.self, .init(activityID: walk, day: .today)) == nil)
      _ = try await ben.send(ArchiveActivity.self, .init(activityID: walk))
      #expect(try await ana.send(ListFollowedActivities.self, .init()).items.isEmpty)
      #expect(try await ana.history(.init(scope: .followed)).isEmpty)
      #expect(try await ana.failure(GetEntryPhoto.self, .init(activityID: walk, day: .today)) == "not_found")
    }
  }

  @Test("Followed activities are shown to nobody once their owner is deleted, though they are erased in steps (ID-12)")
  func deleted() async throws {
    try await ServicesInProcess.running(HistoryTests.services) { services in
      let (ana, ben) = (try await services.register(), try await services.register())
      let walk = try await ben.makeActivity().id
      _ = try await ben.send(RecordEntry.self, .init(activityID: walk, day: .today, isDone: true))
      _ = try await ben.send(PutEntryPhoto.self, .init(activityID: walk, day: .today, content: try Snapshots.png()))
      try await services.follow(ana, ben)
      #expect(try await ana.send(ListFollowedActivities.self, .init()).items.count == 1)
      let account = ben.id
      // As it is before the first step.
      try await services.store(of: .activity).write {
        try $0.noteErasure(of: account, by: ID<Never>(), counts: #"{"counts":[]}"#)
      }
      #expect(try await ana.send(ListFollowedActivities.self, .init()).items.isEmpty)
      #expect(try await ana.failure(ListFollowedActivities.self, .init(accountID: account)) == "not_found")
      #expect(try await ana.history(.init(scope: .followed)).isEmpty)
      #expect(try await ana.failure(GetEntryPhoto.self, .init(activityID: walk, day: .today)) != nil)
    }
  }

  @Test("Followed activities and entries of a suspended account are shown to nobody until the suspension ends (SOC-8)")
  func suspended() async throws {
    try await ServicesInProcess.running(HistoryTests.services, at: "2026-11-21T20:00:00.000Z") { services in
      let (ana, ben) = (try await services.register(), try await services.register())
      let walk = try await ben.makeActivity().id
      _ = try await ben.send(RecordEntry.self, .init(activityID: walk, day: .today, isDone: true))
      _ = try await ben.send(PutEntryPhoto.self, .init(activityID: walk, day: .today, content: try Snapshots.png()))
      try await services.follow(ana, ben)
      let until = services.clock.now.adding(seconds: 60)
      try await services.change(ben, receivedBy: .activity) { $0.suspendedUntil = until }
      #expect(try await ana.send(ListFollowedActivities.self, .init()).items.isEmpty)
      #expect(try await ana.failure(ListFollowedActivities.self, .init(accountID: ben.id)) == "not_found")
      for scope in [HistoryScope.followed, .all] { #expect(try await ana.history(.init(scope: scope)).isEmpty) }
      #expect(try await ana.send(ListHistoryPoints.self, .init(scope: .all)).items.isEmpty)
      #expect(try await ana.failure(GetStatistics.self, .init(accountID: ben.id)) == "not_found")
      #expect(try await ana.failure(GetEntryPhoto.self, .init(activityID: walk, day: .today)) == "activity_not_found")
      services.clock.advance(seconds: 60)
      #expect(try await ana.send(ListFollowedActivities.self, .init()).items.count == 1)
      for scope in [HistoryScope.followed, .all] { #expect(try await ana.history(.init(scope: scope)).count == 1) }
      #expect(try await ana.failure(GetEntryPhoto.self, .init(activityID: walk, day: .today)) == nil)
    }
  }

  @Test("Followed activities and entries show their owner's photo, where there is one")
  func ownersPhoto() async throws {
    try await ServicesInProcess.running(HistoryTests.services) { services in
      let (ana, ben) = (try await services.register(), try await services.register())
      let walk = try await ben.makeActivity().id
      _ = try await ben.send(RecordEntry.self, .init(activityID: walk, day: .today, isDone: true))
      try await services.follow(ana, ben)
      #expect(try await ana.send(ListFollowedActivities.self, .init()).items.map(\.photoURL) == [nil])
      #expect(try await ana.send(ListHistory.self, .init(scope: .all)).items.map(\.photoURL) == [nil])
      let tag = "0123456789abcdef0123456789abcdef"
      try await services.change(ben, receivedBy: .activity) { $0.photoTag = tag }
      let url = PhotoURL(account: ben.id, tag: tag)
      #expect(try await ana.send(ListFollowedActivities.self, .init()).items.map(\.photoURL) == [url])
      for scope in [HistoryScope.followed, .all] {
        #expect(try await ana.send(ListHistory.self, .init(scope: scope)).items.map(\.photoURL) == [url])
      }
    }
  }

  @Test("Followed activities are not shown to strangers, nor to ex-followers, nor to the one who is followed")
  func strangers() async throws {
    try await ServicesInProcess.running(HistoryTests.services) { services in
      let (ana, ben, eve) = (try await services.register(), try await services.register(), try await services.register())
      _ = try await ben.makeActivity()
      _ = try await ana.makeActivity()
      try await services.follow(ana, ben)
      for person in [ben, eve] {
        #expect(try await person.send(ListFollowedActivities.self, .init()).items.isEmpty)
        #expect(try await person.failure(ListFollowedActivities.self, .init(accountID: ana.id)) == "not_found")
      }
      #expect(try await ana.send(ListFollowedActivities.self, .init()).items.count == 1)
      try await services.follow(ana, ben, .ended, revision: 2)
      #expect(try await ana.send(ListFollowedActivities.self, .init()).items.isEmpty)
      #expect(try await ana.failure(ListFollowedActivities.self, .init(accountID: ben.id)) == "not_found")
    }
  }

  @Test("Followers can read the photo of each entry that 'all' shows; strangers cannot")
  func photos() async throws {
    try await ServicesInProcess.running(HistoryTests.services) { services in
      let (ana, ben, eve) = (try await services.register(), try await services.register(), try await services.register())
      let walk = try await ben.makeActivity(startDay: "2026-11-01").id
      let yesterday = DayName.day(try LocalDay(text: "2026-11-20"))
      for day in [yesterday, .today] {
        _ = try await ben.send(RecordEntry.self, .init(activityID: walk, day: day, isDone: true))
        _ = try await ben.send(PutEntryPhoto.self, .init(activityID: walk, day: day, content: try Snapshots.png()))
      }
      let (latest, older) = (EntryName(activityID: walk, day: .today), EntryName(activityID: walk, day: yesterday))
      #expect(try await ana.failure(GetEntryPhoto.self, latest) == "activity_not_found")
      try await services.follow(ana, ben)
      let tag = try await ana.send(ListHistory.self, .init(scope: .followed)).items[0].photoTag
      #expect(try await ana.send(GetEntryPhoto.self, latest).tag == tag && tag != nil)
      let all = try await ana.send(ListHistory.self, .init(scope: .all)).items
      #expect(all.map(\.day.description) == ["2026-11-21", "2026-11-20"])
      #expect(try await ana.send(GetEntryPhoto.self, older).tag == all.last?.photoTag)
      let none = EntryName(activityID: walk, day: .day(try LocalDay(text: "2026-11-19")))
      #expect(try await ana.failure(GetEntryPhoto.self, none) == "not_found")
      #expect(try await ben.failure(GetEntryPhoto.self, older) == nil)
      #expect(try await eve.failure(GetEntryPhoto.self, latest) == "activity_not_found")
      #expect(try await ana.failure(DeleteEntryPhoto.self, latest) == "activity_not_found")
      try await services.follow(ana, ben, .ended, revision: 2)
      #expect(try await ana.failure(GetEntryPhoto.self, latest) == "activity_not_found")
    }
  }

  @Test("Followed activities are forgotten with either account, and late events of social have no effect (ID-12)")
  func erased() async throws {
    try await ServicesInProcess.running(HistoryTests.services) { services in
      let (ana, ben, eve) = (try await services.register(), try await services.register(), try await services.register())
      try await services.follow(ana, ben)
      try await services.follow(ben, eve)
      try await services.follow(eve, ana)
      try await services.delete(ben, receivedBy: .activity)
      #expect(try await services.store(of: .activity).rows("follows") == 1)
      try await services.follow(ana, ben, revision: 9)
      #expect(try await services.store(of: .activity).traces(of: ben.id) == [])
    }
  }
}
