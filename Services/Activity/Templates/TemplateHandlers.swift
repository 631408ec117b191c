import ActivityContract
import Operations
import ServiceKit

/// Templates: listed in the caller's language.
struct TemplateHandlers: Sendable {
  private let words = Words(Contract.activity.words)

  func list(_ input: ListTemplates.Input, _ call: AccountCall) throws -> ListTemplates.Output {
    let chosen = Template.all.filter { input.category == nil || $0.category == input.category }
    return Page(items: try chosen.map { try $0.choice(words, call.language) })
  }
}
