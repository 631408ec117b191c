public import Operations

/// The formats of pictures that are accepted and returned.
public enum PictureFormat: String, Choice {
  case png = "image/png"
  case jpeg = "image/jpeg"
  case webp = "image/webp"
}

/// A picture that this program has encoded itself: anything else in the file that was sent (place and time of the shot, a preview of what
/// was cut off, a second file after the first) is gone.
public struct Picture: Hashable, Sendable {
  /// The limit for the file that is sent, and for the one made from it.
  public static var maxBytes: Int { ContentLimits.current.photoBytes }
  /// The limit for width and for height.
  public static let maxPixels = 2048

  public let format: PictureFormat
  public let width: Int
  public let height: Int
  public let bytes: [UInt8]

  init(format: PictureFormat, width: Int, height: Int, bytes: [UInt8]) {
    self.format = format
    self.width = width
    self.height = height
    self.bytes = bytes
  }
}
