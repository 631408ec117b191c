import ActivityContract
import ActivityService
import InProcess
import Operations
import Testing

@Suite("Templates of activities")
struct TemplateTests {
  @Test("H CU-23: there are at least 24 templates over all categories, in both languages, and each makes an activity")
  func everyTemplate() async throws {
    try await ServicesInProcess.running([{ Activities.service($0) }]) { services in
      for language in [Language.english, .spanish] {
        let ana = try await services.register(language: language)
        let templates = try await ana.send(ListTemplates.self, .init()).items
        #expect(templates.count >= 24 && Set(templates.map(\.id)).count == templates.count)
        #expect(Set(templates.map(\.activity.category)) == Set(ActivityCategory.allCases))
        // By category, in the order of the categories.
        let categories = templates.map { ActivityCategory.allCases.firstIndex(of: $0.activity.category) ?? -1 }
        #expect(categories == categories.sorted())
        for template in templates {
          let made = try await ana.send(CreateActivity.self, template.activity)
          #expect(made.title == template.activity.title && made.title != template.id)
          #expect(made.goal.kind == template.activity.goal.kind && made.schedule == template.activity.schedule)
          #expect(made.reason == template.activity.reason && made.reminders == template.activity.reminders ?? [])
        }
      }
    }
  }

  @Test("H CU-23: templates are in the caller's language, and can be asked for by category")
  func languages() async throws {
    try await ServicesInProcess.running([{ Activities.service($0) }]) { services in
      let (ana, ben) = (try await services.register(language: .spanish), try await services.register())
      let spanish = try await ana.send(ListTemplates.self, .init(category: .hydration)).items
      let english = try await ben.send(ListTemplates.self, .init(category: .hydration)).items
      #expect(spanish.first?.activity.title == "Beber agua" && english.first?.activity.title == "Drink water")
      #expect(spanish.first?.activity.goal == .quantity(2, unit: "litros"))
      #expect(spanish.map(\.id) == english.map(\.id) && Set(english.map(\.activity.category)) == [.hydration])
    }
  }

  @Test("H CU-23: every field of a template can be changed before the activity is created")
  func changed() async throws {
    try await ServicesInProcess.running([{ Activities.service($0) }]) { services in
      let ana = try await services.register()
      var input = try #require(try await ana.send(ListTemplates.self, .init(category: .reading)).items.first).activity
      input.title = "Read poems"
      input.reason = "For the words"
      input.category = .learning
      input.goal = .duration(seconds: 300)
      input.schedule = .weekdays([6, 7])
      input.reminders = try [ReminderTime(text: "10:15")]
      let made = try await ana.send(CreateActivity.self, input)
      #expect(made.title == "Read poems" && made.reason == "For the words" && made.category == .learning)
      #expect(made.goal == .duration(seconds: 300) && made.schedule == .weekdays([6, 7]))
      #expect(made.reminders.map(\.description) == ["10:15"])
    }
  }

  @Test("H CU-23 12a: a required field of a template left blank is named, and nothing is created")
  func blank() async throws {
    try await ServicesInProcess.running([{ Activities.service($0) }]) { services in
      let ana = try await services.register()
      var input = try #require(try await ana.send(ListTemplates.self, .init()).items.first).activity
      input.title = " "
      #expect(try await ana.refusedFields(CreateActivity.self, input) == ["title empty"])
      #expect(try await ana.send(ListActivities.self, .init()).items.isEmpty)
    }
  }
}
