import ActivityContract
import ActivityService
import InProcess
import Operations
import Testing

@Suite("All faults of a request are reported at once")
struct ActivityFaultsTests {
  private func faults<O: Operations.Operation>(
    _ person: Person, _ operation: O.Type, _ json: String, _ parameters: [String: String] = [:]
  ) async throws -> Set<String> {
    do {
      _ = try await person.send(operation, json: Array(json.utf8), parameters: parameters.isEmpty ? nil : parameters)
      return []
    } catch let failure as Failure {
      let faults = failure.fields.map { "\($0.field) \($0.code)" }
      #expect(Set(faults).count == faults.count && failure.code == "invalid_fields")
      return Set(faults)
    }
  }

  @Test("All faults of a new activity are reported at once: its fields, goal, schedule and days (ACT-1)")
  func created() async throws {
    try await ServicesInProcess.running([{ Activities.service($0) }]) { services in
      let ana = try await services.register()
      #expect(
        try await faults(
          ana, CreateActivity.self,
          """
          {"title":"  ","category":"sport","goal":{"kind":"quantity","amount":2000000,"durationSeconds":5},
           "schedule":{"kind":"nthWeekdays","nthWeekdays":[{"nth":0,"weekday":9},{"nth":2,"weekday":"two"}],"everyDays":1},
           "endDay":"2026-11-20","tie":"steps","reminders":["7:30"],"tags":[],"x":1}
          """) == [
            "title empty", "category not_a_choice", "goal.amount out_of_range", "goal.unit required",
            "goal.durationSeconds not_for_goal_kind", "schedule.nthWeekdays[0].nth no_such_nth",
            "schedule.nthWeekdays[0].weekday out_of_range", "schedule.nthWeekdays[1].weekday not_a_whole_number",
            "schedule.everyDays out_of_range", "endDay ends_before", "reminders[0] not_a_time_of_day", "x unknown_field",
          ])
      // Of a kind that is none nobody knows what belongs to it.
      #expect(
        try await faults(
          ana, CreateActivity.self,
          #"{"title":"Run","category":"other","goal":{"kind":"much","amount":0.0001},"schedule":{"kind":"often"},"tie":"steps"}"#)
          == ["goal.kind not_a_choice", "goal.amount out_of_range", "schedule.kind not_a_choice"])
      for unit in ["", " ", "\u{200b}"] {
        let json =
          #"{"title":"Run","category":"other","goal":{"kind":"quantity","amount":1,"unit":"\#(unit)"},"schedule":{"kind":"daily"}}"#
        #expect(try await faults(ana, CreateActivity.self, json) == ["goal.unit empty"])
      }
      #expect(try await ana.send(ListActivities.self, .init()).items.isEmpty)
    }
  }

  @Test("All faults of an edit are reported at once: its own fields, and what does not fit the activity (ACT-6)")
  func edited() async throws {
    try await ServicesInProcess.running([{ Activities.service($0) }]) { services in
      let ana = try await services.register()
      let activity = try await ana.makeActivity(goal: .quantity(5, unit: "km"))
      let name = ["activityID": activity.id.description]
      #expect(
        try await faults(
          ana, UpdateActivity.self, #"{"title":null,"reason":"","endDay":"2026-11-20","tie":"steps","category":3}"#, name)
          == ["title null", "reason empty", "endDay ends_before", "tie not_for_tie", "category not_a_string"])
      // A goal at fault is none by which to evaluate the tie.
      #expect(
        try await faults(ana, UpdateActivity.self, #"{"goal":{"kind":"quantity","amount":-1,"unit":"km"},"tie":"steps"}"#, name)
          == ["goal.amount out_of_range"])
      #expect(
        try await faults(ana, UpdateActivity.self, #"{"goal":{"kind":"quantity","amount":1,"unit":" "},"title":""}"#, name)
          == ["goal.unit empty", "title empty"])
      #expect(try await ana.send(GetActivity.self, .init(activityID: activity.id)).activity == activity)
    }
  }

  @Test("All faults of an edit are reported at once, days with entries that it would leave out included (ACT-6)")
  func recorded() async throws {
    try await ServicesInProcess.running([{ Activities.service($0) }], at: "2026-11-21T12:00:00.000Z") { services in
      let ana = try await services.register()
      let activity = try await ana.makeActivity(goal: .quantity(5, unit: "km"), startDay: "2026-11-16")
      for day in ["2026-11-17", "2026-11-19"] { _ = try await ana.record(activity, on: day) }
      let name = ["activityID": activity.id.description]
      #expect(
        try await faults(
          ana, UpdateActivity.self, #"{"title":" ","startDay":"2026-11-18","endDay":"2026-11-18","tie":"steps","reason":""}"#,
          name)
          == [
            "title empty", "startDay starts_after_entries", "endDay ends_before_entries", "tie not_for_tie", "reason empty",
          ])
      #expect(
        try await faults(ana, UpdateActivity.self, #"{"startDay":"2026-11-31","endDay":"2026-11-18","x":1}"#, name)
          == ["startDay not_a_day", "endDay ends_before_entries", "x unknown_field"])
      #expect(
        try await faults(ana, UpdateActivity.self, #"{"startDay":"2026-11-18","endDay":"2026-11-15"}"#, name)
          == ["startDay starts_after_entries", "endDay ends_before", "endDay ends_before_entries"])
      // A revision that is none hides nothing, nor does one that is no longer the last.
      #expect(
        try await faults(ana, UpdateActivity.self, #"{"revision":"1","startDay":"2026-11-18","tie":"steps"}"#, name)
          == ["revision not_a_whole_number", "startDay starts_after_entries", "tie not_for_tie"])
      #expect(
        try await faults(ana, UpdateActivity.self, #"{"revision":7,"title":null,"startDay":"2026-11-18","tie":"steps"}"#, name)
          == ["title null", "startDay starts_after_entries", "tie not_for_tie"])
      #expect(
        try await ana.failure(UpdateActivity.self, .init(activityID: activity.id, revision: 7, title: .set("Run")))
          == "activity_changed")
      #expect(try await ana.send(GetActivity.self, .init(activityID: activity.id)).activity == activity)
    }
  }

  @Test("All faults of a history query are reported at once: radius, place, days, text and cursor (ACT-12)")
  func history() async throws {
    try await ServicesInProcess.running([{ Activities.service($0) }]) { services in
      let ana = try await services.register()
      #expect(
        try await faults(
          ana, ListHistory.self, "",
          [
            "latitude": "91", "radiusMeters": "0", "from": "2026-11-21", "to": "2026-11-20", "text": " ", "limit": "0",
          ]) == [
            "latitude out_of_range", "longitude required", "radiusMeters out_of_range", "to ends_before",
            "text nothing_to_look_for", "limit out_of_range",
          ])
      // What only the history itself knows: marks that leave nothing to look for, and a cursor that it did not give.
      #expect(
        try await faults(ana, ListHistory.self, "", ["text": "\u{301}", "cursor": "AAAA"])
          == ["text nothing_to_look_for", "cursor invalid_cursor"])
    }
  }

  @Test("All faults of an offline change are reported at once, each with advice (ACT-17)")
  func offline() async throws {
    try await ServicesInProcess.running([{ Activities.service($0) }]) { services in
      let ana = try await services.register(language: .spanish)
      let id = try await ana.makeActivity(goal: .duration(seconds: 60)).id
      let change = OfflineChange(
        id: try ChangeID(text: "1"), deviceID: try DeviceID(text: "phone"), madeAt: services.clock.now, activityID: id,
        day: try LocalDay(text: "2026-11-21"), amount: 2, comment: .set(String(repeating: "x", count: 21)),
        location: .set(EntryLocation(latitude: 0, longitude: 181)))
      let refusal = try #require(try await ana.send(SyncEntries.self, .init(changes: [change])).results[0].refusal)
      #expect(
        Set(refusal.fields.map { "\($0.field) \($0.code)" })
          == ["amount not_for_goal", "comment too_long", "location.longitude out_of_range"])
      #expect(refusal.fields.first { $0.field == "comment" }?.suggestion == "Acórtalo a 20 caracteres.")
      #expect(refusal.fields.allSatisfy { $0.suggestion != nil })
    }
  }
}
