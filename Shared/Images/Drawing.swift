import CGD

/// A decoded picture, in gd's memory.
final class Drawing {
  private var image: gdImagePtr
  private let format: PictureFormat

  /// Qualities tried, until the picture is small enough.
  private static let qualities: [Int32] = [88, 75, 60, 45, 30, 15, 5]

  private static let silence: Void = racha_gd_silence()

  /// Decodes it, and turns it upright.
  init(_ bytes: [UInt8], _ header: PictureHeader) throws(PictureFault) {
    _ = Self.silence
    var bytes = bytes
    let decoded = bytes.withUnsafeMutableBytes { buffer in
      let (count, start) = (Int32(buffer.count), buffer.baseAddress)
      return switch header.format {
      case .png: gdImageCreateFromPngPtr(count, start)
      case .jpeg: gdImageCreateFromJpegPtrEx(count, start, 0)
      case .webp: gdImageCreateFromWebpPtr(count, start)
      }
    }
    guard let decoded else { throw .damaged }
    image = decoded
    format = header.format
    guard image.pointee.sx == Int32(header.width), image.pointee.sy == Int32(header.height) else { throw .damaged }
    if header.orientation != .upright { try turn(header.orientation) }
  }

  deinit { gdImageDestroy(image) }

  private func turn(_ orientation: Orientation) throws(PictureFault) {
    let (width, height) = (Int(image.pointee.sx), Int(image.pointee.sy))
    let size = orientation.isTurned ? (height, width) : (width, height)
    guard gdImagePaletteToTrueColor(image) != 0, let upright = gdImageCreateTrueColor(Int32(size.0), Int32(size.1)) else {
      throw .damaged
    }
    for y in 0..<size.1 {
      guard let row = upright.pointee.tpixels[y] else { continue }
      for x in 0..<size.0 {
        let source = orientation.source(x, y, width: width, height: height)
        row[x] = image.pointee.tpixels[source.y]?[source.x] ?? 0
      }
    }
    gdImageDestroy(image)
    image = upright
  }

  /// Encodes it within the limits.
  func picture() throws(PictureFault) -> Picture {
    gdImageSaveAlpha(image, 1)
    switch format {
    case .png:
      if let bytes = encoded({ gdImagePngPtrEx(image, $0, 9) }) { return picture(.png, bytes) }
      return try lossy(.webp)
    case .jpeg: return try lossy(.jpeg)
    case .webp: return try lossy(.webp)
    }
  }

  private func lossy(_ format: PictureFormat) throws(PictureFault) -> Picture {
    guard gdImagePaletteToTrueColor(image) != 0 else { throw .damaged }
    for quality in Self.qualities {
      let bytes = encoded { format == .jpeg ? gdImageJpegPtr(image, $0, quality) : gdImageWebpPtrEx(image, $0, quality) }
      if let bytes { return picture(format, bytes) }
    }
    throw .tooLarge
  }

  private func picture(_ format: PictureFormat, _ bytes: [UInt8]) -> Picture {
    Picture(format: format, width: Int(image.pointee.sx), height: Int(image.pointee.sy), bytes: bytes)
  }

  /// What was encoded, nil if that is too much.
  private func encoded(_ encode: (UnsafeMutablePointer<Int32>) -> UnsafeMutableRawPointer?) -> [UInt8]? {
    var count: Int32 = 0
    guard let start = encode(&count) else { return nil }
    defer { gdFree(start) }
    guard count > 0, count <= Picture.mostBytes else { return nil }
    return Array(UnsafeRawBufferPointer(start: start, count: Int(count)))
  }
}
