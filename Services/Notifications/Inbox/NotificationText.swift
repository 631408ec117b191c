import NotificationsContract
import Operations

/// A notification's title and text in a reader's language.
enum NotificationText {
  static let words = Words(Contract.notifications.words)

  static func title(_ kind: NotificationKind, _ language: Language, _ parameters: [String: Parameter]) -> String {
    text("title", kind, language, parameters)
  }

  static func text(_ kind: NotificationKind, _ language: Language, _ parameters: [String: Parameter]) -> String {
    text("text", kind, language, parameters)
  }

  /// A test sees to it that every kind has its words in every language.
  private static func text(
    _ part: String, _ kind: NotificationKind, _ language: Language, _ parameters: [String: Parameter]
  ) -> String {
    words.text("notification.\(kind.rawValue).\(part)", language, parameters) ?? kind.rawValue
  }
}
