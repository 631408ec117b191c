import Operations
import ServiceKit
import SocialContract
import Storage

/// Search in the messages of a conversation (SOC-5). The searched text is deleted with its message.
struct MessageSearchFeature: Feature {
  let migrations = [MessageSearchStore.migration(15)]
  let tables: [ErasedTable] = [.following("message_texts", "messages")]

  func register(in service: inout ServiceDefinition) {
    service.serve(SearchMessages.self, read: MessageSearchHandlers.search)
  }
}
