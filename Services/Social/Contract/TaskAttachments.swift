public import Operations

extension FeatureContract {
  static let taskAttachments = FeatureContract(
    operations: [
      CreateTaskAttachment.self, UploadTaskAttachmentChunk.self, CompleteTaskAttachment.self, CancelTaskAttachment.self,
      ListTaskAttachments.self, GetTaskAttachment.self, DownloadTaskAttachmentChunk.self, DeleteTaskAttachment.self,
      CreateTaskAttachmentByToken.self, UploadTaskAttachmentChunkByToken.self, CompleteTaskAttachmentByToken.self,
      CancelTaskAttachmentByToken.self,
    ],
    events: [TaskAttachmentsChanged.self])
}

/// A file that is attached to a task (TASK-8).
///
/// It is announced, sent in chunks, and completed; from then on the task's participants see it, and read it in chunks, or as a download
/// over HTTP. It keeps the id under which it was announced.
public struct TaskAttachment: Document, Hashable {
  public var id: ID<TaskAttachment>
  public var taskID: ID<SharedTask>
  public var name: TaskAttachmentName
  public var mediaType: TaskAttachmentType
  public var totalBytes: Int
  /// The SHA-256 of its bytes, in hexadecimal.
  public var sha256: String
  /// The account that attached it; nil for a file attached by the task's token.
  public var accountID: AccountID?
  public var username: Username?
  public var nickname: String?
  /// Whether it was attached by the task's token, so that the sender is unknown.
  public var isByToken: Bool
  /// Whether the caller may delete it.
  public var canDelete: Bool
  public var url: TaskAttachmentURL
  public var attachedAt: Instant

  public init(
    id: ID<TaskAttachment>, taskID: ID<SharedTask>, name: TaskAttachmentName, mediaType: TaskAttachmentType, totalBytes: Int,
    sha256: String, accountID: AccountID?, username: Username?, nickname: String?, isByToken: Bool, canDelete: Bool,
    attachedAt: Instant
  ) {
    self.id = id
    self.taskID = taskID
    self.name = name
    self.mediaType = mediaType
    self.totalBytes = totalBytes
    self.sha256 = sha256
    self.accountID = accountID
    self.username = username
    self.nickname = nickname
    self.isByToken = isByToken
    self.canDelete = canDelete
    url = TaskAttachmentURL(attachment: id)
    self.attachedAt = attachedAt
  }

  public static let notes: Notes = [
    "id": "Id of the attachment.", "taskID": "The task.", "name": "The file's original name.",
    "mediaType": "The file's media type, as declared by the account that attached it.",
    "totalBytes": Note("Its size.", example: 204_800),
    "sha256": Note("The SHA-256 of its bytes, in hexadecimal.", length: 64...64),
    "accountID": "The account that attached it; absent if it came by the task's token.",
    "username": "The username of the account that attached it, if it is shown to the caller.",
    "nickname": "The nickname of the account that attached it, if it has one that the caller may see.",
    "isByToken": "Whether it came by the task's token, so nobody knows who attached it.",
    "canDelete":
      "Whether the caller may delete it: files that the caller attached, and any file of a task that the caller created.",
    "url": "The path at which participants download it.", "attachedAt": "When it was attached.",
  ]
}

/// Where a file is downloaded: `/v1/task-attachments/{attachmentID}/file`, relative to the gateway's address.
public struct TaskAttachmentURL: TextValue {
  public let description: String

  public init(attachment: ID<TaskAttachment>) { description = "/v1/task-attachments/\(attachment)/file" }

  public init(text: String) throws(FieldRule) {
    guard let name = TextParts.middle(of: text, between: "/v1/task-attachments/", and: "/file"),
      let attachment = try? ID<TaskAttachment>(text: name)
    else { throw FieldRule("not_an_attachment_url") }
    self.init(attachment: attachment)
  }

  public static let placeholder = TaskAttachmentURL(attachment: .placeholder)
  public static let schema: JSON = ["type": "string", "format": "uri-reference"]
}

/// The progress of an incomplete upload.
public struct TaskAttachmentUpload: Document, Hashable {
  public var id: ID<TaskAttachment>
  public var taskID: ID<SharedTask>
  public var name: TaskAttachmentName
  public var totalBytes: Int
  public var receivedBytes: Int

