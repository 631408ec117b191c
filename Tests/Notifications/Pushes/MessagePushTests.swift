import BuiltPrograms
import Foundation
import GRDB
import InProcess
import NotificationsContract
import Operations
import ServiceKit
import SocialContract
import Storage
import Testing

@testable import NotificationsService

/// Messages as they are pushed, with a push service of the tests' own.
@Suite("Pushes of messages (NOT-5, SOC-4)", .enabled(if: PushService.python != nil), .timeLimit(.minutes(2)))
struct MessagePushTests {
  private func run(_ body: (ServicesInProcess, PushService, Person) async throws -> Void) async throws {
    try await PushService.run { service in
      let social: ServicesInProcess.Build = { _ in ServiceDefinition(.social, migrations: []) }
      try await ServicesInProcess.running(
        [{ try Notifications.service($0) }, social], settings: ["racha.push.allowedOrigins": service.origin], at: nil
      ) { services in
        let ana = try await services.register()
        try await services.hasReceived(.notifications, of: .identity)
        _ = try await ana.send(CreatePushSubscription.self, try service.subscription("/push/201/phone"))
        try await body(services, service, ana)
      }
    }
  }

  private func sent(_ text: String, in conversation: ID<Conversation> = ID(), to person: Person) throws -> MessageSent {
    MessageSent(
      messageID: ID(), conversationID: conversation, fromAccountID: AccountID(), fromUsername: try Username(text: "ben"),
      toAccountID: person.id, text: try ChatText(text: text), at: .now)
  }

  private func read(_ message: MessageSent, by person: Person) -> ConversationRead {
    ConversationRead(
      accountID: person.id, otherAccountID: message.fromAccountID, conversationID: message.conversationID,
      readerAccountID: person.id, messageID: message.messageID, at: .now)
  }

  private func edit(_ message: MessageSent, to person: Person) throws -> MessageEdited {
    MessageEdited(
      accountID: person.id, otherAccountID: message.fromAccountID, conversationID: message.conversationID,
      fromUsername: message.fromUsername,
      message: ChatMessage(
        id: message.messageID, fromAccountID: message.fromAccountID, text: try ChatText(text: "at seven"), sentAt: .now,
        editedAt: .now))
  }

  private func removal(of message: MessageSent, to person: Person) -> MessageRemoved {
    MessageRemoved(
      accountID: person.id, otherAccountID: message.fromAccountID, conversationID: message.conversationID,
      messageID: message.messageID, fromAccountID: message.fromAccountID, fromUsername: message.fromUsername, at: .now)
  }

  /// Lets the seconds go by in which a message may be read, and wakes who waits for their end.
  private func wait(_ services: ServicesInProcess, _ person: Person) async throws {
    services.clock.advance(seconds: 6)
    _ = try await person.send(ClearQuietHours.self, .init())
  }

  private func log(_ person: Person) async throws -> [String] {
    try await person.send(ListDeliveries.self, .init(channel: .push)).items.map {
      [$0.kind, $0.state.rawValue, $0.reason].compactMap { $0 }.joined(separator: " ")
    }
  }

  private func shown(_ push: PushService.Push) throws -> JSON {
    #expect(push.faults == [])
    return try #require(try JSONTape(Array(push.text.utf8)).json["notification"])
  }

  @Test("A message is pushed some seconds after it was sent, unless it was read in the inbox or its conversation")
  func delayed() async throws {
    try await run { services, service, ana in
      let (inInbox, inConversation) = (try sent("inbox", to: ana), try sent("conversation", to: ana))
      let waiting = try sent("waiting", to: ana)
      try await services.publish(.social, inInbox, inConversation, waiting)
      try await services.hasReceived(.notifications, of: .social)
      #expect(try await log(ana) == Array(repeating: "messageReceived held unread", count: 3))
      let items = try await ana.send(ListNotifications.self, .init()).items
      #expect(items.count == 3)
      _ = try await ana.send(MarkNotificationRead.self, .init(notificationID: items[2].id))
      // What is not its reader's says nothing of that.
      var receipt = read(waiting, by: ana)
      receipt.readerAccountID = waiting.fromAccountID
      try await services.publish(.social, read(inConversation, by: ana), receipt)
      try await services.hasReceived(.notifications, of: .social)
      #expect(try await ana.send(ListNotifications.self, .init(isUnread: true)).items.map(\.id) == [items[0].id])
      try await wait(services, ana)
      #expect(try shown(try await service.next())["body"] == "waiting")
      let store = services.store(of: .notifications)
      try await store.until(within: .seconds(20)) {
        try await log(ana) == ["messageReceived sent", "messageReceived silent read", "messageReceived silent read"]
      }
    }
  }

