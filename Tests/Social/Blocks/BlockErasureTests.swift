import IdentityContract
import InProcess
import Operations
import SocialContract
import Storage
import Testing

@Suite("Blocks of a deleted account (ID-12)")
struct BlockErasureTests {
  let identity = IdentityDouble()

  @Test(
    "Blocks are removed with either deleted account, and so are the requests that the other never saw",
    arguments: [true, false])
  func erasure(isBlocker: Bool) async throws {
    let (ana, ben, eva) = (try identity.person("ana"), try identity.person("ben"), try identity.person("eva"))
    try await ServicesInProcess.social(identity) { services in
      try await services.block(ben, as: ana)
      try await services.block(eva, as: ana)
      for kind in RequestKind.allCases { _ = try await services.ask(kind, ana.username, as: ben.caller) }
      let deleted = isBlocker ? ana : ben
      try await services.publish(.identity, AccountDeleted(deletionID: ID(), accountID: deleted.account, at: .now))
      let store = services.store(of: .social)
      try await store.hasErased(deleted.account)
      // Only what says that the relations ended names it.
      #expect(try await store.traces(of: deleted.account) == ["outbox.body"])
      #expect(try await store.rows("friend_requests") == 0)
      #expect(try await store.rows("follow_requests") == 0)
      #expect(try await store.rows("blocks") == (isBlocker ? 0 : 1))
      #expect(try await services.blocked(by: isBlocker ? eva : ana) == (isBlocker ? [] : [eva.account]))
      let last = isBlocker ? try await services.relation(of: ben, to: ana) : try await services.relation(of: ana, to: ben)
      #expect(last.relation == Relation() && !last.isApart)
      #expect(
        try await services.refusal(CreateBlock.self, .init(accountID: deleted.account), as: eva.caller) == "not_found")
    }
  }
}
