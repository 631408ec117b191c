import Foundation
import GRDB
import InProcess
import Operations
import ServiceKit
import SocialContract
import Storage
import Testing

@testable import SocialService

@Suite("The files behind attachments")
struct TaskAttachmentFilesTests {
  @Test("Equal contents of several attachments are stored once, as long as any of them needs it")
  func once() async throws {
    try await Attaching.withTask { services, task, ana, ben, _ in
      let other = try await services.task(of: ben)
      let bytes = Attaching.bytes(50_000)
      let files = [
        try await ana.attach("a", bytes, to: task), try await ben.attach("b", bytes, to: task),
        try await ben.attach("c", bytes, to: other),
      ]
      #expect(try await services.contents() == [files[0].sha256])
      for (deleter, file) in [(ana, files[0]), (ben, files[1])] {
        _ = try await deleter.send(DeleteTaskAttachment.self, .init(attachmentID: file.id))
        try await services.tidyAttachments()
        #expect(try await ben.download(files[2].id) == bytes)
      }
      _ = try await ben.send(DeleteTaskAttachment.self, .init(attachmentID: files[2].id))
      try await services.tidyAttachments()
      #expect(try await services.contents().isEmpty)
      #expect(try await services.store(of: .social).rows("task_attachment_contents") == 0)
    }
  }

