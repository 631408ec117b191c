import ActivityContract
import ActivityService
import IdentityContract
import InProcess
import Operations
import Testing

@Suite("Taking back the last change of the progress (ACT-7)")
struct EntryUndoTests {
  private func undo(_ person: Person, _ id: ActivityID) async throws -> Double? {
    try await person.send(UndoEntry.self, .init(activityID: id, day: .today)).entry?.amount
  }

  @Test("Undo goes back step by step until nothing is recorded, and no further")
  func steps() async throws {
    try await ServicesInProcess.running([{ Activities.service($0) }]) { services in
      let ana = try await services.register()
      let id = try await ana.makeActivity(goal: .quantity(3, unit: "litres")).id
      #expect(try await ana.failure(UndoEntry.self, .init(activityID: id, day: .today)) == "nothing_to_undo")
      for amount in 1...3 {
        try services.clock.set("2026-11-21T12:0\(amount):00.000Z")
        _ = try await ana.send(RecordEntry.self, .init(activityID: id, day: .today, amount: Double(amount)))
      }
      #expect(try await undo(ana, id) == 2)
      #expect(try await undo(ana, id) == 1)
      #expect(try await undo(ana, id) == nil)
      #expect(try await ana.failure(UndoEntry.self, .init(activityID: id, day: .today)) == "nothing_to_undo")
      let published = try await services.published(by: .activity).dropFirst().map { try EntryRecorded.decode($0.body) }
      #expect(
        published.map(\.amount) == [1, 2, 3, 2, 1, nil] && published.map(\.isDone) == [false, false, true, false, false, false])
      #expect(published.map(\.isDeleted) == [false, false, false, false, false, true])
    }
  }

  @Test("Undo never restores what was undone before, and undoes newer changes before older ones")
  func noCircle() async throws {
    try await ServicesInProcess.running([{ Activities.service($0) }]) { services in
      let ana = try await services.register()
      let id = try await ana.makeActivity(goal: .quantity(3, unit: "litres")).id
      for amount in [1.0, 2] { _ = try await ana.send(RecordEntry.self, .init(activityID: id, day: .today, amount: amount)) }
      #expect(try await undo(ana, id) == 1)
      _ = try await ana.send(IncrementEntry.self, .init(activityID: id, day: .today, amount: 4))
      #expect(try await undo(ana, id) == 1)
      #expect(try await undo(ana, id) == nil)
      let causes = try await ana.send(ListEntryChanges.self, .init(activityID: id, day: .today)).items
      #expect(causes.map(\.cause) == [.undone, .undone, .undone])
    }
  }

  @Test("The last of many changes within a tenth of a second is undone by itself, and those before it together")
  func burst() async throws {
    try await ServicesInProcess.running([{ Activities.service($0) }]) { services in
      let ana = try await services.register()
      let id = try await ana.makeActivity(goal: .quantity(30, unit: "push-ups")).id
      _ = try await ana.send(RecordEntry.self, .init(activityID: id, day: .today, amount: 5))
      for tap in 1...9 {
        try services.clock.set("2026-11-21T12:30:00.0\(tap)0Z")
        _ = try await ana.send(IncrementEntry.self, .init(activityID: id, day: .today, amount: 1))
      }
      #expect(try await undo(ana, id) == 13)
      #expect(try await undo(ana, id) == 5)
      #expect(try await undo(ana, id) == nil)
    }
  }

  @Test("Each of several taps a fifth of a second apart is undone by itself")
  func taps() async throws {
    try await ServicesInProcess.running([{ Activities.service($0) }]) { services in
      let ana = try await services.register()
      let id = try await ana.makeActivity(goal: .quantity(30, unit: "push-ups")).id
      for tap in 1...9 {
        try services.clock.set("2026-11-21T12:30:0\(tap / 5).\(tap % 5 * 2)00Z")
        _ = try await ana.send(IncrementEntry.self, .init(activityID: id, day: .today, amount: 1))
      }
      for left in (1...8).reversed() { #expect(try await undo(ana, id) == Double(left)) }
      #expect(try await undo(ana, id) == nil)
    }
  }

  @Test("Undoing a deletion restores comment and location; the next undo restores the state before")
  func deletion() async throws {
    try await ServicesInProcess.running([{ Activities.service($0) }]) { services in
      let ana = try await services.register()
      let id = try await ana.makeActivity(goal: .quantity(3, unit: "litres")).id
      _ = try await ana.send(RecordEntry.self, .init(activityID: id, day: .today, amount: 1))
      try services.clock.set("2026-11-21T12:01:00.000Z")
      let place = EntryLocation(latitude: 1, longitude: 2)
      _ = try await ana.send(
        RecordEntry.self, .init(activityID: id, day: .today, amount: 2, comment: "a", location: place, photo: try Snapshots.png())
      )
      _ = try await ana.send(DeleteEntry.self, .init(activityID: id, day: .today))
      let entry = try await ana.send(UndoEntry.self, .init(activityID: id, day: .today)).entry
      #expect(entry?.amount == 2 && entry?.comment == "a" && entry?.location == place && entry?.photoTag == nil)
      let again = try await ana.send(UndoEntry.self, .init(activityID: id, day: .today)).entry
      #expect(again?.amount == 1 && again?.comment == nil && again?.location == nil)
      // What is recorded anew after a deletion is taken back before the deletion is.
      _ = try await ana.send(DeleteEntry.self, .init(activityID: id, day: .today))
      _ = try await ana.send(RecordEntry.self, .init(activityID: id, day: .today, amount: 5))
      #expect(try await undo(ana, id) == nil)
      #expect(try await undo(ana, id) == 1)
    }
  }

  @Test("Undoing the first write removes all of it: comment, location and photo go with the progress")
  func wholeWrite() async throws {
    try await ServicesInProcess.running([{ Activities.service($0) }]) { services in
      let ana = try await services.register()
      let id = try await ana.makeActivity().id
      let name = EntryName(activityID: id, day: .today)
      let form = RecordEntry.Input(
        activityID: id, day: .today, isDone: true, comment: "a", location: EntryLocation(latitude: 1, longitude: 2),
        photo: try Snapshots.png())
      _ = try await ana.send(RecordEntry.self, form)
      #expect(try await ana.send(UndoEntry.self, name).entry == nil)
      #expect(try await ana.failure(GetEntry.self, name) == "entry_not_found")
      #expect(try await ana.failure(UndoEntry.self, name) == "nothing_to_undo")
      // Nothing of it is lost silently.
      let lost = try await ana.send(ListEntryChanges.self, .init(activityID: id, day: .today)).items
      #expect(lost.map(\.field) == [.photo, .location, .comment, .progress] && Set(lost.map(\.cause)) == [.undone])
    }
  }

  @Test("Undoing a later write restores each field that it replaced, and keeps what was written separately")
  func details() async throws {
    try await ServicesInProcess.running([{ Activities.service($0) }]) { services in
      let ana = try await services.register()
      let id = try await ana.makeActivity(goal: .quantity(3, unit: "litres")).id
      let (name, place) = (EntryName(activityID: id, day: .today), EntryLocation(latitude: 1, longitude: 2))
      _ = try await ana.send(RecordEntry.self, .init(activityID: id, day: .today, amount: 1, comment: "a", location: place))
      try services.clock.set("2026-11-21T12:01:00.000Z")
      _ = try await ana.send(RecordEntry.self, .init(activityID: id, day: .today, amount: 2, comment: "b"))
      try services.clock.set("2026-11-21T12:02:00.000Z")
      _ = try await ana.send(PutEntryPhoto.self, .init(activityID: id, day: .today, content: try Snapshots.png()))
      var entry = try await ana.send(UndoEntry.self, name).entry
      #expect(entry?.amount == 1 && entry?.comment == "a" && entry?.location == place && entry?.photoTag != nil)
      entry = try await ana.send(UndoEntry.self, name).entry
      #expect(entry?.amount == 0 && entry?.comment == nil && entry?.location == nil && entry?.photoTag != nil)
      #expect(try await ana.failure(UndoEntry.self, name) == "nothing_to_undo")
    }
  }

  @Test("Undo restores a location only with current consent, and all other fields; later undos do not restore it either")
  func location() async throws {
    try await ServicesInProcess.running([{ Activities.service($0) }]) { services in
      let ana = try await services.register()
      let id = try await ana.makeActivity(goal: .quantity(3, unit: "litres")).id
      let (name, place) = (EntryName(activityID: id, day: .today), EntryLocation(latitude: 1, longitude: 2))
      _ = try await ana.send(RecordEntry.self, .init(activityID: id, day: .today, amount: 1, comment: "a", location: place))
      _ = try await ana.send(DeleteEntry.self, name)
      try await services.change(ana, receivedBy: .activity) { $0.consents = [] }
      let entry = try await ana.send(UndoEntry.self, name).entry
      #expect(entry?.amount == 1 && entry?.comment == "a" && entry?.location == nil)
      #expect(try await services.store(of: .activity).rows("entry_places") == 0)
      try await services.change(ana, receivedBy: .activity) { $0.consents = [.location] }
      #expect(try await ana.send(UndoEntry.self, name).entry == nil)
      #expect(try await ana.failure(UndoEntry.self, name) == "nothing_to_undo")
      let lost = try await ana.send(ListEntryChanges.self, .init(activityID: id, day: .today)).items
      #expect(lost.last?.field == .location && lost.last?.location == place && lost.last?.cause == .undone)
    }
  }

  @Test("Undo is declared as a change and not as a creation, and still takes an idempotency key")
  func status() {
    #expect(UndoEntry.spec.effect == .write && UndoEntry.spec.takesIdempotencyKey)
  }

  @Test("Undo repeated with its idempotency key takes one step")
  func repeated() async throws {
    try await ServicesInProcess.running([{ Activities.service($0) }]) { services in
      let ana = try await services.register()
      let id = try await ana.makeActivity(goal: .quantity(3, unit: "litres")).id
      for amount in 1...3 {
        try services.clock.set("2026-11-21T12:0\(amount):00.000Z")
        _ = try await ana.send(RecordEntry.self, .init(activityID: id, day: .today, amount: Double(amount)))
      }
      for _ in 0..<3 {
        let undone = try await ana.send(UndoEntry.self, .init(activityID: id, day: .today), key: "once")
        #expect(undone.entry?.amount == 2)
      }
    }
  }

  @Test("Another device's change is undone like one's own, and sending it again does not bring it back")
  func ofAnotherDevice() async throws {
    try await ServicesInProcess.running([{ Activities.service($0) }]) { services in
      let ana = try await services.register()
      let id = try await ana.makeActivity(goal: .quantity(3, unit: "litres")).id
      _ = try await ana.send(RecordEntry.self, .init(activityID: id, day: .today, amount: 1))
      try services.clock.set("2026-11-21T12:10:00.000Z")
      let change = OfflineChange(
        id: try ChangeID(text: "1"), deviceID: try DeviceID(text: "watch"), madeAt: services.clock.now, activityID: id,
        day: try LocalDay(text: "2026-11-21"), amount: 3)
      _ = try await ana.send(SyncEntries.self, .init(changes: [change]))
      #expect(try await undo(ana, id) == 1)
      #expect(try await ana.send(SyncEntries.self, .init(changes: [change])).results.map(\.outcome) == [.repeated])
      #expect(try await ana.send(GetEntry.self, .init(activityID: id, day: .today)).amount == 1)
    }
  }
}
