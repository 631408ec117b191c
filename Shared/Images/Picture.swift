public import Operations

/// The formats in which pictures are taken and given.
public enum PictureFormat: String, Choice {
  case png = "image/png"
  case jpeg = "image/jpeg"
  case webp = "image/webp"
}

/// A picture that this program has encoded itself: whatever else the file that was sent held (place and time of the shot, a preview
/// of what was cut off, a second file behind the first) is gone.
public struct Picture: Hashable, Sendable {
  /// Of the file that is sent, and of what is made of it.
  public static var maxBytes: Int { ContentLimits.current.photoBytes }
  /// Of width and of height.
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
