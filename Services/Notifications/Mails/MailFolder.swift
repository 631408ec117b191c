import Logging
import NotificationsContract
import Operations
import ServiceKit
import Workers

#if canImport(Glibc)
  import Glibc
#else
  import Darwin
#endif

/// Writes each mail as a `.eml` file (RFC 5322) into a folder that only its owner may enter.
///
/// A file's name sorts by time and reveals nothing of its content. The file appears whole or not at all, and a mail that is sent again
/// after a crash replaces its own file, so each mail exists exactly once.
struct MailFolder: MailCarrier {
  let path: String
  let logger: Logger
  private let workers = WorkerPool(
    label: "mail folder", threads: MailSettings.maxConnections, maxWaiting: MailSettings.maxConnections)

  init(path: String, logger: Logger) {
    self.path = path
    self.logger = logger
  }

  /// `20261121T084300000Z-<mail id>.eml`.
  static func name(_ letter: Letter) -> String { name(letter.id, createdAt: letter.createdAt) }

  private static func name(_ mail: ID<Mail>, createdAt: Instant) -> String {
    "\(createdAt.description.filter { !"-:.".contains($0) })-\(mail).eml"
  }

  /// Removes a mail's file, and any partial file of a killed process.
  static func remove(_ mail: ID<Mail>, createdAt: Instant, folder: String) throws {
    let name = name(mail, createdAt: createdAt)
    for path in ["\(folder)/\(name)", "\(folder)/.\(name).part"] where unlink(path) != 0 && errno != ENOENT {
      throw SystemFailure(call: "unlink", code: errno)
    }
  }

  func carry(_ letter: Letter) async throws(MailFailure) {
    do {
      try await workers.run { [path] in
        try Home.makePrivateFolder(path)
        try MailFolder.write(letter.bytes, name: MailFolder.name(letter), folder: path)
      }
    } catch is CancellationError {
      // The service stops before a thread had it.
      throw .interrupted
    } catch {
      logger.warning("mail cannot be written", metadata: ["mailID": .string("\(letter.id)"), "reason": .string("\(error)")])
      throw .connection
    }
  }

  /// A call of the system failed.
  private struct SystemFailure: Error, CustomStringConvertible {
    let call: String
    let code: Int32

    var description: String { "\(call): error \(code)" }
  }

  /// Writes a temporary file, flushes and renames it; then the folder is flushed too, so that the mail survives a power cut.
  ///
  /// The temporary file has a hidden name, so that a program that lists or watches the folder does not take it for a mail.
  private static func write(_ bytes: [UInt8], name: String, folder: String) throws {
    let aside = "\(folder)/.\(name).part"
    do {
      try write(bytes, aside)
      try check("rename", rename(aside, "\(folder)/\(name)"))
    } catch {
      unlink(aside)
      throw error
    }
    let directory = try check("open", open(folder, O_RDONLY | O_CLOEXEC))
    defer { close(directory) }
    try check("fsync", fsync(directory))
  }

  private static func write(_ bytes: [UInt8], _ path: String) throws {
    let file = try check("open", open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0o600))
    defer { close(file) }
    var rest = bytes[...]
    while !rest.isEmpty {
      let count = rest.withUnsafeBytes { Glibc.write(file, $0.baseAddress, $0.count) }
      rest = rest.dropFirst(try check("write", count))
    }
    try check("fsync", fsync(file))
  }

  @discardableResult
  private static func check<Number: SignedInteger>(_ call: String, _ result: Number) throws(SystemFailure) -> Number {
    guard result >= 0 else { throw SystemFailure(call: call, code: errno) }
    return result
  }
}
