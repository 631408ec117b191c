public import Operations

/// Why movement is kept and shown, but earns nothing (MOVE-6).
public enum MovementFlag: String, Choice {
  /// A person typed it in.
  case handTyped
  /// It ended after the moment at which it was reported.
  case inFuture
  /// It was reported, or reported again, when its day no longer earned.
  case late
  /// Faster than a person can move: in one sample, or in one minute of all samples together.
  case tooFast
  /// More than a person can move in a day: the whole day earns nothing.
  case tooMuch
  /// Another account had already reported the same series, or nearly all of it: the whole day earns nothing.
  case sameSeries
}

/// A sample that was accepted and earns nothing.
public struct FlaggedSample: Document, Hashable {
  /// The sample's position in the list, from 0.
  public var index: Int
  /// The sample's id.
  public var id: String
  /// Why it earns nothing.
  public var codes: [MovementFlag]

  /// A flagged sample from its parts.
  public init(index: Int, id: String, codes: [MovementFlag]) {
    self.index = index
    self.id = id
    self.codes = codes
  }

  public static let notes: Notes = [
    "index": "The sample's position in the list, from 0.", "id": "The sample's id.",
    "codes": "The reasons why it earns nothing; see `reasons`.",
  ]
}

/// Why some or all movement of one kind on a day earns nothing, as other services receive it.
public struct FlaggedMovement: Document, Hashable {
  /// The kind of movement.
  public var kind: MovementKind
  /// Why it earns nothing.
  public var codes: [MovementFlag]

  /// What is flagged, from its parts.
  public init(kind: MovementKind, codes: [MovementFlag]) {
    self.kind = kind
    self.codes = codes
  }

  public static let notes: Notes = ["kind": "The kind of movement.", "codes": "The reasons why it earns nothing."]
}

/// What a flag means.
public struct FlagReason: Document, Hashable {
  /// The kind of movement.
  public var kind: MovementKind
  /// Why it earns nothing.
  public var code: MovementFlag
  /// The reason in words.
  public var text: String

  /// A reason from its parts.
  public init(kind: MovementKind, code: MovementFlag, text: String) {
    self.kind = kind
    self.code = code
    self.text = text
  }

  public static let notes: Notes = [
    "kind": "The kind of movement.",
    "code":
      "`handTyped`; `inFuture`: ended after it was reported; `late`: reported when its day no longer earned; `tooFast`: more in a minute than anyone moves, of one sample or of all together; `tooMuch`: more in a day than anyone moves; `sameSeries`: another account reported the same before, or nearly all of it.",
    "text": Note("The same in words, in the caller's language.", example: "Typed in by hand: it is shown, but earns no coins."),
  ]
}
