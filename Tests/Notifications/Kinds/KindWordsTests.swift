import NotificationsContract
import Operations
import Testing

@testable import NotificationsService

@Suite("Texts of the kinds of notifications and mails (NOT-4, NOT-6)")
struct KindWordsTests {
  static let words = Words(Contract.notifications.words)

  @Test("Each kind of notification and mail is declared exactly once")
  func declarations() {
    #expect(Set(NotificationSpec.all.map(\.name)).count == NotificationSpec.all.count)
    #expect(Set(MailSpec.all.map(\.name)).count == MailSpec.all.count)
    let declared = NotificationSpec.all.compactMap(\.inbox?.kind.rawValue)
    #expect(declared.sorted() == NotificationKind.allCases.map(\.rawValue))
    #expect(NotificationSpec.all.allSatisfy { $0.inbox != nil || $0.mail != nil })
  }

  @Test(
    "Each kind of notification has a title and a text in both languages, with its own values only",
    arguments: NotificationSpec.all)
  func inbox(kind: NotificationSpec) throws {
    for language in Language.allCases { #expect(!kind.title(language).isBlank, "\(language)") }
    guard let inbox = kind.inbox else { return }
    for (part, language) in ["title", "text"].flatMap({ part in Language.allCases.map { (part, $0) } }) {
      let found = try #require(
        KindWordsTests.words.parameters("notification.\(kind.name).\(part)", language), "\(part) \(language)")
      #expect(found.isSubset(of: inbox.values), "\(part) \(language)")
    }
  }

  @Test(
    "Each mail has subject, paragraphs and buttons in both languages, with its own values only",
    arguments: MailSpec.all)
  func mail(spec: MailSpec) throws {
    let values = spec.source.values.union(["username"])
    for language in Language.allCases {
      func parameters(_ part: String) -> Set<String>? { KindWordsTests.words.parameters("mail.\(spec.name).\(part)", language) }
      #expect(parameters("subject") == [])
      guard case .layout(let actions) = spec.body else { continue }
      #expect(try #require(parameters("body"), "\(language)").isSubset(of: values.union(["actions"])))
      for action in actions {
        #expect(parameters(action.name) == [] && values.contains(action.url), "\(action.name) \(language)")
        #expect(!action.hasCode || values.contains("token"))
        if let words = action.addressWords { #expect(KindWordsTests.words.parameters(words, language) == []) }
      }
      for part in ["plain", "preheader", "reason"] {
        #expect((parameters(part) ?? []).isSubset(of: values), "\(part) \(language)")
      }
    }
  }

  @Test("Mails and pushes contain texts of the system and operators in full, and those of others shortened and without links")
  func ownWords() {
    let long = "On Sunday from 6:00 on Racha is away for an hour. What is new stands at https://racha.example/news."
    func text(_ kind: NotificationKind, _ parameters: [String: Parameter], _ language: Language = .english) -> String {
      DeliveryContent(kind: kind, content: NotificationContent(parameters: parameters, links: NotificationLinks())).words(
        language
      )
      .text
    }
    #expect(text("announcement", ["title": .text("News"), "text": .text(long)]).contains(long))
    let summary: [String: Parameter] = [
      "from": .text("2026-11-16"), "until": .text("2026-11-22"), "summary": .text("Steps."), "summary.es": .text(long),
    ]
    #expect(text("weeklySummary", summary, .spanish).contains(long))
    let adjusted: [String: Parameter] = ["coins": .number(5), "balance": .number(9), "reason": .text(long)]
    #expect(text("coinsAdjusted", adjusted).contains(long))
    let asked = text("friendRequestReceived", ["username": .text(long)])
    #expect(!asked.contains("racha.example") && !asked.contains("away for an hour"))
  }

  @Test("The texts that all mails share exist in both languages", arguments: Language.allCases)
  func common(language: Language) {
    #expect(KindWordsTests.words.parameters("mail.greeting", language) == ["username"])
    for name in ["footer", "code"] { #expect(KindWordsTests.words.parameters("mail.\(name)", language) == []) }
  }
}
