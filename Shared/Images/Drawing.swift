/// A picture between the file it came in and the one it goes out in.
struct Drawing {
  private let canvas: Canvas
  private let format: PictureFormat

  /// The qualities to try; the picture gets the first one that makes it small enough.
  private static let qualities = [88, 75, 60, 45, 30, 15, 5]

  /// Decodes it, and turns it upright.
  init(_ bytes: [UInt8], _ header: PictureHeader) throws(PictureFault) {
    let stored =
      switch header.format {
      case .png: try PNGCodec.decode(bytes, header)
      case .jpeg: try JPEGCodec.decode(bytes, header)
      case .webp: try WebPCodec.decode(bytes, header)
      }
    canvas = stored.upright(from: header.orientation)
    format = header.format
  }

  /// Encodes it within the limits.
  func picture() throws(PictureFault) -> Picture {
    switch format {
    case .png:
      if let bytes = PNGCodec.encode(canvas) { return picture(.png, bytes) }
      return try lossy(.webp, WebPCodec.encode)
    case .jpeg: return try lossy(.jpeg, JPEGCodec.encode)
    case .webp: return try lossy(.webp, WebPCodec.encode)
    }
  }

  private func lossy(_ format: PictureFormat, _ encode: (Canvas, _ quality: Int) -> [UInt8]?) throws(PictureFault) -> Picture {
    // Before `first` the pictures are too large, from `end` on small enough. A binary search, since one try may take half a second.
    var (first, end, next) = (0, Self.qualities.count, 0)
    var best: [UInt8]?
    while first < end {
      if let bytes = encode(canvas, Self.qualities[next]), bytes.count <= Picture.maxBytes {
        (best, end) = (bytes, next)
      } else {
        first = next + 1
      }
      next = (first + end) / 2
    }
    guard let best else { throw .tooLarge }
    return picture(format, best)
  }

  private func picture(_ format: PictureFormat, _ bytes: [UInt8]) -> Picture {
    Picture(format: format, width: canvas.width, height: canvas.height, bytes: bytes)
  }
}
