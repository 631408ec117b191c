public import Operations

/// Why bytes are not accepted as a picture.
public enum PictureFault: Error, CaseIterable, Hashable, Sendable {
  /// More bytes than ``Picture/maxBytes``.
  case tooLarge
  /// Not PNG, JPEG or WebP, whatever the name says.
  case unknown
  /// Wider or higher than ``Picture/maxPixels``.
  case tooWide
  /// More than one frame.
  case moves
  /// Broken off, or not valid in its format.
  case damaged

  /// The rule that the field with the picture breaks.
  public var rule: FieldRule {
    switch self {
    case .tooLarge: FieldRule("picture_too_large", ["max": .number(Picture.maxBytes)])
    case .unknown: FieldRule("picture_unknown")
    case .tooWide: FieldRule("picture_too_wide", ["max": .number(Picture.maxPixels)])
    case .moves: FieldRule("picture_moves")
    case .damaged: FieldRule("picture_damaged")
    }
  }
}
