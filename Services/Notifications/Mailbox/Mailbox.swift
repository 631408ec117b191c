import Foundation
import NotificationsContract
import Operations
import Workers

#if canImport(Glibc)
  import Glibc
#else
  import Darwin
#endif

/// Reads the folder of the mails that are not sent. It reads only plain files directly in the folder.
struct Mailbox: Sendable {
  /// The most bytes that are read of a file.
  private static let maxBytes = 256 << 10
  /// For the list; a longer head is cut.
  private static let headBytes = 16 << 10

  let folder: String
  /// Reading files holds a thread. A few at a time are enough.
  private let workers = WorkerPool(label: "mailbox", threads: 2, maxWaiting: 64)

  init(folder: String) { self.folder = folder }

  /// The newest mails, newest first: their names begin with the time.
  ///
  /// - Throws: `overloaded` if too many are waiting.
  func list() async throws -> [MailboxEntry] {
    try await workers.run { [folder] in try Mailbox.entries(in: folder) }
  }

  private static func entries(in folder: String) throws -> [MailboxEntry] {
    guard FileManager.default.fileExists(atPath: folder) else { return [] }
    var entries: [MailboxEntry] = []
    for text in try FileManager.default.contentsOfDirectory(atPath: folder).sorted(by: >) {
      guard entries.count < ListMailbox.maximum else { break }
      guard let name = name(text), let (bytes, writtenAt) = read(name, in: folder, atMost: headBytes) else { continue }
      entries.append(entry(name, MailFile(bytes), writtenAt))
    }
    return entries
  }

  /// The mail; nil where there is none of that name.
  ///
  /// - Throws: `overloaded` if too many calls are waiting.
  func read(_ name: MailFileName) async throws -> GetMailboxMail.Output? {
    try await workers.run { [folder] in
      guard let (bytes, writtenAt) = Mailbox.read(name, in: folder, atMost: Mailbox.maxBytes) else { return nil }
      let mail = MailFile(bytes)
      return GetMailboxMail.Output(head: Mailbox.entry(name, mail, writtenAt), text: mail.text, html: mail.html)
    }
  }

  private static func entry(_ name: MailFileName, _ mail: MailFile, _ writtenAt: Instant) -> MailboxEntry {
    MailboxEntry(name: name, subject: mail.subject, from: mail.from, to: mail.to, writtenAt: writtenAt)
  }

  private static func name(_ text: String) -> MailFileName? {
    do throws(FieldRule) {
      return try MailFileName(text: text)
    } catch {
      // Not one of a mail.
      return nil
    }
  }

  /// The beginning of a file and when it was written; nil for what is no plain file, such as a link that leads elsewhere.
  private static func read(_ name: MailFileName, in folder: String, atMost maximum: Int) -> (bytes: [UInt8], writtenAt: Instant)?
  {
    // Non-blocking, so that a pipe of that name cannot hold up a thread.
    let file = open("\(folder)/\(name)", O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC)
    guard file >= 0 else { return nil }
    defer { close(file) }
    var facts = stat()
    guard fstat(file, &facts) == 0, facts.st_mode & S_IFMT == S_IFREG else { return nil }
    var failed = false
    let bytes = [UInt8](unsafeUninitializedCapacity: min(maximum, Int(facts.st_size))) { buffer, count in
      while count < buffer.count {
        let got = Glibc.read(file, buffer.baseAddress.map { $0 + count }, buffer.count - count)
        failed = failed || got < 0
        guard got > 0 else { return }
        count += got
      }
    }
    guard !failed else { return nil }
    let time = facts.st_mtim
    return (bytes, Instant(milliseconds: Int64(time.tv_sec) * 1000 + Int64(time.tv_nsec) / 1_000_000))
  }
}
