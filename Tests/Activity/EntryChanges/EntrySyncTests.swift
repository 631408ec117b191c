import ActivityContract
import GRDB
import IdentityContract
import InProcess
import Operations
import Sampling
import Storage
import Testing

@testable import ActivityService

@Suite("Entries made offline are merged (ACT-17)")
struct EntrySyncTests {
  private let today = LocalDay(year: 2026, month: 11, day: 21) ?? .placeholder

  private func change(
    _ id: String, by device: String = "phone", at time: String, _ activity: ActivityID, day: LocalDay? = nil,
    isDeleted: Bool? = nil, isDone: Bool? = nil, amount: Double? = nil, durationSeconds: Int? = nil,
    comment: Patch<String?> = .keep, location: Patch<EntryLocation?> = .keep
  ) throws -> OfflineChange {
    OfflineChange(
      id: try ChangeID(text: id), deviceID: try DeviceID(text: device),
      madeAt: try Instant(text: "2026-11-21T\(time):00.000Z"), activityID: activity, day: day ?? today, isDeleted: isDeleted,
      isDone: isDone, amount: amount, durationSeconds: durationSeconds, comment: comment, location: location)
  }

  private func sync(_ person: Person, _ changes: OfflineChange...) async throws -> [OfflineChangeResult] {
    try await person.send(SyncEntries.self, .init(changes: changes)).results
  }

  private func history(_ person: Person, _ id: ActivityID) async throws -> [EntryChange] {
    try await person.send(ListEntryChanges.self, .init(activityID: id, day: .today)).items
  }

  @Test("The later write of each field wins, whichever device comes first, and the loser is in the history")
  func fields() async throws {
    try await ServicesInProcess.running([{ Activities.service($0) }]) { services in
      let ana = try await services.register()
      let id = try await ana.makeActivity(goal: .quantity(5, unit: "km")).id
      let late = try change("w1", by: "watch", at: "10:00", id, amount: 4, comment: .set("from the watch"))
      let early = try change("p1", at: "09:00", id, amount: 2, comment: .set("from the phone"))
      let mixed = try change("p2", at: "09:30", id, amount: 3, location: .set(EntryLocation(latitude: 1, longitude: 2)))
      var results = try await sync(ana, late)
      let first = try #require(results[0].entry)
      #expect(results.map(\.outcome) == [.applied] && first.amount == 4)
      try services.clock.set("2026-11-21T12:00:07.000Z")
      results = try await sync(ana, early, mixed)
      // What counts in none of its fields leaves the entry as it was, to the moment of its writing.
      #expect(results[0].entry == first && results[1].entry?.recordedAt == services.clock.now)
      #expect(results.map(\.outcome) == [.superseded, .applied])
      #expect(results[1].supersededFields == [.progress] && results[0].supersededFields == [.progress, .comment])
      let entry = try await ana.send(GetEntry.self, .init(activityID: id, day: .today))
      #expect(entry.amount == 4 && entry.comment == "from the watch" && entry.location?.longitude == 2)
      let lost = try await history(ana, id)
      #expect(lost.map(\.cause) == [.late, .late, .late] && lost.map(\.number) == [3, 2, 1])
      #expect(lost.map(\.amount) == [3, nil, 2] && lost.map(\.comment) == [nil, "from the phone", nil])
      #expect(lost.map(\.deviceID?.description) == ["phone", "phone", "phone"])
      #expect(lost.map(\.madeAt) == [mixed, early, early].map(\.madeAt))
      #expect(lost.map(\.changeID?.description) == ["p2", "p1", "p1"])
    }
  }

