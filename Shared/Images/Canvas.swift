/// A decoded picture.
struct Canvas: Sendable {
  /// Red, green, blue and opacity: 0 is transparent, 255 opaque.
  typealias Pixel = SIMD4<UInt8>

  let width: Int
  let height: Int
  /// Row by row from the top.
  var pixels: [Pixel]

  /// Transparent throughout: pixels that a decoder leaves out then show nothing that was in this process's memory before.
  init(width: Int, height: Int) {
    self.width = width
    self.height = height
    pixels = Array(repeating: Pixel(), count: width * height)
  }

  var isGray: Bool { pixels.allSatisfy { $0.x == $0.y && $0.y == $0.z } }

  var isOpaque: Bool { pixels.allSatisfy { $0.w == 255 } }

  /// The distance between the beginnings of two rows.
  var bytesPerRow: Int { width * MemoryLayout<Pixel>.stride }

  /// Lets a decoder write into it.
  mutating func fill<Outcome>(_ body: (UnsafeMutableBufferPointer<UInt8>) -> Outcome) -> Outcome {
    pixels.withUnsafeMutableBytes { $0.withMemoryRebound(to: UInt8.self, body) }
  }

  /// Lets an encoder read from it.
  func read<Outcome>(_ body: (UnsafeBufferPointer<UInt8>) -> Outcome) -> Outcome {
    pixels.withUnsafeBytes { $0.withMemoryRebound(to: UInt8.self, body) }
  }

  /// The picture turned upright, as seen by a camera held in that orientation.
  func upright(from orientation: Orientation) -> Canvas {
    guard orientation != .upright else { return self }
    var upright = orientation.isTurned ? Canvas(width: height, height: width) : Canvas(width: width, height: height)
    for y in 0..<upright.height {
      for x in 0..<upright.width {
        let source = orientation.source(x, y, width: width, height: height)
        upright.pixels[y * upright.width + x] = pixels[source.y * width + source.x]
      }
    }
    return upright
  }
}
