import GRDB
import IdentityContract
import Images
import Operations
import ServiceKit
import Storage

extension ServiceDefinition {
  /// Serves photos, each kept as a picture that this service has encoded itself.
  mutating func servePhotos(_ processor: PictureProcessor) {
    serve(
      PutPhoto.self,
      prepare: { input, call in
        // Whose session has ended costs no decoding.
        let account = try await call.read { try call.liveAccount($0).id }
        return try await processor.picture(input.content.bytes, field: "content", of: account)
      },
      write: { _, picture, call, transaction in
        let account = try call.liveAccount(transaction.database)
        try transaction.putPhoto(of: account.id, picture)
        return try call.liveAccount(transaction.database).own
      })

    serve(
      DeletePhoto.self,
      write: { _, call, transaction in
        let account = try call.liveAccount(transaction.database)
        try transaction.deletePhoto(of: account.id)
        return try call.liveAccount(transaction.database).own
      })

    serve(ReadOwnPhoto.self, read: { _, call, database in try database.photo(of: call.liveAccount(database).id) })

    serve(
      ReadPhoto.self,
      read: { input, call, database in
        _ = try call.liveAccount(database)
        return try database.photo(of: input.accountID)
      })
  }
}
