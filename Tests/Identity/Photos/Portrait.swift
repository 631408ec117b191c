import Foundation

/// A picture to send as a photo.
enum Portrait {
  /// 48 x 32 pixels, with a description planted in it.
  static func png() throws -> [UInt8] { try file("text.png") }

  /// The same, with the place where it was taken.
  static func jpeg() throws -> [UInt8] { try file("orientation-6.jpg") }

  static func file(_ name: String) throws -> [UInt8] {
    let tests = URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
      .deletingLastPathComponent()
    return Array(try Data(contentsOf: tests.appendingPathComponent("Images/Fixtures/\(name)")))
  }
}
