import ActivityContract
import Operations
import ServiceKit

extension ServiceDefinition {
  /// Serves what there is to choose from when an activity is made.
  mutating func serveCategories() {
    let words = Words(Contract.activity.words)
    serve(ListCategories.self) { _, call in
      Page(
        items: ActivityCategory.allCases.map { category in
          CategoryChoice(
            category: category, name: words.text("category.\(category.rawValue)", call.language) ?? category.rawValue,
            icon: category.icon)
        })
    }
  }
}
