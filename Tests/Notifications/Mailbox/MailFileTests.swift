import Foundation
import InProcess
import Operations
import Sampling
import Testing

@testable import NotificationsService

@Suite("Files of mails")
struct MailFileTests {
  private func read(_ text: String) -> MailFile { MailFile(Array(text.utf8)) }

  @Test("A mail's file is read as it was written", arguments: Language.allCases)
  func roundTrip(language: Language) throws {
    let message = try MailMessageTests.message(language)
    let mail = MailFile(message.bytes)
    #expect(mail.subject == message.subject)
    #expect(mail.from == "Racha <\(message.from)>" && mail.to == "<\(message.to)>")
    #expect(mail.text?.trimmingCharacters(in: .newlines) == message.text.trimmingCharacters(in: .newlines))
    #expect(mail.html?.trimmingCharacters(in: .newlines) == message.html.trimmingCharacters(in: .newlines))
  }

  @Test("A mail's file by another program is read, too: encoded words, base64, nested parts, lines ending in LF alone")
  func others() {
    let mail = read(
      """
      SUBJECT: =?utf-8?Q?caf=C3=A9_?= =?UTF-8?B?w7E=?= and =?x
      from: a@example.org
      Subject: a second one
      Content-Type: Multipart/Mixed;\tboundary=outer

      --outer
      Content-Type: multipart/alternative; boundary="in ner"

      --in ner
      Content-Transfer-Encoding: base64

      aG9s
      YSDDsQ==
      --in ner
      Content-Type: text/html; charset=utf-8
      Content-Transfer-Encoding: quoted-printable

      <b>=C3=B1</b> a=
      b 100=% =
      --in ner--
      --outer
      Content-Type: text/plain

      an attachment
      --outer--
      """)
    #expect(mail.subject == "café ñ and =?x")
    #expect(mail.from == "a@example.org" && mail.to == "")
    #expect(mail.text == "hola ñ")
    #expect(mail.html == "<b>ñ</b> ab 100=% ")
  }

  @Test("A mail's file is shown without control characters, whatever wrote it")
  func control() {
    let hostile = Data("a\r\nBcc: x@example.org\u{0}\u{7F}".utf8).base64EncodedString()
    let mail = read("Subject: =?utf-8?B?\(hostile)?=\r\n\r\nbell \u{7} and\ttab\r\nline")
    #expect(mail.subject == "a\u{FFFD}\u{FFFD}Bcc: x@example.org\u{FFFD}\u{FFFD}")
    #expect(mail.text == "bell \u{FFFD} and\ttab\nline")
  }

  @Test("A mail's file may be truncated anywhere, nested endlessly, or no mail at all")
  func broken() throws {
    let bytes = try MailMessageTests.message(.spanish).bytes
    for count in 0...bytes.count { _ = MailFile(Array(bytes[..<count])) }
    var nested = ""
    for depth in 0..<50 { nested += "Content-Type: multipart/mixed; boundary=b\(depth)\n\n--b\(depth)\n" }
    #expect(read(nested + "\nfar inside").text == nil)
    #expect(read("Content-Type: multipart/mixed\n\nno boundary").text == nil)
    #expect(read("Content-Type: multipart/mixed; boundary=\"\"\n\n--\n\nx").text == nil)
    var generator = SeededGenerator(7)
    for _ in 0..<500 {
      var bytes = bytes
      for _ in 0..<20 {
        bytes[Int.random(in: 0..<bytes.count, using: &generator)] = UInt8.random(in: 0...255, using: &generator)
      }
      _ = MailFile(bytes)
    }
  }

  @Test("A long field of a mail's file is shown in part")
  func long() {
    let mail = read("Subject: " + String(repeating: "x", count: 100_000) + "\n" + String(repeating: " y\n", count: 10_000))
    #expect(mail.subject.count == 500)
  }
}
