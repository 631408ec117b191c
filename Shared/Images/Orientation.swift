/// How a camera was held: what the EXIF tag 0x0112 says of the picture's first row and column (CIPA DC-008, section 4.6.5.1.1).
enum Orientation: Int, Sendable, CaseIterable {
  case upright = 1
  case mirrored, upsideDown, flipped, transposed, right, transversed, left

  /// Reads it from a block of EXIF; upright if the block has no valid orientation.
  init(exif: Bytes) {
    self = .upright
    let isLittle = exif.has("II", at: 0)
    guard isLittle || exif.has("MM", at: 0), exif.number(at: 2, bytes: 2, isLittle: isLittle) == 42,
      let directory = exif.number(at: 4, bytes: 4, isLittle: isLittle),
      let count = exif.number(at: directory, bytes: 2, isLittle: isLittle)
    else { return }
    for index in 0..<count {
      let entry = directory + 2 + index * 12
      guard let tag = exif.number(at: entry, bytes: 2, isLittle: isLittle) else { return }
      guard tag == 0x0112 else { continue }
      let value = exif.number(at: entry + 8, bytes: 2, isLittle: isLittle)
      self = value.flatMap(Orientation.init(rawValue:)) ?? .upright
      return
    }
  }

  /// Whether width and height are swapped.
  var isTurned: Bool { rawValue >= Orientation.transposed.rawValue }

  /// Where a pixel of the upright picture is taken from.
  ///
  /// - Parameters:
  ///   - width: the width of the picture as it is stored.
  ///   - height: its height.
  func source(_ x: Int, _ y: Int, width: Int, height: Int) -> (x: Int, y: Int) {
    switch self {
    case .upright: (x, y)
    case .mirrored: (width - 1 - x, y)
    case .upsideDown: (width - 1 - x, height - 1 - y)
    case .flipped: (x, height - 1 - y)
    case .transposed: (y, x)
    case .right: (y, height - 1 - x)
    case .transversed: (width - 1 - y, height - 1 - x)
    case .left: (width - 1 - y, x)
    }
  }
}
