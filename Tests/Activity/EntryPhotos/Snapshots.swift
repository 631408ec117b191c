import Foundation
import Operations

/// Pictures to give to entries.
enum Snapshots {
  /// 48 x 32 pixels, with a description planted in it.
  static func png() throws -> Base64Bytes { try file("text.png") }

  /// The same, with the place where it was taken.
  static func jpeg() throws -> Base64Bytes { try file("orientation-6.jpg") }

  static func webp() throws -> Base64Bytes { try file("lossy.webp") }

  /// One byte more than a picture may have.
  static let tooLarge = Base64Bytes([UInt8](repeating: 7, count: 65_537))

  static func file(_ name: String) throws -> Base64Bytes {
    let tests = URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
      .deletingLastPathComponent()
    return Base64Bytes(Array(try Data(contentsOf: tests.appendingPathComponent("Images/Fixtures/\(name)"))))
  }
}
