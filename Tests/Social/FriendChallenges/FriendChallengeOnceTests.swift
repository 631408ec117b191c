import ActivityContract
import Foundation
import GRDB
import InProcess
import Operations
import ServiceKit
import SocialContract
import Storage
import Testing

@testable import SocialService

/// The way from acceptance to activity, cut off or repeated at each step; see `ChallengeKillsTests` for real processes.
@Suite("An accepted challenge becomes an activity exactly once (SOC-6)")
struct FriendChallengeOnceTests {
  let identity = IdentityDouble()

  /// A challenge that waits, in a home folder that outlives the services.
  private struct Waiting {
    let home: String
    let ana: IdentityDouble.Account
    let ben: IdentityDouble.Account
    let challenge: FriendChallenge
  }

  private func withWaiting(_ body: (Waiting) async throws -> Void) async throws {
    let home = "/tmp/racha-challenge-\(UInt64.random(in: .min ... .max))"
    defer { try? FileManager.default.removeItem(atPath: home) }
    let (ana, ben) = (try identity.person("ana"), try identity.person("ben"))
    var challenge: FriendChallenge?
    try await ServicesInProcess.challenging(identity, home: home) { services in
      try await services.befriend(ana, ben)
      challenge = try await services.challenge(ben, to: try await services.makeActivity(of: ana), by: ana)
      try await services.hasReceived(.activity, of: .social)
    }
    try await body(Waiting(home: home, ana: ana, ben: ben, challenge: try #require(challenge)))
  }

  /// The files of a service's store, and what is in them.
  private func files(of service: ServiceName, _ home: String) throws -> [String: Data] {
    let folder = Home(path: home).stores
    let names = try FileManager.default.contentsOfDirectory(atPath: folder).filter { $0.hasPrefix("\(service).sqlite") }
    return try Dictionary(uniqueKeysWithValues: names.map { ($0, try Data(contentsOf: URL(filePath: "\(folder)/\($0)"))) })
  }

  private func put(_ files: [String: Data], of service: ServiceName, _ home: String) throws {
    let folder = Home(path: home).stores
    for name in try FileManager.default.contentsOfDirectory(atPath: folder) where name.hasPrefix("\(service).sqlite") {
      try FileManager.default.removeItem(atPath: "\(folder)/\(name)")
    }
    for (name, data) in files { try data.write(to: URL(filePath: "\(folder)/\(name)")) }
  }

  @Test("A challenge accepted while activity is down stays unchanged, and the same call works later")
  func activityAway() async throws {
    try await withWaiting { waiting in
      let name = FriendChallengeName(friendChallengeID: waiting.challenge.id)
      try await ServicesInProcess.running([{ Social.service($0) }], identity: identity, home: waiting.home) { services in
        let refusal = try await services.refusal(AcceptFriendChallenge.self, name, as: waiting.ben.caller)
        #expect(refusal == "unavailable")
        #expect(try await services.state(of: waiting.challenge, for: waiting.ben) == .pending)
      }
      try await ServicesInProcess.challenging(identity, home: waiting.home) { services in
        let accepted = try await services.accept(waiting.challenge, by: waiting.ben)
        #expect(try await services.activities(of: waiting.ben).map(\.id) == [accepted.activityID])
      }
    }
  }

  @Test("A challenge accepted before activity crashed becomes one activity once that is back")
  func activityDied() async throws {
    try await withWaiting { waiting in
      let before = try files(of: .activity, waiting.home)
      #expect(before.count > 0)
      var activity: ActivityID?
      try await ServicesInProcess.challenging(identity, home: waiting.home) { services in
        activity = try await services.accept(waiting.challenge, by: waiting.ben).activityID
        #expect(try await services.activities(of: waiting.ben).count == 1)
      }
      for _ in 0..<2 {
        // As if what came behind the acceptance had never been written.
        try put(before, of: .activity, waiting.home)
        try await ServicesInProcess.challenging(identity, home: waiting.home) { services in
          let activities = try await services.activities(of: waiting.ben)
          #expect(activities.map(\.id) == [activity])
        }
      }
      // And once more with what it has written.
      try await ServicesInProcess.challenging(identity, home: waiting.home) { services in
        let activities = try await services.activities(of: waiting.ben)
        #expect(activities.map(\.id) == [activity])
        #expect(try await services.accept(waiting.challenge, by: waiting.ben).activityID == activity)
      }
    }
  }

  @Test("A challenge accepted while social crashed is accepted by the repeated call, with one activity")
  func socialDied() async throws {
    try await withWaiting { waiting in
      let before = try files(of: .social, waiting.home)
      // Activity is asked, and social's transaction is lost.
      let activityBefore = try files(of: .activity, waiting.home)
      try await ServicesInProcess.challenging(identity, home: waiting.home) { services in
        _ = try await services.accept(waiting.challenge, by: waiting.ben)
      }
      try put(before, of: .social, waiting.home)
      try put(activityBefore, of: .activity, waiting.home)
      try await ServicesInProcess.challenging(identity, home: waiting.home) { services in
        #expect(try await services.state(of: waiting.challenge, for: waiting.ben) == .pending)
        #expect(try await services.activities(of: waiting.ben).isEmpty)
        let accepted = try await services.accept(waiting.challenge, by: waiting.ben)
        #expect(try await services.activities(of: waiting.ben).map(\.id) == [accepted.activityID])
      }
    }
  }

  @Test("An accepted challenge that is published again makes no new activity, even if the first was deleted")
  func again() async throws {
    try await withWaiting { waiting in
      try await ServicesInProcess.challenging(identity, home: waiting.home) { services in
        let activity = try #require(try await services.accept(waiting.challenge, by: waiting.ben).activityID)
        #expect(try await services.activities(of: waiting.ben).count == 1)
        let accepted = try await services.snapshot(of: .social).filter { $0.name == FriendChallengeAccepted.spec.name }
        #expect(accepted.count == 1)
        let event = try FriendChallengeAccepted.decode(accepted[0].body)
        #expect(event.activityID == activity && event.accountID == waiting.ben.account)
        try await services.publish(.social, event, event)
        #expect(try await services.activities(of: waiting.ben).map(\.id) == [activity])
        _ = try await services.call(DeleteActivity.self, .init(activityID: activity, confirm: true), as: waiting.ben.caller)
        try await services.publish(.social, event)
        #expect(try await services.activities(of: waiting.ben).isEmpty)
        // The challenge has ended by it, and yet is published as accepted, for who has not made the activity yet.
        try await services.hasReceived(.social, of: .activity)
        let ended = try await services.snapshot(of: .social)
        #expect(ended.contains { $0.name == FriendChallengeAccepted.spec.name && $0.body == accepted[0].body })
        let states = try ended.filter { $0.name == FriendChallengeChanged.spec.name }
          .map { try FriendChallengeChanged.decode($0.body).state }
        #expect(states == [.ended, .ended])
      }
    }
  }

  @Test("Accepting a challenge without room for an activity is refused, and an accepted one is made in any case")
  func full() async throws {
    let (ana, ben) = (try identity.person("ana"), try identity.person("ben"))
    try await ServicesInProcess.challenging(identity) { services in
      try await services.befriend(ana, ben)
      let sent = try await services.challenge(ben, to: try await services.makeActivity(of: ana), by: ana)
      let last = try await services.makeActivity(of: ben)
      try await withThrowingTaskGroup(of: Void.self) { group in
        for _ in 1..<1000 { group.addTask { _ = try await services.makeActivity(of: ben, reminders: []) } }
        try await group.waitForAll()
      }
      let name = FriendChallengeName(friendChallengeID: sent.id)
      #expect(try await services.refusal(AcceptFriendChallenge.self, name, as: ben.caller) == "too_many_activities")
      #expect(try await services.state(of: sent, for: ben) == .pending)
      _ = try await services.call(DeleteActivity.self, .init(activityID: last.id, confirm: true), as: ben.caller)
      let accepted = try await services.accept(sent, by: ben)
      let event = FriendChallengeAccepted(
        friendChallengeID: ID(), accountID: ben.account, activityID: ActivityID(), activity: accepted.activity, at: .now)
      try await services.publish(.social, event)
      try await services.hasReceived(.activity, of: .social)
      #expect(try await services.store(of: .activity).rows("activities") == 1002)
    }
  }
}
