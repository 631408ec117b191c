import ActivityContract
import GRDB
import IdentityContract
import InProcess
import Operations
import Storage
import Testing

@testable import ActivityService

@Suite("Offline changes are recognized by their names (ACT-17)")
struct ChangeNameTests {
  private let today = LocalDay(year: 2026, month: 11, day: 21) ?? .placeholder
  private let place = EntryLocation(latitude: 1, longitude: 2)

  private func change(
    _ id: String, by device: String = "phone", at time: String, _ activity: ActivityID, amount: Double? = nil,
    comment: Patch<String?> = .keep, location: Patch<EntryLocation?> = .keep
  ) throws -> OfflineChange {
    OfflineChange(
      id: try ChangeID(text: id), deviceID: try DeviceID(text: device), madeAt: try Instant(text: "2026-11-21T\(time)Z"),
      activityID: activity, day: today, amount: amount, comment: comment, location: location)
  }

  private func sync(_ person: Person, _ changes: [OfflineChange]) async throws -> [OfflineChangeResult] {
    try await person.send(SyncEntries.self, .init(changes: changes)).results
  }

  private func history(_ person: Person, _ id: ActivityID) async throws -> [EntryChange] {
    var (items, cursor) = ([EntryChange](), PageCursor?.none)
    repeat {
      let page = try await person.send(ListEntryChanges.self, .init(activityID: id, day: .today, limit: 200, cursor: cursor))
      items += page.items
      cursor = page.nextCursor
    } while cursor != nil
    return items
  }

  @Test("The largest batch of offline changes, all too late, loses nothing, and can be sent again with the same answer")
  func wholeBatch() async throws {
    try await ServicesInProcess.running([{ Activities.service($0) }], at: "2026-11-21T07:00:00.000Z") { services in
      let ana = try await services.register()
      let id = try await ana.makeActivity(goal: .quantity(500, unit: "times")).id
      _ = try await ana.send(RecordEntry.self, .init(activityID: id, day: .today, amount: 1, comment: "first"))
      try services.clock.set("2026-11-21T12:00:00.000Z")
      let late = try change("w", by: "watch", at: "11:00:00", id, amount: 2, comment: .set("late"), location: .set(place))
      _ = try await sync(ana, [late])
      let batch = try (0..<SyncEntries.Input.maxChanges).map { number in
        var early = try change(
          "\(number)", at: "08:00:00", id, amount: Double(number), comment: .set("\(number)"), location: .set(place))
        early.madeAt = early.madeAt.adding(seconds: number)
        return early
      }
      let first = try await sync(ana, batch)
      #expect(Set(first.map(\.outcome)) == [.superseded])
      #expect(Set(first.map(\.supersededFields)) == [[.progress, .comment, .location]])
      let lost = try await history(ana, id)
      // Those of the batch, and those that were lost before it.
      #expect(lost.count == 3 * batch.count + 2)
      #expect(lost.suffix(2).map(\.amount) == [nil, 1] && lost.suffix(2).map(\.comment) == ["first", nil])
      let published = try await services.published(by: .activity).count
      for minute in 1...3 {
        try services.clock.set("2026-11-21T13:0\(minute):00.000Z")
        let again = try await sync(ana, batch)
        #expect(Set(again.map(\.outcome)) == [.repeated])
        #expect(again.map(\.supersededFields) == first.map(\.supersededFields) && again.map(\.entry) == first.map(\.entry))
      }
      #expect(try await history(ana, id) == lost)
      #expect(try await services.published(by: .activity).count == published)
    }
  }

  @Test("Offline changes are recognized by name even if what they wrote was overwritten, undone, forgotten or deleted")
  func forgotten() async throws {
    try await ServicesInProcess.running([{ Activities.service($0) }]) { services in
      let ana = try await services.register()
      let id = try await ana.makeActivity(goal: .quantity(500, unit: "times")).id
      let changes = [try change("1", at: "08:00:00", id, amount: 1), try change("2", at: "09:00:00", id, amount: 2)]
      #expect(try await sync(ana, changes).map(\.outcome) == [.applied, .applied])
      let name = EntryName(activityID: id, day: .today)
      #expect(try await ana.send(UndoEntry.self, name).entry?.amount == 1)
      _ = try await ana.send(DeleteEntryChanges.self, name)
      #expect(try await sync(ana, changes).map(\.outcome) == [.repeated, .repeated])
      #expect(try await ana.send(GetEntry.self, name).amount == 1)
      _ = try await ana.send(DeleteEntry.self, name)
      _ = try await ana.send(DeleteEntryChanges.self, name)
      #expect(try await sync(ana, changes).map(\.outcome) == [.repeated, .repeated])
      #expect(try await ana.failure(GetEntry.self, name) == "entry_not_found")
      #expect(try await history(ana, id).isEmpty)
    }
  }

