import InProcess
import Operations
import SocialContract
import SocialService

extension Stage {
  /// Runs social and a stand-in for identity.
  static func social(_ identity: IdentityStub, _ body: (Stage) async throws -> Void) async throws {
    try await run([identity.service, (.social, { Social.service($0) })], body)
  }

  /// Makes two people friends.
  func befriend(_ one: IdentityStub.Person, _ other: IdentityStub.Person) async throws {
    _ = try await call(SendFriendRequest.self, .init(username: other.username), as: one.caller)
    _ = try await call(SendFriendRequest.self, .init(username: one.username), as: other.caller)
  }

  /// Lets one person follow another.
  func follow(_ one: IdentityStub.Person, _ other: IdentityStub.Person) async throws {
    let request = try await call(SendFollowRequest.self, .init(username: other.username), as: one.caller)
    _ = try await call(AcceptFollowRequest.self, .init(followRequestID: request.id), as: other.caller)
  }

  func send(_ text: String, from one: IdentityStub.Person, to other: IdentityStub.Person, key: String? = nil) async throws
    -> ChatMessage
  {
    try await call(SendMessage.self, .init(accountID: other.account, text: try ChatText(text: text)), as: one.caller, key: key)
  }
}
