import Foundation
import GRDB
import InProcess
import Operations
import ServiceKit
import SocialContract
import Storage

@testable import SocialService

/// Social with a table of the test's own that says who takes part in tasks.
enum Attaching {
  private static let access = TaskAccess(
    participation: { task, account, database in
      try Row.fetchOne(
        database, sql: "SELECT is_creator FROM test_participants WHERE task_id = ? AND account_id = ?",
        arguments: [task, account]
      ).map { (isParticipant: true, isCreator: $0[0]) }
    },
    participants: { task, database in
      try AccountID.fetchAll(database, sql: "SELECT account_id FROM test_participants WHERE task_id = ?", arguments: [task])
    })

  static func running(
    settings: [String: String] = [:], home: String? = nil, _ body: (ServicesInProcess) async throws -> Void
  ) async throws {
    try await ServicesInProcess.running([{ Social.service($0, access: access) }], settings: settings, home: home) { services in
      try await services.store(of: .social).write {
        try $0.database.execute(
          sql: "CREATE TABLE IF NOT EXISTS test_participants (task_id BLOB, account_id BLOB, is_creator INTEGER NOT NULL)")
      }
      try await body(services)
    }
  }

  /// Runs it with a task that the first two take part in, of whom the first created it, and with a stranger.
  static func withTask(
    settings: [String: String] = [:],
    _ body: (ServicesInProcess, _ task: ID<SharedTask>, _ ana: Person, _ ben: Person, _ eve: Person) async throws -> Void
  ) async throws {
    try await running(settings: settings) { services in
      let (ana, ben, eve) = (try await services.register(), try await services.register(), try await services.register())
      let task = try await services.task(of: ana, ben)
      try await body(services, task, ana, ben, eve)
    }
  }

  static func bytes(_ count: Int, _ seed: Int = 1) -> [UInt8] {
    (0..<count).map { UInt8(truncatingIfNeeded: ($0 &* 31) ^ ($0 >> 8) ^ seed) }
  }
}

extension ServicesInProcess {
  /// Makes a task.
  func task(of creator: Person, _ others: Person...) async throws -> ID<SharedTask> {
    let task = ID<SharedTask>()
    try await join(creator, task, isCreator: true)
    for other in others { try await join(other, task) }
    return task
  }

  func join(_ person: Person, _ task: ID<SharedTask>, isCreator: Bool = false) async throws {
    let account = person.id
    try await store(of: .social).write {
      try $0.database.execute(
        sql: "INSERT INTO test_participants VALUES (?, ?, ?)", arguments: [task, account, isCreator])
    }
  }

  func leave(_ person: Person, _ task: ID<SharedTask>) async throws {
    let account = person.id
    try await store(of: .social).write {
      try $0.database.execute(
        sql: "DELETE FROM test_participants WHERE task_id = ? AND account_id = ?", arguments: [task, account])
    }
  }

  /// Whoever serves the page for those who are not signed in.
  var page: Person {
    get async throws { try await register().asGateway }
  }

  var attachmentFiles: TaskAttachmentFiles { TaskAttachmentFiles(home) }

  /// Names of the files of contents, sorted.
  func contents() async throws -> [String] { try await attachmentFiles.allContents().map(\.description).sorted() }

  /// What removes the files that the store notes.
  var attachmentWorker: TaskAttachmentWorker {
    TaskAttachmentWorker(store: store(of: .social), files: attachmentFiles, signal: TaskAttachmentSignal())
  }

  /// What goes through all files.
  var strayWorker: TaskAttachmentStrayWorker { TaskAttachmentStrayWorker(store: store(of: .social), files: attachmentFiles) }

  /// Does what the workers do by themselves.
  func tidyAttachments() async throws {
    try await attachmentWorker.keep()
    _ = try await strayWorker.removeStrays()
  }

  /// Makes files of contents that the store does not know, all in one folder.
  func makeStrays(_ count: Int) throws -> [String] {
    let files = attachmentFiles
    var names: [String] = []
    for number in 0..<count {
      let name = "07" + String(repeating: "0", count: 56) + String(format: "%06d", number)
      guard let hash = FileHash(hexadecimal: name) else { throw Failure(RequestFailure.internalError) }
      let path = files.contentPath(hash)
      try FileManager.default.createDirectory(
        atPath: (path as NSString).deletingLastPathComponent, withIntermediateDirectories: true)
      try Data([7]).write(to: URL(filePath: path))
      names.append(name)
    }
    return names
  }

