import InProcess
import Operations
import SocialContract
import SocialService

extension ServicesInProcess {
  /// Runs social with two friends in it, at a time that stands still.
  static func withFriends(
    settings: [String: String] = [:], _ body: (_ services: ServicesInProcess, _ ana: Person, _ ben: Person) async throws -> Void
  ) async throws {
    try await running([{ Social.service($0) }], settings: settings) { services in
      let (ana, ben) = (try await services.register(), try await services.register())
      try await services.befriend(ana, ben)
      try await body(services, ana, ben)
    }
  }

  /// Makes two people friends.
  func befriend(_ one: Person, _ other: Person) async throws {
    _ = try await one.send(SendFriendRequest.self, .init(username: identity.username(of: other.id)))
    _ = try await other.send(SendFriendRequest.self, .init(username: identity.username(of: one.id)))
  }

  /// What social has published of one kind, oldest first.
  func published<E: Event>(_ event: E.Type) async throws -> [E] {
    try await published(by: E.spec.publisher).filter { $0.name == E.spec.name }.map { try E.decode($0.body) }
  }
}

extension Person {
  /// Writes to a friend.
  func write(_ text: String, to other: Person) async throws -> ChatMessage {
    try await send(SendMessage.self, .init(accountID: other.id, text: try ChatText(text: text)))
  }

  /// The newest page of a conversation.
  func conversation(with other: Person) async throws -> ConversationMessages {
    try await send(ListMessages.self, .init(accountID: other.id))
  }

  /// Its conversations, newest first.
  func conversations() async throws -> [Conversation] { try await send(ListConversations.self, .init()).items }

  /// The texts that a search finds in a conversation.
  func search(_ text: String, with other: Person) async throws -> [String?] {
    try await send(SearchMessages.self, .init(accountID: other.id, query: try MessageQuery(text: text))).items
      .map(\.text?.description)
  }
}
