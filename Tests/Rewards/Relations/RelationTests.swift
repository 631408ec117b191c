import GRDB
import InProcess
import Operations
import RewardsContract
import ServiceKit
import SocialContract
import Storage
import Testing

@testable import RewardsService

@Suite("Relations of accounts in rewards")
struct RelationTests {
  /// Publishes what both see of each other.
  private func relate(
    _ ana: Person, _ ben: Person, _ relation: Relation, isBlockedByOther: Bool = false, revision: Int,
    _ services: ServicesInProcess
  ) async throws {
    var other = relation
    (other.isBlocked, other.isFriend) = (isBlockedByOther, relation.isFriend)
    try await services.publish(
      .social,
      RelationChanged(
        accountID: ana.id, otherAccountID: ben.id, relation: relation, isBlockedByOther: isBlockedByOther, revision: revision,
        at: .now),
      RelationChanged(
        accountID: ben.id, otherAccountID: ana.id, relation: other, isBlockedByOther: relation.isBlocked, revision: revision,
        at: .now))
    try await services.hasReceived(.rewards, of: .social)
  }

  @Test("Friends and blocks are known both ways, late events change nothing, and all are removed with either account")
  func relations() async throws {
    let social: ServicesInProcess.Build = { _ in ServiceDefinition(.social, migrations: []) }
    try await ServicesInProcess.running([social, { try Rewards.service($0) }]) { services in
      let (ana, ben) = (try await services.register(), try await services.register())
      let store = services.store(of: .rewards)
      func known() async throws -> [Bool] {
        try await store.read { database in
          [
            try RelationStore.isFriend(ana.id, of: ben.id, in: database),
            try RelationStore.isFriend(ben.id, of: ana.id, in: database),
            try RelationStore.isApart(ana.id, from: ben.id, in: database),
            try RelationStore.isApart(ben.id, from: ana.id, in: database),
          ]
        }
      }
      #expect(try await known() == [false, false, false, false])
      try await relate(ana, ben, Relation(follows: true), revision: 1, services)
      #expect(try await store.rows("relations") == 0)
      try await relate(ana, ben, Relation(isFriend: true), revision: 3, services)
      #expect(try await known() == [true, true, false, false])
      try await relate(ana, ben, Relation(), revision: 2, services)
      #expect(try await known() == [true, true, false, false])
      #expect(try await store.read { try RelationStore.friends(of: ana.id, in: $0) } == [ben.id])
      try await relate(ana, ben, Relation(isBlocked: true), revision: 4, services)
      #expect(try await known() == [false, false, true, true])
      #expect(try await store.read { try RelationStore.friends(of: ben.id, in: $0) }.isEmpty)
      try await services.delete(ben, receivedBy: .rewards)
      #expect(try await store.rows("relations") == 0)
      try await relate(ana, ben, Relation(isFriend: true), revision: 5, services)
      #expect(try await store.traces(of: ben.id) == [])
    }
  }
}
