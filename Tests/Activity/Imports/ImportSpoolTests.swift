import ActivityContract
import BuiltPrograms
import Foundation
import IdentityContract
import Operations
import ServiceKit
import Testing

@testable import ActivityService

@Suite("The files of unfinished imports")
struct ImportSpoolTests {
  @Test("An import's first bytes are stored even while the account's other file and its folder are removed")
  func folder() async throws {
    let home = Home(path: "/tmp/racha-spool-\(UInt64.random(in: .min ... .max))")
    defer { unlink(home) }
    let spool = ImportSpool(home, program: BuiltProgram.activity)
    let account = AccountID()
    var before = ImportID()
    try await spool.write([1], at: 0, of: before, account)
    for _ in 0..<2000 {
      let next = ImportID()
      let old = before
      async let removed: Void = spool.remove(old, of: account)
      async let written: Void = spool.write([2, 3], at: 0, of: next, account)
      _ = try await (removed, written)
      #expect(try await spool.holds(2, of: next, account))
      before = next
    }
    try await spool.remove(before, of: account)
    #expect(try await spool.all().isEmpty)
  }

  private func unlink(_ home: Home) {
    do {
      try FileManager.default.removeItem(atPath: home.path)
    } catch {
      Issue.record("the folder stays behind: \(error)")
    }
  }
}
