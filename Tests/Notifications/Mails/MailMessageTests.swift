import Foundation
import IdentityContract
import Operations
import Testing

@testable import NotificationsService

@Suite("Mails")
struct MailMessageTests {
  /// - Parameter stranger: what everything says that is put into a template.
  static func message(
    _ language: Language, _ kind: MailKind = .verification, url: String = "https://racha.example", username: String = "ana.ruiz",
    stranger: String? = nil
  ) throws -> MailMessage {
    let (subject, page, token): (MailSubject, String, String?) =
      switch kind {
      case .verification: (.verification(ID()), "verify", token)
      case .recovery: (.recovery(ID()), "recover", token)
      case .passwordChanged: (.passwordChanged(ID()), "recover", nil)
      case .loginNoticed: (.loginNoticed(ID()), "login-alert", token)
      case .loginSuspicious: (.loginSuspicious(ID()), "login-alert", token)
      case .loginRefused: (.loginRefused(ID()), "login-alert", token)
      case .locked: (.locked(ID()), "recover", nil)
      case .tokensReused: (.tokensReused(ID()), "recover", nil)
      case .everythingRevoked: (.everythingRevoked(ID()), "recover", nil)
      case .incident: (.incident(ID()), "", nil)
      case .report: (.report(ID()), "", nil)
      case .accountDeleted: (.accountDeleted(ID()), "", nil)
      case .emailChange: (.emailChange(ID()), "change-email", token)
      case .emailChanged: (.emailChanged(ID()), "undo-email-change", token)
      case .emailChangeNotice: (.emailChangeNotice(ID()), "undo-email-change", token)
      case .identityLinked: (.identityLinked(ID()), "recover", nil)
      case .identityUnlinked: (.identityUnlinked(ID()), "recover", nil)
      case .tokenCreated: (.tokenCreated(ID()), "recover", nil)
      }
    let job = MailQueue.Job(
      id: try ID(text: "01a2b3c4-d5e6-7f80-9122-334455667788"), subject: subject, account: ID(),
      createdAt: try Instant(text: "2026-11-21T08:43:00.250Z"),
      attempt: 1)
    var content = MailContent(
      email: try EmailAddress(text: "Ana.Ruiz@Ñandú.example"), username: try Username(text: username), language: language,
      url: "\(url)/\(page)" + (token.map { "?token=\($0)" } ?? ""), token: token,
      at: try Instant(text: "2026-11-22T08:43:00.250Z"),
      // Two services erased some of the same kind; of another there was nothing.
      erased: [.init(kind: .steps, count: 12), .init(kind: .messages, count: 3), .init(kind: .steps, count: 30)]
        + [.init(kind: .mails, count: 0)])
    if kind == .accountDeleted {
      content.erasedAt = try Instant(text: "2026-11-22T08:44:00.000Z")
      content.cleanBy = try Instant(text: "2026-11-23T08:44:00.000Z")
    }
    if page == "login-alert" {
      content.confirmURL = "\(content.url)&answer=confirm"
      content.device = "Firefox & <b>"
      content.place = "Bogotá, Colombia"
    }
    if kind == .incident || kind == .report {
      content.security = SecurityMail(
        email: content.email, username: content.username, language: language, title: "<b> & title",
        lines: ["Severity: <b>", "Events so far: 7"], recommendations: ["Do this.", "Do that, señora."])
    }
    if kind == .tokenCreated {
      content.made = PersonalAccessToken(
        id: ID(), name: try PersonalAccessTokenName(text: "cron at evil.example <b>"), scopes: [.activityWrite, .activityRead],
        createdAt: content.at, expiresAt: try Instant(text: "2027-01-02T03:04:05.000Z"), lastUsedAt: nil)
    }
    if let stranger {
      (content.device, content.place, content.confirmURL) = (stranger, stranger, stranger)
      if let security = content.security {
        content.security = SecurityMail(
          email: security.email, username: security.username, language: language, title: stranger, lines: [stranger],
          recommendations: [stranger])
      }
    }
    return try MailTemplates().message(job, content, from: try #require(MailAddress("racha@example.org")))
  }

  private static let token = "tWqUgWuOYw0vVvKzv8f2jW1TNSnQ1LxC7uQ3gX2dB4E"

  @Test("are to the byte what is kept in the golden files", arguments: MailKind.allCases, Language.allCases)
  func golden(kind: MailKind, language: Language) throws {
    let file = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
      .appendingPathComponent("Golden/\(kind.rawValue).\(language.rawValue).eml")
    let bytes = try MailMessageTests.message(language, kind).bytes
    if ProcessInfo.processInfo.environment["RACHA_TEST_WRITE_GOLDEN"] != nil { try Data(bytes).write(to: file) }
    #expect(String(decoding: bytes, as: UTF8.self) == String(decoding: try Data(contentsOf: file), as: UTF8.self))
  }

  @Test("have lines of 7-bit characters, at most 78 of them, ending in CRLF", arguments: MailKind.allCases, Language.allCases)
  func lines(kind: MailKind, language: Language) throws {
    let text = String(decoding: try MailMessageTests.message(language, kind).bytes, as: UTF8.self)
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

  @Test(
    "let no markup through that is one character with what stands beside it, in any template",
    arguments: MailKind.allCases, Language.allCases)
  func joinedMarkup(kind: MailKind, language: Language) throws {
    let plain = try MailMessageTests.message(language, kind, url: "https://racha.example/x", stranger: "x").html
    let stranger = "x\u{600}<!--\u{D4E}\"\u{903}>\u{600}&\u{600}'"
    let html = try MailMessageTests.message(language, kind, url: "https://racha.example/" + stranger, stranger: stranger).html
    // As much markup as without it, and nothing of the mail is taken away.
    for sign in "<>\"'".utf8 { #expect(html.utf8.count { $0 == sign } == plain.utf8.count { $0 == sign }) }
    if plain.contains("/x") { #expect(Data(html.utf8).range(of: Data("&lt;!--".utf8)) != nil) }
  }

  @Test(
    "have nothing in them that a mail program would make a link of because somebody chose it as a username (NOT-6)",
    arguments: MailKind.allCases, Language.allCases)
  func names(kind: MailKind, language: Language) throws {
    let message = try MailMessageTests.message(language, kind, username: "bit.ly.732862")
    for text in [message.text, message.html] { #expect(!text.contains("bit.ly") && text.contains("bit ly 732862")) }
  }

  @Test(
    "carry the token of a link alone on a line, for apps that ask for it",
    arguments: [MailKind.verification, .recovery, .emailChange],
    Language.allCases)
  func token(kind: MailKind, language: Language) throws {
    let lines = try MailMessageTests.message(language, kind).text.split(separator: "\n")
    #expect(lines.contains { $0 == MailMessageTests.token })
  }

  @Test("leave nothing of their templates unfilled", arguments: MailKind.allCases, Language.allCases)
  func filled(kind: MailKind, language: Language) throws {
    let message = try MailMessageTests.message(language, kind)
    for text in [message.text, message.html] {
      #expect(!text.contains("{{") && text.contains("ana ruiz"))
      switch kind {
      case .verification: #expect(text.contains("https://racha.example/verify"))
      case .emailChange: #expect(text.contains("https://racha.example/change-email"))
      case .recovery, .passwordChanged, .locked, .tokensReused, .everythingRevoked, .identityLinked, .identityUnlinked:
        #expect(text.contains("https://racha.example/recover"))
      case .tokenCreated:
        #expect(text.contains("https://racha.example/recover") && text.contains("2027-01-02 03:04 UTC"))
        #expect(text.contains("cron at evil. example") && !text.contains("evil.example"))
      case .loginNoticed, .loginSuspicious, .loginRefused:
        #expect(text.contains("https://racha.example/login-alert?token=") && text.contains("Bogotá, Colombia"))
      case .incident, .report: #expect(text.contains("Do this.") && text.contains("Events so far: 7"))
      case .emailChanged, .emailChangeNotice: #expect(text.contains("https://racha.example/undo-email-change?token="))
      // Whoever has no account has nothing to open.
      case .accountDeleted: #expect(!text.contains("https://"))
      }
      let tellsTime = kind != .incident && kind != .report
      #expect(text.contains("2026-11-22 08:43 UTC") == tellsTime)
    }
    #expect(message.html.contains("<html lang=\"\(language.rawValue)\">") && message.html.contains("<title>\(message.subject)<"))
  }
}
