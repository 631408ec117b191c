import ActivityContract
import Operations
import ServiceKit

/// Categories: listed by their names.
struct CategoryHandlers: Sendable {
  private let words = Words(Contract.activity.words)

  func list(_ input: ListCategories.Input, _ call: AccountCall) -> ListCategories.Output {
    Page(
      items: ActivityCategory.allCases.map { category in
        CategoryChoice(
          category: category, name: words.text("category.\(category.rawValue)", call.language) ?? category.rawValue,
          icon: category.icon)
      })
  }
}
