import NotificationsContract
import Operations
import Testing

@testable import NotificationsService

@Suite("Contract of notifications")
struct NotificationsContractTests {
  @Test(
    "every kind has a title and a text in both languages, and all its values stand in them", arguments: NotificationKind.allCases)
  func kinds(kind: NotificationKind) throws {
    let draft = try #require(NotificationDraftTests.every.first { $0.kind == kind })
    for language in Language.allCases {
      let title = NotificationText.title(kind, language, draft.content.parameters)
      let text = NotificationText.text(kind, language, draft.content.parameters)
      #expect(!title.isEmpty && !text.isEmpty && title != kind.rawValue && text != kind.rawValue)
      for value in draft.content.parameters.values {
        #expect((title + text).contains(value.description), "\(value) in \(kind), \(language)")
      }
    }
  }
}
