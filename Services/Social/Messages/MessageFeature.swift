import IdentityContract
import Operations
import ServiceKit
import SocialContract
import Storage

/// Messages between friends: sent, listed, edited and removed (SOC-4, SOC-5). What a deleted account wrote is gone for its friends too.
struct MessageFeature: Feature {
  let rules: MessageRules
  let migrations = [MessageStore.migration(5), MessageStore.erasureMigration(7), MessageStore.changesMigration(13)]
  let tables: [ErasedTable] = [.rows("messages", "from_account = :account", .messages)]
  let snapshot = [
    SnapshotPart("messages", MessageSent.self, MessageEdited.self, MessageRemoved.self, page: MessageStore.snapshot)
  ]

  func register(in service: inout ServiceDefinition) {
    let handlers = MessageHandlers(rules: rules)
    service.serve(SendMessage.self, write: handlers.send)
    service.serve(ListMessages.self, read: handlers.list)
    service.serve(EditMessage.self, write: handlers.edit)
    service.serve(RemoveMessage.self, write: handlers.remove)
  }
}
