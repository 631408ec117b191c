import ActivityContract
import Operations
import ServiceKit

extension ServiceDefinition {
  /// Serves the templates of activities.
  mutating func serveTemplates() {
    let words = Words(Contract.activity.words)
    serve(ListTemplates.self) { input, call in
      let chosen = Template.all.filter { input.category == nil || $0.category == input.category }
      return Page(items: try chosen.map { try $0.choice(words, call.language) })
    }
  }
}
