import GRDB
import IdentityContract
import InProcess
import Operations
import SocialContract
import Storage
import Testing

@testable import SocialService

@Suite("Blocking an account (SOC-8)")
struct BlockTests {
  let identity = IdentityDouble()

  @Test("The list of blocks shows blocked accounts with names, latest first, page by page, and only to the blocker")
  func listing() async throws {
    let ana = try identity.person("ana")
    let others = try ["zoe", "ben", "mia", "leo", "eva"].map { try identity.person($0, nickname: "\($0)!") }
    try await ServicesInProcess.social(identity) { services in
      for other in others {
        let block = try await services.block(other, as: ana)
        #expect(block.accountID == other.account && block.username == other.username && block.photoURL == nil)
      }
      let first = try await services.call(ListBlocks.self, .init(limit: 3), as: ana.caller)
      let second = try await services.call(ListBlocks.self, .init(limit: 3, cursor: first.nextCursor), as: ana.caller)
      // Blocks of the same millisecond stand in no order that people would know.
      let listed = first.items + second.items
      #expect(Set(listed.map(\.username)) == Set(others.map(\.username)) && listed.count == 5 && second.nextCursor == nil)
      #expect(listed.map(\.since) == listed.map(\.since).sorted(by: >))
      #expect(listed.allSatisfy { $0.nickname == "\($0.username)!" })
      for other in others { #expect(try await services.blocked(by: other).isEmpty) }
      let nonsense = try PageCursor(text: "x")
      #expect(
        try await services.refusedFields(ListBlocks.self, .init(cursor: nonsense), as: ana.caller) == ["cursor invalid_cursor"])
    }
  }

  @Test("Blocking again changes nothing, and unblocking twice, or an account that is not blocked, finds nothing")
  func repeated() async throws {
    let (ana, ben, eve) = (try identity.person("ana"), try identity.person("ben"), try identity.person("eve"))
    try await ServicesInProcess.social(identity) { services in
      let block = try await services.block(ben, as: ana)
      let published = try await services.published(by: .social).count
      #expect(try await services.block(ben, as: ana) == block)
      #expect(try await services.published(by: .social).count == published)
      // Neither a stranger nor the blocked one unblocks.
      #expect(try await services.refusal(DeleteBlock.self, .init(accountID: ben.account), as: eve.caller) == "not_found")
      #expect(try await services.refusal(DeleteBlock.self, .init(accountID: ana.account), as: ben.caller) == "not_found")
      #expect(try await services.blocked(by: ana) == [ben.account])
      _ = try await services.call(DeleteBlock.self, .init(accountID: ben.account), as: ana.caller)
      #expect(try await services.refusal(DeleteBlock.self, .init(accountID: ben.account), as: ana.caller) == "not_found")
      #expect(try await services.blocked(by: ana).isEmpty)
    }
  }