  public init(id: ID<TaskAttachment>, taskID: ID<SharedTask>, name: TaskAttachmentName, totalBytes: Int, receivedBytes: Int) {
    self.id = id
    self.taskID = taskID
    self.name = name
    self.totalBytes = totalBytes
    self.receivedBytes = receivedBytes
  }

  public static let notes: Notes = [
    "id": "Id of the attachment, now and when it is complete.", "taskID": "The task.", "name": "The file's name.",
    "totalBytes": Note("Its size.", example: 204_800),
    "receivedBytes": "The bytes that have arrived: the offset of the next chunk.",
  ]
}

/// Why a file cannot be attached or read.
public enum TaskAttachmentFailure: String, FailureCode {
  /// Larger than any file may be.
  case tooLarge = "attachment_too_large"
  case empty = "attachment_empty"
  /// The task has as many bytes as one may have.
  case taskFull = "task_attachments_full"
  /// The account has attached as many bytes as one may.
  case accountFull = "account_attachments_full"
  /// The task, or the account, has as many files as one may have.
  case tooMany = "too_many_attachments"
  /// As many uploads are on their way as may be.
  case tooManyUploads = "too_many_attachment_uploads"
  /// Bytes are still lacking.
  case incomplete = "attachment_incomplete"
  /// Another call is about to complete it.
  case beingCompleted = "attachment_being_completed"
  /// Not the bytes that were announced.
  case otherBytes = "attachment_other_bytes"
  /// The file is not there any more, as after a restored backup that lacked it.
  case lost = "attachment_lost"

  public var status: Int {
    switch self {
    case .tooLarge: 413
    case .empty, .otherBytes: 422
    case .taskFull, .accountFull, .tooMany, .tooManyUploads, .incomplete, .beingCompleted: 409
    case .lost: 410
    }
  }

  /// For want of room.
  static let ofRoom = [tooLarge, taskFull, accountFull, tooMany].map(\.kind)

  /// The same, and for a task that was cancelled.
  static let ofUploads = ofRoom + [TaskFailure.cancelled.kind]
}

enum TaskAttachmentText {
  static let id: Note = "Id of the attachment."
  static let task: Note = "The task."
}

/// Names an attachment.
public struct TaskAttachmentKey: Document {
  public var attachmentID: ID<TaskAttachment>

  public init(attachmentID: ID<TaskAttachment>) { self.attachmentID = attachmentID }

  public static let notes: Notes = ["attachmentID": TaskAttachmentText.id]
}

// MARK: - Uploading

/// Announces a file to be attached to a task (TASK-8).
public enum CreateTaskAttachment: AccountOperation {
  public struct Input: Document {
    public var taskID: ID<SharedTask>
    public var name: TaskAttachmentName
    public var totalBytes: Int
    public var mediaType: TaskAttachmentType?
    /// The SHA-256 of its bytes in hexadecimal, compared when all have arrived.
    public var sha256: String?

    public init(
      taskID: ID<SharedTask>, name: TaskAttachmentName, totalBytes: Int, mediaType: TaskAttachmentType? = nil,
      sha256: String? = nil
    ) {
      self.taskID = taskID
      self.name = name
      self.totalBytes = totalBytes
      self.mediaType = mediaType
      self.sha256 = sha256
    }

    public static let notes: Notes = [
      "taskID": TaskAttachmentText.task, "name": "The file's name.",
      "totalBytes": Note("Its size.", range: 1...Double(1 << 40), example: 204_800),
      "mediaType": "The file's media type; `application/octet-stream` if absent.",
      "sha256": Note("The SHA-256 of its bytes in hexadecimal, checked when all have arrived.", length: 64...64),
    ]

    public func check(_ fields: inout FieldChecks) {
      guard let sha256 else { return }
      fields.expect(sha256.utf8.allSatisfy(Self.isHexadecimal), "sha256", FieldRule("not_hexadecimal"))
    }

    private static func isHexadecimal(_ byte: UInt8) -> Bool {
      switch byte {
      case 0x30...0x39, 0x41...0x46, 0x61...0x66: true
      default: false
      }
    }
  }

  public typealias Output = TaskAttachmentUpload

