import IdentityContract
import Operations
import ServiceKit
import SocialContract
import Storage

/// Messages between friends: sent, listed, edited and removed (SOC-4, SOC-5). What a deleted account wrote is gone for its friends too.
struct MessageFeature: Feature {
  let migrations = [MessageStore.migration(5), MessageStore.erasureMigration(7)]
  let tables: [ErasedTable] = [.rows("messages", "from_account = :account", .messages)]
  let snapshot = [SnapshotPart("messages", MessageSent.self, page: MessageStore.snapshot)]

  func register(in service: inout ServiceDefinition) {
    service.serve(SendMessage.self, write: MessageHandlers.send)
    service.serve(ListMessages.self, read: MessageHandlers.list)
  }
}
