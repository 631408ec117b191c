import Foundation
import IdentityContract
import Operations
import Testing

@testable import NotificationsService

@Suite("Mails")
struct MailMessageTests {
  /// Where the mails of some kinds lead; those of others, to the page by which a password is recovered.
  private static let pages = [
    "verification": "verify", "loginNoticed": "login-alert", "loginSuspicious": "login-alert", "loginRefused": "login-alert",
    "emailChange": "change-email", "emailChanged": "undo-email-change", "emailChangeNotice": "undo-email-change",
  ]

  static func spec(_ kind: String) throws -> MailSpec { try #require(MailSpec.named(kind)) }

  /// A mail with a sample of every value that any kind has.
  ///
  /// - Parameter stranger: what everything says that others chose.
  static func message(
    _ language: Language, _ spec: MailSpec? = nil, url: String = "https://racha.example", username: String = "ana.ruiz",
    stranger: String? = nil, end: String? = nil, thread: String? = nil, composer: MailComposer? = nil
  ) throws -> MailMessage {
    let spec = try spec ?? self.spec("verification")
    let job = MailStore.Job(
      id: try ID(text: "01a2b3c4-d5e6-7f80-9122-334455667788"), kind: spec.name, subjectID: ID(), account: ID(),
      createdAt: try Instant(text: "2026-11-21T08:43:00.250Z"), attempt: 1)
    let hasToken = spec.source.values.contains("token") || spec.source.values.contains("confirmURL")
    let page = "\(url)/\(pages[spec.name] ?? "recover")" + (hasToken ? "?token=\(token)" : "")
    let words = KindWordsTests.words
    let scopes = [AccessScope.activityRead, .activityWrite].map { words.text("scope.\($0.rawValue)", language) ?? "" }
    let until = words.text("mail.tokenCreated.expiry", language, ["until": .text("2027-01-02 03:04 UTC")])
    // Two services erased some of the same kind; of another there was nothing.
    let erased: [ErasureCount] = [
      .init(kind: .steps, count: 12), .init(kind: .messages, count: 3), .init(kind: .steps, count: 30),
      .init(kind: .mails, count: 0),
    ]
    let all: [String: MailValue] = [
      "url": .text(page), "token": .text(token), "at": .time(try Instant(text: "2026-11-22T08:43:00.250Z")),
      "confirmURL": .text(stranger ?? "\(page)&answer=confirm"), "device": .text(stranger ?? "Firefox & <b>"),
      "place": .text(stranger ?? "Bogotá, Colombia"), "title": .text(stranger ?? "<b> & title"),
      "lines": .lines(stranger.map { [$0] } ?? ["Severity: <b>", "Events so far: 7"]),
      "recommendations": .lines(stranger.map { [$0] } ?? ["Do this.", "Do that, señora."]),
      "name": .text(LinkFree.name("cron at evil.example <b>")), "expiry": .text(until ?? ""), "scopes": .lines(scopes),
      "erased": .lines(MailSource.erased(erased, language, words)),
      "erasedAt": .time(try Instant(text: "2026-11-22T08:44:00.000Z")),
      "cleanBy": .time(try Instant(text: "2026-11-23T08:44:00.000Z")),
      "text": .text(LinkFree.text(stranger ?? "Ana <b> & José have written.")), "count": .text("2"),
      "againURL": .text("\(page)&answer=again"), "activity": .text(LinkFree.text(stranger ?? "Run <b>")), "time": .text("07:30"),
      "reason": .text(stranger ?? "Insults & <b>, señor."), "until": .text("2026-12-01 08:43 UTC"),
      "from": .text("2026-11-24"), "noteWords": .text("Keep this mail."),
      "note": .verbatim("racha.example/register\n12\n4m4mZ0=\n\n— racha.example/register AbCdEf==\n"),
    ]
    var content = MailContent(
      email: try EmailAddress(text: "Ana.Ruiz@Ñandú.example"), username: try Username(text: username), language: language,
      values: all.filter { spec.source.values.contains($0.key) })
    content.thread = thread
    return try (composer ?? MailComposer()).message(
      job, spec, content, from: try #require(MailAddress("racha@example.org")), ending: end)
  }

  /// What must stand in a mail that has the value.
  private static let samples = [
    "place": "Bogotá, Colombia", "recommendations": "Do this.", "lines": "Events so far: 7", "name": "cron at evil. example <b>",
    "expiry": "2027-01-02 03:04 UTC", "cleanBy": "2026-11-23 08:44 UTC", "reason": "Insults & <b>, señor.",
  ]

  private static let token = "tWqUgWuOYw0vVvKzv8f2jW1TNSnQ1LxC7uQ3gX2dB4E"

  private static let golden = URL(fileURLWithPath: #filePath).deletingLastPathComponent().appendingPathComponent("Golden")

  /// What is kept of mails that were sent once, `<kind>.<language>.eml`; a new kind needs none.
  static let goldenNames: [String] = {
    do {
      return try FileManager.default.contentsOfDirectory(atPath: golden.path).filter { $0.hasSuffix(".eml") }.sorted()
    } catch {
      return ["\(error)"]
    }
  }()

  @Test("Mails are to the byte what is kept in the golden files", arguments: goldenNames)
  func golden(name: String) throws {
    let parts = name.split(separator: ".").map(String.init)
    let language = try #require(Language(rawValue: parts[1]))
    let file = MailMessageTests.golden.appendingPathComponent(name)
    let bytes = try MailMessageTests.message(language, MailMessageTests.spec(parts[0])).bytes
    if ProcessInfo.processInfo.environment["RACHA_TEST_WRITE_GOLDEN"] != nil { try Data(bytes).write(to: file) }
    #expect(String(decoding: bytes, as: UTF8.self) == String(decoding: try Data(contentsOf: file), as: UTF8.self))
  }

  @Test("Mails begin with a capital letter, whatever the greeting ends with", arguments: MailSpec.all, Language.allCases)
  func capital(kind: MailSpec, language: Language) throws {
    // The report begins with its title, which is identity's.
    guard kind.name != "report" else { return }
    let paragraphs = try MailMessageTests.message(language, kind).text.components(separatedBy: "\n\n")
    let letter = try #require(paragraphs[1].first { $0.isLetter })
    #expect(letter.isUppercase, "\(paragraphs[1])")
  }

  @Test(
    "Mails of a login name the device and the place each in a paragraph of its own",
    arguments: ["loginNoticed", "loginSuspicious", "loginRefused"], Language.allCases)
  func login(kind: String, language: Language) throws {
    let message = try MailMessageTests.message(language, MailMessageTests.spec(kind))
    let paragraphs = message.text.components(separatedBy: "\n\n")
    for value in ["Firefox & <b>", "Bogotá, Colombia"] {
      #expect(paragraphs.count { $0.hasSuffix(": \(value)") } == 1, "\(paragraphs)")
      #expect(message.html.contains(": \(Markup.escaped(value))</p>"))
    }
  }

  @Test("Mails have lines of 7-bit characters, at most 78 of them, ending in CRLF", arguments: MailSpec.all, Language.allCases)
  func lines(kind: MailSpec, language: Language) throws {
    let text = String(decoding: try MailMessageTests.message(language, kind).bytes, as: UTF8.self)
    for line in text.components(separatedBy: "\r\n") {
      #expect(line.utf8.count <= 78)
      #expect(line.utf8.allSatisfy { (0x20...0x7E).contains($0) }, "\(line)")
    }
  }

  @Test("Mails are the same bytes under the same id when they are sent again")
  func repeated() throws {
    let (one, other) = (try MailMessageTests.message(.spanish), try MailMessageTests.message(.spanish))
    #expect(one.bytes == other.bytes)
    #expect(one.messageID == "<01a2b3c4-d5e6-7f80-9122-334455667788@example.org>")
  }

  @Test("Mails escape in HTML what HTML would read, and nothing in plain text")
  func escaping() throws {
    let message = try MailMessageTests.message(.english, url: "https://racha.example/?a=1&b=<x>")
    #expect(message.html.contains("?a=1&amp;b=&lt;x&gt;/verify"))
    #expect(message.text.contains("?a=1&b=<x>/verify"))
  }

  @Test(
    "Mails let no markup through that is one character with what stands beside it, in any template",
    arguments: MailSpec.all, Language.allCases)
  func joinedMarkup(kind: MailSpec, language: Language) throws {
    let plain = try MailMessageTests.message(language, kind, url: "https://racha.example/x", stranger: "x").html
    let stranger = "x\u{600}<!--\u{D4E}\"\u{903}>\u{600}&\u{600}'"
    let html = try MailMessageTests.message(language, kind, url: "https://racha.example/" + stranger, stranger: stranger).html
    // As much markup as without it, and nothing of the mail is taken away.
    for sign in "<>\"'".utf8 { #expect(html.utf8.count { $0 == sign } == plain.utf8.count { $0 == sign }) }
    if plain.contains("/x") { #expect(Data(html.utf8).range(of: Data("&lt;!--".utf8)) != nil) }
  }

  @Test(
    "Mails have nothing in them that a mail program would make a link of because somebody chose it as a username (NOT-6)",
    arguments: MailSpec.all, Language.allCases)
  func names(kind: MailSpec, language: Language) throws {
    let message = try MailMessageTests.message(language, kind, username: "bit.ly.732862")
    for text in [message.text, message.html] { #expect(!text.contains("bit.ly") && text.contains("bit ly 732862")) }
  }

  @Test(
    "Mails carry the token of a link alone on a line, for apps that ask for it",
    arguments: ["verification", "recovery", "emailChange"],
    Language.allCases)
  func token(kind: String, language: Language) throws {
    let lines = try MailMessageTests.message(language, MailMessageTests.spec(kind)).text.split(separator: "\n")
    #expect(lines.contains { $0 == MailMessageTests.token })
  }

  @Test("Mails leave nothing of their templates unfilled", arguments: MailSpec.all, Language.allCases)
  func filled(kind: MailSpec, language: Language) throws {
    let message = try MailMessageTests.message(language, kind)
    for text in [message.text, message.html] {
      #expect(!text.contains("{{") && text.contains("ana ruiz"))
      let values = kind.source.values
      for value in values {
        guard let sample = MailMessageTests.samples[value] else { continue }
        #expect(text.contains(text == message.html ? Markup.escaped(sample) : sample), "\(value)")
      }
      if case .layout(let actions) = kind.body, !actions.isEmpty {
        #expect(text.contains("https://racha.example/\(MailMessageTests.pages[kind.name] ?? "recover")"))
      }
      // Whoever has no account has nothing to open.
      if kind.name == MailSpec.deletionReport { #expect(!text.contains("https://")) }
      #expect(!text.contains("evil.example"))
      #expect(text.contains("2026-11-22 08:43 UTC") == values.contains("at"))
    }
    #expect(message.html.contains("<html lang=\"\(language.rawValue)\">") && message.html.contains("<title>\(message.subject)<"))
  }
}