  public static let spec = OperationSpec(
    "taskAttachments.create", of: .social, .post("/v1/tasks/{taskID}/attachments"), by: .verifiedAccount, effect: .create,
    rate: .registered,
    failures: [RequestFailure.notFound.kind, TaskAttachmentFailure.tooManyUploads.kind] + TaskAttachmentFailure.ofUploads,
    requirements: ["TASK-8"], "Announces a file to be attached to a task; it is then sent in chunks and completed.")
}

/// A chunk of a file, and its offset.
public struct TaskAttachmentChunk: Document {
  public var attachmentID: ID<TaskAttachment>
  public var offset: Int
  public var content: Base64Bytes

  public init(attachmentID: ID<TaskAttachment>, offset: Int, content: Base64Bytes) {
    self.attachmentID = attachmentID
    self.offset = offset
    self.content = content
  }

  /// The largest chunk, so that it fits into a message in base64.
  public static let maxBytes = 512 << 10

  public static let notes: Notes = [
    "attachmentID": TaskAttachmentText.id,
    "offset": Note("The offset in the file at which it begins.", range: 0...Double(1 << 40), example: 524_288),
    "content": "The bytes, at most 524,288. Bytes that have arrived before must be the same again.",
  ]

  public func check(_ fields: inout FieldChecks) {
    fields.expect(
      (1...Self.maxBytes).contains(content.bytes.count), "content",
      FieldRule("bytes_out_of_range", ["min": .number(1), "max": .number(Self.maxBytes)]))
  }

  /// The rule for a chunk that goes beyond the end of the file, as large as that was announced.
  public static func beyondEnd(of total: Int) -> FieldRule { FieldRule("attachment_beyond_end", ["total": .number(total)]) }

  /// The rule for a chunk that is not what arrived for its position before.
  public static let otherBytes = FieldRule("attachment_bytes_differ")
}

/// How far a file has come.
public struct TaskAttachmentProgress: Document, Hashable {
  public var nextOffset: Int

  public init(nextOffset: Int) { self.nextOffset = nextOffset }

  public static let notes: Notes = [
    "nextOffset":
      "The offset of the next chunk: the end of this one, or the end of what has arrived if this one does not continue it."
  ]
}

/// Uploads a chunk of a file (TASK-8). Chunks are sent one after the other; a lost or repeated one does no harm, since the answer says
/// where to continue.
public enum UploadTaskAttachmentChunk: AccountOperation {
  public typealias Input = TaskAttachmentChunk
  public typealias Output = TaskAttachmentProgress

  public static let spec = OperationSpec(
    "taskAttachments.uploadChunk", of: .social, .put("/v1/task-attachments/{attachmentID}/chunks/{offset}"),
    by: .verifiedAccount, effect: .write, rate: .bulk,
    failures: [RequestFailure.notFound.kind] + TaskAttachmentFailure.ofUploads, takesIdempotencyKey: false,
    raw: .body("content", "application/octet-stream"), requirements: ["TASK-8"],
    "Uploads a part of a file; the answer says where the next one begins.")
}

/// Attaches a file that has arrived (TASK-8). Repeated, it changes nothing.
public enum CompleteTaskAttachment: AccountOperation {
  public typealias Input = TaskAttachmentKey
  public typealias Output = TaskAttachment

  public static let spec = OperationSpec(
    "taskAttachments.complete", of: .social, .post("/v1/task-attachments/{attachmentID}/complete"), by: .verifiedAccount,
    effect: .write,
    failures: [
      RequestFailure.notFound.kind, TaskAttachmentFailure.incomplete.kind, TaskAttachmentFailure.beingCompleted.kind,
      TaskAttachmentFailure.otherBytes.kind,
    ] + TaskAttachmentFailure.ofUploads, takesIdempotencyKey: false, requirements: ["TASK-8"],
    "Attaches a file to its task, once all of it has arrived.")
}

/// Gives up a file that is not complete (TASK-8).
public enum CancelTaskAttachment: AccountOperation {
  public typealias Input = TaskAttachmentKey
  public typealias Output = Empty

  public static let spec = OperationSpec(
    "taskAttachments.cancel", of: .social, .post("/v1/task-attachments/{attachmentID}/cancel"), by: .account, effect: .write,
    failures: [RequestFailure.notFound.kind], requirements: ["TASK-8"],
    "Cancels an incomplete upload; what has arrived of it is removed.")
}

// MARK: - Reading

