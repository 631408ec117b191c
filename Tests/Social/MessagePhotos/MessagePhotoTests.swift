import Foundation
import GRDB
import InProcess
import Operations
import SocialContract
import Storage
import Testing

@testable import SocialService

@Suite("Photos in messages (SOC-4)")
struct MessagePhotoTests {
  private func send(_ picture: Base64Bytes, _ text: String? = nil, to other: Person) throws -> SendMessagePhoto.Input {
    .init(accountID: other.id, content: picture, text: try text.map { try ChatText(text: $0) })
  }

  @Test("A photo is sent as a message with size and address, alone or with text, and the friend is notified")
  func sent() async throws {
    try await ServicesInProcess.withFriends { services, ana, ben in
      let alone = try await ana.send(SendMessagePhoto.self, send(Pictures.png(), to: ben))
      let photo = try #require(alone.photo)
      #expect(alone.text == nil && photo.width == 48 && photo.height == 32)
      #expect(photo.url.description == "/v1/messages/\(alone.id)/photo")
      let both = try await ben.send(SendMessagePhoto.self, send(Pictures.jpeg(), "Look!", to: ana))
      #expect(both.text?.description == "Look!" && both.photo != nil)
      for (one, other) in [(ana, ben), (ben, ana)] {
        #expect(try await one.conversation(with: other).items == [both, alone])
        let file = try await one.send(GetMessagePhoto.self, .init(messageID: alone.id))
        #expect(file.mediaType == "image/png" && file.tag.count == 32 && !file.content.bytes.isEmpty)
      }
      #expect(try await services.published(MessageSent.self).map(\.text?.description) == [nil, "Look!"])
      #expect(try await ana.search("look", with: ben) == ["Look!"])
      #expect(try await ben.conversations().map(\.unreadCount) == [1])
    }
  }

