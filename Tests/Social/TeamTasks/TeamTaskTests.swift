import GRDB
import IdentityContract
import InProcess
import Operations
import SocialContract
import Storage
import Testing

@testable import SocialService

@Suite("A team's own tasks (TASK-1, TEAM-1)")
struct TeamTaskTests {
  /// A team of the first with the others.
  private func makeTeam(_ services: ServicesInProcess, by person: Person, with others: [Person]) async throws -> Team {
    try await person.send(
      CreateTeam.self, .init(name: TeamName(text: "Early Birds"), usernames: try services.usernames(of: others)))
  }

  private func makeTask(
    _ name: String = "Row", of team: Team, by person: Person, with others: [Username] = []
  ) async throws -> SharedTask {
    try await person.send(
      CreateTask.self, .init(name: TaskName(text: name), participants: others, teamID: team.id))
  }

  private func tasks(of team: Team, for person: Person, state: TaskState? = nil) async throws -> [TeamTask] {
    try await person.send(ListTeamTasks.self, .init(teamID: team.id, state: state)).items
  }

  @Test("All present members take part in a new team task, whatever their settings, except blocked and suspended ones")
  func members() async throws {
    try await ServicesInProcess.withPeople(6) { services, people in
      let (ana, ben, eva, leo, mia, zoe) = (people[0], people[1], people[2], people[3], people[4], people[5])
      let team = try await makeTeam(services, by: ana, with: [ben, eva, leo])
      try await services.change(ben, receivedBy: .social) { $0.taskEnrollment = .nobody }
      try await eva.block(ana)
      try await services.change(leo, receivedBy: .social) { $0.suspendedUntil = try Instant(text: "2027-01-01T00:00:00.000Z") }
      let task = try await makeTask(of: team, by: ana, with: try services.usernames(of: [mia, ben]).dropLast())
      #expect(task.teamID == team.id)
      #expect(try await ana.details(of: task).participants.map(\.person.accountID).contains(ben.id))
      #expect(task.participantCount == 3)
      // To who is not in the team it does not exist; neither does a task to who is apart from its creator.
      let input = CreateTask.Input(name: try TaskName(text: "Row"), teamID: team.id)
      #expect(try await zoe.failure(CreateTask.self, input) == "not_found")
      #expect(try await zoe.failure(ListTeamTasks.self, .init(teamID: team.id)) == "not_found")
      #expect(try await tasks(of: team, for: eva).isEmpty)
      #expect(try await eva.failure(JoinTeamTask.self, .init(teamID: team.id, taskID: task.id)) == "not_found")
      #expect(try await mia.failure(ListTeamTasks.self, .init(teamID: team.id)) == "not_found")
    }
  }

  @Test("A former member's open tasks no longer belong to the team, and continue with their participants")
  func detached() async throws {
    try await ServicesInProcess.withPeople(3) { services, people in
      let (ana, ben, eva) = (people[0], people[1], people[2])
      let team = try await makeTeam(services, by: ana, with: [ben, eva])
      let (own, bens) = (try await makeTask("Own", of: team, by: ana), try await makeTask("Ben's", of: team, by: ben))
      try await eva.confirm(bens)
      _ = try await ana.send(RemoveTeamMember.self, .init(teamID: team.id, accountID: ben.id))
      #expect(try await tasks(of: team, for: eva).map(\.task.id) == [own.id])
      #expect(try await eva.details(of: bens).task.teamID == nil)
      #expect(try await ben.details(of: bens).task.state == .open)
    }
  }

