import Operations
import ServiceKit
import SocialContract

/// How many files there may be, and how large (TASK-8).
struct TaskAttachmentRules: Sendable {
  /// Files of a task.
  static let maxPerTask = 1000
  /// Files for which an account answers.
  static let maxPerAccount = 10_000
  /// Uploads of an account that are not complete.
  static let maxUploads = 8
  /// Uploads to a task by its token that are not complete.
  static let maxUploadsByToken = 16
  /// How long an upload may lie without a new chunk.
  static let idleSeconds = 86_400
  /// The same for an upload by a token: the gateway's page passes on what has arrived every 10 seconds, so an upload that was idle for so
  /// long is abandoned, for example because the gateway's process ended. It no longer takes any space once another one begins.
  static let idleSecondsByToken = 120
  /// The same where a file of the same name is begun by the same token: it is sent again.
  static let idleSecondsOfRepeated = 30

  static let fileSetting = "racha.attachments.bytesPerFile"

  /// The largest file.
  let fileBytes: Int
  /// What the files of a task may be together.
  let taskBytes: Int
  /// What the files may be together for which an account answers: those that it attached, and those that came by a token that it made.
  let accountBytes: Int

  init(fileBytes: Int = 25 << 20, taskBytes: Int = 250 << 20, accountBytes: Int = 1 << 30) {
    self.fileBytes = fileBytes
    self.taskBytes = taskBytes
    self.accountBytes = accountBytes
  }

  init(_ settings: Settings) {
    self.init(
      fileBytes: settings.int(Self.fileSetting, default: 25 << 20, in: 1024...(1 << 30)),
      taskBytes: settings.int("racha.attachments.bytesPerTask", default: 250 << 20, in: 1024...(1 << 40)),
      accountBytes: settings.int("racha.attachments.bytesPerAccount", default: 1 << 30, in: 1024...(1 << 40)))
  }

  /// Files and their bytes, those that are on their way among them.
  struct Usage: Hashable, Sendable {
    var files: Int
    var bytes: Int
  }

  /// Refuses a file that is larger than any may be.
  func checkFile(_ bytes: Int) throws(Failure) {
    guard bytes <= fileBytes else { throw TaskAttachmentFailure.tooLarge.with(["max": .text(Self.size(fileBytes))]) }
  }

  /// Refuses bytes without room for them.
  ///
  /// - Parameters:
  ///   - bytes: of the file, or of its next part.
  ///   - files: 1 for a file that is not counted yet.
  ///   - account: of the account responsible for it; nil where there is none.
  func checkRoom(for bytes: Int, files: Int, task: Usage, account: Usage?) throws(Failure) {
    guard task.files + files <= Self.maxPerTask else {
      throw TaskAttachmentFailure.tooMany.with(["max": .number(Self.maxPerTask)])
    }
    guard task.bytes + bytes <= taskBytes else {
      throw TaskAttachmentFailure.taskFull.with(["max": .text(Self.size(taskBytes))])
    }
    guard let account else { return }
    guard account.files + files <= Self.maxPerAccount else {
      throw TaskAttachmentFailure.tooMany.with(["max": .number(Self.maxPerAccount)])
    }
    guard account.bytes + bytes <= accountBytes else {
      throw TaskAttachmentFailure.accountFull.with(["max": .text(Self.size(accountBytes))])
    }
  }

  /// Whether the account may delete a file.
  ///
  /// - Parameter uploader: nil where it came by the task's token.
  static func canDelete(_ account: AccountID, uploader: AccountID?, isCreator: Bool) -> Bool { isCreator || uploader == account }

  /// `25 MB`, `1 GB`, `1,500 bytes`: as people read it, the same in both languages.
  static func size(_ bytes: Int) -> String {
    let units = [(1 << 30, "GB"), (1 << 20, "MB"), (1 << 10, "KB")]
    guard let (unit, name) = units.first(where: { bytes >= $0.0 && bytes % $0.0 == 0 }) else { return "\(bytes) bytes" }
    return "\(bytes / unit) \(name)"
  }
}
