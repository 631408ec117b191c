import Foundation
import Operations

/// Pictures to send.
enum Pictures {
  static func file(_ name: String) throws -> Base64Bytes {
    let tests = URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
      .deletingLastPathComponent()
    return Base64Bytes(Array(try Data(contentsOf: tests.appendingPathComponent("Images/Fixtures/\(name)"))))
  }

  /// 48 x 32 pixels, with a description planted in it.
  static func png() throws -> Base64Bytes { try file("text.png") }

  /// The same, with the place where it was taken; upright it is 32 x 48 or 48 x 32.
  static func jpeg() throws -> Base64Bytes { try file("orientation-6.jpg") }
}