  @Test("A message read in its conversation is not pushed either if messages are off in the inbox")
  func outOfInbox() async throws {
    try await run { services, service, ana in
      _ = try await ana.send(
        UpdateNotificationPreferences.self, .init(choices: [.init(category: .messages, .inbox, isOn: false)]))
      let conversation = ID<Conversation>()
      let messages = try ["one", "two", "three"].map { try sent($0, in: conversation, to: ana) }
      try await services.publish(.social, messages[0], try sent("other", to: ana), messages[1], messages[2])
      try await services.publish(.social, read(messages[1], by: ana))
      try await services.hasReceived(.notifications, of: .social)
      #expect(
        try await log(ana) == [
          "messageReceived held unread", "messageReceived silent read", "messageReceived held unread",
          "messageReceived silent read",
        ])
      try await wait(services, ana)
      // What waited together comes as one.
      #expect(try shown(try await service.next())["title"] == "What happened meanwhile: 2")
    }
  }

  @Test(
    "A pushed message that is edited or removed is replaced on the device, silently and under the same topic"
  )
  func changed() async throws {
    try await run { services, service, ana in
      let store = services.store(of: .notifications)
      let message = try sent("at sevn", to: ana)
      try await services.publish(.social, message)
      try await services.hasReceived(.notifications, of: .social)
      try await wait(services, ana)
      let first = try await service.next()
      #expect(try shown(first)["body"] == "at sevn" && shown(first)["silent"] == nil)
      try await store.until(within: .seconds(20)) { try await store.rows("push_messages") == 0 }

      try await services.publish(.social, edit(message, to: ana))
      let second = try await service.next()
      let shownSecond = try shown(second)
      #expect(second.topic == first.topic && shownSecond["tag"] == .string(first.topic))
      #expect(shownSecond["body"] == "at seven" && shownSecond["silent"] == true)
      #expect(shownSecond["title"] == "Message from ben (edited)" && shownSecond["data"]?["kind"] == "messageEdited")
      try await store.until(within: .seconds(20)) { try await store.rows("push_messages") == 0 }

      try await services.publish(.social, removal(of: message, to: ana))
      let third = try await service.next()
      #expect(third.topic == first.topic && !third.text.contains("seven"))
      #expect(try shown(third)["title"] == "No longer current" && shown(third)["silent"] == true)
      try await store.until(within: .seconds(20)) { try await store.rows("push_messages") == 0 }
      #expect(try await log(ana) == ["messageReceived sent"])
    }
  }

  @Test(
    "An edit is not pushed if messages are off by now, or off in the inbox; a removal still is",
    arguments: [NotificationChannel.inbox, .push])
  func editedOutOfInbox(_ off: NotificationChannel) async throws {
    try await run { services, service, ana in
      let switchOff = UpdateNotificationPreferences.Input(choices: [.init(category: .messages, off, isOn: false)])
      if off == .inbox { _ = try await ana.send(UpdateNotificationPreferences.self, switchOff) }
      let store = services.store(of: .notifications)
      let message = try sent("at sevn", to: ana)
      try await services.publish(.social, message)
      try await services.hasReceived(.notifications, of: .social)
      try await wait(services, ana)
      let first = try await service.next()
      #expect(try shown(first)["body"] == "at sevn")
      try await store.until(within: .seconds(20)) { try await store.rows("push_messages") == 0 }
      if off == .push { _ = try await ana.send(UpdateNotificationPreferences.self, switchOff) }
      try await services.publish(.social, edit(message, to: ana))
      try await services.hasReceived(.notifications, of: .social)
      try await store.until(within: .seconds(20)) { try await store.rows("push_messages") == 0 }
      try await services.publish(.social, removal(of: message, to: ana))
      let second = try await service.next()
      #expect(try second.topic == first.topic && shown(second)["title"] == "No longer current")
    }
  }
}
