import InProcess
import Operations
import SocialContract
import SocialService

extension ServicesInProcess {
  /// Runs social, with accounts that identity knows.
  static func social(_ identity: IdentityDouble, _ body: (ServicesInProcess) async throws -> Void) async throws {
    try await running([{ Social.service($0) }], identity: identity, at: nil, body)
  }

  /// Makes two people friends.
  func befriend(_ one: IdentityDouble.Account, _ other: IdentityDouble.Account) async throws {
    _ = try await call(SendFriendRequest.self, .init(username: other.username), as: one.caller)
    _ = try await call(SendFriendRequest.self, .init(username: one.username), as: other.caller)
  }

  /// Lets one person follow another.
  func follow(_ one: IdentityDouble.Account, _ other: IdentityDouble.Account) async throws {
    let request = try await call(SendFollowRequest.self, .init(username: other.username), as: one.caller)
    _ = try await call(AcceptFollowRequest.self, .init(followRequestID: request.id), as: other.caller)
  }

  func send(_ text: String, from one: IdentityDouble.Account, to other: IdentityDouble.Account, key: String? = nil) async throws
    -> ChatMessage
  {
    try await call(SendMessage.self, .init(accountID: other.account, text: try ChatText(text: text)), as: one.caller, key: key)
  }

  /// Lets one person block another.
  @discardableResult
  func block(_ other: IdentityDouble.Account, as one: IdentityDouble.Account) async throws -> Block {
    try await call(CreateBlock.self, .init(accountID: other.account), as: one.caller)
  }

  /// Whom a person has blocked, the latest first.
  func blocked(by one: IdentityDouble.Account) async throws -> [AccountID] {
    try await call(ListBlocks.self, .init(), as: one.caller).items.map(\.accountID)
  }
}
