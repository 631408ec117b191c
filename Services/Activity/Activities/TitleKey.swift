import Foundation
import Operations

/// Normalises titles for searching: without case, accents and width. `Café` and `CAFÉ` are `cafe`.
enum TitleKey {
  static func text(_ title: String) -> String {
    title.folding(options: [.caseInsensitive, .diacriticInsensitive, .widthInsensitive], locale: nil)
  }

  /// The normalised text to search for; nil where the filter is blank.
  static func search(_ filter: String?) -> String? {
    guard let filter, !filter.isBlank else { return nil }
    return text(filter.trimmed)
  }
}
