import Foundation
import Operations
import Testing

@testable import NotificationsService

@Suite("The common layout of mails (NOT-6)")
struct MailLayoutTests {
  private static let words = #"""
    {"mail.greeting": "Hello {username},", "mail.footer": "Racha", "mail.code": "Your code:", "mail.openLink": "Or open:",
    "mail.sample.subject": "Sample", "mail.sample.preheader": "Beside <the> subject", "mail.sample.reason": "You asked for it.",
    "mail.sample.body": "first & {place}\n\n{lines}\n\n{actions}\n\nlast", "mail.sample.action": "Open it",
    "mail.short.subject": "Short", "mail.short.body": "only {place}", "mail.short.action": "Go"}
    """#

  private static func message(_ name: String, _ place: String = "Bogotá, Colombia") throws -> MailMessage {
    let source = MailSource(["url", "token", "place", "lines"]) { _, _ in throw Failure(RequestFailure.notFound) }
    let action: MailAction = name == "short" ? .alarm : .secretLink
    let spec = MailSpec(name, from: source, actions: [action])
    let bytes = Array(words.utf8)
    let composer = try MailComposer([spec], words: Words([.init(en: bytes, es: bytes)]))
    return try MailMessageTests.message(.english, spec, stranger: place, composer: composer)
  }

  @Test("A mail has greeting, paragraphs, lists, actions, footer and reason, in this order")
  func order() throws {
    let message = try MailLayoutTests.message("sample")
    let text = message.text.split(separator: "\n\n")
    #expect(text.count == 9 && text[0] == "Hello ana ruiz," && text[1] == "first & Bogotá, Colombia")
    #expect(text[2] == "- Bogotá, Colombia" && text[3].hasPrefix("Open it:\nhttps://") && text[4] == "Your code:")
    #expect(text[6] == "last" && text[7] == "Racha" && text[8] == "You asked for it.\n")
    let parts = [
      "Beside &lt;the&gt; subject", "Hello ana ruiz,", "<p>first &amp; Bogotá, Colombia</p>", "<li>Bogotá, Colombia</li>",
      ">Open it</a>", "Or open:", "<code>", "<p>last</p>", "<p>Racha</p>", "You asked for it.",
    ]
    var rest = message.html[...]
    for part in parts {
      let found = try #require(rest.firstRange(of: part), "\(part)")
      rest = rest[found.upperBound...]
    }
  }

  @Test(
    "A mail has its actions at the end unless its text places them, and leaves out parts without texts")
  func short() throws {
    let message = try MailLayoutTests.message("short")
    #expect(
      message.text.hasPrefix("Hello ana ruiz,\n\nonly Bogotá, Colombia\n\nGo:\nhttps://") && message.text.hasSuffix("\n\nRacha\n")
    )
    #expect(!message.html.contains("display: none") && message.html.contains("#8b1a1a"))
  }

  @Test(
    "A value in a mail is never treated as a paragraph, an action or a list",
    arguments: ["{actions}", "{lines}", "{url}", "a\n\n{actions}"])
  func values(text: String) throws {
    let message = try MailLayoutTests.message("short", text)
    #expect(message.html.contains("<p>only \(text)</p>") && message.text.contains("only \(text)\n"))
    #expect(message.html.components(separatedBy: "<a ").count == 2)
  }
}
