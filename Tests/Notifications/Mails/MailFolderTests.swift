import Foundation
import Glibc
import Logging
import Operations
import ServiceKit
import Testing

@testable import NotificationsService

@Suite("The folder of mails")
struct MailFolderTests {
  private let folder = MailFolder(
    path: "/tmp/racha-mails-\(UInt32.random(in: .min ... .max))", logger: Logger(label: "test") { _ in SwiftLogNoOpLogHandler() })

  private func letter() throws -> Letter {
    Letter(
      id: ID(), createdAt: try Instant(text: "2026-11-21T08:43:00.000Z"), from: .placeholder, to: .placeholder,
      bytes: Array(repeating: UInt8(ascii: "a"), count: 100_000))
  }

  @Test("The folder of mails shows a mail only once it is complete")
  func whole() async throws {
    try Home.makePrivateFolder(folder.path)
    defer { try? FileManager.default.removeItem(atPath: folder.path) }
    let watch = try Watch(folder.path)
    let letters = try (0..<3).map { _ in try letter() }
    for letter in letters { try await folder.carry(letter) }
    let seen = watch.names().filter { !$0.name.hasPrefix(".") }
    #expect(seen.map(\.name) == letters.map(MailFolder.name))
    #expect(seen.allSatisfy { $0.event == IN_MOVED_TO })
    #expect(try FileManager.default.contentsOfDirectory(atPath: folder.path).sorted() == letters.map(MailFolder.name).sorted())
  }

  @Test("The folder of mails begins no mail while the service is stopping")
  func cancelled() async throws {
    let letter = try letter()
    let (isCancelled, cancelled) = AsyncStream.makeStream(of: Void.self)
    let sending = Task { [folder] () -> MailFailure? in
      for await _ in isCancelled {}
      do throws(MailFailure) {
        try await folder.carry(letter)
        return nil
      } catch {
        return error
      }
    }
    sending.cancel()
    cancelled.finish()
    #expect(await sending.value == .interrupted)
    #expect(!FileManager.default.fileExists(atPath: folder.path))
  }

  @Test("The folder of mails keeps nothing of a mail that cannot be written there")
  func failing() async throws {
    let letter = try letter()
    // A folder that is not empty cannot be replaced by a file.
    let path = "\(folder.path)/\(MailFolder.name(letter))"
    try FileManager.default.createDirectory(atPath: "\(path)/within", withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(atPath: folder.path) }
    await #expect(throws: MailFailure.self) { try await folder.carry(letter) }
    #expect(try FileManager.default.contentsOfDirectory(atPath: folder.path) == [MailFolder.name(letter)])
  }
}

/// What the kernel says of the names that appear in a folder (inotify(7)).
private final class Watch {
  private let descriptor: CInt

  struct Failed: Error { let number: CInt }

  init(_ path: String) throws {
    descriptor = inotify_init1(CInt(IN_NONBLOCK))
    guard descriptor >= 0, inotify_add_watch(descriptor, path, UInt32(IN_CREATE | IN_MOVED_TO)) >= 0 else {
      throw Failed(number: errno)
    }
  }

  deinit { close(descriptor) }

  func names() -> [(name: String, event: Int32)] {
    var buffer = [UInt8](repeating: 0, count: 64 << 10)
    let count = read(descriptor, &buffer, buffer.count)
    var names: [(name: String, event: Int32)] = []
    var position = 0
    // struct inotify_event: watch, mask, cookie and length of the name, each of 32 bits, then the name.
    while position + 16 <= count {
      let (mask, length) = buffer.withUnsafeBytes { bytes in
        (
          bytes.loadUnaligned(fromByteOffset: position + 4, as: Int32.self),
          Int(bytes.loadUnaligned(fromByteOffset: position + 12, as: UInt32.self))
        )
      }
      let name = buffer[(position + 16)..<(position + 16 + length)].prefix { $0 != 0 }
      names.append((String(decoding: name, as: UTF8.self), mask))
      position += 16 + length
    }
    return names
  }
}
