import Foundation
import GRDB
import IdentityContract
import InProcess
import Operations
import Storage
import Testing

@testable import NotificationsService

@Suite("Removal of old mails")
final class MailHousekeepingTests {
  /// A clock that the test moves.
  private let home = "/tmp/racha-swept-\(UInt32.random(in: .min ... .max))"

  deinit { try? FileManager.default.removeItem(atPath: home) }

  private func states(_ store: Store) async throws -> [String] {
    try await store.read { try String.fetchAll($0, sql: "SELECT state || ' ' || kind FROM mails ORDER BY 1") }
  }

  @Test("Finished mails are removed with their files after 31 days, dead ones after 366; waiting ones stay")
  func sweeping() async throws {
    try await ServicesInProcess.running(
      [{ try Notifications.service($0) }], at: "2027-01-15T08:00:00.000Z", home: home
    ) { services in
      let time = services.clock
      let store = services.store(of: .notifications)
      let ends: [(String, String)] = [
        ("verification", "delivered"), ("recovery", "obsolete"), ("passwordChanged", "dead"), ("locked", "waiting"),
      ]
      try await store.write { transaction in
        for (kind, state) in ends {
          // What waits is far from due, so that the worker leaves it alone.
          try transaction.database.execute(
            sql: """
              INSERT INTO mails (mail_id, kind, account_id, subject_id, state, next_at, created_at, finished_at)
              VALUES (?, ?, randomblob(16), randomblob(16), ?, ?, ?, ?)
              """,
            arguments: [
              ID<Never>(), kind, state, transaction.now.adding(seconds: 9999 * 86_400), transaction.now,
              state == "waiting" ? nil : transaction.now,
            ])
        }
      }
      let folder = "\(home)/mails"
      let found = try await store.read { database in
        try Row.fetchOne(database, sql: "SELECT mail_id, created_at FROM mails WHERE state = 'delivered'").map {
          (id: $0["mail_id"] as ID<Never>, createdAt: $0["created_at"] as Instant)
        }
      }
      let mail = try #require(found)
      let file = "\(folder)/\(mail.createdAt.description.filter { !"-:.".contains($0) })-\(mail.id).eml"
      try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
      #expect(FileManager.default.createFile(atPath: file, contents: Data("mail".utf8)))

      let housekeeping = MailHousekeepingWorker(store: store, folders: [folder], clock: time.clock)
      time.advance(days: 31)
      try await housekeeping.sweep()
      #expect(try await states(store).count == 4)
      #expect(FileManager.default.fileExists(atPath: file))
      time.advance(days: 1)
      try await housekeeping.sweep()
      #expect(try await states(store) == ["dead passwordChanged", "waiting locked"])
      #expect(!FileManager.default.fileExists(atPath: file))
      time.advance(days: 334)
      try await housekeeping.sweep()
      #expect(try await states(store) == ["dead passwordChanged", "waiting locked"])
      time.advance(days: 1)
      try await housekeeping.sweep()
      #expect(try await states(store) == ["waiting locked"])
    }
  }
}
