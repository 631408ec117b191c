import Foundation
import Operations

/// Titles as they are compared with what somebody looks for: without case, accents and width. `Café` and `CAFÉ` are `cafe`.
enum TitleKey {
  static func text(_ title: String) -> String {
    title.folding(options: [.caseInsensitive, .diacriticInsensitive, .widthInsensitive], locale: nil)
  }

  /// What to look for; nil where a filter says nothing.
  static func search(_ filter: String?) -> String? {
    guard let filter, !filter.isBlank else { return nil }
    return text(filter.trimmed)
  }
}
