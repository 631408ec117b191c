import Foundation
import GRDB
import InMemoryBus
import InProcess
import Logging
import Operations
import ServiceKit
import SocialContract
import Storage
import Testing

@testable import SocialService

@Suite("Removing the files of attachments and uploads that have ended", .timeLimit(.minutes(1)))
struct TaskAttachmentRemovalTests {
  @Test("Deleting a file, giving up an upload, and erasing an account look at no other files; going through all of them does")
  func noOthers() async throws {
    try await Attaching.withTask { services, task, ana, ben, eve in
      let store = services.store(of: .social)
      // An erasure waits until the service has gone through all files at its start.
      try await services.delete(eve, receivedBy: .social)
      try await store.until { try await services.isCleaned(eve) }
      let strays = try services.makeStrays(3)

      let kept = try await ben.attach("kept", [1, 2, 3], to: task)
      let deleted = try await ben.attach("deleted", [4, 5, 6], to: task)
      _ = try await ben.send(DeleteTaskAttachment.self, .init(attachmentID: deleted.id))
      let upload = try await ben.begin("given up", [7, 8, 9], to: task)
      try await ben.upload([7], of: upload)
      _ = try await ben.send(CancelTaskAttachment.self, .init(attachmentID: upload))
      try await ana.attach("erased", [10, 11], to: task)
      try await ana.upload([12], of: ana.begin("erased on its way", [12, 13], to: task))
      try await services.attachmentWorker.keep()
      try await services.delete(ana, receivedBy: .social)
      try await store.until { try await services.isCleaned(ana) }
      #expect(try await services.contents() == (strays + [kept.sha256]).sorted())
      #expect(try await services.attachmentFiles.allUploads().isEmpty)
      #expect(try await store.rows("task_attachment_ended_uploads") == 0)

      #expect(try await services.strayWorker.removeStrays())
      #expect(try await services.contents() == [kept.sha256])
    }
  }