/// Lists the files of a task, newest first (TASK-8).
public enum ListTaskAttachments: AccountOperation {
  public struct Input: ListInput, Hashable {
    public var taskID: ID<SharedTask>
    public var limit: Int?
    public var cursor: PageCursor?

    public init(taskID: ID<SharedTask>, limit: Int? = nil, cursor: PageCursor? = nil) {
      self.taskID = taskID
      self.limit = limit
      self.cursor = cursor
    }

    public static let notes = listNotes(["taskID": TaskAttachmentText.task])
  }

  public typealias Output = Page<TaskAttachment>

  public static let spec = OperationSpec(
    "taskAttachments.list", of: .social, .get("/v1/tasks/{taskID}/attachments"), by: .account, effect: .read,
    failures: [RequestFailure.notFound.kind], requirements: ["TASK-8"],
    "Lists the files attached to one of the caller's tasks, newest first.")
}

/// Reads the metadata of an attached file (TASK-8).
public enum GetTaskAttachment: AccountOperation {
  public typealias Input = TaskAttachmentKey
  public typealias Output = TaskAttachment

  public static let spec = OperationSpec(
    "taskAttachments.get", of: .social, .get("/v1/task-attachments/{attachmentID}"), by: .account, effect: .read,
    failures: [RequestFailure.notFound.kind], requirements: ["TASK-8"], "Returns the metadata of an attached file.")
}

/// Reads a part of an attached file (TASK-8). Over HTTP the whole file is a download, too: see ``TaskAttachment/url``.
public enum DownloadTaskAttachmentChunk: AccountOperation {
  public struct Input: Document {
    public var attachmentID: ID<TaskAttachment>
    public var offset: Int

    public init(attachmentID: ID<TaskAttachment>, offset: Int) {
      self.attachmentID = attachmentID
      self.offset = offset
    }

    public static let notes: Notes = [
      "attachmentID": TaskAttachmentText.id,
      "offset": Note("The offset in the file at which it begins.", range: 0...Double(1 << 40), example: 524_288),
    ]
  }

  public struct Output: Document, Hashable {
    public var content: Base64Bytes
    public var totalBytes: Int

    public init(content: Base64Bytes, totalBytes: Int) {
      self.content = content
      self.totalBytes = totalBytes
    }

    public static let notes: Notes = [
      "content": "The bytes: 524,288, or as many as are left; none at or after the end of the file.",
      "totalBytes": "The size of the file.",
    ]
  }

  public static let spec = OperationSpec(
    "taskAttachments.downloadChunk", of: .social, .get("/v1/task-attachments/{attachmentID}/chunks/{offset}"), by: .account,
    effect: .read, rate: .bulk, failures: [RequestFailure.notFound.kind, TaskAttachmentFailure.lost.kind],
    requirements: ["TASK-8"], "Returns a part of an attached file.")
}

/// Deletes a file of a task (TASK-8): allowed for the account that attached it, and for the task's creator.
public enum DeleteTaskAttachment: AccountOperation {
  public typealias Input = TaskAttachmentKey
  public typealias Output = Empty

  public static let spec = OperationSpec(
    "taskAttachments.delete", of: .social, .delete("/v1/task-attachments/{attachmentID}"), by: .account, effect: .write,
    failures: [RequestFailure.notFound.kind, RequestFailure.forbidden.kind], requirements: ["TASK-8"],
    "Deletes a file that the caller attached, or any file of a task that the caller created.")
}

// MARK: - By the task's token

/// Announces a file that comes by the task's token, from the gateway's page `/attach` (TASK-8). How large it is shows at its end.
public enum CreateTaskAttachmentByToken: OpenOperation {
  public struct Input: Document {
    /// As it was typed.
    public var token: String
    public var name: TaskAttachmentName
    public var mediaType: TaskAttachmentType

    public init(token: String, name: TaskAttachmentName, mediaType: TaskAttachmentType) {
      self.token = token
      self.name = name
      self.mediaType = mediaType
    }

    public static let notes: Notes = [
      "token": Note("The task's token, as it was typed.", length: 0...200), "name": "The file's name.",
      "mediaType": "The file's media type.",
    ]
  }

  public typealias Output = TaskAttachmentKey