  @Test("A worker removes the file of a deleted attachment by itself")
  func worker() async throws {
    try await Attaching.withTask { services, task, ana, _, _ in
      let file = try await ana.attach("a", [1, 2, 3], to: task)
      let path = services.attachmentFiles.contentPath(try #require(FileHash(hexadecimal: file.sha256)))
      #expect(FileManager.default.fileExists(atPath: path))
      _ = try await ana.send(DeleteTaskAttachment.self, .init(attachmentID: file.id))
      try await services.store(of: .social).until { !FileManager.default.fileExists(atPath: path) }
    }
  }

  @Test("Abandoned uploads are removed after a day, or after two minutes if made by a token")
  func expired() async throws {
    try await Attaching.withTask { services, task, ana, _, _ in
      let page = try await services.page
      let token = try await ana.token(of: task)
      let own = try await ana.begin("a", [1, 2], to: task)
      _ = try await ana.send(UploadTaskAttachmentChunk.self, .init(attachmentID: own, offset: 0, content: Base64Bytes([1])))
      let name = try TaskAttachmentName(text: "t")
      let byToken = try await page.send(
        CreateTaskAttachmentByToken.self, .init(token: token, name: name, mediaType: .unknown)
      ).attachmentID
      _ = try await page.send(
        UploadTaskAttachmentChunkByToken.self, .init(attachmentID: byToken, offset: 0, content: Base64Bytes([1])))
      #expect(Set(try await services.attachmentFiles.allUploads()) == [own, byToken])
      try services.clock.set("2026-11-21T12:01:59.000Z")
      try await services.tidyAttachments()
      #expect(try await services.attachmentFiles.allUploads().count == 2)
      try services.clock.set("2026-11-21T12:02:00.000Z")
      try await services.tidyAttachments()
      #expect(try await services.attachmentFiles.allUploads() == [own])
      try services.clock.set("2026-11-22T12:00:00.000Z")
      try await services.tidyAttachments()
      #expect(try await services.attachmentFiles.allUploads().isEmpty)
      #expect(try await ana.failure(CompleteTaskAttachment.self, .init(attachmentID: own)) == "not_found")
    }
  }

  /// Where a process may be killed while it attaches a file.
  enum Step: CaseIterable, Sendable { case chunkWritten, contentNoted, filePlaced, attached }

  @Test(
    "A service killed at any step of attaching a file completes it when asked again, and cancelling leaves nothing",
    arguments: Step.allCases, [true, false])
  func killed(step: Step, isCompleted: Bool) async throws {
    try await Attaching.withTask { services, task, ana, ben, _ in
      let (store, files) = (services.store(of: .social), services.attachmentFiles)
      let bytes = Attaching.bytes(5000)
      let id = try await ana.begin("a", bytes, to: task)
      try await ana.upload(bytes, of: id, chunk: 4000)
      let account = ana.id
      // What the handler does, up to there.
      if step == .chunkWritten {
        // Bytes that were never acknowledged.
        try await files.write([7, 7, 7], at: bytes.count, of: id, for: account)
      } else {
        let hash = try await files.hash(id, bytes: bytes.count, for: account)
        try await store.write { try TaskAttachmentUploadStore.note(hash, of: id, $0) }
        if step != .contentNoted { try await files.place(id, as: hash, bytes: bytes.count, for: account) }
        if step == .attached { _ = try await ana.send(CompleteTaskAttachment.self, .init(attachmentID: id)) }
      }
      // After the kill the worker looks for strays: what is on its way is none.
      try await services.tidyAttachments()
      if isCompleted {
        _ = try await ana.send(CompleteTaskAttachment.self, .init(attachmentID: id))
        try await services.tidyAttachments()
        #expect(try await ben.download(id) == bytes)
        #expect(try await services.attachmentEvents().count == 2)
      } else if step == .attached {
        _ = try await ana.send(DeleteTaskAttachment.self, .init(attachmentID: id))
      } else {
        _ = try await ana.send(CancelTaskAttachment.self, .init(attachmentID: id))
      }
      try await services.tidyAttachments()
      #expect(try await files.allUploads().isEmpty)
      #expect(try await services.contents().count == (isCompleted ? 1 : 0))
    }
  }

  @Test("A service killed between forgetting a content and removing its file, in either order, leaves and loses nothing")
  func strays() async throws {
    try await Attaching.withTask { services, task, ana, _, _ in
      let file = try await ana.attach("a", [1, 2, 3], to: task)
      let hash = try #require(FileHash(hexadecimal: file.sha256))
      let path = services.attachmentFiles.contentPath(hash)
      // Files without a row, more than the store is asked about at a time.
      _ = try services.makeStrays(250)
      try Data([7]).write(to: URL(filePath: services.attachmentFiles.uploadPath(ID())))
      try await services.tidyAttachments()
      #expect(try await services.contents() == [file.sha256])
      #expect(try await services.attachmentFiles.allUploads().isEmpty)
      // A row without a file that nothing names: the same content comes again.
      _ = try await ana.send(DeleteTaskAttachment.self, .init(attachmentID: file.id))
      try await services.store(of: .social).until { !FileManager.default.fileExists(atPath: path) }
      try await services.store(of: .social).write {
        try $0.database.execute(
          sql: "INSERT OR IGNORE INTO task_attachment_contents (sha256, total_bytes) VALUES (?, 3)", arguments: [hash])
      }
      let again = try await ana.attach("a", [1, 2, 3], to: task)
      try await services.tidyAttachments()
      #expect(try await ana.download(again.id) == [1, 2, 3])
    }
  }

  @Test("Concurrently deleting and attaching the same content never loses a needed file")
  func race() async throws {
    try await Attaching.withTask { services, task, ana, ben, _ in
      let bytes = Attaching.bytes(3000)
      try await withThrowingTaskGroup(of: Void.self) { group in
        for person in [ana, ben] {
          group.addTask {
            for _ in 0..<15 {
              let file = try await person.attach("x", bytes, to: task)
              #expect(try await person.download(file.id) == bytes)
              _ = try await person.send(DeleteTaskAttachment.self, .init(attachmentID: file.id))
            }
          }
        }
        group.addTask { for _ in 0..<30 { try await services.tidyAttachments() } }
        try await group.waitForAll()
      }
      try await services.tidyAttachments()
      #expect(try await services.contents().isEmpty)
    }
  }

  @Test("A file missing on the disk is answered as lost, and an upload without its bytes starts again")
  func lost() async throws {
    try await Attaching.withTask { services, task, ana, _, _ in
      let file = try await ana.attach("a", [1, 2, 3], to: task)
      let hash = try #require(FileHash(hexadecimal: file.sha256))
      try FileManager.default.removeItem(atPath: services.attachmentFiles.contentPath(hash))
      #expect(
        try await ana.failure(DownloadTaskAttachmentChunk.self, .init(attachmentID: file.id, offset: 0)) == "attachment_lost")
      let bytes = Attaching.bytes(200)
      let id = try await ana.begin("b", bytes, to: task)
      try await ana.upload(Array(bytes[..<100]), of: id)
      try FileManager.default.removeItem(atPath: services.attachmentFiles.uploadPath(id))
      let chunk = TaskAttachmentChunk(attachmentID: id, offset: 100, content: Base64Bytes(Array(bytes[100...])))
      #expect(try await ana.send(UploadTaskAttachmentChunk.self, chunk).nextOffset == 0)
      try await ana.upload(bytes, of: id)
      _ = try await ana.send(CompleteTaskAttachment.self, .init(attachmentID: id))
      #expect(try await ana.download(id) == bytes)
    }
  }

  @Test("A backup's lock keeps all contents of files, which are removed once it is done")
  func backup() async throws {
    try await Attaching.withTask { services, task, ana, _, _ in
      let file = try await ana.attach("a", [1, 2, 3], to: task)
      let lock = open("\(services.home.path)/attachments/lock", O_RDWR | O_CREAT, 0o600)
      #expect(flock(lock, LOCK_EX) == 0)
      _ = try await ana.send(DeleteTaskAttachment.self, .init(attachmentID: file.id))
      try await services.tidyAttachments()
      #expect(try await services.contents() == [file.sha256])
      close(lock)
      try await services.tidyAttachments()
      #expect(try await services.contents().isEmpty)
    }
  }
}
