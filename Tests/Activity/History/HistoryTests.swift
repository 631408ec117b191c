import ActivityContract
import Foundation
import IdentityContract
import InProcess
import Operations
import ServiceKit
import SocialContract
import SocialService
import Storage
import Testing

@testable import ActivityService

@Suite("The history of entries (ACT-12)")
struct HistoryTests {
  static let services: [ServicesInProcess.Build] = [{ Activities.service($0) }, { Social.service($0) }]
  let madrid = EntryLocation(latitude: 40.4168, longitude: -3.7038)
  let day = try! LocalDay(text: "2026-11-20")

  @Test("T UC 03.01: the history shows one's own entries newest first, with title, category, state and place")
  func own() async throws {
    try await ServicesInProcess.running(Self.services) { services in
      let ana = try await services.register()
      let walk = try await ana.makeActivity(title: "Walk", startDay: "2026-11-01")
      let water = try await ana.makeActivity(title: "Water", goal: .quantity(2, unit: "litres"), startDay: "2026-11-01")
      for day in ["2026-11-18", "2026-11-20"] {
        _ = try await ana.send(RecordEntry.self, .init(activityID: walk.id, day: .day(try LocalDay(text: day)), isDone: true))
      }
      _ = try await ana.send(RecordEntry.self, .init(activityID: water.id, day: .day(day), amount: 0.5))
      _ = try await ana.send(RecordEntry.self, .init(activityID: water.id, day: .today, amount: 0.5))
      let items = try await ana.send(ListHistory.self, .init()).items
      #expect(items.map(\.title) == ["Water", "Water", "Walk", "Walk"])
      #expect(items.map(\.day.description) == ["2026-11-21", "2026-11-20", "2026-11-20", "2026-11-18"])
      #expect(items.map(\.state) == [.partly, .partly, .done, .done])
      #expect(items[0].amount == 0.5 && items[0].unit == "litres" && items[0].icon == items[0].category.icon)
      #expect(items.allSatisfy { $0.accountID == ana.id && $0.username.description == "person0" && $0.comment == nil })
      #expect(try await ana.send(ListHistoryPoints.self, .init()).items.isEmpty)
    }
  }

