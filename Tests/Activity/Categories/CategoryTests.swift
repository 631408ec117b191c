import ActivityContract
import ActivityService
import InProcess
import Operations
import Testing

@Suite("Categories of activities")
struct CategoryTests {
  @Test("Activities have categories, each with an icon of its own and a name in both languages")
  func categories() async throws {
    try await ServicesInProcess.running([{ Activities.service($0) }]) { services in
      let english = try await services.register().send(ListCategories.self, .init()).items
      let spanish = try await services.register(language: .spanish).send(ListCategories.self, .init()).items
      #expect(english.count >= 12 && Set(english.map(\.icon)).count == english.count)
      #expect(english.first { $0.category == .hydration }?.name == "Hydration")
      #expect(spanish.first { $0.category == .hydration }?.name == "Hidratación")
      #expect(!english.contains { $0.name == $0.category.rawValue })
    }
  }
}
