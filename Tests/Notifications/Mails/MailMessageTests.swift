import Foundation
import IdentityContract
import Operations
import Testing

@testable import NotificationsService

@Suite("Verification mails")
struct MailMessageTests {
  static func message(_ language: Language, username: String = "ana.ruiz", url: String = "https://racha.example") throws
    -> MailMessage
  {
    let job = MailQueue.Job(
      id: try ID(text: "01a2b3c4-d5e6-7f80-9122-334455667788"), linkID: ID(),
      createdAt: try Instant(text: "2026-11-21T08:43:00.250Z"),
      attempt: 1)
    let secret = ReadVerificationSecret.Output(
      token: "tWqUgWuOYw0vVvKzv8f2jW1TNSnQ1LxC7uQ3gX2dB4E", email: try EmailAddress(text: "Ana.Ruiz@Ñandú.example"),
      username: try Username(text: username), language: language, expiresAt: try Instant(text: "2026-11-22T08:43:00.250Z"))
    let from = try #require(MailAddress("racha@example.org"))
    return try VerificationMail().message(job, secret, from: from, publicURL: url)
  }

  @Test("are to the byte what is kept in the golden files", arguments: Language.allCases)
  func golden(language: Language) throws {
    let file = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
      .appendingPathComponent("Golden/verification.\(language.rawValue).eml")
    let bytes = try MailMessageTests.message(language).bytes
    if ProcessInfo.processInfo.environment["RACHA_TEST_WRITE_GOLDEN"] != nil { try Data(bytes).write(to: file) }
    #expect(String(decoding: bytes, as: UTF8.self) == String(decoding: try Data(contentsOf: file), as: UTF8.self))
  }

  @Test("have lines of 7-bit characters, at most 78 of them, ending in CRLF", arguments: Language.allCases)
  func lines(language: Language) throws {
    let text = String(decoding: try MailMessageTests.message(language).bytes, as: UTF8.self)
    for line in text.components(separatedBy: "\r\n") {
      #expect(line.utf8.count <= 78)
      #expect(line.utf8.allSatisfy { (0x20...0x7E).contains($0) }, "\(line)")
    }
  }

  @Test("are the same bytes under the same id when they are sent again")
  func repeated() throws {
    let (one, other) = (try MailMessageTests.message(.spanish), try MailMessageTests.message(.spanish))
    #expect(one.bytes == other.bytes)
    #expect(one.messageID == "<01a2b3c4-d5e6-7f80-9122-334455667788@example.org>")
  }

  @Test("escape in HTML what HTML would read, and nothing in plain text")
  func escaping() throws {
    let message = try MailMessageTests.message(.english, url: "https://racha.example/?a=1&b=<x>")
    #expect(message.html.contains("?a=1&amp;b=&lt;x&gt;/verify"))
    #expect(message.text.contains("?a=1&b=<x>/verify"))
  }

  @Test("carry the token alone on a line, for apps that ask for it", arguments: Language.allCases)
  func token(language: Language) throws {
    let lines = try MailMessageTests.message(language).text.split(separator: "\n")
    #expect(lines.contains("tWqUgWuOYw0vVvKzv8f2jW1TNSnQ1LxC7uQ3gX2dB4E"))
  }
}