  @Test("A message's photo keeps neither its location nor its other metadata, not even in the store")
  func metadata() async throws {
    try await ServicesInProcess.withFriends { services, ana, ben in
      let picture = try Pictures.jpeg()
      #expect(Data(picture.bytes).range(of: Data("PLANTED-SECRET".utf8)) != nil)
      let message = try await ana.send(SendMessagePhoto.self, send(picture, to: ben))
      var kept = Data(try await ben.send(GetMessagePhoto.self, .init(messageID: message.id)).content.bytes)
      kept += Data(try services.storedBytes())
      for trace in ["PLANTED-SECRET", "Exif"] { #expect(kept.range(of: Data(trace.utf8)) == nil, "\(trace)") }
    }
  }

  @Test("An unacceptable photo is refused with its rule, and no message is sent")
  func refused() async throws {
    try await ServicesInProcess.withFriends { services, ana, ben in
      let png = try Pictures.png()
      let cases: [(Base64Bytes, String)] = [
        (Base64Bytes([UInt8](repeating: 7, count: 65_537)), "picture_too_large"),
        (Base64Bytes(Array("GIF89a".utf8)), "picture_unknown"), (Base64Bytes([]), "picture_unknown"),
        (Base64Bytes(Array(png.bytes.dropLast(20))), "picture_damaged"), (try Pictures.file("moving.png"), "picture_moves"),
      ]
      for (content, rule) in cases {
        #expect(try await ana.refusedFields(SendMessagePhoto.self, send(content, to: ben)) == ["content \(rule)"])
      }
      #expect(try await services.published(MessageSent.self).isEmpty)
    }
  }

  @Test("A photo can be sent to friends only, and read by the two, even after they are no longer friends")
  func others() async throws {
    try await ServicesInProcess.withFriends { services, ana, ben in
      let eve = try await services.register()
      let message = try await ana.send(SendMessagePhoto.self, send(Pictures.png(), to: ben))
      let text = try await ana.write("no photo", to: ben)
      #expect(try await eve.failure(SendMessagePhoto.self, send(Pictures.png(), to: ana)) == "not_friends")
      for id in [message.id, text.id, ID()] {
        #expect(try await eve.failure(GetMessagePhoto.self, .init(messageID: id)) == "not_found")
      }
      for id in [text.id, ID()] { #expect(try await ben.failure(GetMessagePhoto.self, .init(messageID: id)) == "not_found") }
      _ = try await ben.send(RemoveFriend.self, .init(accountID: ana.id))
      #expect(try await ana.failure(SendMessagePhoto.self, send(Pictures.png(), to: ben)) == "not_friends")
      #expect(try await ben.failure(GetMessagePhoto.self, .init(messageID: message.id)) == nil)
    }
  }

  @Test("A message's photo repeated with its idempotency key is sent once")
  func repeated() async throws {
    try await ServicesInProcess.withFriends { services, ana, ben in
      let input = try send(Pictures.png(), to: ben)
      let first = try await ana.send(SendMessagePhoto.self, input, key: "photo")
      #expect(try await ana.send(SendMessagePhoto.self, input, key: "photo") == first)
      #expect(try await services.store(of: .social).rows("message_photos") == 1)
    }
  }

  @Test("A removed message loses its photo, and the text of a photo can be edited or added later")
  func changed() async throws {
    try await ServicesInProcess.withFriends { services, ana, ben in
      let message = try await ana.send(SendMessagePhoto.self, send(Pictures.png(), to: ben))
      let edited = try await ana.send(EditMessage.self, .init(messageID: message.id, text: ChatText(text: "from Lima")))
      #expect(edited.photo == message.photo && edited.text?.description == "from Lima")
      _ = try await ana.send(RemoveMessage.self, .init(messageID: message.id))
      let shown = try #require(try await ben.conversation(with: ana).items.first)
      #expect(shown.photo == nil && shown.text == nil && shown.removedAt != nil)
      #expect(try await ben.failure(GetMessagePhoto.self, .init(messageID: message.id)) == "not_found")
      #expect(try await services.store(of: .social).rows("message_photos") == 0)
      let left = try await services.store(of: .social).read {
        try Int.fetchOne($0, sql: "SELECT sum(sent_bytes) FROM conversation_sides")
      }
      #expect(left == 0)
    }
  }

  @Test(
    "A message's photo can be removed by its writer at any time, once, with or without the text"
  )
  func takenOut() async throws {
    try await ServicesInProcess.withFriends { services, ana, ben in
      let alone = try await ana.send(SendMessagePhoto.self, send(Pictures.png(), to: ben))
      let both = try await ana.send(SendMessagePhoto.self, send(Pictures.png(), "Look", to: ben))
      services.clock.advance(days: 400)
      for id in [alone.id, both.id, ID()] {
        #expect(try await ben.failure(RemoveMessagePhoto.self, .init(messageID: id)) == "not_found")
      }
      _ = try await ben.send(RemoveFriend.self, .init(accountID: ana.id))
      for _ in 0..<2 {
        for message in [alone, both] { _ = try await ana.send(RemoveMessagePhoto.self, .init(messageID: message.id)) }
      }
      let items = try await ben.conversation(with: ana).items
      #expect(items.map(\.text?.description) == ["Look", nil] && items.allSatisfy { $0.photo == nil })
      #expect(items[0].editedAt == services.clock.now && items[0].removedAt == nil && items[1].removedAt == services.clock.now)
      #expect(try await services.published(MessageEdited.self).map(\.accountID) == [ana.id, ben.id])
      #expect(try await services.published(MessageRemoved.self).map(\.accountID) == [ana.id, ben.id])
      #expect(try await services.store(of: .social).rows("message_photos") == 0)
      let account = ana.id
      let stored = try await services.store(of: .social).read { try MessageSpaceStore.bytes(of: account, in: $0) }
      #expect(stored == 4)
    }
  }

  @Test("A message's photo counts among its sender's bytes, and is refused beyond the limit")
  func space() async throws {
    try await ServicesInProcess.withFriends(settings: ["racha.messages.bytesPerAccount": "\(1 << 20)"]) { services, ana, ben in
      let message = try await ana.send(SendMessagePhoto.self, send(Pictures.png(), "Look", to: ben))
      let file = try await ana.send(GetMessagePhoto.self, .init(messageID: message.id))
      let account = ana.id
      let stored = try await services.store(of: .social).read {
        try Int.fetchOne($0, sql: "SELECT sent_bytes FROM conversation_sides WHERE account_id = ?", arguments: [account])
      }
      #expect(stored == file.content.bytes.count + 4)
      try await services.store(of: .social).write {
        try $0.database.execute(
          sql: "UPDATE conversation_sides SET sent_bytes = ? WHERE account_id = ?", arguments: [(1 << 20) - 10, account])
      }
      #expect(try await ana.failure(SendMessagePhoto.self, send(Pictures.png(), to: ben)) == "message_space_full")
    }
  }

  @Test("An erased account's photos are removed from the store, and those sent to it stay with their writers")
  func erased() async throws {
    try await ServicesInProcess.withFriends { services, ana, ben in
      let gone = try await ana.send(SendMessagePhoto.self, send(Pictures.png(), to: ben))
      let kept = try await ben.send(SendMessagePhoto.self, send(Pictures.png(), to: ana))
      try await services.delete(ana, receivedBy: .social)
      #expect(try await ben.failure(GetMessagePhoto.self, .init(messageID: gone.id)) == "not_found")
      #expect(try await ben.failure(GetMessagePhoto.self, .init(messageID: kept.id)) == nil)
      #expect(try await services.store(of: .social).rows("message_photos") == 1)
    }
  }
}