  @Test("Blocking oneself, an unknown account or an invalid id is refused")
  func refusals() async throws {
    let ana = try identity.person("ana")
    try await ServicesInProcess.social(identity) { services in
      #expect(try await services.refusal(CreateBlock.self, .init(accountID: ana.account), as: ana.caller) == "block_of_oneself")
      #expect(try await services.refusal(CreateBlock.self, .init(accountID: AccountID()), as: ana.caller) == "not_found")
      let eva = try await services.register()
      let failure = try await services.failure {
        try await eva.send(CreateBlock.self, json: Array(#"{"accountID":"ana"}"#.utf8))
      }
      #expect(failure?.fields.map(\.field) == ["accountID"] && failure?.status == 422)
      #expect(try await services.blocked(by: ana).isEmpty)
    }
  }

  @Test("Blocking needs no verified account")
  func unverified() async throws {
    let (ana, ben) = (try identity.person("ana", isVerified: false), try identity.person("ben"))
    try await ServicesInProcess.social(identity) { services in
      var caller = ana.caller
      caller.isVerified = false
      let block = try await services.call(CreateBlock.self, .init(accountID: ben.account), as: caller)
      #expect(block.accountID == ben.account)
    }
  }

  @Test("An account can block at most 10,000 others, and the refusal names the limit", arguments: Language.allCases)
  func tooMany(language: Language) async throws {
    let (ana, ben) = (try identity.person("ana"), try identity.person("ben"))
    try await ServicesInProcess.social(identity) { services in
      try await services.store(of: .social).write { transaction in
        try transaction.database.execute(
          sql: """
            INSERT INTO blocks (blocker_account, blocked_account, since)
            WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 10000)
            SELECT ?, randomblob(16), 0 FROM n
            """, arguments: [ana.account])
      }
      let failure = try #require(try await services.failure { try await services.block(ben, as: ana) })
      #expect(failure.code == "too_many_blocks" && failure.status == 409)
      let text = Words(Contract.social.words).text("failure.\(failure.code)", language, failure.parameters)
      #expect(
        text
          == (language == .english
            ? "You have blocked 10000 people, the maximum per account."
            : "Has bloqueado a 10000 personas, el máximo por cuenta."))
    }
  }

  @Test("Blocking ends the friendship and both follows at once, for both")
  func connections() async throws {
    let (ana, ben) = (try identity.person("ana"), try identity.person("ben"))
    try await ServicesInProcess.social(identity) { services in
      try await services.befriend(ana, ben)
      try await services.follow(ana, ben)
      try await services.follow(ben, ana)
      _ = try await services.block(ben, as: ana)
      for person in [ana, ben] {
        #expect(try await services.call(ListFriends.self, .init(), as: person.caller).items.isEmpty)
        #expect(try await services.call(ListFollows.self, .init(), as: person.caller).items.isEmpty)
        #expect(try await services.call(ListFollowers.self, .init(), as: person.caller).items.isEmpty)
      }
      let anas = try await services.relation(of: ana, to: ben)
      #expect(anas.relation == Relation(isBlocked: true) && !anas.isBlockedByOther)
      // The blocked one sees nothing; services know.
      let bens = try await services.relation(of: ben, to: ana)
      #expect(bens.relation == Relation() && bens.isBlockedByOther && bens.isApart)
      let follows = try await services.published(by: .social).filter { $0.name == "follows.changed" }.suffix(2)
        .map { try FollowChanged.decode($0.body) }
      #expect(follows.map(\.state) == [.ended, .ended])
      #expect(try await services.refusal(RemoveFriend.self, .init(accountID: ana.account), as: ben.caller) == "not_found")
      #expect(try await services.refusal(RemoveFollow.self, .init(accountID: ana.account), as: ben.caller) == "not_found")
    }
  }

  @Test(
    "A block prevents new messages; earlier ones stay without photos, and without names for the blocked account"
  )
  func conversations() async throws {
    let identity = IdentityDouble()
    try await ServicesInProcess.social(identity) { services in
      let (ana, ben) = (try await services.register(), try await services.register())
      for person in [ana, ben] {
        try await services.change(person, receivedBy: .social) { $0.photoTag = "0123456789abcdef0123456789abcdef" }
      }
      let (anasName, bensName) = (try identity.username(of: ana.id), try identity.username(of: ben.id))
      _ = try await ana.send(SendFriendRequest.self, .init(username: bensName))
      _ = try await ben.send(SendFriendRequest.self, .init(username: anasName))
      let message = try await ben.send(SendMessage.self, .init(accountID: ana.id, text: try ChatText(text: "before")))
      #expect(try await ben.send(ListConversations.self, .init()).items[0].photoURL != nil)
      _ = try await ana.send(CreateBlock.self, .init(accountID: ben.id))
      for (one, other, name) in [(ana, ben, bensName), (ben, ana, nil)] {
        let conversation = try await one.send(ListConversations.self, .init()).items[0]
        #expect(conversation.username == name && conversation.photoURL == nil && !conversation.isFriend)
        #expect(conversation.lastMessage == message)
        let messages = try await one.send(ListMessages.self, .init(accountID: other.id))
        #expect(messages.items == [message] && messages.username == name && messages.photoURL == nil)
        let input = SendMessage.Input(accountID: other.id, text: try ChatText(text: "after"))
        #expect(try await one.failure(SendMessage.self, input) == "not_friends")
      }
      #expect(try await ana.send(MarkConversationRead.self, .init(accountID: ben.id, messageID: message.id)).unreadCount == 0)
    }
  }

  @Test("The list of blocks shows photos, except of accounts that block in turn, and requests show none")
  func photos() async throws {
    let identity = IdentityDouble()
    try await ServicesInProcess.social(identity) { services in
      let (ana, ben) = (try await services.register(), try await services.register())
      for person in [ana, ben] {
        try await services.change(person, receivedBy: .social) { $0.photoTag = "0123456789abcdef0123456789abcdef" }
      }
      _ = try await ben.send(SendFriendRequest.self, .init(username: identity.username(of: ana.id)))
      #expect(try await ben.send(ListFriendRequests.self, .init()).items[0].photoURL != nil)
      let block = try await ana.send(CreateBlock.self, .init(accountID: ben.id))
      #expect(block.photoURL == PhotoURL(account: ben.id, tag: "0123456789abcdef0123456789abcdef"))
      #expect(try await ben.send(ListFriendRequests.self, .init()).items.map(\.photoURL) == [nil])
      #expect(try await ben.send(CreateBlock.self, .init(accountID: ana.id)).photoURL == nil)
      #expect(try await ana.send(ListBlocks.self, .init()).items.map(\.photoURL) == [nil])
    }
  }

  @Test("Blocking while the other accepts leaves the two unconnected, whichever is first", arguments: RequestKind.allCases)
  func atOnce(kind: RequestKind) async throws {
    let ana = try identity.person("ana")
    let others = try (0..<20).map { try identity.person("other\($0)") }
    try await ServicesInProcess.social(identity) { services in
      var requests: [EitherRequest] = []
      for other in others { requests.append(try await services.ask(kind, other.username, as: ana.caller)) }
      try await services.together(40, writingTo: .social) { [requests] number in
        let (request, other) = (requests[number / 2], others[number / 2])
        _ = try await services.failure {
          if number % 2 == 0 {
            _ = try await services.block(other, as: ana)
          } else {
            _ = try await services.accept(kind, request, as: other.caller)
          }
        }
      }
      #expect(try await services.connected(kind, to: ana.caller).isEmpty)
      #expect(try await services.blocked(by: ana).count == 20)
      for other in others {
        #expect(try await services.relation(of: ana, to: other).relation == Relation(isBlocked: true))
        #expect(try await services.relation(of: other, to: ana).relation == Relation())
      }
    }
  }

  @Test("Mutual blocks are ended separately")
  func mutual() async throws {
    let (ana, ben) = (try identity.person("ana"), try identity.person("ben"))
    try await ServicesInProcess.social(identity) { services in
      _ = try await services.block(ben, as: ana)
      // Who is blocked does not learn so by blocking.
      _ = try await services.block(ana, as: ben)
      for person in [ana, ben] {
        let other = person.account == ana.account ? ben : ana
        let failure = try await services.failure {
          try await services.call(SendFriendRequest.self, .init(username: other.username), as: person.caller)
        }
        #expect(failure?.code == "blocked_by_you")
      }
      _ = try await services.call(DeleteBlock.self, .init(accountID: ben.account), as: ana.caller)
      let request = try await services.call(SendFriendRequest.self, .init(username: ben.username), as: ana.caller)
      #expect(request.state == .pending)
      #expect(try await services.call(ListFriendRequests.self, .init(), as: ben.caller).items.isEmpty)
      #expect(try await services.relation(of: ana, to: ben).isApart)
    }
  }

  @Test("Blocks and their ends are in the snapshot, for both accounts")
  func snapshot() async throws {
    let (ana, ben, eva) = (try identity.person("ana"), try identity.person("ben"), try identity.person("eva"))
    try await ServicesInProcess.social(identity) { services in
      try await services.befriend(ana, ben)
      _ = try await services.block(ben, as: ana)
      _ = try await services.block(eva, as: ana)
      _ = try await services.call(DeleteBlock.self, .init(accountID: eva.account), as: ana.caller)
      let relations = try await services.snapshot(of: .social).filter { $0.name == RelationChanged.spec.name }
        .map { try RelationChanged.decode($0.body) }
      var last: Set<RelationChanged> = []
      for (one, other) in [(ana, ben), (ben, ana), (ana, eva), (eva, ana)] {
        last.insert(try await services.relation(of: one, to: other))
      }
      #expect(Set(relations) == last && relations.count == 4)
      #expect(relations.count { $0.isApart } == 2)
    }
  }

  @Test("The list of blocks reads along an index for each page, equally fast however many are blocked")
  func queryPlan() async throws {
    try await ServicesInProcess.social(identity) { services in
      let plan = try await services.store(of: .social).read { database in
        try Row.fetchAll(
          database, sql: "EXPLAIN QUERY PLAN \(BlockStore.listSQL)",
          arguments: ["account": AccountID(), "since": Instant.now, "other": AccountID(), "limit": 51]
        ).map { $0["detail"] as String }
      }
      #expect(plan.contains { $0.contains("blocks_newest (blocker_account=? AND (since,blocked_account)<(?,?))") })
      #expect(!plan.contains { $0.hasPrefix("SCAN") || $0.contains("TEMP B-TREE") })
    }
  }
}
