import ActivityContract
import BuiltPrograms
import Foundation
import InProcess
import Operations
import ServiceKit
import Storage
import Testing

@testable import ActivityService

@Suite("Imports that are cancelled while they are read", .timeLimit(.minutes(3)))
struct ImportCancelTests {
  /// A file that is gone through for seconds before there is anything to take of it.
  private struct Long: Sendable {
    let text: String
    let totalBytes: Int
    let sha256: String?
  }

  private static let head = "Date,Read\n2026-01-01,NO\n"

  private static let files = [
    // Its marks are gone through for the first of each habit.
    Long(
      text: head + String(repeating: "2026-01-01,NO\n", count: 6_000_000), totalBytes: head.utf8.count + 84_000_000, sha256: nil),
    // Nothing but a hole behind its head.
    Long(text: head, totalBytes: 2_000_000_000, sha256: String(repeating: "0", count: 64)),
  ]

  @Test("Cancelling an import while it is read lets the next one start at once, whatever the reader is doing", arguments: [0, 1])
  func slots(_ index: Int) async throws {
    let long = Self.files[index]
    try await ServicesInProcess.running([{ Activities.service($0) }]) { services in
      let ana = try await services.register()
      let store = services.store(of: .activity)
      let made = try await ana.send(
        CreateImport.self,
        .init(name: "Checkmarks.csv", totalBytes: long.totalBytes, format: nil, sha256: long.sha256, person: nil))
      // As if it had arrived in chunks, which would take longer than its reading.
      let path = ImportSpool(services.home, program: BuiltProgram.activity).path(made.id, of: ana.id)
      try Home.makePrivateFolder(URL(fileURLWithPath: path).deletingLastPathComponent().path)
      try Data(long.text.utf8).write(to: URL(fileURLWithPath: path))
      let file = try FileHandle(forWritingTo: URL(fileURLWithPath: path))
      try file.truncate(atOffset: UInt64(long.totalBytes))
      try file.close()
      try await store.write { transaction in
        _ = try ImportStore.note(received: long.totalBytes, after: 0, of: made.id, ana.id, transaction)
      }
      _ = try await ana.send(CompleteImport.self, .init(importID: made.id))
      // One of an account at most is read.
      let next = try await ana.upload("small.csv", Array((RowsTests.fitbit + "1,3/12/2016 0:00,x,7\n").utf8))
      _ = try await ana.send(CompleteImport.self, .init(importID: next.id))
      try await store.until { try await store.read { try ImportStore.find(made.id, in: $0)?.state != .waiting } }
      let start = ContinuousClock.now
      #expect(try await ana.send(CancelImport.self, .init(importID: made.id)).state == .cancelled)
      #expect(try await ana.end(of: next.id).state == .done)
      let time = ContinuousClock.now - start
      #expect(time < .seconds(1), "\(time)")
      #expect(try await ana.areFilesGone(from: services.home))
      #expect(try await ana.send(GetImport.self, .init(importID: made.id)).state == .cancelled)
    }
  }
}