  public static let spec = OperationSpec(
    "taskAttachments.createByToken", of: .social, nil, by: .services([.gateway]), effect: .write,
    failures: TaskTokenFailure.allCases.map(\.kind) + [TaskAttachmentFailure.tooManyUploads.kind] + TaskAttachmentFailure.ofRoom,
    requirements: ["TASK-8"], "Announces a file to be attached to a task, by the task's token.")
}

/// Sends a part of a file that comes by the task's token (TASK-8).
public enum UploadTaskAttachmentChunkByToken: OpenOperation {
  public typealias Input = TaskAttachmentChunk
  public typealias Output = TaskAttachmentProgress

  public static let spec = OperationSpec(
    "taskAttachments.uploadChunkByToken", of: .social, nil, by: .services([.gateway]), effect: .write,
    failures: [RequestFailure.notFound.kind] + TaskAttachmentFailure.ofUploads, requirements: ["TASK-8"],
    "Uploads a part of a file, by the task's token.")
}

/// Attaches a file that came by the task's token, as far as it has arrived (TASK-8).
public enum CompleteTaskAttachmentByToken: OpenOperation {
  public typealias Input = TaskAttachmentKey

  public struct Output: Document, Hashable {
    public var name: TaskAttachmentName
    public var totalBytes: Int

    public init(name: TaskAttachmentName, totalBytes: Int) {
      self.name = name
      self.totalBytes = totalBytes
    }

    public static let notes: Notes = ["name": "The file's name.", "totalBytes": "Its size."]
  }

  public static let spec = OperationSpec(
    "taskAttachments.completeByToken", of: .social, nil, by: .services([.gateway]), effect: .write,
    failures: [
      RequestFailure.notFound.kind, TaskAttachmentFailure.empty.kind, TaskAttachmentFailure.incomplete.kind,
      TaskAttachmentFailure.beingCompleted.kind,
    ]
      + TaskAttachmentFailure.ofUploads, requirements: ["TASK-8"], "Attaches an uploaded file, by the task's token.")
}

/// Gives up a file that comes by the task's token (TASK-8).
public enum CancelTaskAttachmentByToken: OpenOperation {
  public typealias Input = TaskAttachmentKey
  public typealias Output = Empty

  public static let spec = OperationSpec(
    "taskAttachments.cancelByToken", of: .social, nil, by: .services([.gateway]), effect: .write, requirements: ["TASK-8"],
    "Cancels an incomplete upload, by the task's token.")
}

// MARK: - Events

/// The files of a task have changed; published separately for each participant (TASK-8). Clients then list them again.
public struct TaskAttachmentsChanged: Event, Hashable {
  public enum Change: String, Choice { case attached, deleted }

  /// The participant who is notified.
  public var accountID: AccountID
  public var taskID: ID<SharedTask>
  public var attachmentID: ID<TaskAttachment>
  public var change: Change
  /// The account that attached the file, and the names of the file and the task. All are absent for a deleted file; the account is absent
  /// for a file attached by the task's token.
  public var byAccountID: AccountID?
  public var byUsername: Username?
  public var name: TaskAttachmentName?
  public var taskName: TaskName?
  public var at: Instant

  public init(
    accountID: AccountID, taskID: ID<SharedTask>, attachmentID: ID<TaskAttachment>, change: Change,
    byAccountID: AccountID? = nil, byUsername: Username? = nil, name: TaskAttachmentName? = nil, taskName: TaskName? = nil,
    at: Instant
  ) {
    self.accountID = accountID
    self.taskID = taskID
    self.attachmentID = attachmentID
    self.change = change
    self.byAccountID = byAccountID
    self.byUsername = byUsername
    self.name = name
    self.taskName = taskName
    self.at = at
  }

  public static let notes: Notes = [
    "accountID": "The participant who receives the event.", "taskID": "The task.", "attachmentID": "The file.",
    "change": "`attached` or `deleted`.",
    "byAccountID": "The account that attached it; absent for a file that came by the task's token, and for a deleted one.",
    "byUsername": "That account's username, if it is shown to the participant.",
    "name": "The file's name; absent for a deleted file.",
    "taskName": "The task's name; absent for a deleted file.", "at": "When it happened.",
  ]

  public static let spec = EventSpec(
    "taskAttachments.changed", by: .social, isLive: true, requirements: ["TASK-8"],
    "A file was attached to a task, or deleted; one event for each participant.")
}
