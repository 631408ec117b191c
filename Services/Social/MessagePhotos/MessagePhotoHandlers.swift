import GRDB
import Images
import Operations
import ServiceKit
import SocialContract
import Storage

/// Photos in messages: sent and read.
struct MessagePhotoHandlers: Sendable {
  let rules: MessageRules
  let pictures: PictureProcessor

  func picture(_ input: SendMessagePhoto.Input, _ call: AccountCall) async throws -> Picture {
    // No picture is decoded for a recipient that the caller cannot send to.
    guard try await call.read({ try FriendStore.areFriends(call.account, input.accountID, in: $0) }) else {
      throw MessageFailure.notFriends
    }
    return try await pictures.picture(input.content.bytes, field: "content", of: call.account)
  }

  func send(
    _ input: SendMessagePhoto.Input, _ picture: Picture, _ call: AccountCall, _ transaction: Transaction
  ) throws -> ChatMessage {
    try MessageStore.send(
      MessageContent(text: input.text, photo: picture), from: call.account, to: input.accountID, rules, transaction)
  }

  static func get(_ input: GetMessagePhoto.Input, _ call: AccountCall, _ database: Database) throws -> MediaFile {
    guard let found = try MessageStore.find(input.messageID, for: call.account, in: database) else {
      throw Failure(RequestFailure.notFound)
    }
    return try MessagePhotoStore.read(of: found.message.id, in: database)
  }

  static func remove(_ input: RemoveMessagePhoto.Input, _ call: AccountCall, _ transaction: Transaction) throws -> Empty {
    let sent = try MessageStore.sent(input.messageID, by: call.account, in: transaction.database)
    if sent.message.photo != nil { try MessageStore.removePhoto(from: sent, transaction) }
    return Empty()
  }
}
