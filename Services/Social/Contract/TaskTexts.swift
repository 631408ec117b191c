public import Operations

/// What a task is called: 1 to 100 characters on one line.
public struct TaskName: TextValue {
  public static let maxCharacters = 100

  public let description: String

  public init(text: String) throws(FieldRule) {
    guard !text.isBlank else { throw FieldRule("empty") }
    guard !ShortText.hasControl(text) else { throw FieldRule("control_character") }
    if let rule = ShortText.brokenLength(text, maximum: TaskName.maxCharacters) { throw rule }
    description = text.trimmed
  }

  private init(trusted: String) { description = trusted }

  public static let placeholder = TaskName(trusted: "…")

  public static let schema: JSON = [
    "type": "string", "minLength": 1, "maxLength": .integer(maxCharacters * ShortText.maxBytesPerCharacter),
    "examples": ["Paint the boat house"],
  ]
}

/// What is to be done in a task: at most 2,000 characters, line breaks allowed, at most 16 KiB.
public struct TaskDescription: TextValue {
  public static let maxCharacters = 2000

  public let description: String

  public init(text: String) throws(FieldRule) {
    description = text.isBlank ? "" : try ChatText(text: text).description
  }

  private init(trusted: String) { description = trusted }

  public static let placeholder = TaskDescription(trusted: "…")

  public static let schema: JSON = [
    "type": "string", "maxLength": .integer(ChatText.maxBytes), "examples": ["Two coats, and the door as well."],
  ]
}