  @Test("What is to be removed is found in as many steps among many other files and uploads as among few")
  func steps() async throws {
    try await Attaching.withTask { services, task, ana, _, _ in
      let (store, account, now) = (services.store(of: .social), ana.id, services.clock.now)
      func effort(_ isEmpty: @escaping @Sendable (Database) throws -> Bool) async throws -> Int {
        try await store.effort { database in
          let isNothingFound = try isEmpty(database)
          #expect(isNothingFound)
        }.steps
      }
      var steps: [[Int]] = []
      for count in [10, 3000] {
        try await store.write { transaction in
          let numbers = "WITH RECURSIVE numbers (n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM numbers WHERE n < ?1)"
          try transaction.database.execute(
            sql: """
              \(numbers) INSERT INTO task_attachment_contents (sha256, total_bytes, reference_count)
              SELECT randomblob(32), 1, 1 FROM numbers
              """, arguments: [count])
          // Of an account, so that they may lie for a day.
          try transaction.database.execute(
            sql: """
              \(numbers) INSERT INTO task_attachment_uploads (attachment_id, task_id, account_id, charged_account, name, media_type,
                received_bytes, touched_at)
              SELECT randomblob(16), ?2, ?3, ?3, 'a', 'text/plain', 0, ?4 FROM numbers
              """, arguments: [count, task, account, now.adding(seconds: -3600)])
        }
        steps.append([
          try await effort { try TaskAttachmentUploadStore.ended(after: nil, in: $0).isEmpty },
          try await effort { try TaskAttachmentStore.unreferenced(after: nil, in: $0).isEmpty },
          try await effort { try TaskAttachmentUploadStore.idle(at: now, in: $0).isEmpty },
        ])
      }
      for (few, many) in zip(steps[0], steps[1]) { #expect(many <= few + 5, "\(steps)") }
    }
  }

  @Test(
    "A service killed after the transaction that ends an upload, and before its files are removed, removes them by what is noted",
    arguments: [false, true])
  func killed(isPlaced: Bool) async throws {
    try await Attaching.withTask { services, task, ana, _, _ in
      let (store, bytes) = (services.store(of: .social), Attaching.bytes(2000))
      let id: ID<TaskAttachment>
      if isPlaced {
        id = try await services.place(bytes, in: task, by: ana)
      } else {
        id = try await ana.begin("a", bytes, to: task)
        try await ana.upload(Array(bytes[..<1000]), of: id)
      }
      try await store.write { try TaskAttachmentUploadStore.remove(id, $0) }
      try await services.attachmentWorker.keep()
      #expect(try await services.attachmentFiles.allUploads().isEmpty)
      #expect(try await services.contents().isEmpty)
      for table in ["task_attachment_ended_uploads", "task_attachment_contents"] { #expect(try await store.rows(table) == 0) }
    }
  }

  @Test("An upload that was attached leaves nothing to remove")
  func attached() async throws {
    try await Attaching.withTask { services, task, ana, _, _ in
      try await ana.attach("a", [1, 2, 3], to: task)
      #expect(try await services.store(of: .social).rows("task_attachment_ended_uploads") == 0)
    }
  }

  @Test("A content stays that comes again while its file, or an upload of the same bytes, is about to be removed")
  func again() async throws {
    try await Attaching.withTask { services, task, ana, ben, _ in
      let (store, bytes) = (services.store(of: .social), Attaching.bytes(2000))
      let ended = try await services.place(bytes, in: task, by: ana)
      let file = try await ana.attach("a", bytes, to: task)
      let id = file.id
      try await store.write {
        try TaskAttachmentUploadStore.remove(ended, $0)
        try $0.database.run("DELETE FROM task_attachments WHERE attachment_id = ?", .id(id))
      }
      let again = try await services.place(bytes, in: task, by: ben)
      #expect(try await services.attachmentWorker.removeNoted())
      #expect(try await services.contents() == [file.sha256])
      _ = try await ben.send(CompleteTaskAttachment.self, .init(attachmentID: again))
      #expect(try await ana.download(again) == bytes)
    }
  }

  @Test("The file of an ended upload is removed once nobody writes it any more")
  func written() async throws {
    try await Attaching.withTask { services, task, ana, _, _ in
      let (store, files) = (services.store(of: .social), services.attachmentFiles)
      let worker = TaskAttachmentWorker(store: store, files: files, signal: TaskAttachmentSignal())
      let id = try await ana.begin("a", [1, 2, 3], to: task)
      try await ana.upload([1], of: id)
      let isGone: Bool? = try await files.writers.alone(id) {
        try await store.write { try TaskAttachmentUploadStore.remove(id, $0) }
        return try await worker.removeNoted()
      }
      #expect(isGone == false)
      #expect(try await files.allUploads() == [id])
      #expect(try await worker.removeNoted())
      #expect(try await files.allUploads().isEmpty)
    }
  }

  @Test("An erasure is not confirmed before the account's bytes are gone from the disk, also those of an upload during a backup")
  func confirmed() async throws {
    try await Attaching.withTask { services, task, ana, _, _ in
      _ = try await services.place(Attaching.bytes(2000), in: task, by: ana)
      let lock = open("\(services.home.path)/attachments/lock", O_RDWR | O_CREAT, 0o600)
      #expect(flock(lock, LOCK_EX) == 0)
      try await services.delete(ana, receivedBy: .social)
      #expect(try await !services.attachmentWorker.removeNoted())
      // Long enough for the service to try.
      try await Task.sleep(for: .milliseconds(500))
      #expect(try await services.contents().count == 1)
      #expect(try await !services.isCleaned(ana))
      close(lock)
      try await services.store(of: .social).until { try await services.isCleaned(ana) }
      #expect(try await services.contents().isEmpty)
    }
  }

  @Test("An erasure is not confirmed before all files have been gone through since the start, and strays are gone")
  func start() async throws {
    try await Attaching.withTask { services, task, ana, _, eve in
      let store = services.store(of: .social)
      try await services.delete(eve, receivedBy: .social)
      let account = eve.id
      let erasure = try #require(try await store.read { try $0.erasure(of: account) })
      let environment = ServiceEnvironment(
        settings: Settings([:]), home: services.home, bus: MemoryBus(.social, on: MemoryExchange()),
        logger: Logger(label: "test") { _ in SwiftLogNoOpLogHandler() })
      // As of a process that has just begun.
      let feature = TaskAttachmentFeature(access: .participants, tokens: TaskTokenKeys(services.home), environment)
      await #expect(throws: Failure.self) { try await feature.clean(erasure, store) }

      try await ana.attach("a", [1, 2, 3], to: task)
      _ = try services.makeStrays(1)
      let files = services.attachmentFiles
      let worker = TaskAttachmentStrayWorker(store: store, files: files)
      let lock = open("\(services.home.path)/attachments/lock", O_RDWR | O_CREAT, 0o600)
      #expect(flock(lock, LOCK_EX) == 0)
      #expect(try await !worker.removeStrays())
      #expect(!files.strays.areGone)
      close(lock)
      #expect(try await worker.removeStrays())
      #expect(files.strays.areGone)
      #expect(try await services.contents().count == 1)
    }
  }
}
