import ActivityContract
import ActivityService
import GRDB
import IdentityContract
import InProcess
import Operations
import Storage
import Synchronization
import Testing

@Suite("Entries with comment, photo and location (ACT-8; T UC 02.01 to 02.04)")
struct EntryDetailsTests {
  private let home = EntryLocation(latitude: 40.4168, longitude: -3.7038, accuracyMeters: 12)

  @Test("T UC 02.01: an entry is recorded with comment, photo and location, and shown")
  func recorded() async throws {
    try await ServicesInProcess.running([{ Activities.service($0) }]) { services in
      let ana = try await services.register()
      let id = try await ana.makeActivity().id
      let entry = try await ana.send(
        RecordEntry.self,
        .init(
          activityID: id, day: .today, isDone: true, comment: "  Felt great ", location: home, photo: try Snapshots.png()))
      #expect(entry.isDone && entry.comment == "Felt great" && entry.location == home)
      let photo = try await ana.send(GetEntryPhoto.self, .init(activityID: id, day: .today))
      #expect(photo.mediaType == "image/png" && photo.tag == entry.photoTag && entry.photoTag?.count == 32)
      #expect(try await ana.send(GetEntry.self, .init(activityID: id, day: .today)) == entry)
      // The progress alone is published, and once.
      let published = try await services.published(by: .activity).filter { $0.name == "entries.recorded" }
      #expect(published.count == 1)
      #expect(!String(decoding: published[0].body, as: UTF8.self).contains("great"))
    }
  }

  @Test("T UC 02.01: comment, photo and location are optional, and what is left out later stays")
  func optional() async throws {
    try await ServicesInProcess.running([{ Activities.service($0) }]) { services in
      let ana = try await services.register()
      let id = try await ana.makeActivity(goal: .quantity(5, unit: "km")).id
      var entry = try await ana.send(RecordEntry.self, .init(activityID: id, day: .today, amount: 1))
      #expect(entry.comment == nil && entry.location == nil && entry.photoTag == nil)
      _ = try await ana.send(
        RecordEntry.self,
        .init(activityID: id, day: .today, amount: 1, comment: "a", location: home, photo: try Snapshots.webp()))
      entry = try await ana.send(IncrementEntry.self, .init(activityID: id, day: .today, amount: 2.5))
      #expect(entry.amount == 3.5 && entry.comment == "a" && entry.location == home && entry.photoTag != nil)
      entry = try await ana.send(RecordEntry.self, .init(activityID: id, day: .today, amount: 5))
      #expect(entry.isDone && entry.comment == "a" && entry.photoTag != nil)
    }
  }

  @Test("T UC 02.01, 02.03: an invisible comment removes the existing one, whether recorded, edited or sent from offline")
  func blank() async throws {
    try await ServicesInProcess.running([{ Activities.service($0) }]) { services in
      let ana = try await services.register()
      let id = try await ana.makeActivity(goal: .quantity(5, unit: "km")).id
      let today = try LocalDay(text: "2026-11-21")
      for (number, blank) in ["", "  ", "\u{200B}"].enumerated() {
        let writes: [@Sendable () async throws -> Entry?] = [
          { try await ana.send(RecordEntry.self, .init(activityID: id, day: .today, amount: 1, comment: blank)) },
          { try await ana.send(UpdateEntry.self, .init(activityID: id, day: .today, comment: .set(blank))) },
          {
            let change = OfflineChange(
              id: try ChangeID(text: "\(number)"), deviceID: try DeviceID(text: "phone"), madeAt: services.clock.now,
              activityID: id, day: today, comment: .set(blank))
            return try await ana.send(SyncEntries.self, .init(changes: [change])).results[0].entry
          },
        ]
        for (way, write) in writes.enumerated() {
          try services.clock.set("2026-11-21T12:0\(number):\(way)0.000Z")
          let said = try await ana.send(RecordEntry.self, .init(activityID: id, day: .today, amount: 1, comment: "a"))
          #expect(said.comment == "a")
          try services.clock.set("2026-11-21T12:0\(number):\(way)5.000Z")
          let entry = try #require(try await write())
          #expect(entry.comment == nil && entry.amount == 1, "\(way) \(blank.debugDescription)")
        }
      }
    }
  }

