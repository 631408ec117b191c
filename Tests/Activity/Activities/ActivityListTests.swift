import ActivityContract
import ActivityService
import InProcess
import Operations
import Testing

@Suite("The list of activities")
struct ActivityListTests {
  @Test("T UC 01.05: the list of activities shows title, schedule, today's state and this week's days")
  func week() async throws {
    // A Thursday.
    try await ServicesInProcess.running([{ Activities.service($0) }], at: "2026-11-19T12:00:00.000Z") { services in
      let ana = try await services.register()
      let run = try await ana.makeActivity(title: "Run", schedule: .weekdays([1, 3, 4, 6]), startDay: "2026-11-01")
      _ = try await ana.makeActivity(title: "Read", schedule: .weekdays([7]), startDay: "2026-11-01")
      for day in ["2026-11-16", "2026-11-19"] {
        _ = try await ana.send(RecordEntry.self, .init(activityID: run.id, day: .day(try LocalDay(text: day)), isDone: true))
      }
      let list = try await ana.send(ListActivities.self, .init())
      #expect(list.items.map(\.activity.title) == ["Run", "Read"] && list.message == nil)
      #expect(list.items[0].activity == run && list.items[0].state == .done)
      #expect(list.items[0].week.map(\.day.description).first == "2026-11-16" && list.items[0].week.count == 7)
      #expect(list.items[0].week.map(\.state) == [.done, nil, .failed, .done, nil, .pending, nil])
      #expect(list.items[1].state == nil && list.items[1].week.map(\.state) == [nil, nil, nil, nil, nil, nil, .pending])
    }
  }

  @Test("T UC 01.05: an empty list of activities says so kindly, in the caller's language")
  func empty() async throws {
    try await ServicesInProcess.running([{ Activities.service($0) }]) { services in
      let (ana, ben) = (try await services.register(language: .spanish), try await services.register())
      #expect(try await ana.send(ListActivities.self, .init()).message == "Aún no tienes actividades. ¡Añade la primera!")
      #expect(try await ben.send(ListActivities.self, .init()).message == "You have no activities yet. Add the first one!")
      _ = try await ben.makeActivity()
      #expect(try await ben.send(ListActivities.self, .init()).message == nil)
      #expect(try await ben.send(ListActivities.self, .init(isArchived: true)).message == "You have no archived activities.")
      #expect(
        try await ben.send(ListActivities.self, .init(title: "swim")).message
          == "None of your activities is like that. Try with fewer filters.")
    }
  }

  @Test("The list of activities is narrowed by tag, category and title in any combination, whatever the title's case and accents")
  func filters() async throws {
    try await ServicesInProcess.running([{ Activities.service($0) }]) { services in
      let ana = try await services.register()
      func make(_ title: String, _ category: ActivityCategory, _ tags: [String]) async throws {
        _ = try await ana.send(
          CreateActivity.self,
          .init(title: title, category: category, goal: .check, schedule: .daily, tags: tags.map { try Tag(text: $0) }))
      }
      try await make("Café con leche", .nutrition, ["mañana"])
      try await make("CAFE sin azúcar", .health, ["mañana", "casa"])
      try await make("Leer", .reading, ["casa"])
      func titles(_ tag: String? = nil, _ category: ActivityCategory? = nil, _ title: String? = nil) async throws -> [String] {
        let input = ListActivities.Input(tag: try tag.map { try Tag(text: $0) }, category: category, title: title)
        return try await ana.send(ListActivities.self, input).items.map(\.activity.title)
      }
      #expect(try await titles(nil, nil, "cafÉ") == ["Café con leche", "CAFE sin azúcar"])
      #expect(try await titles(nil, nil, "AZUCAR") == ["CAFE sin azúcar"])
      #expect(try await titles("Mañana") == ["Café con leche", "CAFE sin azúcar"])
      #expect(try await titles("casa", .reading) == ["Leer"])
      #expect(try await titles("casa", .health, "café") == ["CAFE sin azúcar"])
      #expect(try await titles("casa", .nutrition) == [])
      #expect(try await titles(nil, nil, "  ") == ["Café con leche", "CAFE sin azúcar", "Leer"])
      // Nothing in a filter is a pattern.
      #expect(try await titles(nil, nil, "%") == [])
      #expect(try await titles(nil, nil, "_") == [])
    }
  }

  @Test("The list of activities follows a changed title and changed tags")
  func edited() async throws {
    try await ServicesInProcess.running([{ Activities.service($0) }]) { services in
      let ana = try await services.register()
      let id = try await ana.makeActivity(title: "Nadar").id
      _ = try await ana.send(
        UpdateActivity.self, .init(activityID: id, title: .set("Bañarse"), tags: .set([try Tag(text: "mar")])))
      #expect(try await ana.send(ListActivities.self, .init(title: "nadar")).items.isEmpty)
      #expect(try await ana.send(ListActivities.self, .init(tag: Tag(text: "MAR"), title: "banarse")).items.count == 1)
    }
  }
}
