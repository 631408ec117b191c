import GRDB
import IdentityContract
import Images
import Operations
import ServiceKit
import Storage

/// Photos: put, deleted and read.
struct PhotoHandlers: Sendable {
  let processor: PictureProcessor

  func picture(_ input: PutPhoto.Input, _ call: AccountCall) async throws -> Picture {
    // Whose session has ended costs no decoding.
    let account = try await call.read { try call.liveAccount($0).id }
    return try await processor.picture(input.content.bytes, field: "content", of: account)
  }

  static func put(
    _ input: PutPhoto.Input, _ picture: Picture, _ call: AccountCall, _ transaction: Transaction
  ) throws -> OwnAccount {
    let account = try call.liveAccount(transaction.database)
    try PhotoStore.put(of: account.id, picture, transaction)
    return try call.liveAccount(transaction.database).own
  }

  static func delete(_ input: Empty, _ call: AccountCall, _ transaction: Transaction) throws -> OwnAccount {
    let account = try call.liveAccount(transaction.database)
    try PhotoStore.delete(of: account.id, transaction)
    return try call.liveAccount(transaction.database).own
  }

  static func getOwn(_ input: Empty, _ call: AccountCall, _ database: Database) throws -> MediaFile {
    try PhotoStore.read(of: call.liveAccount(database).id, in: database)
  }

  static func get(_ input: GetPhoto.Input, _ call: AccountCall, _ database: Database) throws -> MediaFile {
    let viewer = try call.liveAccount(database)
    let known = try RelationStore.find(of: viewer.id, to: input.accountID, in: database)
    guard let account = try AccountStore.find(input.accountID, in: database),
      ProfileRules.view(known, isSuspended: account.isSuspended(at: call.now)) == .whole
    else { throw Failure(RequestFailure.notFound) }
    var photo = try PhotoStore.read(of: account.id, in: database)
    // Another version has another address.
    if photo.tag == input.version { photo.isImmutable = true }
    return photo
  }
}
