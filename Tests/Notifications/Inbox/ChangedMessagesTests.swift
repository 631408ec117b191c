import Foundation
import GRDB
import InProcess
import NotificationsContract
import Operations
import SocialContract
import SocialService
import Storage
import Testing

@testable import NotificationsService

@Suite("Edited and removed messages in the inbox (SOC-4)")
struct ChangedMessagesTests {
  private func run(_ body: (ServicesInProcess, IdentityDouble.Account, IdentityDouble.Account) async throws -> Void) async throws
  {
    let identity = IdentityDouble()
    let (ana, ben) = (try identity.person("ana"), try identity.person("ben", language: .spanish))
    try await ServicesInProcess.running(
      [{ Social.service($0) }, { try Notifications.service($0) }], identity: identity
    ) { services in
      // Who begins to subscribe late gets the state that there is then, and not how it came about.
      try await services.hasReceived(.notifications, of: .social)
      _ = try await services.call(SendFriendRequest.self, .init(username: ben.username), as: ana.caller)
      _ = try await services.call(SendFriendRequest.self, .init(username: ana.username), as: ben.caller)
      try await body(services, ana, ben)
    }
  }

  private func write(
    _ text: String, _ services: ServicesInProcess, _ one: IdentityDouble.Account, _ other: IdentityDouble.Account
  )
    async throws -> ChatMessage
  {
    try await services.call(SendMessage.self, .init(accountID: other.account, text: ChatText(text: text)), as: one.caller)
  }

  private func edit(_ message: ChatMessage, _ text: String, _ services: ServicesInProcess, _ writer: IdentityDouble.Account)
    async throws
  {
    _ = try await services.call(EditMessage.self, .init(messageID: message.id, text: ChatText(text: text)), as: writer.caller)
  }

  /// The notifications of messages, once all that social has published took effect.
  private func inbox(_ services: ServicesInProcess, _ person: IdentityDouble.Account) async throws
    -> [NotificationsContract.Notification]
  {
    try await services.hasReceived(.notifications, of: .social)
    return try await services.call(ListNotifications.self, .init(), as: person.caller).items.filter { $0.links.messageID != nil }
  }

  @Test(
    "An edited message keeps its position in the inbox, shows the new text as edited, and is published once for live delivery"
  )
  func edited() async throws {
    try await run { services, ana, ben in
      let message = try await write("at sevn", services, ana, ben)
      _ = try await write("later", services, ana, ben)
      let before = try await inbox(services, ben)
      try await edit(message, "at seven " + String(repeating: "x", count: 200), services, ana)
      let after = try await inbox(services, ben)
      #expect(after.map(\.id) == before.map(\.id) && after[0] == before[0])
      #expect(after[1].kind == "messageEdited" && after[1].title == "Mensaje de ana (editado)")
      #expect(after[1].text.hasPrefix("at seven xxx") && after[1].text.count == 140)
      #expect(after[1].number == before[1].number && after[1].links == before[1].links)
      #expect(try await services.call(CountUnreadNotifications.self, .init(), as: ben.caller).unreadCount == 3)
      let changed = try await services.published(by: .notifications).filter { $0.name == NotificationChanged.spec.name }
        .map { try NotificationChanged.decode($0.body) }
      #expect(changed.map(\.accountID) == [ben.account] && changed.map(\.notification) == [after[1]])
      // The writer gets none of its own.
      #expect(try await inbox(services, ana).isEmpty)
    }
  }

  @Test("A removed message's text also goes from the inbox of an account that was blocked since, without a live event")
  func removedApart() async throws {
    try await run { services, ana, ben in
      let message = try await write("PLANTED text", services, ana, ben)
      _ = try await inbox(services, ben)
      _ = try await services.call(CreateBlock.self, .init(accountID: ben.account), as: ana.caller)
      _ = try await services.call(RemoveMessage.self, .init(messageID: message.id), as: ana.caller)
      let after = try #require(try await inbox(services, ben).first)
      #expect(after.kind == "messageRemoved" && !after.text.contains("PLANTED"))
      #expect(!(try await services.published(by: .notifications).contains { $0.name == NotificationChanged.spec.name }))
    }
  }

