import Operations
import SocialContract
import Testing

@testable import SocialService

@Suite("Limits of attachments")
struct TaskAttachmentRulesTests {
  private static let rules = TaskAttachmentRules(fileBytes: 100, taskBytes: 250, accountBytes: 400)

  @Test(
    "A file is accepted if both the task and the responsible account have room",
    arguments: [
      (50, 1, 0, 0, 0, 0, nil), (100, 1, 2, 150, 3, 300, nil), (101, 1, 2, 150, 0, 0, "task_attachments_full"),
      (50, 1, 1, 10, 4, 351, "account_attachments_full"), (1, 1, 1000, 1000, 0, 0, "too_many_attachments"),
      (1, 0, 1000, 100, 0, 0, nil), (1, 1, 1, 1, 10_000, 1, "too_many_attachments"),
    ] as [(Int, Int, Int, Int, Int, Int, String?)])
  func room(bytes: Int, files: Int, taskFiles: Int, taskBytes: Int, accountFiles: Int, accountBytes: Int, code: String?) {
    var refusal: String?
    do throws(Failure) {
      try Self.rules.checkRoom(
        for: bytes, files: files, task: .init(files: taskFiles, bytes: taskBytes),
        account: .init(files: accountFiles, bytes: accountBytes))
    } catch {
      refusal = error.code
    }
    #expect(refusal == code)
  }

  @Test("Sizes of files are written as people read them")
  func sizes() {
    let cases = [(25 << 20, "25 MB"), (1 << 30, "1 GB"), (2048, "2 KB"), (1500, "1500 bytes"), (3 << 29, "1536 MB")]
    for (bytes, text) in cases { #expect(TaskAttachmentRules.size(bytes) == text) }
  }

  @Test("A file of a task can be deleted by the participant who attached it and by the task's creator")
  func deletion() {
    let (ana, ben) = (AccountID(), AccountID())
    #expect(TaskAttachmentRules.canDelete(ana, uploader: ana, isCreator: false))
    #expect(TaskAttachmentRules.canDelete(ana, uploader: ben, isCreator: true))
    #expect(TaskAttachmentRules.canDelete(ana, uploader: nil, isCreator: true))
    #expect(!TaskAttachmentRules.canDelete(ana, uploader: ben, isCreator: false))
    #expect(!TaskAttachmentRules.canDelete(ana, uploader: nil, isCreator: false))
  }

  @Test(
    "Names of files are accepted unchanged, or refused with their rule",
    arguments: [
      ("plan.txt", nil), (" Ñandú 🐦.pdf ", nil), ("", "empty"), ("  ", "empty"), ("a/b", "not_a_file_name"),
      ("a\\b", "not_a_file_name"), ("..", "not_a_file_name"), (".", "not_a_file_name"), ("a\nb", "control_character"),
      ("gpj.\u{202E}exe", "control_character"), (String(repeating: "x", count: 201), "too_long"),
    ] as [(String, String?)])
  func names(text: String, rule: String?) {
    do throws(FieldRule) {
      #expect(try TaskAttachmentName(text: text).description == text.trimmed)
      #expect(rule == nil)
    } catch {
      #expect(error.code == rule)
    }
  }

  @Test(
    "Names of files from browsers are made valid",
    arguments: [
      ("C:\\fakepath\\plan.txt", "plan.txt"), ("../../etc/passwd", "passwd"), ("/", "file"), ("", "file"), ("a\r\nb", "ab"),
      ("..", "file"), ("x\u{202E}y", "xy"),
      (String(repeating: "x", count: 300) + ".pdf", String(repeating: "x", count: 196) + ".pdf"),
    ])
  func cleanedNames(text: String, name: String) { #expect(TaskAttachmentName.cleaned(text).description == name) }

  @Test(
    "An invalid media type is treated as arbitrary bytes",
    arguments: [
      ("text/plain; charset=utf-8", "text/plain"), ("IMAGE/PNG", "image/png"), ("", "application/octet-stream"),
      ("text", "application/octet-stream"), ("a/b/c", "application/octet-stream"), ("a b/c", "application/octet-stream"),
    ])
  func types(text: String, type: String) { #expect(TaskAttachmentType.cleaned(text).description == type) }
}
