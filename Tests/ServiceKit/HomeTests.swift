import Foundation
import Glibc
import ServiceKit
import Testing

@Suite("The home folder")
struct HomeTests {
  private static func with(_ body: (Home) throws -> Void) throws {
    let home = Home(path: "/tmp/racha-home-\(UInt32.random(in: .min ... .max))")
    defer { try? FileManager.default.removeItem(atPath: home.path) }
    try body(home)
  }

  private static func mode(_ path: String) throws -> Int? {
    try FileManager.default.attributesOfItem(atPath: path)[.posixPermissions] as? Int
  }

  @Test("A new home folder is accessible to its owner only")
  func made() throws {
    try Self.with { home in
      try home.claim()
      #expect(try Self.mode(home.path) == 0o700)
    }
  }

  @Test("The home folder and its folders are closed for writing by others, and not for reading")
  func closed() throws {
    try Self.with { home in
      for folder in [home.path, home.stores] {
        try Home.makePrivateFolder(folder)
        #expect(chmod(folder, 0o777) == 0)
      }
      try home.claim()
      #expect(try Self.mode(home.path) == 0o755)
      #expect(try Self.mode(home.stores) == 0o755)
    }
  }

  @Test(
    "The home folder is refused if it, or a folder in it, belongs to somebody else",
    .enabled(if: geteuid() == 0, "only root can give folders away"))
  func foreign() throws {
    try Self.with { home in
      for folder in [home.path, home.keys] {
        try Home.makePrivateFolder(folder)
        #expect(chown(folder, 12345, 12345) == 0)
        #expect { try home.claim() } throws: { "\($0)".hasPrefix("\(folder) belongs to another user") }
        #expect(chown(folder, geteuid(), getegid()) == 0)
      }
    }
  }
}
