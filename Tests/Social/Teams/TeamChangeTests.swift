import IdentityContract
import InProcess
import Operations
import SocialContract
import Storage
import Testing

@testable import SocialService

@Suite("Changes of a team (TEAM-1)")
struct TeamChangeTests {
  let identity = IdentityDouble()

  /// A team of three, whose owner is ana.
  private func withTeam(
    _ body: (ServicesInProcess, Team, _ people: [IdentityDouble.Account]) async throws -> Void
  ) async throws {
    let people = try ["ana", "ben", "eva"].map { try identity.person($0) }
    try await ServicesInProcess.teaming(identity) { services in
      let team = try await services.createTeam(by: people[0], with: Array(people.dropFirst()))
      try await body(services, team, people)
    }
  }

  @Test("Renaming a team is published to each member, and the same name again is not")
  func renamed() async throws {
    try await withTeam { services, team, people in
      let name = try TeamName(text: "Night Owls")
      let renamed = try await services.call(UpdateTeam.self, .init(teamID: team.id, name: .set(name)), as: people[0].caller)
      #expect(renamed.name == name)
      #expect(try await services.team(of: people[1])?.name == name)
      let events = try await services.memberships().suffix(3)
      #expect(events.map(\.accountID) == people.map(\.account) && events.allSatisfy { $0.change == .renamed })
      #expect(events.allSatisfy { $0.teamName == name })
      for input in [UpdateTeam.Input(teamID: team.id, name: .set(name)), .init(teamID: team.id, name: .keep)] {
        _ = try await services.call(UpdateTeam.self, input, as: people[0].caller)
      }
      #expect(try await services.memberships().count == 6)
    }
  }

  @Test("Only its owner can change a team, which is unknown to strangers and former members", arguments: [0, 1, 2])
  func others(who: Int) async throws {
    let stranger = try identity.person("stranger")
    try await withTeam { services, team, people in
      try await services.leave(team, as: people[2])
      let (caller, expected) = [(people[1], "forbidden"), (people[2], "not_found"), (stranger, "not_found")][who]
      let edit = UpdateTeam.Input(teamID: team.id, name: .set(try TeamName(text: "Mine")))
      #expect(try await services.refusal(UpdateTeam.self, edit, as: caller.caller) == expected)
      let member = TeamMemberReference(teamID: team.id, accountID: people[1].account)
      #expect(try await services.refusal(HandOverTeam.self, member, as: caller.caller) == expected)
      #expect(try await services.refusal(RemoveTeamMember.self, member, as: caller.caller) == expected)
      if who > 0 {
        #expect(try await services.refusal(LeaveTeam.self, .init(teamID: team.id), as: caller.caller) == "not_found")
        #expect(try await services.team(of: caller) == nil)
      }
      #expect(try await services.team(of: people[0])?.members.map(\.accountID) == [people[0].account, people[1].account])
    }
  }

