import Client
import Cluster
import Foundation
import IdentityContract
import Operations
import SocialContract
import Testing

/// Social is killed at random moments while teams are created, handed over and left, and work on their tasks: each happens once and whole.
///
/// `deploy/racha faults` kills more often (`RACHA_FAULT_ROUNDS`).
@Suite("Killing social during changes of teams", .serialized)
struct TeamKillsTests {
  @Test(
    "Killing social leaves each account in at most one team, each team with one owner and its members' tasks (TEAM-1, TEAM-2)"
  )
  func living() async throws {
    let cluster = try RunningCluster(settings: Play.settings)
    defer { cluster.stop() }
    try await cluster.start()
    let ana = try await cluster.join("ana", password: "Rio-7-lento")
    let ben = try await cluster.join("ben", password: "Mar-9-bravo")
    let eva = try await cluster.join("eva", password: "Sol-5-claro")
    for round in 0..<Play.rounds(4) {
      let killer = Task {
        for _ in 0..<3 {
          // A random moment is the point: whatever runs then is cut off.
          try await Task.sleep(for: .milliseconds(Int.random(in: 0...150)))
          cluster.kill(.social)
        }
      }
      let team = try await ana.client.callUntilDone(
        CreateTeam.self,
        .init(name: TeamName(text: "Team \(round)"), usernames: [ben.account.username, eva.account.username]),
        idempotencyKey: "team-\(round)")
      let tasks = try await makeTasks(of: team, by: ana, round)
      _ = try await eva.client.callUntilDone(ConfirmTaskCompletion.self, .init(taskID: tasks[0].id))
      _ = try await ana.client.callUntilDone(
        HandOverTeam.self, .init(teamID: team.id, accountID: ben.account.id), idempotencyKey: "hand-over-\(round)")
      _ = try await ben.client.callUntilDone(
        RemoveTeamMember.self, .init(teamID: team.id, accountID: eva.account.id), idempotencyKey: "remove-\(round)")
      try await killer.value
      try await cluster.waitUntilReady()
      let view = try #require(try await ben.client.callUntilDone(GetOwnTeam.self, .init()).team)
      #expect(view.id == team.id && view.isOwner && view.members.map(\.accountID) == [ana.account.id, ben.account.id])
      #expect(view.members.map(\.isOwner) == [false, true] && view.allTime.score == 1)
      let shown = try await ben.client.callUntilDone(ListTeamTasks.self, .init(teamID: team.id)).items
      // Eva keeps the one that it confirmed, and is out of the other.
      #expect(shown.map(\.task.id) == tasks.reversed().map(\.id) && shown.map(\.task.participantCount) == [2, 3])
      #expect(shown.allSatisfy(\.isParticipant) && shown.map(\.task.confirmedCount) == [0, 1])
      let left = try await eva.client.callUntilDone(GetOwnTeam.self, .init()).team
      #expect(left == nil)
      try await end(team, [ana, ben], cluster, round)
    }
    let codes = cluster.stop()
    #expect(codes.values.allSatisfy { $0 == 0 }, "all six stop gracefully: \(codes)")
  }

  private func makeTasks(of team: Team, by member: Member, _ round: Int) async throws -> [SharedTask] {
    var tasks: [SharedTask] = []
    for number in 0..<2 {
      tasks.append(
        try await member.client.callUntilDone(
          CreateTask.self, .init(name: TaskName(text: "Task \(number)"), teamID: team.id),
          idempotencyKey: "task-\(round)-\(number)"))
    }
    return tasks
  }

  /// Lets the last members leave while social is killed, with which the team ends.
  private func end(_ team: Team, _ members: [Member], _ cluster: RunningCluster, _ round: Int) async throws {
    for (number, member) in members.enumerated() {
      let killer = Task {
        try await Task.sleep(for: .milliseconds(Int.random(in: 0...50)))
        cluster.kill(.social)
      }
      _ = try await member.client.callUntilDone(
        LeaveTeam.self, .init(teamID: team.id), idempotencyKey: "leave-\(round)-\(number)")
      try await killer.value
      try await cluster.waitUntilReady()
      let left = try await member.client.callUntilDone(GetOwnTeam.self, .init()).team
      #expect(left == nil)
    }
  }
}
