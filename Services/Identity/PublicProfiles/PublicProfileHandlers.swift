import GRDB
import IdentityContract
import Operations
import ServiceKit
import Storage

extension ServiceDefinition {
  /// Serves public profiles and the links to them.
  mutating func servePublicProfiles(keys: IdentityKeys) {
    serve(
      CreatePublicLink.self,
      write: { _, call, transaction in
        let account = try call.liveAccount(transaction.database)
        try transaction.createPublicLink(of: account.id)
        return try transaction.database.ownLink(of: account, keys)
      })

    serve(
      ReadPublicLink.self, read: { _, call, database in try database.ownLink(of: call.liveAccount(database), keys) })

    serve(
      RevokePublicLink.self,
      write: { _, call, transaction in
        try transaction.revokePublicLink(of: call.liveAccount(transaction.database).id)
        return Empty()
      })

    serve(
      ReadPublicProfile.self,
      read: { input, _, database in
        let account = try database.publicAccount(input.key, key: keys.publicLinks)
        return PublicProfile(
          username: account.username, nickname: account.nickname, createdAt: account.createdAt, photoTag: account.photoTag)
      })

    serve(
      ReadPublicPhoto.self,
      read: { input, _, database in
        try database.photo(of: database.publicAccount(input.key, key: keys.publicLinks).id)
      })
  }
}

extension Database {
  fileprivate func ownLink(of account: AccountRecord, _ keys: IdentityKeys) throws -> PublicLink {
    guard let link = try publicLink(of: account.id) else { throw Failure(RequestFailure.notFound) }
    return link.own(key: keys.publicLinks)
  }
}
