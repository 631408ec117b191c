import ActivityContract
import ActivityService
import InProcess
import Operations
import Testing

@Suite("Filtering and browsing a day's list")
struct DayFilterTests {
  private func running(_ body: (Person, (GetDay.Input) async throws -> [String]) async throws -> Void) async throws {
    try await ServicesInProcess.running([{ Activities.service($0) }]) { services in
      let ana = try await services.register()
      let ben = try await services.register()
      _ = try await ben.makeActivity(title: "Leer de noche")
      let made: [(String, ActivityCategory, Goal)] = [
        ("Leer", .reading, .quantity(20, unit: "páginas")), ("Leer poesía", .reading, .check),
        ("Léelo otra vez", .learning, .check),
        ("Correr", .fitness, .duration(seconds: 1800)), ("Meditar", .mindfulness, .duration(seconds: 600)),
      ]
      for (title, category, goal) in made {
        _ = try await ana.send(
          CreateActivity.self,
          .init(title: title, category: category, goal: goal, schedule: .daily, startDay: LocalDay(text: "2026-01-01")))
      }
      _ = try await ana.makeActivity(title: "Leer los lunes", schedule: .weekdays([1]), startDay: "2026-01-01")
      try await body(ana) { try await ana.send(GetDay.self, $0).activities.map(\.title) }
    }
  }

  @Test("H CU-26: a day's list is filtered by title, category and kind of goal")
  func all() async throws {
    try await running { _, titles in
      let found = try await titles(.init(day: .today, title: "lee", category: .reading, goalKind: .check))
      #expect(found == ["Leer poesía"])
      #expect(try await titles(.init(day: .today, title: "lee", category: .fitness, goalKind: .check)) == [])
    }
  }

  @Test("H CU-26 3a: without a title, or with a blank one, a day's list is filtered by the rest")
  func noTitle() async throws {
    try await running { _, titles in
      let found = try await titles(.init(day: .today, category: .reading, goalKind: .quantity))
      #expect(found == ["Leer"])
      #expect(try await titles(.init(day: .today, title: " ", category: .reading)) == ["Leer", "Leer poesía"])
    }
  }

  @Test("H CU-26 4a: without a category a day's list is filtered by the rest; titles match whatever their case and accents")
  func noCategory() async throws {
    try await running { _, titles in
      let found = try await titles(.init(day: .today, title: "LÉE", goalKind: .check))
      #expect(found == ["Leer poesía", "Léelo otra vez"])
      #expect(try await titles(.init(day: .today, title: "poesia")) == ["Leer poesía"])
    }
  }

  @Test("H CU-26 7a: without a kind of goal a day's list is filtered by the rest")
  func noGoalKind() async throws {
    try await running { _, titles in
      let found = try await titles(.init(day: .today, title: "lee", category: .reading))
      #expect(found == ["Leer", "Leer poesía"])
      #expect(try await titles(.init(day: .today, goalKind: .duration)) == ["Correr", "Meditar"])
      #expect(try await titles(.init(day: .today)).count == 5)
    }
  }

  @Test("H CU-26: a day's list is filtered by the goals of the day that is shown, not by today's")
  func ofThatDay() async throws {
    try await running { ana, titles in
      let run = try #require(try await ana.send(ListActivities.self, .init(title: "correr")).items.first).activity
      _ = try await ana.send(UpdateActivity.self, .init(activityID: run.id, goal: .set(.quantity(5, unit: "km"))))
      #expect(try await titles(.init(day: .init(text: "2026-11-20"), goalKind: .duration)) == ["Correr", "Meditar"])
      #expect(try await titles(.init(day: .today, goalKind: .duration)) == ["Meditar"])
    }
  }

  @Test("H CU-25: a day's list of any day can be shown, with the same filters")
  func browse() async throws {
    try await running { _, titles in
      // A Monday.
      let found = try await titles(.init(day: .init(text: "2026-11-23"), title: "leer"))
      #expect(found == ["Leer", "Leer poesía", "Leer los lunes"])
      #expect(try await titles(.init(day: .init(text: "2025-12-31"))) == [])
    }
  }

  @Test("H CU-25 2a: asking for a month returns the day's list of its first day")
  func month() async throws {
    try await running { ana, _ in
      let december = try await ana.send(GetDay.self, .init(day: .init(text: "2026-12")))
      #expect(december.day.description == "2026-12-01")
      #expect(try await ana.send(GetDay.self, .init(day: .init(text: "2026-01"))).activities.count == 5)
      for nonsense in ["2026-13", "2026-1", "2026-02-30", "tomorrow", ""] {
        #expect(throws: FieldRule("not_a_day_or_month")) { try ListedDay(text: nonsense) }
      }
    }
  }

  @Test("An invalid filter is refused by name")
  func nonsense() {
    let json = #"{"day":"2026-99","title":"123456789012345678901","category":"magic","goalKind":"wish"}"#
    let failure = #expect(throws: Failure.self) { try GetDay.Input.decode(Array(json.utf8)) }
    #expect(
      failure?.fields.map { "\($0.field) \($0.code)" }
        == ["day not_a_day_or_month", "title too_long", "category not_a_choice", "goalKind not_a_choice"])
  }
}