  @Test("Members see all tasks of the team in one call, page by page, and new members can join the open ones")
  func joining() async throws {
    try await ServicesInProcess.withPeople(3) { services, people in
      let (ana, ben, eva) = (people[0], people[1], people[2])
      let team = try await makeTeam(services, by: ana, with: [ben])
      var made: [SharedTask] = []
      for number in 0..<5 { made.append(try await makeTask("\(number)", of: team, by: ana)) }
      for person in [ana, ben] { try await person.confirm(made[4]) }
      let invitation = try await ana.send(
        SendTeamInvitation.self, .init(teamID: team.id, username: try services.usernames(of: [eva])[0]))
      _ = try await eva.send(AcceptTeamInvitation.self, .init(teamInvitationID: invitation.id))
      var (names, cursor): ([String], PageCursor?) = ([], nil)
      repeat {
        let page = try await eva.send(ListTeamTasks.self, .init(teamID: team.id, limit: 2, cursor: cursor))
        names += page.items.map(\.task.name.description)
        #expect(page.items.allSatisfy { !$0.isParticipant && !$0.task.isConfirmed })
        cursor = page.nextCursor
      } while cursor != nil
      #expect(names == ["3", "2", "1", "0", "4"])
      #expect(try await eva.failure(GetTask.self, .init(taskID: made[0].id)) == "not_found")
      for _ in 0..<2 {
        let joined = try await eva.send(JoinTeamTask.self, .init(teamID: team.id, taskID: made[0].id))
        #expect(joined.task.participantCount == 3)
      }
      #expect(
        try await eva.failure(JoinTeamTask.self, .init(teamID: team.id, taskID: made[4].id)) == "task_completed")
      // Who has opted out can come back by itself.
      try await ben.optOut(of: made[1])
      #expect(try await tasks(of: team, for: ben).filter { !$0.isParticipant }.map(\.task.id) == [made[1].id])
      #expect(
        try await ben.send(JoinTeamTask.self, .init(teamID: team.id, taskID: made[1].id)).task.participantCount == 2)
      let others = try await services.makeTask(by: ana, with: [ben])
      #expect(try await eva.failure(JoinTeamTask.self, .init(teamID: team.id, taskID: others.id)) == "not_found")
    }
  }

  @Test("A member removed from a team's task cannot join it again until it is enrolled again")
  func removed() async throws {
    try await ServicesInProcess.withPeople(3) { services, people in
      let (ana, ben, eva) = (people[0], people[1], people[2])
      let team = try await makeTeam(services, by: ana, with: [ben, eva])
      let task = try await makeTask(of: team, by: ana)
      try await ana.remove(ben, from: task)
      let shown = try #require(try await tasks(of: team, for: ben).first)
      #expect(!shown.isParticipant && !shown.canJoin)
      let join = JoinTeamTask.Input(teamID: team.id, taskID: task.id)
      #expect(try await ben.failure(JoinTeamTask.self, join) == "removed_from_task")
      #expect(try await ana.details(of: task).participants.count == 2)
      _ = try await ana.send(AddTaskParticipants.self, .init(taskID: task.id, participants: services.usernames(of: [ben])))
      try await ben.optOut(of: task)
      #expect(try await tasks(of: team, for: ben).map(\.canJoin) == [true])
      #expect(try await ben.send(JoinTeamTask.self, join).task.participantCount == 3)
    }
  }

  @Test("A member who leaves or is removed opts out of the team's open tasks, except its own and confirmed ones")
  func leaving() async throws {
    try await ServicesInProcess.withPeople(3) { services, people in
      let (ana, ben, eva) = (people[0], people[1], people[2])
      let team = try await makeTeam(services, by: ana, with: [ben, eva])
      let (first, second) = (try await makeTask("First", of: team, by: ana), try await makeTask("Second", of: team, by: ana))
      let own = try await makeTask("Own", of: team, by: ben)
      for person in [ben, eva] { try await person.confirm(first) }
      try await ana.confirm(second)
      _ = try await ben.send(LeaveTeam.self, .init(teamID: team.id))
      #expect(try await ben.tasks() == ["Own", "First"])
      _ = try await ana.send(RemoveTeamMember.self, .init(teamID: team.id, accountID: eva.id))
      #expect(try await eva.tasks() == ["Own", "First"])
      // All who are left have confirmed.
      #expect(try await tasks(of: team, for: ana, state: .completed).map(\.task.id) == [second.id])
      let shown = try await tasks(of: team, for: ana, state: .open)
      #expect(shown.map(\.task.id) == [first.id] && shown.map(\.task.participantCount) == [3])
      #expect(try await ben.details(of: own).task.participantCount == 3)
      let score = try await ana.send(GetOwnTeam.self, .init()).team?.allTime.score
      // Of the second one ana was left alone, so that it counts no more.
      #expect(score == 2)
    }
  }

  @Test("A team has a limited number of open tasks")
  func bound() async throws {
    try await ServicesInProcess.withPeople(1) { services, people in
      let team = try await makeTeam(services, by: people[0], with: [])
      for number in 0..<TeamTaskStore.maxOpen { _ = try await makeTask("\(number)", of: team, by: people[0]) }
      let input = CreateTask.Input(name: try TaskName(text: "More"), teamID: team.id)
      #expect(try await people[0].failure(CreateTask.self, input) == "too_many_team_tasks")
      _ = try await services.makeTask("Not the team's", by: people[0])
    }
  }

  @Test("A page of a team's tasks is found by its index")
  func index() async throws {
    try await ServicesInProcess.withPeople(1) { services, _ in
      let plan = try await services.store(of: .social).read { database in
        try String.fetchAll(
          database, sql: "EXPLAIN QUERY PLAN \(TeamTaskStore.listSQL)",
          arguments: ["account": AccountID(), "team": ID<Team>(), "state": "open", "before": 1, "limit": 1],
          adapter: SuffixRowAdapter(fromIndex: 3))
      }
      #expect(plan.contains { $0.contains("tasks_of_team") } && !plan.contains { $0.contains("TEMP B-TREE") }, "\(plan)")
    }
  }
}
