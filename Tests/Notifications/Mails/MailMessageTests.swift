import ActivityContract
import Foundation
import IdentityContract
import NotificationsContract
import Operations
import RewardsContract
import Testing

@testable import NotificationsService

@Suite("Mails")
struct MailMessageTests {
  /// Where the mails of some kinds lead; those of others, to the page by which a password is recovered.
  private static let pages =
    [
      "verification": "/verify", "loginNoticed": "/login-alert", "loginSuspicious": "/login-alert",
      "loginRefused": "/login-alert",
      "emailChange": "/change-email", "emailChanged": "/undo-email-change", "emailChangeNotice": "/undo-email-change",
      "suspensionLink": "/suspension", "reminderDue": "/reminder",
    ].merging(front.map { ($0, "") }) { $1 }

  /// Those that lead to the first page.
  private static let front = [
    "notification", "digest", "weeklySummary", "incident", "report", "reportActed", "reportDismissed", "contentRemoved",
    "accountWarned", "accountSuspended", "accountBanned", "appealGranted", "appealRefused", "suspensionEnded",
  ]

  static func spec(_ kind: String) throws -> MailSpec { try #require(MailSpec.named(kind)) }

  /// A mail with a sample of every value that any kind has, with the link that ends its kind and its thread where it has them.
  ///
  /// - Parameter stranger: what everything says that others chose.
  static func message(
    _ language: Language, _ spec: MailSpec? = nil, url: String = "https://racha.example", username: String = "ana.ruiz",
    stranger: String? = nil, composer: MailComposer? = nil
  ) throws -> MailMessage {
    let spec = try spec ?? self.spec("verification")
    let account = try AccountID(text: "01a2b3c4-d5e6-7f80-9122-000000000001")
    let job = MailStore.Job(
      id: try ID(text: "01a2b3c4-d5e6-7f80-9122-334455667788"), kind: spec.name, subjectID: ID(), account: account,
      createdAt: try Instant(text: "2026-11-21T08:43:00.250Z"), attempt: 1)
    let isOfLink = !spec.source.values.isDisjoint(with: ["token", "confirmURL"])
    let hasToken = isOfLink || ["suspensionLink", "reminderDue"].contains(spec.name)
    let page = url + (pages[spec.name] ?? "/recover") + (hasToken ? "?token=\(token)" : "")
    let words = KindWordsTests.words
    let scopes = [AccessScope.activityRead, .activityWrite].map { words.text("scope.\($0.rawValue)", language) ?? "" }
    let until = words.text("mail.tokenCreated.expiry", language, ["until": .text("2027-01-02 03:04 UTC")])
    let state = words.text("mail.suspensionLink.until", language, ["until": .text("2026-12-01T08:43:00.000Z")])
    // Two services erased some of the same kind; of another there was nothing.
    let erased: [ErasureCount] = [
      .init(kind: .steps, count: 12), .init(kind: .messages, count: 3), .init(kind: .steps, count: 30),
      .init(kind: .mails, count: 0),
    ]
    let all: [String: MailValue] = [
      "url": .text(spec.name == "reminderDue" ? "\(page)&answer=done" : page), "token": .text(token),
      "at": .time(try Instant(text: "2026-11-22T08:43:00.250Z")),
      "confirmURL": .text(stranger ?? "\(page)&answer=confirm"), "device": .text(stranger ?? "Firefox & <b>"),
      "place": .text(stranger ?? "Bogotá, Colombia"), "title": .text(stranger ?? "<b> & title"),
      "lines": .lines(try lines(spec, language, stranger)),
      "recommendations": .lines(stranger.map { [$0] } ?? ["Do this.", "Do that, señora."]),
      "name": .text(LinkFree.name("cron at evil.example <b>")), "expiry": .text(until ?? ""), "scopes": .lines(scopes),
      "erased": .lines(MailSource.erased(erased, language, words)),
      "erasedAt": .time(try Instant(text: "2026-11-22T08:44:00.000Z")),
      "cleanBy": .time(try Instant(text: "2026-11-23T08:44:00.000Z")),
      "text": .text(comment(stranger).words(language).text), "count": .text("2"),
      "againURL": .text("\(page)&answer=again"), "activity": .text(LinkFree.text(stranger ?? "Run <b>")), "time": .text("07:30"),
      "reason": .text(stranger ?? "Insults & <b>, señor."), "state": .text(state ?? ""), "from": .text("2026-11-16"),
      "until": .text(spec.name == "weeklySummary" ? "2026-11-22" : "2026-12-01 08:43 UTC"),
      "noteWords": .text(words.text("weeklySummary.checkpoint", language) ?? ""),
      "note": .verbatim("racha.example/register\n12\n4m4mZ0=\n\n— racha.example/register AbCdEf==\n"),
    ]
    var content = MailContent(
      email: try EmailAddress(text: "Ana.Ruiz@Ñandú.example"), username: try Username(text: username), language: language,
      values: all.filter { spec.source.values.contains($0.key) })
    if spec == .notification { content.subject = comment(stranger).words(language).title }
    content.thread = threads[spec.name]
    return try (composer ?? MailComposer()).message(
      job, spec, content, from: try #require(MailAddress("racha@example.org")), ending: end(of: spec, account, url))
  }

  /// What mails of some kinds are about with others.
  private static let threads = [
    "notification": "task-01a2b3c4-d5e6-7f80-9122-000000000002", "reminderDue": "reminder-01a2b3c4-d5e6-7f80-9122-000000000003",
  ]

  /// The link that ends mails of a kind; nil where nothing does.
  private static func end(of spec: MailSpec, _ account: AccountID, _ url: String) -> String? {
    let scope: UnsubscribeScope
    switch spec {
    case .digest: scope = .all
    case .notification: scope = .kind("taskCommented")
    default: scope = .kind(NotificationSpec.all.first { $0.mail == spec }?.name ?? spec.name)
    }
    let links = UnsubscribeLinks(secret: Array(repeating: 7, count: 32))
    return scope.kinds.isEmpty ? nil : "\(url)/unsubscribe?token=\(links.token(scope, of: account))"
  }

  /// What goes by mail in the common words.
  private static func comment(_ stranger: String?) -> DeliveryContent {
    let parameters = ["username": "ben", "task": stranger ?? "Paint <b>", "comment": stranger ?? "Done & dry, señora."]
    return DeliveryContent(
      kind: "taskCommented",
      content: NotificationContent(parameters: parameters.mapValues { .text($0) }, links: NotificationLinks()))
  }

  private static func lines(_ spec: MailSpec, _ language: Language, _ stranger: String?) throws -> [String] {
    switch spec.name {
    case "digest":
      let completed = DeliveryContent(
        kind: "taskCompleted", content: NotificationContent(parameters: ["task": .text("Cook")], links: NotificationLinks()))
      return [comment(stranger), completed].map { "\($0.words(language).title): \($0.words(language).text)" }
    case "weeklySummary":
      let account = AccountID()
      let week = ActivityWeek(
        accountID: account, steps: 61_234, walkedDays: 6, doneEntries: 9,
        keptStreaks: [KeptStreak(title: stranger ?? "Run <b>", current: 12, unit: .days)], keptStreakCount: 1,
        brokenStreaks: ["Piano"], brokenStreakCount: 1)
      return WeeklySummary(
        firstDay: try LocalDay(text: "2026-11-16"), activity: week,
        coins: CoinWeek(accountID: account, earned: 61, spent: 20, balance: 1041), acceptedChallenges: 2
      ).lines(language, naming: true)
    default: return stranger.map { [$0] } ?? ["Severity: <b>", "Events so far: 7"]
    }
  }

  /// What must stand in a mail that has the value.
  private static func wanted(_ value: String, _ spec: MailSpec, _ language: Language) throws -> [String] {
    switch value {
    case "lines": try lines(spec, language, nil)
    case "text": [comment(nil).words(language).text]
    default: [samples[value]].compactMap { $0 }
    }
  }

  private static let samples = [
    "place": "Bogotá, Colombia", "recommendations": "Do this.", "name": "cron at evil. example <b>",
    "expiry": "2027-01-02 03:04 UTC", "cleanBy": "2026-11-23 08:44 UTC", "reason": "Insults & <b>, señor.",
    "state": "2026-12-01 08:43 UTC", "activity": "Run <b>",
  ]

  private static let token = "tWqUgWuOYw0vVvKzv8f2jW1TNSnQ1LxC7uQ3gX2dB4E"

  private static let golden = URL(fileURLWithPath: #filePath).deletingLastPathComponent().appendingPathComponent("Golden")

  private static func goldenName(_ kind: MailSpec, _ language: Language) -> String { "\(kind.name).\(language.rawValue).eml" }

  @Test(
    "Mails equal their golden files byte for byte, which RACHA_TEST_WRITE=1 writes", arguments: MailSpec.all,
    Language.allCases)
  func golden(kind: MailSpec, language: Language) throws {
    let file = MailMessageTests.golden.appendingPathComponent(MailMessageTests.goldenName(kind, language))
    let bytes = try MailMessageTests.message(language, kind).bytes
    if ProcessInfo.processInfo.environment["RACHA_TEST_WRITE"] == "1" { try Data(bytes).write(to: file) }
    #expect(String(decoding: bytes, as: UTF8.self) == String(decoding: try Data(contentsOf: file), as: UTF8.self))
  }

  @Test("Every golden file belongs to an existing mail")
  func goldenFiles() throws {
    let names = try FileManager.default.contentsOfDirectory(atPath: MailMessageTests.golden.path)
    let wanted = MailSpec.all.flatMap { kind in Language.allCases.map { MailMessageTests.goldenName(kind, $0) } }
    #expect(Set(names) == Set(wanted))
  }

  @Test("Optional mails have an unsubscribe link for people and programs, and those about the same thing form a thread")
  func heads() throws {
    let ended = try MailSpec.all.filter { try MailMessageTests.message(.english, $0).end != nil }
    let optional = ["notification", "digest", "reminderDue", "weeklySummary", "reportActed", "reportDismissed", "report"]
    #expect(Set(ended.map(\.name)) == Set(optional))
    for kind in MailSpec.all {
      let message = try MailMessageTests.message(.english, kind)
      let text = String(decoding: message.bytes, as: UTF8.self)
      #expect(text.contains("\r\nList-Unsubscribe:\r\n <https://racha.example/unsubscribe?token=") == ended.contains(kind))
      #expect(text.contains("\r\nList-Unsubscribe-Post: List-Unsubscribe=One-Click\r\n") == ended.contains(kind))
      if let end = message.end { #expect(message.text.contains(end) && message.html.contains("<a href=\"\(end)\">")) }
      let thread = message.thread.map { "<\($0)@example.org>" }
      #expect(text.contains("\r\nIn-Reply-To: \(thread ?? "")") == (thread != nil))
      #expect(text.contains("\r\nReferences: \(thread ?? "")") == (thread != nil))
    }
  }

  @Test("Mails begin with a capital letter, whatever the greeting ends with", arguments: MailSpec.all, Language.allCases)
  func capital(kind: MailSpec, language: Language) throws {
    // The report begins with its title, which is identity's, and a notification with whoever it is of.
    guard kind.name != "report", kind != .notification else { return }
    let paragraphs = try MailMessageTests.message(language, kind).text.components(separatedBy: "\n\n")
    let letter = try #require(paragraphs[1].first { $0.isLetter })
    #expect(letter.isUppercase, "\(paragraphs[1])")
  }

  @Test(
    "A mail about a login names device and place in a paragraph each",
    arguments: ["loginNoticed", "loginSuspicious", "loginRefused"], Language.allCases)
  func login(kind: String, language: Language) throws {
    let message = try MailMessageTests.message(language, MailMessageTests.spec(kind))
    let paragraphs = message.text.components(separatedBy: "\n\n")
    for value in ["Firefox & <b>", "Bogotá, Colombia"] {
      #expect(paragraphs.count { $0.hasSuffix(": \(value)") } == 1, "\(paragraphs)")
      #expect(message.html.contains(": \(Markup.escaped(value))</p>"))
    }
  }

  @Test(
    "Lines of mails are 7-bit, end in CRLF and have at most 78 characters, except the unsubscribe address",
    arguments: MailSpec.all, Language.allCases)
  func lines(kind: MailSpec, language: Language) throws {
    let text = String(decoding: try MailMessageTests.message(language, kind).bytes, as: UTF8.self)
    for line in text.components(separatedBy: "\r\n") {
      #expect(line.utf8.count <= (line.hasPrefix(" <https://") ? 300 : 78))
      #expect(line.utf8.allSatisfy { (0x20...0x7E).contains($0) }, "\(line)")
    }
  }

  @Test("A mail that is sent again has the same bytes and id")
  func repeated() throws {
    let (one, other) = (try MailMessageTests.message(.spanish), try MailMessageTests.message(.spanish))
    #expect(one.bytes == other.bytes)
    #expect(one.messageID == "<01a2b3c4-d5e6-7f80-9122-334455667788@example.org>")
  }

  @Test("Mails escape values in HTML, and nothing in plain text")
  func escaping() throws {
    let message = try MailMessageTests.message(.english, url: "https://racha.example/?a=1&b=<x>")
    #expect(message.html.contains("?a=1&amp;b=&lt;x&gt;/verify"))
    #expect(message.text.contains("?a=1&b=<x>/verify"))
  }

  @Test(
    "Mails let no markup joined to neighbouring characters through, in any template",
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
    "Mails contain nothing that mail programs turn into a link because of a chosen username (NOT-6)",
    arguments: MailSpec.all, Language.allCases)
  func names(kind: MailSpec, language: Language) throws {
    let message = try MailMessageTests.message(language, kind, username: "bit.ly.732862")
    for text in [message.text, message.html] { #expect(!text.contains("bit.ly") && text.contains("bit ly 732862")) }
  }

  @Test(
    "Mails carry a link's token on a line of its own, for apps that ask for it",
    arguments: ["verification", "recovery", "emailChange"],
    Language.allCases)
  func token(kind: String, language: Language) throws {
    let lines = try MailMessageTests.message(language, MailMessageTests.spec(kind)).text.split(separator: "\n")
    #expect(lines.contains { $0 == MailMessageTests.token })
  }

  @Test("Mails leave no placeholder of their templates unfilled", arguments: MailSpec.all, Language.allCases)
  func filled(kind: MailSpec, language: Language) throws {
    let message = try MailMessageTests.message(language, kind)
    for text in [message.text, message.html] {
      #expect(!text.contains("{{") && text.contains("ana ruiz"))
      let values = kind.source.values
      for sample in try values.flatMap({ try MailMessageTests.wanted($0, kind, language) }) {
        #expect(text.contains(text == message.html ? Markup.escaped(sample) : sample), "\(sample)")
      }
      if case .layout(let actions) = kind.body, !actions.isEmpty {
        #expect(text.contains("https://racha.example\(MailMessageTests.pages[kind.name] ?? "/recover")"))
      }
      // Whoever has no account has nothing to open.
      if kind.name == MailSpec.deletionReport { #expect(!text.contains("https://")) }
      #expect(!text.contains("evil.example"))
      #expect(text.contains("2026-11-22 08:43 UTC") == values.contains("at"))
    }
    #expect(message.html.contains("<html lang=\"\(language.rawValue)\">") && message.html.contains("<title>\(message.subject)<"))
  }
}
