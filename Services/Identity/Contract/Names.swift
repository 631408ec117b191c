public import Operations

/// A person's name: 1 to 80 characters on one line, blanks at the ends cut off.
public struct PersonName: TextValue {
  public let description: String

  public init(text: String) throws(FieldRule) { description = try line(text, length: 1...80) }

  public static let placeholder = PersonName(unchecked: "-")
  public static let schema: JSON = ["type": "string", "minLength": 1, "maxLength": 80, "examples": ["Ana Ruiz Gómez"]]

  private init(unchecked text: String) { description = text }
}

/// How others see an account named: 1 to 30 characters on one line, not unique, blanks at the ends cut off.
public struct Nickname: TextValue {
  public let description: String

  public init(text: String) throws(FieldRule) { description = try line(text, length: 1...30) }

  public static let placeholder = Nickname(unchecked: "-")
  public static let schema: JSON = ["type": "string", "minLength": 1, "maxLength": 30, "examples": ["Ana"]]

  private init(unchecked text: String) { description = text }
}

/// How a client names its device: 1 to 80 characters on one line, blanks at the ends cut off.
public struct DeviceName: TextValue {
  public let description: String

  public init(text: String) throws(FieldRule) { description = try line(text, length: 1...80) }

  public static let placeholder = DeviceName(unchecked: "-")
  public static let schema: JSON = ["type": "string", "minLength": 1, "maxLength": 80, "examples": ["Ana's phone"]]

  private init(unchecked text: String) { description = text }
}

/// What an account calls a personal access token: 1 to 60 characters on one line, blanks at the ends cut off.
public struct PersonalAccessTokenName: TextValue {
  public let description: String

  public init(text: String) throws(FieldRule) { description = try line(text, length: 1...60) }

  public static let placeholder = PersonalAccessTokenName(unchecked: "-")
  public static let schema: JSON = ["type": "string", "minLength": 1, "maxLength": 60, "examples": ["Step uploader"]]

  private init(unchecked text: String) { description = text }
}

/// One line of text for people, bounded and shown as ``ShortText`` says. A name has no characters that nobody can know yet either.
private func line(_ text: String, length: ClosedRange<Int>) throws(FieldRule) -> String {
  let trimmed = text.trimmed
  guard !trimmed.isEmpty else { throw FieldRule("empty") }
  if let rule = ShortText.brokenLength(trimmed, maximum: length.upperBound) { throw rule }
  let isKnown = trimmed.unicodeScalars.allSatisfy { $0.properties.generalCategory != .unassigned }
  guard isKnown, !ShortText.hasControl(trimmed) else { throw FieldRule("control_character") }
  return trimmed
}

/// The name of a zone of the IANA time zone database, such as `Europe/Madrid`, by its form; see ``ChosenTimeZone``.
public struct TimeZoneName: TextValue {
  public let description: String

  public init(text: String) throws(FieldRule) {
    let parts = text.utf8.split(separator: UInt8(ascii: "/"), omittingEmptySubsequences: false)
    let isName =
      (1...3).contains(parts.count)
      && parts.allSatisfy { part in
        guard let first = part.first, isLetter(first) else { return false }
        return part.allSatisfy { isLetter($0) || (0x30...0x39).contains($0) || "_+-".utf8.contains($0) }
      }
    guard isName, text.utf8.count <= 64 else { throw FieldRule("unknown_time_zone") }
    description = text
  }

  public static let utc = TimeZoneName(unchecked: "UTC")
  public static let placeholder = utc
  public static let schema: JSON = ["type": "string", "maxLength": 64, "examples": ["Europe/Madrid"]]

  private init(unchecked text: String) { description = text }
}

private func isLetter(_ byte: UInt8) -> Bool { (0x41...0x5A).contains(byte) || (0x61...0x7A).contains(byte) }
