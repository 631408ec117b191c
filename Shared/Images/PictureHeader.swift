/// What is known of a picture without decoding a pixel, so that one made to be expensive costs nothing.
struct PictureHeader: Hashable, Sendable {
  var format: PictureFormat
  var width: Int
  var height: Int
  var orientation: Orientation = .upright
  /// Whether it is a JPEG of the four inks of print.
  var isCMYK = false

  /// Scans of a progressive JPEG that are decoded; each costs as much as a picture, and real ones have some ten.
  static let maxScans = 24

  /// Reads it, by the bytes alone.
  static func read(_ picture: [UInt8]) throws(PictureFault) -> PictureHeader {
    let bytes = Bytes(picture)
    let header: PictureHeader
    if bytes.has("PNG\r\n\u{1A}\n", at: 1), bytes[0] == 0x89 {
      header = try png(bytes)
    } else if bytes[0] == 0xFF, bytes[1] == 0xD8, bytes[2] == 0xFF {
      header = try jpeg(bytes)
    } else if bytes.has("RIFF", at: 0), bytes.has("WEBP", at: 8) {
      header = try webp(bytes)
    } else {
      throw .unknown
    }
    guard header.width > 0, header.height > 0 else { throw .damaged }
    guard header.width <= Picture.maxPixels, header.height <= Picture.maxPixels else { throw .tooWide }
    return header
  }

  // MARK: - PNG (ISO/IEC 15948)

  private static func png(_ bytes: Bytes) throws(PictureFault) -> PictureHeader {
    guard bytes.has("IHDR", at: 12), let width = bytes.number(at: 16, bytes: 4), let height = bytes.number(at: 20, bytes: 4)
    else { throw .damaged }
    var header = PictureHeader(format: .png, width: width, height: height)
    var position = 8
    while let length = bytes.number(at: position, bytes: 4), let content = bytes.slice(position + 8, length),
      bytes.slice(position + 8 + length, 4) != nil
    {
      if bytes.has("acTL", at: position + 4) { throw .moves }
      if bytes.has("eXIf", at: position + 4) { header.orientation = Orientation(exif: content) }
      if bytes.has("IEND", at: position + 4) { return header }
      position += 12 + length
    }
    throw .damaged
  }

  // MARK: - JPEG (ITU-T T.81, annex B)

  private static func jpeg(_ bytes: Bytes) throws(PictureFault) -> PictureHeader {
    var header: PictureHeader?
    var orientation = Orientation.upright
    var scans = 0
    var position = 2
    while true {
      // Between segments, and in a scan's data: what is no marker is ignored.
      guard let byte = bytes[position], let marker = bytes[position + 1] else { throw .damaged }
      guard byte == 0xFF, marker != 0xFF else {
        position += 1
        continue
      }
      switch marker {
      case 0xD9:
        guard var found = header, scans > 0 else { throw .damaged }
        found.orientation = orientation
        return found
      case 0x00, 0x01, 0xD0...0xD8: position += 2
      default:
        guard let length = bytes.number(at: position + 2, bytes: 2), length >= 2,
          let content = bytes.slice(position + 4, length - 2)
        else { throw .damaged }
        switch marker {
        // Frames; the other three of the row are tables.
        case 0xC0...0xCF where marker != 0xC4 && marker != 0xC8 && marker != 0xCC:
          guard header == nil, let height = content.number(at: 1, bytes: 2), let width = content.number(at: 3, bytes: 2),
            let components = content[5]
          else { throw .damaged }
          header = PictureHeader(format: .jpeg, width: width, height: height, isCMYK: components == 4)
        case 0xDA:
          scans += 1
          guard scans <= maxScans else { throw .damaged }
        case 0xE1 where content.has("Exif\0\0", at: 0):
          if let exif = content.slice(6, content.count - 6) { orientation = Orientation(exif: exif) }
        default: break
        }
        position += 2 + length
      }
    }
  }

  // MARK: - WebP (RFC 9649)

  private static func webp(_ bytes: Bytes) throws(PictureFault) -> PictureHeader {
    guard let size = bytes.number(at: 4, bytes: 4, isLittle: true), let body = bytes.slice(8, size) else { throw .damaged }
    var header: PictureHeader?
    var orientation = Orientation.upright
    var position = 4
    while position < body.count {
      guard let length = body.number(at: position + 4, bytes: 4, isLittle: true), let content = body.slice(position + 8, length)
      else { throw .damaged }
      if body.has("VP8X", at: position) {
        guard let flags = content[0], let width = content.number(at: 4, bytes: 3, isLittle: true),
          let height = content.number(at: 7, bytes: 3, isLittle: true)
        else { throw .damaged }
        guard flags & 0x02 == 0 else { throw .moves }
        header = PictureHeader(format: .webp, width: width + 1, height: height + 1)
      } else if body.has("ANIM", at: position) || body.has("ANMF", at: position) {
        throw .moves
      } else if body.has("VP8 ", at: position) {
        // The canvas and its one frame are of a size, so that neither can promise less than the other costs.
        guard let frame = lossy(content), header.map({ $0 == frame }) ?? true else { throw .damaged }
        header = frame
      } else if body.has("VP8L", at: position) {
        guard let frame = lossless(content), header.map({ $0 == frame }) ?? true else { throw .damaged }
        header = frame
      } else if body.has("EXIF", at: position) {
        // Some programs write the mark that it has in a JPEG here, too.
        let start = content.has("Exif\0\0", at: 0) ? 6 : 0
        if let exif = content.slice(start, content.count - start) { orientation = Orientation(exif: exif) }
      }
      position += 8 + length + length % 2
    }
    guard var found = header else { throw .damaged }
    found.orientation = orientation
    return found
  }

  private static func lossy(_ frame: Bytes) -> PictureHeader? {
    guard frame.number(at: 3, bytes: 3) == 0x9D_01_2A, let width = frame.number(at: 6, bytes: 2, isLittle: true),
      let height = frame.number(at: 8, bytes: 2, isLittle: true)
    else { return nil }
    return PictureHeader(format: .webp, width: width & 0x3FFF, height: height & 0x3FFF)
  }

  private static func lossless(_ frame: Bytes) -> PictureHeader? {
    guard frame[0] == 0x2F, let bits = frame.number(at: 1, bytes: 4, isLittle: true) else { return nil }
    return PictureHeader(format: .webp, width: bits & 0x3FFF + 1, height: bits >> 14 & 0x3FFF + 1)
  }
}
