public import Operations

/// A password as it was typed. It never appears in logs: its `debugDescription` and mirror are blank.
///
/// Any text is one; whether it may be chosen is decided when an account is registered (`PasswordRules`).
public struct Password: TextValue, CustomDebugStringConvertible, CustomReflectable {
  /// The text, as it travels. Not for logs.
  public let description: String

  public init(text: String) throws(FieldRule) {
    let hasControl = text.unicodeScalars.contains { $0.value < 0x20 || $0.value == 0x7F }
    guard !hasControl else { throw FieldRule("control_character") }
    description = text
  }

  public var debugDescription: String { "Password" }
  public var customMirror: Mirror { Mirror(self, children: EmptyCollection()) }

  public static let placeholder = Password(unchecked: "")
  public static let schema: JSON = ["type": "string", "format": "password", "minLength": 8, "maxLength": 256]

  private init(unchecked text: String) { description = text }
}
