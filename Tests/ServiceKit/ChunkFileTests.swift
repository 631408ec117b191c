import Foundation
import ServiceKit
import Testing

@Suite("Files that arrive in chunks")
struct ChunkFileTests {
  private static func withRoot(_ body: (String) throws -> Void) throws {
    let root = "/tmp/racha-chunks-\(UInt64.random(in: .min ... .max))"
    try Home.makePrivateFolder(root)
    defer { #expect(throws: Never.self) { try FileManager.default.removeItem(atPath: root) } }
    try body(root)
  }

  private static func mode(_ path: String) throws -> Int? {
    try FileManager.default.attributesOfItem(atPath: path)[.posixPermissions] as? Int
  }

  @Test("The first chunk creates the file and its folders for the owner only, and chunks keep their positions")
  func chunks() throws {
    try Self.withRoot { root in
      let file = ChunkFile("\(root)/a/b/file", below: root)
      try file.write([1, 2, 3], at: 0)
      try file.write([4, 5], at: 3)
      #expect(try file.read(from: 0, count: 5) == [1, 2, 3, 4, 5])
      #expect(try file.read(from: 3, count: 10) == [4, 5])
      #expect(try file.holds([3, 4], at: 2) && !file.holds([3, 5], at: 2))
      #expect(try Self.mode(file.path) == 0o600 && Self.mode("\(root)/a/b") == 0o700)
      // The same chunk again.
      try file.write([1, 2, 3], at: 0)
      #expect(try file.read(from: 0, count: 10) == [1, 2, 3, 4, 5])
    }
  }

  @Test("A missing file, or one shorter than expected, is reported as gone")
  func gone() throws {
    try Self.withRoot { root in
      let file = ChunkFile("\(root)/file", below: root)
      let written = #expect(throws: FileFault.self) { try file.write([1], at: 1) }
      let read = #expect(throws: FileFault.self) { try file.read(from: 0, count: 1) }
      #expect(written?.isGone == true && read?.isGone == true)
      try file.write([1], at: 0)
      let held = #expect(throws: FileFault.self) { try file.holds([1, 2], at: 0) }
      #expect(held?.isGone == true)
    }
  }

  @Test("A file whose folder is missing each time is reported as gone, without waiting")
  func withoutFolder() throws {
    try Self.withRoot { root in
      // Below itself, so that no folder is made for it.
      let file = ChunkFile("\(root)/missing/file", below: "\(root)/missing/file")
      let fault = #expect(throws: FileFault.self) { try file.write([1], at: 0) }
      #expect(fault?.isGone == true)
    }
  }
}