  /// Uploads a file, and makes the upload the file of its content, as completing it does before it attaches it.
  func place(_ bytes: [UInt8], in task: ID<SharedTask>, by person: Person) async throws -> ID<TaskAttachment> {
    let id = try await person.begin("placed", bytes, to: task)
    try await person.upload(bytes, of: id)
    let hash = try await attachmentFiles.hash(id, bytes: bytes.count, for: person.id)
    try await store(of: .social).write { try TaskAttachmentUploadStore.note(hash, of: id, $0) }
    try await attachmentFiles.place(id, as: hash, bytes: bytes.count, for: person.id)
    return id
  }

  /// Whether nothing of the account is left in any file.
  func isCleaned(_ person: Person) async throws -> Bool {
    let account = person.id
    return try await store(of: .social).read { try $0.erasure(of: account)?.isCleaned } == true
  }

  func attachmentEvents() async throws -> [TaskAttachmentsChanged] {
    try await published(by: .social).filter { $0.name == TaskAttachmentsChanged.spec.name }
      .map { try TaskAttachmentsChanged.decode($0.body) }
  }
}

extension TaskAttachmentFiles {
  /// Every content that there is a file of.
  func allContents() async throws -> [FileHash] {
    var all: [FileHash] = []
    for folder in try await contentFolders() { all += try await hashes(in: folder) }
    return all
  }
}

extension Person {
  func begin(
    _ name: String, _ bytes: [UInt8], to task: ID<SharedTask>, sha256: String? = nil
  ) async throws -> ID<TaskAttachment> {
    try await send(
      CreateTaskAttachment.self,
      .init(
        taskID: task, name: TaskAttachmentName(text: name), totalBytes: bytes.count,
        mediaType: TaskAttachmentType(text: "text/plain"), sha256: sha256)
    ).id
  }

  func upload(_ bytes: [UInt8], of id: ID<TaskAttachment>, from start: Int = 0, chunk: Int = 100_000) async throws {
    var offset = start
    while offset < bytes.count {
      let content = Base64Bytes(Array(bytes[offset..<min(offset + chunk, bytes.count)]))
      offset = try await send(
        UploadTaskAttachmentChunk.self, .init(attachmentID: id, offset: offset, content: content)
      ).nextOffset
    }
  }

  /// Attaches a file, from its beginning to its end.
  @discardableResult
  func attach(_ name: String, _ bytes: [UInt8], to task: ID<SharedTask>) async throws -> TaskAttachment {
    let id = try await begin(name, bytes, to: task)
    try await upload(bytes, of: id)
    return try await send(CompleteTaskAttachment.self, .init(attachmentID: id))
  }

  func attachments(of task: ID<SharedTask>) async throws -> [TaskAttachment] {
    try await send(ListTaskAttachments.self, .init(taskID: task)).items
  }

  func download(_ id: ID<TaskAttachment>) async throws -> [UInt8] {
    var bytes: [UInt8] = []
    while true {
      let part = try await send(DownloadTaskAttachmentChunk.self, .init(attachmentID: id, offset: bytes.count))
      bytes += part.content.bytes
      if bytes.count >= part.totalBytes { return bytes }
    }
  }

  /// Attaches a file by the task's token, as the gateway's page does.
  @discardableResult
  func attach(
    _ name: String, _ bytes: [UInt8], token: String, chunk: Int = 100_000
  ) async throws -> ID<TaskAttachment> {
    let id = try await send(
      CreateTaskAttachmentByToken.self,
      .init(token: token, name: TaskAttachmentName(text: name), mediaType: .unknown)
    ).attachmentID
    var offset = 0
    while offset < bytes.count {
      let content = Base64Bytes(Array(bytes[offset..<min(offset + chunk, bytes.count)]))
      offset = try await send(
        UploadTaskAttachmentChunkByToken.self, .init(attachmentID: id, offset: offset, content: content)
      ).nextOffset
    }
    _ = try await send(CompleteTaskAttachmentByToken.self, .init(attachmentID: id))
    return id
  }

  /// The token of a task, renewed.
  func token(of task: ID<SharedTask>) async throws -> String {
    let state = try await send(RenewTaskToken.self, .init(taskID: task))
    guard let token = state.token else { throw Failure(RequestFailure.internalError) }
    return token.description
  }
}