  @Test("An offline change that was accepted is not evaluated again, even if it would now be refused")
  func notEvaluatedAgain() async throws {
    try await ServicesInProcess.running([{ Activities.service($0) }]) { services in
      let ana = try await services.register()
      let id = try await ana.makeActivity(goal: .quantity(500, unit: "times")).id
      let taken = try change("1", at: "08:00:00", id, amount: 1, location: .set(place))
      let new = try change("2", at: "08:30:00", id, location: .set(place))
      #expect(try await sync(ana, [taken]).map(\.outcome) == [.applied])
      try await services.change(ana, receivedBy: .activity) { $0.consents = [] }
      let results = try await sync(ana, [taken, new])
      #expect(results.map(\.outcome) == [.repeated, .refused] && results[1].refusal?.code == "consent_required")
      // What was refused is no known change: it is taken as soon as it can be.
      try await services.change(ana, receivedBy: .activity) { $0.consents = [.location] }
      #expect(try await sync(ana, [taken, new]).map(\.outcome) == [.repeated, .applied])
    }
  }

  @Test("Offline changes are identified by entry and name: the same name for another entry is another change")
  func otherEntry() async throws {
    try await ServicesInProcess.running([{ Activities.service($0) }]) { services in
      let (ana, ben) = (try await services.register(), try await services.register())
      let goal = Goal.quantity(500, unit: "times")
      let (walk, swim) = (try await ana.makeActivity(goal: goal).id, try await ana.makeActivity(goal: goal).id)
      let other = try await ben.makeActivity(goal: goal).id
      #expect(try await sync(ana, [try change("1", at: "08:00:00", walk, amount: 1)]).map(\.outcome) == [.applied])
      #expect(try await sync(ana, [try change("1", at: "08:00:00", swim, amount: 1)]).map(\.outcome) == [.applied])
      #expect(try await sync(ben, [try change("1", at: "08:00:00", other, amount: 1)]).map(\.outcome) == [.applied])
    }
  }

  @Test("An offline change that reuses a known name for other content is refused alone, and changes nothing")
  func otherContent() async throws {
    try await ServicesInProcess.running([{ Activities.service($0) }]) { services in
      let ana = try await services.register(language: .spanish)
      let id = try await ana.makeActivity(goal: .quantity(500, unit: "times")).id
      let first = try change("1", at: "08:00:00", id, amount: 1, comment: .set("a"))
      #expect(try await sync(ana, [first]).map(\.outcome) == [.applied])
      let published = try await services.published(by: .activity).count
      let others = [
        try change("1", at: "08:00:00", id, amount: 2, comment: .set("a")),
        try change("1", at: "08:00:01", id, amount: 1, comment: .set("a")),
        try change("1", at: "08:00:00", id, amount: 1, comment: .set(nil)), try change("1", at: "08:00:00", id, amount: 1),
      ]
      let results = try await sync(ana, others + [first, try change("2", at: "08:00:02", id, amount: 3)])
      #expect(results.map(\.outcome) == [.refused, .refused, .refused, .refused, .repeated, .applied])
      #expect(Set(results.prefix(4).map { $0.refusal?.code ?? "" }) == ["change_id_reused"])
      #expect(
        results[0].refusal?.message
          == "Este dispositivo ya envió otro cambio con este nombre. Envíalo con un nombre que no se haya usado antes.")
      #expect(results[0].entry == nil && results[5].entry?.amount == 3)
      #expect(try await services.published(by: .activity).count == published + 1)
      // In one batch, too: the first of them is the one that is known.
      let (one, other) = (try change("3", at: "09:00:00", id, amount: 5), try change("3", at: "09:00:00", id, amount: 6))
      #expect(try await sync(ana, [one, other, one]).map(\.outcome) == [.applied, .refused, .repeated])
      #expect(try await ana.send(GetEntry.self, .init(activityID: id, day: .today)).amount == 5)
    }
  }

  @Test("Offline changes are recognized by their names for a year")
  func age() async throws {
    try await ServicesInProcess.running([{ Activities.service($0) }]) { services in
      let ana = try await services.register()
      let id = try await ana.makeActivity(goal: .quantity(500, unit: "times")).id
      let store = services.store(of: .activity)
      let old = try (1...3).map { try change("\($0)", at: "08:00:0\($0)", id, amount: Double($0)) }
      _ = try await sync(ana, old)
      #expect(try await store.rows("entry_change_names") == 3)
      try services.clock.set("2027-11-22T12:00:00.000Z")
      #expect(Set(try await sync(ana, old).map(\.outcome)) == [.repeated])
      try services.clock.set("2027-11-22T12:00:00.001Z")
      _ = try await sync(ana, [try change("4", at: "08:00:04", id, amount: 4)])
      #expect(try await store.rows("entry_change_names") == 1)
    }
  }
}
