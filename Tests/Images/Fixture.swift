import CGD
import Foundation
import Images

/// Pictures that `Fixtures/make.py` made with another library.
enum Fixture {
  static func bytes(_ name: String) throws -> [UInt8] {
    let folder = URL(fileURLWithPath: #filePath).deletingLastPathComponent().appendingPathComponent("Fixtures")
    return Array(try Data(contentsOf: folder.appendingPathComponent(name)))
  }

  /// What is planted in descriptions and comments.
  static let planted = "PLANTED-SECRET"
}

extension [UInt8] {
  /// Whether these bytes stand somewhere in it.
  func contains(_ text: String) -> Bool { Data(self).range(of: Data(text.utf8)) != nil }

  /// The same with other bytes at a place.
  func replacing(at position: Int, with bytes: [UInt8]) -> [UInt8] {
    var changed = self
    changed.replaceSubrange(position..<(position + bytes.count), with: bytes)
    return changed
  }

  /// Where that text begins.
  func position(of text: String) -> Int { Data(self).range(of: Data(text.utf8))?.lowerBound ?? -1 }
}

extension Picture {
  /// The colour there, as 0xRRGGBB.
  func colour(_ x: Int, _ y: Int) -> Int {
    var bytes = bytes
    let count = Int32(bytes.count)
    let image = bytes.withUnsafeMutableBytes { buffer in
      switch format {
      case .png: gdImageCreateFromPngPtr(count, buffer.baseAddress)
      case .jpeg: gdImageCreateFromJpegPtr(count, buffer.baseAddress)
      case .webp: gdImageCreateFromWebpPtr(count, buffer.baseAddress)
      }
    }
    defer { gdImageDestroy(image) }
    return Int(gdImageGetTrueColorPixel(image, Int32(x), Int32(y)) & 0xFF_FF_FF)
  }

  /// How transparent it is there: 0 not at all, 127 wholly.
  func transparency(_ x: Int, _ y: Int) -> Int {
    var bytes = bytes
    let count = Int32(bytes.count)
    let image = bytes.withUnsafeMutableBytes { buffer in
      format == .webp ? gdImageCreateFromWebpPtr(count, buffer.baseAddress) : gdImageCreateFromPngPtr(count, buffer.baseAddress)
    }
    defer { gdImageDestroy(image) }
    return Int(gdImageGetTrueColorPixel(image, Int32(x), Int32(y)) >> 24 & 0x7F)
  }

  /// Whether red stands at the top left, and blue everywhere else, as far as a lossy format keeps it.
  var isUpright: Bool {
    guard (width, height) == (48, 32) else { return false }
    func isRed(_ x: Int, _ y: Int) -> Bool {
      let colour = colour(x, y)
      return colour >> 16 > 0x80 && colour & 0xFF < 0x80
    }
    return isRed(6, 5) && !isRed(40, 5) && !isRed(6, 26) && !isRed(40, 26)
  }
}