  @Test("A member can leave a team, also without a verified address, and then be in another one")
  func left() async throws {
    let mia = try identity.person("mia", isVerified: false)
    try await withTeam { services, team, people in
      try await services.leave(team, as: people[1])
      let event = try #require(try await services.memberships().last)
      #expect(event.accountID == people[1].account && event.change == .left && !event.isMember && event.teamName == team.name)
      #expect(try await services.memberships().count == 4)
      let other = try await services.createTeam("Others", by: people[1], with: [mia])
      #expect(try await services.team(of: mia)?.id == other.id)
      var caller = mia.caller
      caller.isVerified = false
      _ = try await services.call(LeaveTeam.self, .init(teamID: other.id), as: caller)
      #expect(try await services.team(of: mia) == nil)
      // In the order in which they came, whoever came again is the last.
      try await services.leave(other, as: people[1])
      let back = try await services.call(
        SendTeamInvitation.self, .init(teamID: team.id, username: people[1].username), as: people[0].caller)
      _ = try await services.call(AcceptTeamInvitation.self, .init(teamInvitationID: back.id), as: people[1].caller)
      #expect(
        try await services.team(of: people[0])?.members.map(\.accountID) == [0, 2, 1].map { people[$0].account })
    }
  }

  @Test("A team's owner can hand it over to a member and stays in it")
  func handedOver() async throws {
    let stranger = try identity.person("stranger")
    try await withTeam { services, team, people in
      let toStranger = TeamMemberReference(teamID: team.id, accountID: stranger.account)
      #expect(try await services.refusal(HandOverTeam.self, toStranger, as: people[0].caller) == "not_found")
      let handed = try await services.handOver(team, to: people[2], by: people[0])
      #expect(!handed.isOwner && handed.members.map(\.isOwner) == [false, false, true])
      #expect(try await services.team(of: people[2])?.isOwner == true)
      #expect(try await services.memberships().suffix(2).map(\.change) == [.handedOver, .madeOwner])
      let member = TeamMemberReference(teamID: team.id, accountID: people[1].account)
      #expect(try await services.refusal(RemoveTeamMember.self, member, as: people[0].caller) == "forbidden")
      // To oneself nothing changes.
      _ = try await services.handOver(team, to: people[2], by: people[2])
      #expect(try await services.memberships().count == 5)
    }
  }

  @Test("A team's owner can remove members, but not itself, and instead leaves or hands the team over")
  func removed() async throws {
    try await withTeam { services, team, people in
      let member = TeamMemberReference(teamID: team.id, accountID: people[1].account)
      let left = try await services.call(RemoveTeamMember.self, member, as: people[0].caller)
      #expect(left.members.map(\.accountID) == [people[0].account, people[2].account])
      let event = try #require(try await services.memberships().last)
      #expect(event.accountID == people[1].account && event.change == .removed && !event.isMember)
      #expect(try await services.refusal(RemoveTeamMember.self, member, as: people[0].caller) == "not_found")
      let oneself = TeamMemberReference(teamID: team.id, accountID: people[0].account)
      #expect(try await services.refusal(RemoveTeamMember.self, oneself, as: people[0].caller) == "team_removal_of_oneself")
      #expect(try await services.team(of: people[1]) == nil)
    }
  }

  @Test("If its owner leaves, the longest member becomes a team's owner, and the last one to leave ends it")
  func ended() async throws {
    try await withTeam { services, team, people in
      try await services.leave(team, as: people[0])
      #expect(try await services.team(of: people[1])?.isOwner == true)
      let events = try await services.memberships().suffix(3)
      #expect(events.map(\.change) == [.handedOver, .madeOwner, .left])
      try await services.leave(team, as: people[1])
      #expect(try await services.team(of: people[2])?.isOwner == true)
      try await services.leave(team, as: people[2])
      let store = services.store(of: .social)
      for table in ["teams", "team_scores", "team_score_counts", "team_score_bands"] {
        #expect(try await store.rows(table) == 0, "\(table)")
      }
      #expect(try await services.memberships().last?.teamName == nil)
      #expect(try await services.refusal(LeaveTeam.self, .init(teamID: team.id), as: people[2].caller) == "not_found")
    }
  }

  @Test("A new subscriber learns each account's membership as last published, ended ones included")
  func snapshot() async throws {
    try await withTeam { services, team, people in
      try await services.leave(team, as: people[0])
      _ = try await services.call(
        RemoveTeamMember.self, .init(teamID: team.id, accountID: people[2].account), as: people[1].caller)
      let published = Dictionary(try await services.memberships().map { ($0.accountID, $0) }) {
        $0.revision > $1.revision ? $0 : $1
      }
      let snapshot = try await services.snapshot(of: .social).map { try TeamMembershipChanged.decode($0.body) }
      #expect(Dictionary(snapshot.map { ($0.accountID, $0) }) { $1 } == published && snapshot.count == 3)
      #expect(published[people[1].account]?.isOwner == true && published[people[2].account]?.change == .removed)
    }
  }

  @Test(
    "If its owner is deleted, the longest member becomes a team's owner, and nothing of the account remains (ID-12)",
    arguments: [0, 1])
  func erased(who: Int) async throws {
    try await withTeam { services, team, people in
      try await services.score(3, by: people[who])
      try await services.score(1, by: people[2])
      try await services.erase(people[who])
      let left = try #require(try await services.team(of: people[2]))
      #expect(left.members.map(\.accountID) == [people[who == 0 ? 1 : 0].account, people[2].account])
      #expect(left.members.map(\.isOwner) == [true, false])
      // Who is deleted leaves the points.
      #expect(left.allTime.score == 4 && left.month.score == 4)
      let store = services.store(of: .social)
      #expect(try await store.traces(of: people[who].account).isEmpty)
      #expect(try await store.erasedCounts(of: people[who].account).contains("teams 4"))
      #expect(try await store.rows("team_points") == 1)
    }
  }

  @Test("A team ends when its last member is deleted (ID-12)")
  func lastErased() async throws {
    let ana = try identity.person("ana")
    try await ServicesInProcess.teaming(identity) { services in
      try await services.createTeam(by: ana)
      try await services.score(2, by: ana)
      try await services.erase(ana)
      let store = services.store(of: .social)
      for table in ["teams", "team_members", "team_scores", "team_points", "team_score_counts", "team_score_bands"] {
        #expect(try await store.rows(table) == 0, "\(table)")
      }
      #expect(try await store.traces(of: ana.account).isEmpty)
    }
  }
}
