import Foundation

@testable import Images

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

  /// The same with other bytes at a position.
  func replacing(at position: Int, with bytes: [UInt8]) -> [UInt8] {
    var changed = self
    changed.replaceSubrange(position..<(position + bytes.count), with: bytes)
    return changed
  }

  /// Where that text begins.
  func position(of text: String) -> Int { Data(self).range(of: Data(text.utf8))?.lowerBound ?? -1 }

  /// What it shows, as the file has it: not turned.
  func canvas() throws -> Canvas {
    let header = try PictureHeader.read(self)
    return switch header.format {
    case .png: try PNGCodec.decode(self, header)
    case .jpeg: try JPEGCodec.decode(self, header)
    case .webp: try WebPCodec.decode(self, header)
    }
  }
}

extension Canvas {
  subscript(_ x: Int, _ y: Int) -> Pixel { pixels[y * width + x] }

  /// Whether red stands at the top left, and blue everywhere else, as far as a lossy format keeps it.
  var isUpright: Bool {
    guard (width, height) == (48, 32) else { return false }
    func isRed(_ x: Int, _ y: Int) -> Bool { self[x, y].x > 0x80 && self[x, y].z < 0x80 }
    func isBlue(_ x: Int, _ y: Int) -> Bool { self[x, y].z > 0x80 && self[x, y].x < 0x80 }
    return isRed(6, 5) && isBlue(40, 5) && isBlue(6, 26) && isBlue(40, 26)
  }
}