  @Test("Online writes are merged like offline ones: only later changes overwrite them, and they overwrite earlier ones")
  func online() async throws {
    try await ServicesInProcess.running([{ Activities.service($0) }], at: "2026-11-21T10:00:00.000Z") { services in
      let ana = try await services.register()
      let id = try await ana.makeActivity(goal: .quantity(5, unit: "km")).id
      _ = try await sync(ana, try change("1", at: "09:00", id, amount: 1))
      _ = try await ana.send(RecordEntry.self, .init(activityID: id, day: .today, amount: 2, comment: "online"))
      try services.clock.set("2026-11-21T12:00:00.000Z")
      let results = try await sync(
        ana, try change("2", at: "09:59", id, amount: 3, comment: .set("early")), try change("3", at: "10:01", id, amount: 4))
      #expect(results.map(\.outcome) == [.superseded, .applied])
      #expect(results[1].entry?.amount == 4 && results[1].entry?.comment == "online")
      let causes = try await history(ana, id).map {
        "\($0.field) \($0.amount ?? 0) \($0.cause) \($0.changeID?.description ?? "-")"
      }
      #expect(
        causes == [
          "progress 2.0 overwritten -", "comment 0.0 late 2", "progress 3.0 late 2", "progress 1.0 overwritten 1",
        ])
    }
  }

  @Test("A repeated offline change changes nothing, whether it is in force, lost, or sent twice in one batch")
  func repeated() async throws {
    try await ServicesInProcess.running([{ Activities.service($0) }]) { services in
      let ana = try await services.register()
      let id = try await ana.makeActivity(goal: .duration(seconds: 60)).id
      let changes = [
        try change("1", at: "09:00", id, durationSeconds: 10), try change("2", at: "10:00", id, durationSeconds: 20),
        try change("3", at: "08:00", id, isDeleted: true), try change("2", at: "10:00", id, durationSeconds: 20),
      ]
      let first = try await ana.send(SyncEntries.self, .init(changes: changes)).results
      #expect(first.map(\.outcome) == [.applied, .applied, .superseded, .repeated])
      let (entry, lost) = (
        try await ana.send(GetEntry.self, .init(activityID: id, day: .today)), try await history(ana, id)
      )
      let published = try await services.published(by: .activity).count
      try services.clock.set("2026-11-21T13:00:00.000Z")
      for _ in 0..<3 {
        let again = try await ana.send(SyncEntries.self, .init(changes: changes.reversed())).results
        #expect(Set(again.map(\.outcome)) == [.repeated])
      }
      #expect(try await ana.send(GetEntry.self, .init(activityID: id, day: .today)) == entry)
      #expect(try await history(ana, id) == lost)
      #expect(try await services.published(by: .activity).count == published)
      // The id is its device's own.
      let other = try await sync(ana, try change("2", by: "watch", at: "11:00", id, durationSeconds: 30))
      #expect(other.map(\.outcome) == [.applied])
    }
  }

  @Test("An offline deletion is a write like others: earlier changes do not bring the entry back, later ones do")
  func deletion() async throws {
    try await ServicesInProcess.running([{ Activities.service($0) }]) { services in
      let ana = try await services.register()
      let id = try await ana.makeActivity().id
      _ = try await sync(ana, try change("1", at: "08:00", id, isDone: true, comment: .set("a")))
      var results = try await sync(ana, try change("2", at: "10:00", id, isDeleted: true))
      #expect(results.map(\.outcome) == [.applied] && results[0].entry == nil)
      results = try await sync(ana, try change("3", at: "09:00", id, isDone: true))
      #expect(results.map(\.outcome) == [.superseded] && results[0].entry == nil)
      results = try await sync(ana, try change("4", at: "11:00", id, comment: .set("back")))
      #expect(results[0].entry?.comment == "back" && results[0].entry?.isDone == false)
      // One made online counts too.
      try services.clock.set("2026-11-21T12:30:00.000Z")
      _ = try await ana.send(DeleteEntry.self, .init(activityID: id, day: .today))
      results = try await sync(ana, try change("5", at: "12:29", id, isDone: true))
      #expect(results.map(\.outcome) == [.superseded])
      let published = try await services.published(by: .activity).dropFirst().map { try EntryRecorded.decode($0.body) }
      #expect(published.map(\.isDeleted) == [false, true, false, true])
    }
  }

  @Test("A change from a device whose clock is ahead counts as made now, and yields to later writes")
  func future() async throws {
    try await ServicesInProcess.running([{ Activities.service($0) }]) { services in
      let ana = try await services.register()
      let id = try await ana.makeActivity(goal: .quantity(5, unit: "km")).id
      let ahead = try change("1", at: "23:00", id, amount: 1)
      #expect(try await sync(ana, ahead).map(\.outcome) == [.applied])
      try services.clock.set("2026-11-21T12:00:01.000Z")
      _ = try await ana.send(RecordEntry.self, .init(activityID: id, day: .today, amount: 2))
      #expect(try await sync(ana, ahead).map(\.outcome) == [.repeated])
      #expect(try await ana.send(GetEntry.self, .init(activityID: id, day: .today)).amount == 2)
      #expect(try await history(ana, id).map(\.madeAt.description) == ["2026-11-21T12:00:00.000Z"])
    }
  }

  @Test("An offline change that calls a limit done or not done is refused, since it does not say how much there was")
  func limits() async throws {
    try await ServicesInProcess.running([{ Activities.service($0) }]) { services in
      let ana = try await services.register()
      let id = try await ana.makeActivity(goal: .quantity(2, unit: "cups", .atMost)).id
      let results = try await sync(
        ana, try change("1", at: "08:00", id, isDone: true), try change("2", at: "08:00", id, isDone: false),
        try change("3", at: "08:00", id, amount: 0))
      let fields = results.map { $0.refusal?.fields ?? [] }
      #expect(fields.map { $0.map(\.code) } == [["done_by_limit"], ["undone_by_progress"], []])
      #expect(fields[0].first?.message == "The goal is a limit, so 'done' does not say how much there was.")
      #expect(fields[0].first?.suggestion == "Give how much is done. If there was nothing, give 0.")
    }
  }

  @Test("An offline change that cannot be applied is refused alone, with its reason in the caller's language")
  func refused() async throws {
    try await ServicesInProcess.running([{ Activities.service($0) }]) { services in
      let ana = try await services.register(language: .spanish, consents: [])
      let id = try await ana.makeActivity(goal: .quantity(5, unit: "km"), schedule: .weekdays([6]), startDay: "2026-11-01").id
      let place = EntryLocation(latitude: 91, longitude: 0)
      let results = try await sync(
        ana, try change("1", at: "08:00", ActivityID(), amount: 1),
        try change("2", at: "08:00", id, day: try LocalDay(text: "2026-11-20"), amount: 1),
        try change("3", at: "08:00", id, day: try LocalDay(text: "2026-11-28"), amount: 1),
        try change("4", at: "08:00", id, durationSeconds: 5),
        try change("5", at: "08:00", id, amount: 0.0001, comment: .set(String(repeating: "x", count: 21)), location: .set(place)),
        try change("6", at: "08:00", id), try change("7", at: "08:00", id, isDeleted: true, amount: 1),
        try change("8", at: "08:00", id, location: .set(EntryLocation(latitude: 1, longitude: 1))),
        try change("9", at: "08:00", id, isDone: true, amount: 2), try change("10", at: "08:00", id, amount: -1),
        try change("11", at: "08:00", id, amount: 1.5))
      #expect(results.map(\.outcome) == Array(repeating: .refused, count: 10) + [.applied])
      #expect(
        results.map { $0.refusal?.code ?? "" } == [
          "activity_not_found", "not_planned", "entry_in_future", "invalid_fields", "consent_required", "invalid_fields",
          "invalid_fields", "consent_required", "invalid_fields", "invalid_fields", "",
        ])
      let fields = results.map { ($0.refusal?.fields ?? []).map { "\($0.field) \($0.code)" } }
      #expect(fields[3] == ["durationSeconds not_for_goal"])
      #expect(fields[4] == ["amount too_precise", "comment too_long", "location.latitude out_of_range"])
      #expect(fields[5] == ["isDone nothing_changed"] && fields[6] == ["amount not_when_deleted"])
      #expect(fields[8] == ["isDone exactly_one", "amount exactly_one"] && fields[9] == ["amount out_of_range"])
      #expect(results[1].refusal?.message == "Esta actividad no está planeada para el 2026-11-20.")
      #expect(
        results[3].refusal?.fields[0].message == "Ese día el hito es una cantidad, como 5 km, así que esto no le corresponde.")
      #expect(results[4].refusal?.fields[1].message == "Puede tener como máximo 20 caracteres.")
      #expect(results[7].refusal?.message.contains("usar tu ubicación") == true)
      #expect(results[10].entry?.amount == 1.5)
      #expect(try await services.store(of: .activity).rows("entries") == 1)
    }
  }

  @Test(
    "All faults of an offline change are reported, also with an unknown activity, a closed day or a missing consent")
  func allProblems() async throws {
    try await ServicesInProcess.running([{ Activities.service($0) }]) { services in
      let ana = try await services.register(consents: [])
      let id = try await ana.makeActivity(goal: .quantity(5, unit: "km"), schedule: .weekdays([6]), startDay: "2026-11-01").id
      let friday = try LocalDay(text: "2026-11-20")
      let (long, place) = (String(repeating: "x", count: 21), EntryLocation(latitude: 91, longitude: 0))
      let results = try await sync(
        ana, try change("1", at: "08:00", ActivityID(), amount: -1, comment: .set(long)),
        try change("2", at: "08:00", id, day: friday, amount: 0.0001, location: .set(place)),
        try change("3", at: "08:00", id, day: friday, durationSeconds: 5),
        try change("4", at: "08:00", ActivityID(), day: LocalDay(daysSinceEpoch: -1), isDeleted: true, amount: 1))
      #expect(results.map(\.outcome) == Array(repeating: .refused, count: 4))
      #expect(
        results.map { $0.refusal?.code } == ["activity_not_found", "not_planned", "not_planned", "activity_not_found"])
      #expect(
        results.map { ($0.refusal?.fields ?? []).map { "\($0.field) \($0.code)" } } == [
          ["amount out_of_range", "comment too_long"], ["amount too_precise", "location.latitude out_of_range"],
          ["durationSeconds not_for_goal"], ["amount not_when_deleted", "day out_of_range"],
        ])
      let message = try #require(results[1].refusal?.message)
      #expect(message.contains("2026-11-20") && message.contains("consents.location"))
      #expect(try await services.store(of: .activity).rows("entry_change_names") == 0)
    }
  }

  @Test("The number of new offline changes a day is limited; beyond it none is accepted, and repeated ones are still recognized")
  func allowance() async throws {
    try await ServicesInProcess.running([{ Activities.service($0) }], at: "2026-11-21T23:59:30.000Z") { services in
      let (ana, ben) = (try await services.register(), try await services.register())
      let id = try await ana.makeActivity(goal: .quantity(500, unit: "times")).id
      let (first, second) = (try change("1", at: "08:00", id, amount: 1), try change("2", at: "08:01", id, amount: 2))
      let third = try change("3", at: "08:02", id, amount: 3)
      #expect(try await sync(ana, first, first).map(\.outcome) == [.applied, .repeated])
      let store = services.store(of: .activity)
      try await store.write { transaction in
        let sql = "UPDATE entry_change_counts SET changes = changes + ?"
        try transaction.database.execute(sql: sql, arguments: [SyncEntries.maxPerDay - 2])
      }
      do {
        _ = try await sync(ana, second, third)
        Issue.record("two were taken in where there is room for one")
      } catch let failure as Failure {
        #expect(failure.code == "too_many_changes" && failure.status == 429 && failure.retryAfterSeconds == 30)
        #expect(SyncEntries.spec.declares(failure))
      }
      #expect(try await store.rows("entry_change_names") == 1)
      #expect(try await sync(ana, first, second).map(\.outcome) == [.repeated, .applied])
      #expect(try await ana.failure(SyncEntries.self, .init(changes: [third])) == "too_many_changes")
      #expect(try await sync(ana, first, second).map(\.outcome) == [.repeated, .repeated])
      let other = try await ben.makeActivity(goal: .quantity(500, unit: "times")).id
      #expect(try await sync(ben, try change("1", at: "08:00", other, amount: 1)).map(\.outcome) == [.applied])
      try services.clock.set("2026-11-22T00:00:00.000Z")
      #expect(try await sync(ana, third).map(\.outcome) == [.applied])
    }
  }

  @Test("Refused offline changes store nothing, whatever idempotency keys they come with")
  func keepsNothing() async throws {
    try await ServicesInProcess.running([{ Activities.service($0) }]) { services in
      let ana = try await services.register()
      let batch = try (1...SyncEntries.Input.maxChanges).map { try change("\($0)", at: "08:00", ActivityID(), amount: -1) }
      let store = services.store(of: .activity)
      for key in ["a", "b"] {
        _ = try await ana.send(SyncEntries.self, .init(changes: batch), key: key)
        for table in ["idempotency_records", "entry_change_names", "entry_change_counts"] {
          #expect(try await store.rows(table) == 0, "\(table)")
        }
      }
    }
  }

  @Test("A batch has at most 200 offline changes, whose names consist of visible characters")
  func bounds() async throws {
    try await ServicesInProcess.running([{ Activities.service($0) }]) { services in
      let ana = try await services.register()
      let id = try await ana.makeActivity().id
      let one = try change("1", at: "08:00", id, isDone: true)
      let many = Array(repeating: one, count: 201)
      #expect(try await ana.refusedFields(SyncEntries.self, .init(changes: many)) == ["changes wrong_count"])
      #expect(try await ana.refusedFields(SyncEntries.self, .init(changes: [])) == ["changes wrong_count"])
      for text in ["", "a b", "é", String(repeating: "x", count: 65)] {
        #expect(throws: FieldRule.self) { try ChangeID(text: text) }
      }
    }
  }

  @Test("Batches in 1,000 orders of arrival leave the same entries, with nothing lost silently")
  func orders() async throws {
    try await ServicesInProcess.running([{ Activities.service($0) }]) { services in
      var random = SeededGenerator(4)
      let noon = services.clock.now
      for round in 0..<40 {
        let ana = try await services.register()
        let made = try EntryRegistersTests.generated(12, &random)
        let goal = Goal.quantity(1, unit: "times")
        var outcomes: Set<[String]> = []
        for order in 0..<25 {
          let id = try await ana.makeActivity(title: "\(round) \(order)", goal: goal).id
          let changes = made.shuffled(using: &random).map { made in
            OfflineChange(
              id: made.stamp.change?.id ?? .placeholder, deviceID: made.stamp.change?.device ?? .placeholder,
              madeAt: noon.adding(milliseconds: made.stamp.at.milliseconds - 1000), activityID: id, day: today,
              isDeleted: made.write.isDeletion ? true : nil,
              amount: made.write.progress.map(Double.init), comment: made.write.comment, location: made.write.location)
          }
          // In batches, some of them repeated.
          let cut = Int.random(in: 0...changes.count, using: &random)
          for batch in [changes[..<cut], changes[cut...], changes[..<cut]] where !batch.isEmpty {
            _ = try await ana.send(SyncEntries.self, .init(changes: Array(batch)))
          }
          let name = EntryName(activityID: id, day: .today)
          let (registers, entry) = try await services.store(of: .activity).read { database in
            let entry = try EntryStore.find(id, today, in: database)
            return (try EntryRegisters.load(entry, id, today, in: database), entry)
          }
          let lost = try await ana.send(ListEntryChanges.self, .init(activityID: id, day: .today, limit: 200)).items
          outcomes.insert([
            "\(entry?.progress ?? -1) \(entry?.comment ?? "-") \(entry?.location?.latitude ?? -1)",
            "\(registers.stamps.map { "\($0)" })", "\(registers.stamps.count + lost.count)",
          ])
          if entry == nil { #expect(try await ana.failure(GetEntry.self, name) == "entry_not_found") }
          _ = try await services.store(of: .activity).write { transaction in
            try transaction.database.run("DELETE FROM activities WHERE activity_id = ?", .id(id))
          }
        }
        #expect(outcomes.count == 1)
        let expected = EntryRegistersTests.replayed(made)
        let progress = expected.exists ? (expected.progress?.value ?? 0) * 1000 : -1
        let place = (expected.location?.value ?? nil)?.latitude
        #expect(
          outcomes.first?.first == "\(progress) \((expected.comment?.value ?? nil) ?? "-") \(place ?? -1)")
      }
    }
  }

  @Test("An offline deletion for a day before 1970, after 2199 or in the future is refused")
  func deletedDays() async throws {
    try await ServicesInProcess.running([{ Activities.service($0) }]) { services in
      let ana = try await services.register()
      let id = try await ana.makeActivity(startDay: "2026-11-01").id
      let days = ["1969-12-31", "0001-01-01", "2026-11-22", "2200-01-01", "9999-12-31", "1970-01-01", "2026-10-31", "2026-11-21"]
      for (number, day) in days.enumerated() {
        let result = try await sync(
          ana, try change("\(number)", at: "08:00", id, day: try LocalDay(text: day), isDeleted: true))[0]
        let refusal = number == 2 ? "entry_in_future" : number < 5 ? "invalid_fields" : nil
        if refusal == "invalid_fields" {
          #expect(result.refusal?.fields.map { "\($0.field) \($0.code)" } == ["day out_of_range"])
        }
        #expect(result.refusal?.code == refusal && result.outcome == (refusal == nil ? .applied : .refused), "\(day)")
      }
      #expect(try await services.store(of: .activity).rows("entry_deletions") == 3)
    }
  }

  @Test("An entry's history keeps at least its last 2,000 lost writes, page by page, and forgets them on request")
  func history() async throws {
    try await ServicesInProcess.running([{ Activities.service($0) }]) { services in
      let ana = try await services.register()
      let id = try await ana.makeActivity(goal: .quantity(500, unit: "times")).id
      _ = try await ana.send(RecordEntry.self, .init(activityID: id, day: .today, amount: 300))
      let early = try Instant(text: "2026-11-21T06:00:00.000Z")
      for batch in 0..<11 {
        let changes = try (0..<200).map { number in
          OfflineChange(
            id: try ChangeID(text: "\(batch)-\(number)"), deviceID: try DeviceID(text: "phone"),
            madeAt: early.adding(seconds: batch * 200 + number), activityID: id, day: today, amount: Double(number))
        }
        _ = try await ana.send(SyncEntries.self, .init(changes: changes))
      }
      var page = try await ana.send(ListEntryChanges.self, .init(activityID: id, day: .today, limit: 60))
      #expect(page.items.map(\.amount) == (0..<60).map { Double(199 - $0) })
      page = try await ana.send(ListEntryChanges.self, .init(activityID: id, day: .today, limit: 200, cursor: page.nextCursor))
      #expect(page.items.first?.amount == 139 && page.items.count == 200 && page.nextCursor != nil)
      #expect((2000..<2032).contains(try await services.store(of: .activity).rows("entry_changes")))
      _ = try await ana.send(DeleteEntryChanges.self, .init(activityID: id, day: .today))
      #expect(try await history(ana, id).isEmpty)
      #expect(try await ana.send(GetEntry.self, .init(activityID: id, day: .today)).amount == 300)
    }
  }
}
