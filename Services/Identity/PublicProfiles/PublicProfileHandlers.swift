import GRDB
import IdentityContract
import Operations
import ServiceKit
import Storage

/// Public profiles, and the links to them.
struct PublicProfileHandlers: Sendable {
  let keys: IdentityKeys

  func createLink(_ input: Empty, _ call: AccountCall, _ transaction: Transaction) throws -> PublicLink {
    let account = try call.liveAccount(transaction.database)
    try PublicLinkStore.create(of: account.id, transaction)
    return try Self.ownLink(of: account, keys, in: transaction.database)
  }

  func getLink(_ input: Empty, _ call: AccountCall, _ database: Database) throws -> PublicLink {
    try Self.ownLink(of: call.liveAccount(database), keys, in: database)
  }

  static func revokeLink(_ input: Empty, _ call: AccountCall, _ transaction: Transaction) throws -> Empty {
    try PublicLinkStore.revoke(of: call.liveAccount(transaction.database).id, transaction)
    return Empty()
  }

  func get(_ input: GetPublicProfile.Input, _ call: OpenCall, _ database: Database) throws -> PublicProfile {
    try open(input, call, database).profile
  }

  func open(
    _ input: GetPublicProfile.Input, _ call: OpenCall, _ database: Database
  ) throws -> OpenPublicProfile.Output {
    let account = try PublicLinkStore.findAccount(input.key, key: keys.publicLinks, now: call.now, in: database)
    return .init(
      accountID: account.id,
      profile: PublicProfile(
        username: account.username, nickname: account.nickname, createdAt: account.createdAt, photoTag: account.photoTag))
  }

  func getPhoto(_ input: GetPublicPhoto.Input, _ call: OpenCall, _ database: Database) throws -> MediaFile {
    try PhotoStore.read(
      of: PublicLinkStore.findAccount(input.key, key: keys.publicLinks, now: call.now, in: database).id, in: database)
  }

  private static func ownLink(of account: AccountRecord, _ keys: IdentityKeys, in database: Database) throws -> PublicLink {
    guard let link = try PublicLinkStore.find(of: account.id, in: database) else { throw Failure(RequestFailure.notFound) }
    return link.own(key: keys.publicLinks)
  }
}