  @Test(
    "T UC 02.01, exception: all faults of an entry are reported at once, its photo and its goal's fields included"
  )
  func allAtOnce() async throws {
    try await ServicesInProcess.running([{ Activities.service($0) }]) { services in
      let ana = try await services.register()
      let id = try await ana.makeActivity(goal: .duration(seconds: 60)).id
      let long = String(repeating: "x", count: 21)
      let nowhere = EntryLocation(latitude: 91, longitude: 0)
      #expect(
        Set(
          try await ana.refusedFields(
            RecordEntry.self,
            .init(
              activityID: id, day: .today, amount: 2, comment: long, location: nowhere, photo: Snapshots.tooLarge)))
          == ["amount not_for_goal", "comment too_long", "location.latitude out_of_range", "photo picture_too_large"])
      #expect(
        Set(
          try await ana.refusedFields(
            RecordEntry.self,
            .init(activityID: id, day: .today, durationSeconds: -1, comment: long, photo: Snapshots.tooLarge)))
          == ["durationSeconds out_of_range", "comment too_long", "photo picture_too_large"])
      // What cannot be read is a fault of its own, beside the others, and no placeholder is validated.
      do {
        _ = try await ana.send(
          RecordEntry.self, json: Array(#"{"amount":"two","comment":"\#(long)","photo":1,"colour":"red"}"#.utf8),
          parameters: ["activityID": id.description, "day": "today"])
        Issue.record("it was taken")
      } catch let failure as Failure {
        #expect(
          Set(failure.fields.map { "\($0.field) \($0.code)" })
            == ["amount not_a_number", "comment too_long", "photo not_a_string", "colour unknown_field"])
      }
      #expect(try await ana.failure(GetEntry.self, .init(activityID: id, day: .today)) == "entry_not_found")
    }
  }

  @Test("T UC 02.01: a comment has at most 20 characters as a person counts them")
  func comment() async throws {
    try await ServicesInProcess.running([{ Activities.service($0) }]) { services in
      let ana = try await services.register()
      let id = try await ana.makeActivity().id
      func fields(_ comment: String) async throws -> [String] {
        try await ana.refusedFields(RecordEntry.self, .init(activityID: id, day: .today, isDone: true, comment: comment))
      }
      #expect(try await fields(String(repeating: "👩‍👩‍👧‍👦", count: 20)) == ["comment too_many_bytes"])
      #expect(try await fields("a\u{202E}b") == ["comment control_character"])
      #expect(try await fields(String(repeating: "ñ", count: 21)) == ["comment too_long"])
      #expect(try await fields(String(repeating: "🇪🇸", count: 20)) == [])
      #expect(try await ana.send(GetEntry.self, .init(activityID: id, day: .today)).comment?.count == 20)
    }
  }

  @Test("T UC 02.01, exception: a photo of more than 65,536 bytes cancels the save, with a message in both languages")
  func tooLarge() async throws {
    try await ServicesInProcess.running([{ Activities.service($0) }]) { services in
      let ana = try await services.register()
      let id = try await ana.makeActivity().id
      let input = RecordEntry.Input(
        activityID: id, day: .today, isDone: true, comment: "mine", photo: Snapshots.tooLarge)
      do {
        _ = try await ana.send(RecordEntry.self, input)
        Issue.record("it was taken")
      } catch let failure as Failure {
        #expect(failure.fields.map { "\($0.field) \($0.code)" } == ["photo picture_too_large"])
        let words = Words(Contract.activity.words)
        let texts = [Language.english, .spanish].map {
          words.text("field.picture_too_large", $0, failure.fields[0].parameters)
        }
        #expect(texts == ["The picture has more than 65536 bytes.", "La imagen ocupa más de 65536 bytes."])
      }
      #expect(try await ana.failure(GetEntry.self, .init(activityID: id, day: .today)) == "entry_not_found")
      #expect(try await services.published(by: .activity).map(\.name) == ["activities.changed"])
    }
  }

  @Test("T UC 02.01, exception: without consent to location nothing is saved; consent just given is not refused")
  func consent() async throws {
    try await ServicesInProcess.running([{ Activities.service($0) }]) { services in
      let ana = try await services.register(consents: [.activityData])
      let id = try await ana.makeActivity().id
      let input = RecordEntry.Input(activityID: id, day: .today, isDone: true, location: home)
      #expect(try await ana.failure(RecordEntry.self, input) == "consent_required")
      #expect(try await ana.failure(GetEntry.self, .init(activityID: id, day: .today)) == "entry_not_found")
      // Known to identity alone.
      try await services.change(ana, isPublished: false) {
        $0.consents = [.location]; $0.revision += 1
      }
      #expect(try await ana.send(RecordEntry.self, input).location == home)
      try await services.change(ana, receivedBy: .activity) { $0.consents = [] }
      let edit = UpdateEntry.Input(activityID: id, day: .today, location: .set(home))
      #expect(try await ana.failure(UpdateEntry.self, edit) == "consent_required")
      // Taking it back needs none.
      #expect(try await ana.send(UpdateEntry.self, .init(activityID: id, day: .today, location: .set(nil))).location == nil)
    }
  }

  @Test(
    "T UC 02.01, exception: a location that is no point on earth is refused field by field",
    arguments: [
      (90.0, 180.0, 0.0, []), (-90, -180, 1_000_000, []), (90.1, 0, 1, ["location.latitude out_of_range"]),
      (-90.1, -180.1, -1, ["latitude", "longitude", "accuracyMeters"].map { "location.\($0) out_of_range" }),
      (0, 180.5, 1_000_001, ["location.longitude out_of_range", "location.accuracyMeters out_of_range"]),
    ])
  func places(latitude: Double, longitude: Double, accuracy: Double, problems: [String]) async throws {
    try await ServicesInProcess.running([{ Activities.service($0) }]) { services in
      let ana = try await services.register()
      let id = try await ana.makeActivity().id
      let place = EntryLocation(latitude: latitude, longitude: longitude, accuracyMeters: accuracy)
      let input = RecordEntry.Input(activityID: id, day: .today, isDone: true, location: place)
      #expect(try await ana.refusedFields(RecordEntry.self, input) == problems)
    }
  }

  @Test("T UC 02.01, exception: concurrent writers leave one entry for a day, each field of which is whole")
  func races() async throws {
    try await ServicesInProcess.running([{ Activities.service($0) }]) { services in
      let ana = try await services.register()
      let id = try await ana.makeActivity(goal: .quantity(1_000, unit: "times")).id
      @Sendable func isWhole(_ entry: Entry) throws -> Bool {
        let amount = Int(try #require(entry.amount))
        return entry.comment == "number \(amount)" && entry.location?.latitude == Double(amount % 90)
      }
      let isOver = Atomic(false)
      defer { isOver.store(true, ordering: .relaxed) }
      let reading = Task {
        var whole = 0
        while !isOver.load(ordering: .relaxed) {
          do {
            let entry = try await ana.send(GetEntry.self, .init(activityID: id, day: .today))
            guard try isWhole(entry) else { return -1 }
            whole += 1
          } catch let failure as Failure where failure.code == "entry_not_found" {}
        }
        return whole
      }
      try await services.together(400, writingTo: .activity) { number in
        let place = EntryLocation(latitude: Double((number + 1) % 90), longitude: Double((number + 1) % 90))
        let form = RecordEntry.Input(
          activityID: id, day: .today, amount: Double(number + 1), comment: "number \(number + 1)", location: place)
        // Each is answered with what it wrote itself, whatever came between.
        let entry = try await ana.send(RecordEntry.self, form)
        #expect(try entry.amount == Double(number + 1) && isWhole(entry))
      }
      isOver.store(true, ordering: .relaxed)
      #expect(try await reading.value >= 0, "an entry was read of which only a part was written")
      #expect(try await isWhole(ana.send(GetEntry.self, .init(activityID: id, day: .today))))
      let store = services.store(of: .activity)
      for (table, count) in [("entries", 1), ("entry_places", 1), ("entry_stamps", 2)] {
        #expect(try await store.rows(table) == count, "\(table)")
      }
    }
  }

  @Test("T UC 02.01, exception: adding a second entry for a day is refused and changes nothing; editing changes it")
  func secondAdd() async throws {
    try await ServicesInProcess.running([{ Activities.service($0) }]) { services in
      let ana = try await services.register()
      let id = try await ana.makeActivity(goal: .quantity(10, unit: "km")).id
      let form = CreateEntry.Input(activityID: id, day: .today, amount: 3, comment: "first")
      let entry = try await ana.send(CreateEntry.self, form, key: "add")
      #expect(entry.amount == 3 && entry.comment == "first")
      // Repeated with its key it is the same add.
      #expect(try await ana.send(CreateEntry.self, form, key: "add") == entry)
      var second = form
      (second.amount, second.comment) = (5, "second")
      do {
        _ = try await ana.send(CreateEntry.self, second)
        Issue.record("a second entry was added")
      } catch let failure as Failure {
        #expect(failure.code == "entry_exists" && failure.status == 409 && CreateEntry.spec.declares(failure))
        #expect(failure.parameters["day"] == .text("2026-11-21"))
      }
      // Before its picture is looked at.
      second.photo = Base64Bytes(Array("no picture".utf8))
      #expect(try await ana.failure(CreateEntry.self, second) == "entry_exists")
      #expect(try await ana.send(GetEntry.self, .init(activityID: id, day: .today)) == entry)
      // Progress is set as often as one likes (H CU-29), and an entry is edited.
      #expect(try await ana.send(RecordEntry.self, .init(activityID: id, day: .today, amount: 4)).amount == 4)
      #expect(try await ana.send(UpdateEntry.self, .init(activityID: id, day: .today, amount: .set(5))).amount == 5)
      _ = try await ana.send(DeleteEntry.self, .init(activityID: id, day: .today))
      try services.clock.set("2026-11-21T12:00:01.000Z")
      #expect(try await ana.failure(CreateEntry.self, second) == "invalid_fields")
      second.photo = nil
      #expect(try await ana.send(CreateEntry.self, second).comment == "second")
      let other = try await ana.makeActivity(goal: .quantity(10, unit: "km")).id
      let ends = Mutex<[String?: Int]>([:])
      try await services.together(20, writingTo: .activity) { number in
        let end = try await ana.failure(CreateEntry.self, .init(activityID: other, day: .today, amount: Double(number)))
        ends.withLock { $0[end, default: 0] += 1 }
      }
      #expect(ends.withLock { $0 } == [nil: 1, "entry_exists": 19])
    }
  }

  @Test("T UC 02.02: an entry is returned whole, and only for its own day")
  func viewed() async throws {
    try await ServicesInProcess.running([{ Activities.service($0) }]) { services in
      let ana = try await services.register()
      let id = try await ana.makeActivity(startDay: "2026-11-01").id
      let day = DayName.day(try LocalDay(text: "2026-11-20"))
      let entry = try await ana.send(RecordEntry.self, .init(activityID: id, day: day, isDone: true, comment: "x"))
      #expect(try await ana.send(GetEntry.self, .init(activityID: id, day: day)) == entry)
      #expect(try await ana.failure(GetEntry.self, .init(activityID: id, day: .today)) == "entry_not_found")
    }
  }

  @Test("T UC 02.03: an entry is edited field by field; what is left out stays, and null removes")
  func edited() async throws {
    try await ServicesInProcess.running([{ Activities.service($0) }]) { services in
      let ana = try await services.register()
      let id = try await ana.makeActivity(goal: .duration(seconds: 60)).id
      func edit(_ json: String) async throws -> Entry {
        try services.clock.set("2026-11-21T13:00:00.000Z")
        return try await ana.send(
          UpdateEntry.self, json: Array(json.utf8), parameters: ["activityID": id.description, "day": "today"])
      }
      let first = try await ana.send(
        RecordEntry.self,
        .init(activityID: id, day: .today, durationSeconds: 30, comment: "a", location: home, photo: try Snapshots.png()))
      // A form that is left without a change.
      #expect(try await edit("{}") == first)
      var entry = try await edit(#"{"comment":"b"}"#)
      #expect(entry.comment == "b" && entry.location == home && entry.durationSeconds == 30)
      #expect(entry.recordedAt == services.clock.now)
      entry = try await edit(#"{"durationSeconds":60,"location":{"latitude":1,"longitude":2}}"#)
      #expect(entry.isDone && entry.comment == "b" && entry.location == EntryLocation(latitude: 1, longitude: 2))
      entry = try await edit(#"{"comment":null,"location":null}"#)
      #expect(entry.comment == nil && entry.location == nil && entry.isDone && entry.photoTag == first.photoTag)
      #expect(try await services.store(of: .activity).rows("entry_places") == 0)
      // Only the change of the progress was published again.
      #expect(try await services.published(by: .activity).filter { $0.name == "entries.recorded" }.count == 2)
    }
  }

  @Test("T UC 02.03, exception: an edit with an invalid field changes nothing, and a missing entry cannot be edited")
  func notEdited() async throws {
    try await ServicesInProcess.running([{ Activities.service($0) }]) { services in
      let ana = try await services.register()
      let id = try await ana.makeActivity().id
      #expect(
        try await ana.failure(UpdateEntry.self, .init(activityID: id, day: .today, comment: .set("a"))) == "entry_not_found")
      let entry = try await ana.send(RecordEntry.self, .init(activityID: id, day: .today, isDone: true, comment: "a"))
      let bad = UpdateEntry.Input(
        activityID: id, day: .today, isDone: .set(true), amount: .set(2), comment: .set(String(repeating: "x", count: 21)),
        location: .set(EntryLocation(latitude: 91, longitude: 0)))
      #expect(
        Set(try await ana.refusedFields(UpdateEntry.self, bad)) == [
          "comment too_long", "isDone exactly_one", "amount exactly_one", "location.latitude out_of_range",
        ])
      let other = UpdateEntry.Input(
        activityID: id, day: .today, amount: .set(2), location: .set(EntryLocation(latitude: 91, longitude: 0)))
      #expect(
        Set(try await ana.refusedFields(UpdateEntry.self, other)) == ["amount not_for_goal", "location.latitude out_of_range"])
      #expect(
        try await ana.refusedFields(UpdateEntry.self, .init(activityID: id, day: .today, amount: .set(2), comment: .set("b")))
          == ["amount not_for_goal"])
      #expect(try await ana.send(GetEntry.self, .init(activityID: id, day: .today)) == entry)
    }
  }

  @Test("T UC 02.04: deleting an entry also removes photo and location, can be repeated, and reopens its day")
  func deleted() async throws {
    try await ServicesInProcess.running([{ Activities.service($0) }]) { services in
      let ana = try await services.register()
      let id = try await ana.makeActivity().id
      _ = try await ana.send(
        RecordEntry.self,
        .init(activityID: id, day: .today, isDone: true, comment: "a", location: home, photo: try Snapshots.png()))
      for _ in 0..<2 { _ = try await ana.send(DeleteEntry.self, .init(activityID: id, day: .today)) }
      #expect(try await ana.failure(GetEntry.self, .init(activityID: id, day: .today)) == "entry_not_found")
      #expect(try await ana.failure(GetEntryPhoto.self, .init(activityID: id, day: .today)) == "not_found")
      for table in ["entries", "entry_photos", "entry_places", "entry_stamps"] {
        #expect(try await services.store(of: .activity).rows(table) == 0, "\(table)")
      }
      #expect(try await ana.send(GetDay.self, .init(day: .today)).activities.map(\.state) == [.pending])
      let published = try await services.published(by: .activity).dropFirst().map { try EntryRecorded.decode($0.body) }
      #expect(published.map(\.isDeleted) == [false, true])
    }
  }

  @Test("Entries of another account are not found")
  func strangers() async throws {
    try await ServicesInProcess.running([{ Activities.service($0) }]) { services in
      let (ana, ben) = (try await services.register(), try await services.register())
      let id = try await ana.makeActivity(goal: .duration(seconds: 60)).id
      _ = try await ana.send(
        RecordEntry.self, .init(activityID: id, day: .today, durationSeconds: 5, photo: try Snapshots.png()))
      let name = EntryName(activityID: id, day: .today)
      let found = [
        try await ben.failure(GetEntry.self, name), try await ben.failure(DeleteEntry.self, name),
        try await ben.failure(UpdateEntry.self, .init(activityID: id, day: .today, comment: .set("mine"))),
        try await ben.failure(RecordEntry.self, .init(activityID: id, day: .today, isDone: true, photo: try Snapshots.png())),
        try await ben.failure(GetEntryPhoto.self, name), try await ben.failure(DeleteEntryPhoto.self, name),
        try await ben.failure(PutEntryPhoto.self, .init(activityID: id, day: .today, content: try Snapshots.png())),
        try await ben.failure(ListEntryChanges.self, .init(activityID: id, day: .today)),
        try await ben.failure(DeleteEntryChanges.self, name), try await ben.failure(UndoEntry.self, name),
        try await ben.failure(StartTimer.self, .init(activityID: id)),
        try await ben.failure(StopTimer.self, .init(activityID: id)),
        try await ben.failure(SaveTimer.self, .init(activityID: id)),
        try await ben.failure(DiscardTimer.self, .init(activityID: id)),
        try await ben.failure(GetTimer.self, .init(activityID: id)),
      ]
      #expect(Set(found) == ["activity_not_found"])
      let change = OfflineChange(
        id: try ChangeID(text: "1"), deviceID: try DeviceID(text: "phone"), madeAt: services.clock.now, activityID: id,
        day: try LocalDay(text: "2026-11-21"), isDeleted: true)
      let result = try await ben.send(SyncEntries.self, .init(changes: [change])).results
      #expect(result.map(\.refusal?.code) == ["activity_not_found"])
      #expect(try await ana.send(GetEntry.self, name).durationSeconds == 5)
    }
  }
}
