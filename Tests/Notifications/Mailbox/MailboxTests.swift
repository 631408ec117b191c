import Foundation
import Glibc
import InProcess
import NotificationsContract
import Operations
import ServiceKit
import Testing

@testable import NotificationsService

@Suite("The mailbox")
final class MailboxTests {
  private let home = "/tmp/racha-box-\(UInt32.random(in: .min ... .max))"
  private var folder: String { Home(path: home).mails }
  private let gateway = Caller.service(.gateway)

  deinit { try? FileManager.default.removeItem(atPath: home) }

  private func put(_ name: String, _ text: String) throws {
    try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
    try Data(text.utf8).write(to: URL(fileURLWithPath: "\(folder)/\(name)"))
  }

  private func running(_ settings: [String: String] = [:], _ body: (ServicesInProcess) async throws -> Void) async throws {
    try await ServicesInProcess.running([{ try Notifications.service($0) }], settings: settings, at: nil, home: home, body)
  }

  private func read(_ name: String, _ services: ServicesInProcess) async throws -> GetMailboxMail.Output {
    try await services.call(GetMailboxMail.self, .init(name: MailFileName(text: name)), as: gateway)
  }

  @Test("The mailbox lists the folder's mails, newest first, with subject, addressee and time")
  func list() async throws {
    try await running { services in
      #expect(try await services.call(ListMailbox.self, Empty(), as: gateway).items.isEmpty, "there is no folder yet")
      try put("20261121T084300000Z-a.eml", "Subject: first\nTo: <ana@example.org>\n\ntext")
      try put("20261121T084400000Z-b.eml", "Subject: second\nTo: <ben@example.org>\n\ntext")
      let items = try await services.call(ListMailbox.self, Empty(), as: gateway).items
      #expect(items.map(\.subject) == ["second", "first"] && items.map(\.to) == ["<ben@example.org>", "<ana@example.org>"])
      #expect(items.allSatisfy { abs($0.writtenAt.milliseconds - Instant.now.milliseconds) < 3_600_000 })
      let mail = try await read("20261121T084300000Z-a.eml", services)
      #expect(mail.head == items[1] && mail.text == "text" && mail.html == nil)
    }
  }

  @Test("The mailbox shows at most the newest 200 mails")
  func many() async throws {
    for number in 1000..<1250 { try put("\(number).eml", "Subject: \(number)\n\n") }
    try await running { services in
      let items = try await services.call(ListMailbox.self, Empty(), as: gateway).items
      #expect(items.map(\.subject) == (1050..<1250).reversed().map(String.init))
    }
  }

  @Test(
    "No name leads out of the mailbox's folder",
    arguments: ["../x.eml", "a/b.eml", "..", ".eml", ".hidden.eml", "a.eml\0", "a\\b.eml", "ñ.eml"])
  func names(name: String) {
    #expect(throws: FieldRule.self) { try MailFileName(text: name) }
  }

  @Test("The mailbox follows no links and reads no pipes or folders")
  func links() async throws {
    try put("real.eml", "Subject: real\n\n")
    try Data("a secret".utf8).write(to: URL(fileURLWithPath: "\(home)/secret"))
    #expect(symlink("\(home)/secret", "\(folder)/link.eml") == 0)
    #expect(mkfifo("\(folder)/pipe.eml", 0o600) == 0)
    try FileManager.default.createDirectory(atPath: "\(folder)/folder.eml", withIntermediateDirectories: false)
    try put(".hidden.eml.part", "Subject: half\n\n")
    try await running { services in
      #expect(try await services.call(ListMailbox.self, Empty(), as: gateway).items.map(\.subject) == ["real"])
      for name in ["link.eml", "pipe.eml", "folder.eml", "missing.eml"] {
        let code = try await services.refusal(GetMailboxMail.self, .init(name: MailFileName(text: name)), as: gateway)
        #expect(code == "not_found", "\(name)")
      }
    }
  }

  @Test("The mailbox takes mails of any size and content")
  func hostile() async throws {
    try put("large.eml", "Subject: large\n\n" + String(repeating: "\u{1}\"é", count: 1 << 20))
    try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
    try Data((0..<300_000).map { UInt8(truncatingIfNeeded: $0) }).write(to: URL(fileURLWithPath: "\(folder)/bytes.eml"))
    try await running { services in
      #expect(try await services.call(ListMailbox.self, Empty(), as: gateway).items.count == 2)
      let large = try await read("large.eml", services)
      #expect((large.text?.utf8.count ?? 0) > 100_000)
      _ = try await read("bytes.eml", services)
    }
  }

  @Test("Only the gateway can ask for the mailbox")
  func callers() async throws {
    try await running { services in
      let administrator = Caller(kind: .account, account: AccountID(), session: SessionID(), isAdministrator: true)
      for caller in [administrator, .service(.social), Caller(kind: .anonymous)] {
        let code = try await services.refusal(ListMailbox.self, Empty(), as: caller)
        #expect(code == "forbidden")
      }
    }
  }

  @Test(
    "The mailbox is closed if mails are sent by a server, or if it is turned off",
    arguments: [["racha.smtp.url": "smtp://127.0.0.1:2525"], ["racha.mailbox": "false"]])
  func closed(settings: [String: String]) async throws {
    try put("a.eml", "Subject: first\n\n")
    try await running(settings) { services in
      #expect(try await services.refusal(ListMailbox.self, Empty(), as: gateway) == "not_found")
      let input = GetMailboxMail.Input(name: try MailFileName(text: "a.eml"))
      #expect(try await services.refusal(GetMailboxMail.self, input, as: gateway) == "not_found")
    }
  }
}
