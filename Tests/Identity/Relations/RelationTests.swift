import Foundation
import GRDB
import IdentityContract
import Operations
import ServiceKit
import SocialContract
import Storage
import Testing

@testable import IdentityService

@Suite("Relations of accounts, as social publishes them (SOC-2, SOC-7, SOC-8)")
struct RelationTests {
  private func apart(_ ana: AccountID, _ bea: AccountID, _ isApart: Bool = true) -> @Sendable (Database) throws -> Bool {
    { database in
      try RelationStore.find(of: ana, to: bea, in: database).isApart == isApart
        && RelationStore.find(of: bea, to: ana, in: database).isApart == isApart
    }
  }

  @Test("A relation is stored as published, for each of the two accounts separately")
  func kept() async throws {
    try await RunningIdentity.run { identity in
      let (ana, bea, eva) = (AccountID(), AccountID(), AccountID())
      let relations = [
        Relation(), Relation(isFriend: true), Relation(friendRequest: .received, friendRequestID: ID()),
        Relation(friendRequest: .sent, friendRequestID: ID()), Relation(follows: true), Relation(isFollowedBy: true),
        Relation(followRequestSentID: ID()), Relation(followRequestReceivedID: ID()), Relation(isBlocked: true),
        Relation(isFriend: true, follows: true, isFollowedBy: true),
      ]
      for (index, relation) in relations.enumerated() {
        try await identity.relate(ana, bea, relation, isBlockedByOther: index == 3, revision: index + 1)
        let known = try await identity.store.read { try RelationStore.find(of: ana, to: bea, in: $0) }
        #expect(known.relation == relation && known.isBlockedByOther == (index == 3))
        #expect(known.isApart == (index == 3 || relation.isBlocked))
        for (account, other) in [(bea, ana), (ana, eva), (eva, bea)] {
          #expect(try await identity.store.read { try RelationStore.find(of: account, to: other, in: $0) } == KnownRelation())
        }
      }
    }
  }

  @Test("A late or repeated event of a relation reverts nothing, even after the relation has ended")
  func revisions() async throws {
    try await RunningIdentity.run { identity in
      let (ana, bea) = (AccountID(), AccountID())
      try await identity.relate(ana, bea, Relation(follows: true), revision: 7)
      for revision in [6, 7] { try await identity.relate(ana, bea, Relation(isBlocked: true), revision: revision) }
      #expect(try await identity.store.read { try RelationStore.find(of: ana, to: bea, in: $0) }.relation.follows)
      try await identity.relate(ana, bea, Relation(), revision: 9)
      try await identity.relate(ana, bea, Relation(follows: true), revision: 8)
      #expect(try await identity.store.read { try RelationStore.find(of: ana, to: bea, in: $0) } == KnownRelation())
    }
  }

  @Test("A block published by social takes effect for both, even if identity did not know social before")
  func published() async throws {
    try await RunningIdentity.run { identity in
      let (ana, bea, eva) = (try await identity.join("ana"), try await identity.join("bea"), try await identity.join("eva"))
      let (one, other) = (ana.account.id, bea.account.id)
      try await PublishingSocial.run(identity.time) { social in
        try await social.publishBlock(one, other, revision: 1)
        try await social.publishBlock(eva.account.id, one, revision: 1)
        // Of the first nothing is left but the snapshot.
        try await social.prune()
        try await identity.running(on: social.exchange, until: apart(one, other))
        // Identity is away while it ends, and receives that behind its cursor.
        try await social.publishBlock(one, other, false, revision: 2)
        try await identity.running(on: social.exchange, until: apart(one, other, false))
      }
      let again = try await identity.restarted()
      #expect(try await again.store.read(apart(one, other, false)))
      #expect(try await again.store.read(apart(eva.account.id, one)))
      await again.store.close()
    }
  }

  @Test("A block closes profile, photo and directory to both, whenever identity is killed while receiving it")
  func kills() async throws {
    try await RunningIdentity.run { identity in
      let (ana, bea) = (try await identity.join("ana"), try await identity.join("bea"))
      let (one, other) = (ana.account.id, bea.account.id)
      try await PublishingSocial.run(identity.time) { social in
        for revision in 1...6 {
          let isBlocked = !revision.isMultiple(of: 2)
          // It is stopped as soon as it runs, behind the transaction of one side, and behind that of both.
          try await identity.running(on: social.exchange) { _ in true }
          try await social.publishBlock(one, other, isBlocked, revision: revision)
          try await identity.running(on: social.exchange) { _ in true }
          try await identity.running(on: social.exchange) { database in
            try RelationStore.find(of: one, to: other, in: database).isApart == isBlocked
          }
          try await identity.running(on: social.exchange, until: apart(one, other, isBlocked))
          let again = try await identity.restarted()
          for (viewer, seen) in [(ana, bea), (bea, ana)] {
            let found = try await again.ask(SearchDirectory.self, .init(), by: .signedIn(viewer)).items.map(\.accountID)
            #expect(found == (isBlocked ? [] : [seen.account.id]))
            let photo = try await failure {
              try await again.ask(GetPhoto.self, .init(accountID: seen.account.id), by: .signedIn(viewer))
            }
            #expect(photo.code == "not_found")
          }
          await again.store.close()
        }
      }
    }
  }

  @Test("No relation of a deleted account remains on either side, and late events restore none (ID-12)")
  func erasure() async throws {
    try await RunningIdentity.run { identity in
      let (ana, bea, eva) = (try await identity.join("ana"), try await identity.join("bea"), try await identity.join("eva"))
      for (one, other) in [(ana, bea), (bea, ana), (bea, eva), (eva, bea)] {
        try await identity.relate(one.account.id, other.account.id, Relation(isFriend: true))
      }
      let password = DeleteAccount.Input(password: FormField(text: RunningIdentity.password))
      _ = try await identity.ask(DeleteAccount.self, password, by: .signedIn(ana))
      try await identity.relate(ana.account.id, bea.account.id, Relation(isFriend: true), revision: 2)
      try await identity.relate(bea.account.id, ana.account.id, Relation(isFriend: true), revision: 2)
      #expect(try await identity.count("SELECT count(*) FROM relations") == 2)
      let left = try await identity.store.read { try RelationStore.find(of: eva.account.id, to: bea.account.id, in: $0) }
      #expect(left.relation.isFriend)
    }
  }
}