  @Test("T UC 03.01: the history shows each entry with all that was recorded, and as its day's list shows it")
  func whole() async throws {
    try await ServicesInProcess.running(Self.services) { services in
      let ana = try await services.register()
      let read = try await ana.makeActivity(goal: .duration(seconds: 600), startDay: "2026-11-01")
      let swim = try await ana.makeActivity(goal: .quantity(2, unit: "km"), schedule: .timesAWeek(3), startDay: "2026-11-01")
      let place = EntryLocation(latitude: 40.4168, longitude: -3.7038, accuracyMeters: 12)
      let entry = try await ana.send(
        RecordEntry.self,
        .init(activityID: read.id, day: .today, durationSeconds: 60, comment: "Sol", location: place, photo: Snapshots.png()))
      // Of the week from Monday, the 9th, enough days are kept; of the one from the 2nd they are not.
      for (activity, day, progress) in [
        (read, "2026-11-18", 60), (read, "2026-11-17", 60), (read, "2026-11-16", 600), (swim, "2026-11-09", 2),
        (swim, "2026-11-10", 2), (swim, "2026-11-11", 2), (swim, "2026-11-12", 0), (swim, "2026-11-03", 0),
        (swim, "2026-11-04", 1),
      ] {
        let isTime = activity.id == read.id
        _ = try await ana.send(
          RecordEntry.self,
          .init(
            activityID: activity.id, day: .init(text: day), amount: isTime ? nil : Double(progress),
            durationSeconds: isTime ? progress : nil))
      }
      let (paused, skipped) = (try LocalDay(text: "2026-11-17"), try LocalDay(text: "2026-11-18"))
      _ = try await ana.send(CreatePause.self, .init(activityID: read.id, firstDay: paused, lastDay: paused))
      _ = try await ana.send(CreateSkip.self, .init(activityID: read.id, day: .day(skipped)))
      let items = try await ana.history(.init())
      #expect(
        items.map(\.state) == [.partly, .skipped, .paused, .done, .free, .done, .done, .done, .partly, .failed])
      for item in items {
        let list = try await ana.send(GetDay.self, .init(day: .day(item.day))).activities
        let listed = try #require(list.first { $0.id == item.activityID })
        #expect(item.state == listed.state && item.amount == listed.amount && item.durationSeconds == listed.durationSeconds)
        #expect(item.unit == listed.goal.unit && item.title == listed.title && item.category == listed.category)
      }
      #expect(items[0].comment == "Sol" && items[0].location == place && items[0].photoTag == entry.photoTag)
      #expect(entry.photoTag != nil && items[0].recordedAt == entry.recordedAt && items[0].durationSeconds == 60)
      #expect(items[1].comment == nil && items[1].location == nil && items[1].photoTag == nil)
    }
  }

  @Test("T UC 03.01: only entries with a location are points of the map")
  func points() async throws {
    try await ServicesInProcess.running(Self.services) { services in
      let ana = try await services.register()
      let walk = try await ana.makeActivity(startDay: "2026-01-01")
      try await services.plant([
        PlantedEntry(owner: ana.id, activity: walk.id, day: day, place: madrid),
        PlantedEntry(owner: ana.id, activity: walk.id, day: day.advanced(by: -1)),
        PlantedEntry(owner: ana.id, activity: walk.id, day: day.advanced(by: -2), comment: "Sol", place: madrid),
      ])
      let points = try await ana.send(ListHistoryPoints.self, .init(activityIDs: [walk.id])).items
      #expect(points.map(\.day) == [day, day.advanced(by: -2)] && points.allSatisfy { $0.location == madrid })
      #expect(try await ana.send(ListHistoryPoints.self, .init(text: "sol")).items.map(\.day) == [day.advanced(by: -2)])
      #expect(try await ana.send(ListHistoryPoints.self, .init(limit: 1)).nextCursor != nil)
      #expect(try await ana.history(.init()).map(\.location) == [madrid, nil, madrid])
    }
  }

  @Test("T UC 03.02: my history, that of those I follow (of each activity the latest entry alone), or all entries of both")
  func scopes() async throws {
    try await ServicesInProcess.running(Self.services) { services in
      let (ana, ben, eve) = (try await services.register(), try await services.register(), try await services.register())
      let own = try await ana.makeActivity(title: "Own", startDay: "2026-01-01")
      let theirs = try await ben.makeActivity(title: "Theirs", startDay: "2026-01-01")
      let others = try await ben.makeActivity(title: "Others", startDay: "2026-01-01")
      let strange = try await eve.makeActivity(title: "Strange", startDay: "2026-01-01")
      try await services.plant(
        (0..<3).flatMap { number in
          [(ana, own), (ben, theirs), (ben, others), (eve, strange)].map { person, activity in
            PlantedEntry(owner: person.id, activity: activity.id, day: day.advanced(by: -number))
          }
        })
      try await services.follow(ana, ben)
      #expect(try await ana.history(.init()).map(\.title) == ["Own", "Own", "Own"])
      let followed = try await ana.history(.init(scope: .followed, limit: 1))
      #expect(followed.map(\.title) == ["Others", "Theirs"] && followed.allSatisfy { $0.day == day && $0.accountID == ben.id })
      #expect(followed[0].username.description == "person1")
      let all = try await ana.history(.init(scope: .all, limit: 2))
      #expect(all.map(\.title) == (0..<3).flatMap { _ in ["Others", "Theirs", "Own"] })
      #expect(all.map { $0.day.distance(to: day) } == [0, 0, 0, 1, 1, 1, 2, 2, 2])
      // Following goes one way.
      #expect(try await ben.history(.init(scope: .followed)).isEmpty)
      // A latest entry outside the filter lets no older one through.
      #expect(try await ana.history(.init(scope: .followed, to: day.advanced(by: -1))).isEmpty)
      #expect(try await ana.history(.init(scope: .all, to: day.advanced(by: -2))).map(\.title) == ["Others", "Theirs", "Own"])
      let some = try await ana.history(.init(scope: .all, activityIDs: [theirs.id, strange.id], limit: 2))
      #expect(some.map(\.title) == ["Theirs", "Theirs", "Theirs"])
      // What is put away is nobody's but its owner's.
      _ = try await ben.send(ArchiveActivity.self, .init(activityID: others.id))
      #expect(try await ana.history(.init(scope: .all)).map(\.title) == (0..<3).flatMap { _ in ["Theirs", "Own"] })
      #expect(try await ana.history(.init(activityIDs: [theirs.id, strange.id])).isEmpty)
    }
  }

  @Test("The history hides an account once the end of the follow is known; late events do not open it again")
  func revoked() async throws {
    try await ServicesInProcess.running(Self.services) { services in
      let (ana, ben) = (try await services.register(), try await services.register())
      let walk = try await ben.makeActivity(startDay: "2026-01-01")
      try await services.plant([PlantedEntry(owner: ben.id, activity: walk.id, day: day, place: madrid)])
      try await services.follow(ana, ben, revision: 5)
      let open = try await ana.send(ListHistory.self, .init(scope: .all))
      #expect(open.items.count == 1)
      try await services.follow(ana, ben, .ended, revision: 6)
      try await services.follow(ana, ben, .accepted, revision: 5)
      for whose in [HistoryScope.followed, .all] {
        #expect(try await ana.history(.init(scope: whose)).isEmpty)
        #expect(try await ana.send(ListHistoryPoints.self, .init(scope: whose)).items.isEmpty)
      }
      try await services.follow(ana, ben, .accepted, revision: 7)
      #expect(try await ana.history(.init(scope: .followed)).count == 1)
    }
  }

  @Test("A page of the history begun while following shows nothing more once the end of the follow is known")
  func revokedBetweenPages() async throws {
    try await ServicesInProcess.running(Self.services) { services in
      let (ana, ben) = (try await services.register(), try await services.register())
      for title in ["A", "B", "C"] {
        let id = try await ben.makeActivity(title: title, startDay: "2026-01-01").id
        try await services.plant([PlantedEntry(owner: ben.id, activity: id, day: day)])
      }
      try await services.follow(ana, ben)
      let first = try await ana.send(ListHistory.self, .init(scope: .followed, limit: 1))
      let cursor = try #require(first.nextCursor)
      #expect(try await ana.send(ListHistory.self, .init(scope: .followed, limit: 1, cursor: cursor)).items.count == 1)
      try await services.follow(ana, ben, .ended, revision: 2)
      let next = try await ana.send(ListHistory.self, .init(scope: .followed, limit: 1, cursor: cursor))
      #expect(next.items.isEmpty && next.nextCursor == nil)
    }
  }

  @Test("The history hides locations of an owner who withdrew the consent from followers, also in searches")
  func withdrawnConsent() async throws {
    try await ServicesInProcess.running(Self.services) { services in
      let (ana, ben) = (try await services.register(), try await services.register())
      let walk = try await ben.makeActivity(startDay: "2026-01-01")
      try await services.plant([PlantedEntry(owner: ben.id, activity: walk.id, day: day, comment: "sol", place: madrid)])
      try await services.follow(ana, ben)
      let near = HistoryQuery(scope: .followed, latitude: madrid.latitude, longitude: madrid.longitude)
      func points(_ person: Person, _ whose: HistoryScope) async throws -> [EntryLocation] {
        try await person.send(ListHistoryPoints.self, .init(scope: whose)).items.map(\.location)
      }
      for consents in [[ConsentPurpose.location], [.activityData], [.location]] {
        try await services.change(ben, receivedBy: .activity) { $0.consents = consents }
        let isOpen = consents == [.location]
        let items = try await ana.history(.init(scope: .followed))
        #expect(items.map(\.comment) == ["sol"] && items.map(\.location) == [isOpen ? madrid : nil])
        #expect(try await ana.history(near).count == (isOpen ? 1 : 0))
        #expect(try await points(ana, .followed) == (isOpen ? [madrid] : []))
        #expect(try await points(ana, .all) == (isOpen ? [madrid] : []))
        // One's own stays.
        #expect(try await points(ben, .mine) == [madrid])
      }
    }
  }

  @Test("T UC 04.04 to 03.02: a request accepted at social opens the history, an unfollow closes it")
  func wholeFlow() async throws {
    try await ServicesInProcess.running(Self.services) { services in
      let (ana, ben) = (try await services.register(), try await services.register())
      let walk = try await ben.makeActivity(startDay: "2026-01-01")
      try await services.plant([PlantedEntry(owner: ben.id, activity: walk.id, day: day)])
      for service in [ServiceName.social, .activity] { try await services.hasReceived(service, of: .identity) }
      let request = try await ana.send(SendFollowRequest.self, .init(username: try Username(text: "person1")))
      try await services.hasReceived(.activity, of: .social)
      #expect(try await ana.history(.init(scope: .followed)).isEmpty)
      _ = try await ben.send(AcceptFollowRequest.self, .init(followRequestID: request.id))
      try await services.hasReceived(.activity, of: .social)
      #expect(try await ana.history(.init(scope: .followed)).map(\.activityID) == [walk.id])
      _ = try await ana.send(RemoveFollow.self, .init(accountID: ben.id))
      try await services.hasReceived(.activity, of: .social)
      #expect(try await ana.history(.init(scope: .followed)).isEmpty)
    }
  }

  @Test("T UC 03.03: the history finds only entries of the activities chosen")
  func byActivity() async throws {
    try await ServicesInProcess.running(Self.services) { services in
      let ana = try await services.register()
      var activities: [ActivityID] = []
      for title in ["A", "B", "C"] { activities.append(try await ana.makeActivity(title: title, startDay: "2026-01-01").id) }
      try await services.plant(
        activities.flatMap { activity in
          (0..<4).map { PlantedEntry(owner: ana.id, activity: activity, day: day.advanced(by: -$0)) }
        })
      let some = try await ana.history(.init(activityIDs: [activities[0], activities[2]], limit: 3))
      #expect(some.map(\.title) == ["C", "A", "C", "A", "C", "A", "C", "A"])
      #expect(try await ana.refusedFields(ListHistory.self, .init(activityIDs: [])) == ["activityIDs wrong_count"])
      let many = Array(repeating: activities[0], count: 51)
      #expect(try await ana.refusedFields(ListHistory.self, .init(activityIDs: many)) == ["activityIDs wrong_count"])
    }
  }

  @Test("T UC 03.04: the history finds only entries whose comment holds the text, whatever its case and accents")
  func byComment() async throws {
    try await ServicesInProcess.running(Self.services) { services in
      let ana = try await services.register()
      let walk = try await ana.makeActivity(startDay: "2026-01-01")
      let comments = ["Llovió mucho", "sol y CALOR", "100 % \"bien\"", "日本で走る", nil, "🏃🏽 5k"]
      try await services.plant(
        comments.enumerated().map { number, comment in
          PlantedEntry(owner: ana.id, activity: walk.id, day: day.advanced(by: -number), comment: comment)
        })
      for (text, expected) in [
        ("llovio", 0), ("VIÓ MU", 0), ("calor", 1), ("y c", 1), ("% \"b", 2), ("\"", 2), ("本で", 3), ("走", 3), ("5K", 5), ("k", 5),
        ("calo\u{301}r", 1),
      ] {
        #expect(try await ana.history(.init(text: text)).map(\.comment) == [comments[expected]], "\(text)")
      }
      #expect(try await ana.history(.init(text: "nieve")).isEmpty)
      // A quotation mark that is one character with its neighbour is no syntax of the index either.
      for text in ["\"\u{903}a", "\u{D4E}\"a OR calor"] { #expect(try await ana.history(.init(text: text)).isEmpty) }
      #expect(try await ana.history(.init(text: "o")).map(\.comment) == [comments[0], comments[1]])
    }
  }

  @Test(
    "T UC 03.04, exception: an empty search text is refused with the request to enter some",
    arguments: ["", "  ", "\u{200B}", "\u{301}"])
  func emptyText(text: String) async throws {
    try await ServicesInProcess.running(Self.services) { services in
      let ana = try await services.register()
      #expect(try await ana.refusedFields(ListHistory.self, .init(text: text)) == ["text nothing_to_look_for"])
      #expect(try await ana.refusedFields(ListHistoryPoints.self, .init(text: text)) == ["text nothing_to_look_for"])
      let words = Words(Contract.activity.words)
      #expect(words.text("field.nothing_to_look_for", .english) == "Enter the text to look for.")
      #expect(words.text("field.nothing_to_look_for", .spanish) == "Escribe el texto que quieres buscar.")
    }
  }

  @Test("T UC 03.05: the history finds only entries within 5 km of the point, or within another distance")
  func byDistance() async throws {
    try await ServicesInProcess.running(Self.services) { services in
      let ana = try await services.register()
      let walk = try await ana.makeActivity(startDay: "2026-01-01")
      // Metres north of the point.
      let distances = [0.0, 4_999, 5_001, 49_000, 51_000]
      try await services.plant(
        distances.enumerated().map { number, meters in
          PlantedEntry(
            owner: ana.id, activity: walk.id, day: day.advanced(by: -number),
            place: EntryLocation(latitude: madrid.latitude + meters / 111_195.08, longitude: madrid.longitude))
        } + [PlantedEntry(owner: ana.id, activity: walk.id, day: day.advanced(by: -9))])
      func count(_ radius: Int?) async throws -> Int {
        try await ana.history(.init(latitude: madrid.latitude, longitude: madrid.longitude, radiusMeters: radius)).count
      }
      #expect(try await count(nil) == 2)
      #expect(try await count(1) == 1)
      #expect(try await count(50_000) == 4)
      #expect(try await ana.refusedFields(ListHistory.self, .init(latitude: 1)) == ["longitude required"])
      #expect(try await ana.refusedFields(ListHistory.self, .init(radiusMeters: 10)) == ["latitude required"])
      #expect(
        try await ana.refusedFields(ListHistory.self, .init(latitude: 91, longitude: -181, radiusMeters: 50_001)) == [
          "latitude out_of_range", "longitude out_of_range", "radiusMeters out_of_range",
        ])
    }
  }

  @Test("T UC 03.05, exception: a search by location asks for a missing consent, and works as soon as it is given")
  func consent() async throws {
    try await ServicesInProcess.running(Self.services) { services in
      let ana = try await services.register(consents: [.activityData])
      let query = HistoryQuery(latitude: 1, longitude: 2)
      #expect(try await ana.failure(ListHistory.self, query) == "consent_required")
      #expect(try await ana.failure(ListHistoryPoints.self, query) == "consent_required")
      #expect(try await ana.failure(ListHistory.self, .init()) == nil)
      try await services.change(ana, isPublished: false) { $0.consents = [.location] }
      #expect(try await ana.failure(ListHistory.self, query) == nil)
    }
  }

  @Test("The history finds the latest state of comments and locations that were changed, deleted, restored and removed")
  func recorded() async throws {
    try await ServicesInProcess.running(Self.services) { services in
      let ana = try await services.register()
      let walk = try await ana.makeActivity(startDay: "2026-01-01")
      let (name, today) = (DayName.today, LocalDay(daysSinceEpoch: 20_778))
      let toledo = EntryLocation(latitude: 39.86, longitude: -4.03)
      func found(_ text: String) async throws -> [LocalDay] { try await ana.history(.init(text: text)).map(\.day) }
      func near(_ place: EntryLocation) async throws -> [LocalDay] {
        try await ana.history(.init(latitude: place.latitude, longitude: place.longitude)).map(\.day)
      }
      _ = try await ana.send(
        RecordEntry.self, .init(activityID: walk.id, day: name, isDone: true, comment: "Mucho sol", location: madrid))
      #expect(try await found("SOL") == [today])
      #expect(try await near(madrid) == [today])
      try services.clock.set("2026-11-21T12:01:00.000Z")
      _ = try await ana.send(
        UpdateEntry.self, .init(activityID: walk.id, day: name, comment: .set("Niebla"), location: .set(toledo)))
      #expect(try await found("sol").isEmpty)
      #expect(try await found("niebla") == [today])
      #expect(try await near(madrid).isEmpty)
      #expect(try await near(toledo) == [today])
      try services.clock.set("2026-11-21T12:02:00.000Z")
      _ = try await ana.send(DeleteEntry.self, .init(activityID: walk.id, day: name))
      #expect(try await found("niebla").isEmpty)
      #expect(try await near(toledo).isEmpty)
      _ = try await ana.send(UndoEntry.self, .init(activityID: walk.id, day: name))
      #expect(try await found("niebla") == [today])
      #expect(try await near(toledo) == [today])
      _ = try await ana.send(UpdateEntry.self, .init(activityID: walk.id, day: name, comment: .set(nil), location: .set(nil)))
      #expect(try await found("niebla").isEmpty)
      #expect(try await near(toledo).isEmpty)
      #expect(try await ana.history(.init()).count == 1)
      let store = services.store(of: .activity)
      for table in ["entry_areas", "entry_comments", "entry_comment_blocks"] { #expect(try await store.rows(table) == 0) }
    }
  }

  @Test("A deleted entry is found by no query of the history")
  func changes() async throws {
    try await ServicesInProcess.running(Self.services) { services in
      let ana = try await services.register()
      let walk = try await ana.makeActivity(startDay: "2026-01-01")
      let entry = PlantedEntry(owner: ana.id, activity: walk.id, day: day, comment: "sol", place: madrid)
      try await services.plant([entry])
      let near = HistoryQuery(latitude: madrid.latitude, longitude: madrid.longitude)
      #expect(try await ana.history(near).count == 1)
      _ = try await ana.send(DeleteEntry.self, .init(activityID: walk.id, day: .day(day)))
      #expect(try await ana.history(near).isEmpty)
      #expect(try await ana.history(.init(text: "sol")).isEmpty)
      #expect(try await ana.history(.init()).isEmpty)
      for table in ["entry_areas", "entry_comments", "entry_comment_blocks", "entry_places"] {
        #expect(try await services.store(of: .activity).rows(table) == 0)
      }
    }
  }

  @Test("No three characters of a deleted account's comments remain in the store's files (ID-12)")
  func erased() async throws {
    try await ServicesInProcess.running(Self.services) { services in
      let (ana, ben) = (try await services.register(), try await services.register())
      for (person, comment) in [(ana, "日本語で走る"), (ben, "sol y mar")] {
        let walk = try await person.makeActivity(startDay: "2026-01-01")
        try await services.plant([
          PlantedEntry(owner: person.id, activity: walk.id, day: day, comment: comment, place: madrid)
        ])
      }
      let store = services.store(of: .activity)
      func holds(_ text: String) async throws -> Bool {
        try await store.clean()
        return try FileManager.default.contentsOfDirectory(atPath: services.home.stores).contains { name in
          name.hasPrefix("activity")
            && FileManager.default.contents(atPath: "\(services.home.stores)/\(name)")?.range(of: Data(text.utf8)) != nil
        }
      }
      #expect(try await holds("日本語"))
      try await services.delete(ana, receivedBy: .activity)
      #expect(try await !holds("日本語"))
      #expect(try await ben.history(.init(text: "y m")).count == 1)
      #expect(try await ben.history(.init(latitude: madrid.latitude, longitude: madrid.longitude)).count == 1)
      #expect(try await store.rows("entry_areas") == 1)
    }
  }

  @Test("A history query filters by a range of days, and refuses one in the wrong order", arguments: Language.allCases)
  func days(language: Language) async throws {
    try await ServicesInProcess.running(Self.services) { services in
      let ana = try await services.register(language: language)
      let walk = try await ana.makeActivity(startDay: "2026-01-01")
      try await services.plant((0..<9).map { PlantedEntry(owner: ana.id, activity: walk.id, day: day.advanced(by: -$0)) })
      let some = try await ana.history(.init(from: day.advanced(by: -5), to: day.advanced(by: -3)))
      #expect(some.map { $0.day.distance(to: day) } == [3, 4, 5])
      let wrong = HistoryQuery(from: day, to: day.advanced(by: -1))
      #expect(try await ana.refusedFields(ListHistory.self, wrong) == ["to ends_before"])
      #expect(Words(Contract.activity.words).text("field.ends_before", language, ["day": .text("x")])?.contains("x") == true)
    }
  }
}