  @Test("A removed message is shown as removed in each language, and nothing of it is left in the store")
  func removed() async throws {
    try await run { services, ana, ben in
      let message = try await write("PLANTED text", services, ana, ben)
      try await edit(message, "PLANTED again", services, ana)
      let before = try #require(try await inbox(services, ben).first)
      _ = try await services.call(MarkNotificationRead.self, .init(notificationID: before.id), as: ben.caller)
      _ = try await services.call(RemoveMessage.self, .init(messageID: message.id), as: ana.caller)
      let after = try #require(try await inbox(services, ben).first)
      #expect(after.id == before.id && after.kind == "messageRemoved" && after.readAt != nil)
      #expect(after.title == "Mensaje de ana (eliminado)" && after.text == "Este mensaje se ha eliminado.")
      #expect(NotificationText.text("messageRemoved", .english, after.parameters) == "This message was removed.")
      let rows = try await services.store(of: .notifications).read { database in
        try String.fetchAll(database, sql: "SELECT content FROM notifications")
      }
      #expect(!rows.contains { $0.contains("PLANTED") })
    }
  }

  @Test("Changing a message whose notification was deleted creates no new one")
  func deleted() async throws {
    try await run { services, ana, ben in
      let message = try await write("hello", services, ana, ben)
      let notification = try #require(try await inbox(services, ben).first)
      _ = try await services.call(DeleteNotification.self, .init(notificationID: notification.id), as: ben.caller)
      try await edit(message, "hello again", services, ana)
      _ = try await services.call(RemoveMessage.self, .init(messageID: message.id), as: ana.caller)
      #expect(try await inbox(services, ben).isEmpty)
      let names = try await services.published(by: .notifications).map(\.name)
      #expect(!names.contains(NotificationChanged.spec.name))
    }
  }

  @Test("A message with only a photo is notified as a photo")
  func photo() async throws {
    try await run { services, ana, ben in
      let event = MessageSent(
        messageID: ID(), conversationID: ID(), fromAccountID: ana.account, fromUsername: ana.username, toAccountID: ben.account,
        text: nil, at: services.clock.now)
      try await services.publish(.social, event)
      let notification = try #require(try await inbox(services, ben).first)
      #expect(notification.kind == "photoReceived" && notification.title == "Foto de ana")
      #expect(notification.text == "ana te ha enviado una foto.")
    }
  }

  @Test("A new subscriber gets a changed message in its present state")
  func late() async throws {
    try await run { services, ana, ben in
      let (one, two) = (try await write("one", services, ana, ben), try await write("two", services, ana, ben))
      try await edit(one, "edited", services, ana)
      _ = try await services.call(RemoveMessage.self, .init(messageID: two.id), as: ana.caller)
      _ = try await inbox(services, ben)
      let snapshot = try await services.snapshot(of: .social).filter { $0.name.hasPrefix("messages.") }
      let drafts = try snapshot.flatMap { logged -> [NotificationDraft] in
        let event: any Event =
          switch logged.name {
          case MessageSent.spec.name: try MessageSent.decode(logged.body)
          case MessageEdited.spec.name: try MessageEdited.decode(logged.body)
          default: try MessageRemoved.decode(logged.body)
          }
        return NotificationSpec.all.compactMap { $0.make(event) }
      }
      #expect(drafts.compactMap(\.inbox?.kind) == ["messageReceived", "messageEdited", "messageRemoved"])
      #expect(Set(drafts.compactMap(\.inbox?.source)) == ["messages.sent/\(one.id)", "messages.sent/\(two.id)"])
      #expect(drafts.map(\.accountID) == [ben.account, ben.account, ben.account])
    }
  }
}
