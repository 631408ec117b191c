import Foundation
import GRDB
import IdentityContract
import InProcess
import Operations
import SocialContract
import Storage
import Testing

@testable import SocialService

/// Members leave in the store without waking the worker where a test looks at what is still to be done.
@Suite("Leaving a team with many tasks (TASK-1, TEAM-1)", .timeLimit(.minutes(1)))
struct TeamLeaveTests {
  /// More than are settled at once.
  static let count = TeamLeaveStore.tasksAtOnce + 8

  /// A team of the first with the others, with so many tasks that the first made for all.
  private func makeTeam(
    _ services: ServicesInProcess, _ people: [Person], tasks count: Int = Self.count
  ) async throws -> (team: Team, tasks: [SharedTask]) {
    let team = try await people[0].send(
      CreateTeam.self,
      .init(name: TeamName(text: "Early Birds"), usernames: try services.usernames(of: Array(people.dropFirst()))))
    var tasks: [SharedTask] = []
    for number in 0..<count {
      tasks.append(try await people[0].send(CreateTask.self, .init(name: TaskName(text: "\(number)"), teamID: team.id)))
    }
    return (team, tasks)
  }

  /// Ends a membership, as the account itself does.
  ///
  /// - Returns: how many events that published.
  @discardableResult
  private func leave(_ team: Team, as person: Person, _ services: ServicesInProcess) async throws -> Int {
    let (account, id) = (person.id, team.id)
    return try await services.store(of: .social).write { transaction in
      let before = try Self.lastEvent(transaction)
      _ = try TeamTaskStore.leave(account, id, by: account, transaction)
      try TeamMemberStore.end(account, .left, transaction)
      return try Self.lastEvent(transaction) - before
    }
  }

  private static func lastEvent(_ transaction: Transaction) throws -> Int {
    try transaction.database.first("SELECT max(number) FROM outbox") { $0.number(0) } ?? 0
  }

  /// Lets an account be a member, as accepting an invitation does.
  private func join(_ team: Team, as person: Person, _ services: ServicesInProcess) async throws {
    let (account, id) = (person.id, team.id)
    try await services.store(of: .social).write { try TeamMemberStore.add(account, to: id, .joined, $0) }
  }

  /// Does all that is left for a former member.
  private func settle(_ person: Person, _ services: ServicesInProcess) async throws {
    let (account, store) = (person.id, services.store(of: .social))
    while try await !store.write({ try TeamLeaveStore.settle(account, count: 3, $0) }) {}
  }

  /// The tasks of which was published that a person has left them.
  private func left(by person: Person, _ services: ServicesInProcess) async throws -> [ID<SharedTask>] {
    try await services.published(TaskChanged.self).filter { $0.accountID == person.id && !$0.isParticipant }.map(\.taskID)
  }

  private func expectNothingLeft(_ services: ServicesInProcess) async throws {
    let store = services.store(of: .social)
    for table in ["team_leavers", "team_task_leavers", "task_series_returners"] {
      #expect(try await store.rows(table) == 0, "\(table)")
    }
  }

  @Test("To leave a team publishes as much at once with 40 open tasks as with 20")
  func bounded() async throws {
    var events: [Int] = []
    for count in [20, 40] {
      try await ServicesInProcess.withPeople(3) { services, people in
        let (team, _) = try await makeTeam(services, people, tasks: count)
        events.append(try await leave(team, as: people[1], services))
        let store = services.store(of: .social)
        #expect(try await store.rows("team_task_leavers") == count - TeamLeaveStore.tasksAtOnce)
      }
    }
    // Each task for three people, and the membership.
    #expect(events[0] == events[1] && events[0] == 3 * TeamLeaveStore.tasksAtOnce + 1, "\(events)")
  }

  @Test("A former member takes part in none of the team's tasks at once, and each is published once")
  func shown() async throws {
    try await ServicesInProcess.withPeople(3) { services, people in
      let (ben, eva) = (people[1], people[2])
      let (team, tasks) = try await makeTeam(services, people)
      let own = try await ben.send(CreateTask.self, .init(name: TaskName(text: "Own"), teamID: team.id))
      try await leave(team, as: ben, services)
      #expect(try await services.store(of: .social).rows("team_task_leavers") > 0)
      #expect(try await ben.tasks() == ["Own"])
      for task in tasks {
        #expect(try await ben.failure(GetTask.self, .init(taskID: task.id)) == "not_found")
        let details = try await eva.details(of: task)
        #expect(details.task.participantCount == 2 && details.participants.count == 2)
      }
      #expect(try await eva.send(ListTeamTasks.self, .init(teamID: team.id)).items.count == tasks.count)

      try await settle(ben, services)
      try await expectNothingLeft(services)
      let published = try await left(by: ben, services)
      #expect(published.count == tasks.count && Set(published) == Set(tasks.map(\.id)))
      #expect(try await ben.details(of: own).task.participantCount == 3)
    }
  }

  @Test("Who comes back before all is done keeps its part in a task that it has joined meanwhile")
  func back() async throws {
    try await ServicesInProcess.withPeople(3) { services, people in
      let (ben, eva) = (people[1], people[2])
      let (team, tasks) = try await makeTeam(services, people)
      try await leave(team, as: ben, services)
      try await join(team, as: ben, services)
      let store = services.store(of: .social)
      let waiting = try await store.read { try ID<SharedTask>.fetchAll($0, sql: "SELECT task_id FROM team_task_leavers") }
      let task = try #require(tasks.first(where: { waiting.contains($0.id) }))
      _ = try await ben.send(JoinTeamTask.self, .init(teamID: team.id, taskID: task.id))
      try await settle(ben, services)
      try await expectNothingLeft(services)
      #expect(try await ben.tasks() == [task.name.description])
      #expect(try await eva.details(of: task).task.participantCount == 3)
      #expect(try await services.lastChange(of: task, for: ben)?.isParticipant == true)
      #expect(try await left(by: ben, services).count == tasks.count - 1)
    }
  }

  @Test("Tasks that waited for a removed member alone are completed, without notice to the owner who removed it")
  func completed() async throws {
    try await ServicesInProcess.withPeople(3) { services, people in
      let (ana, ben, eva) = (people[0], people[1], people[2])
      let (team, tasks) = try await makeTeam(services, people)
      for task in tasks {
        for person in [ana, eva] { try await person.confirm(task) }
      }
      _ = try await ana.send(RemoveTeamMember.self, .init(teamID: team.id, accountID: ben.id))
      let store = services.store(of: .social)
      try await store.until { try await store.rows("team_leavers") == 0 }
      try await expectNothingLeft(services)
      let input = ListTeamTasks.Input(teamID: team.id, state: .completed)
      #expect(try await ana.send(ListTeamTasks.self, input).items.count == tasks.count)
      func notices() async throws -> [TaskNoticeCreated] {
        try await services.published(TaskNoticeCreated.self).filter { $0.notice == .completed }
      }
      try await store.until { try await notices().count >= tasks.count }
      let notified = try await notices().map(\.accountID)
      #expect(notified.count == tasks.count && Set(notified) == [eva.id])
    }
  }

  @Test("Of tasks that nobody is left in, all who left them learn before the tasks are deleted")
  func abandoned() async throws {
    try await ServicesInProcess.withPeople(3) { services, people in
      let (ana, ben, eva) = (people[0], people[1], people[2])
      let (team, tasks) = try await makeTeam(services, people)
      try await services.delete(ana, receivedBy: .social)
      for person in [ben, eva] { try await leave(team, as: person, services) }
      // The last to leave is done first.
      for person in [eva, ben] { try await settle(person, services) }
      try await expectNothingLeft(services)
      #expect(try await services.store(of: .social).rows("tasks") == 0)
      for person in [ben, eva] {
        let published = try await left(by: person, services)
        #expect(published.count == tasks.count && Set(published) == Set(tasks.map(\.id)))
      }
    }
  }

  @Test("Deleting the account of a former member does what was still to be done")
  func erased() async throws {
    try await ServicesInProcess.withPeople(3) { services, people in
      let (ana, ben, eva) = (people[0], people[1], people[2])
      let (team, tasks) = try await makeTeam(services, people)
      for task in tasks {
        for person in [ana, eva] { try await person.confirm(task) }
      }
      try await leave(team, as: ben, services)
      try await services.delete(ben, receivedBy: .social)
      try await expectNothingLeft(services)
      let input = ListTeamTasks.Input(teamID: team.id, state: .completed)
      #expect(try await ana.send(ListTeamTasks.self, input).items.count == tasks.count)
    }
  }

  @Test("What is left to be done is done after a restart")
  func resumed() async throws {
    let (home, identity) = ("/tmp/racha-leave-\(UInt32.random(in: .min ... .max))", IdentityDouble())
    defer { try? FileManager.default.removeItem(atPath: home) }
    let known = try ["ana", "ben", "eva"].map { try identity.person($0) }
    func run(_ body: (_ services: ServicesInProcess, _ people: [Person]) async throws -> Void) async throws {
      try await ServicesInProcess.running([{ Social.service($0) }], identity: identity, home: home) { services in
        try await body(services, known.map { Person(bus: services.gateway, caller: $0.caller) })
      }
    }
    try await run { services, people in
      // Their first calls make them known.
      for person in people { _ = try await person.send(GetOwnTeam.self, .init()) }
      let (team, _) = try await makeTeam(services, people)
      try await leave(team, as: people[1], services)
      #expect(try await services.store(of: .social).rows("team_task_leavers") > 0)
    }
    try await run { services, people in
      let store = services.store(of: .social)
      try await store.until { try await store.rows("team_leavers") == 0 }
      try await expectNothingLeft(services)
      let published = try await left(by: people[1], services)
      #expect(published.count == Self.count && Set(published).count == Self.count)
    }
  }

  /// More recurring tasks than are left at once.
  static let seriesCount = TeamLeaveStore.tasksAtOnce * TeamLeaveStore.seriesPerTask + 100

  /// So many recurring tasks of a team, all alike.
  ///
  /// - Returns: the first, which a former member leaves last.
  private func makeSeries(of team: Team, by person: Person, _ services: ServicesInProcess) async throws -> TaskSeries {
    let input = CreateTaskSeries.Input(name: try TaskName(text: "Bins"), schedule: .weekdays([1]), teamID: team.id)
    let first = try await person.send(CreateTaskSeries.self, input)
    try await services.store(of: .social).write { transaction in
      try transaction.database.execute(
        sql: """
          WITH RECURSIVE n (i) AS (SELECT 2 UNION ALL SELECT i + 1 FROM n WHERE i < \(Self.seriesCount))
          INSERT INTO task_series (series_id, creator_account, name, schedule_kind, schedule_code, anchor_day, start_day, next_day,
            next_at, advanced_day, created_at, team_id)
          SELECT randomblob(16), creator_account, name, schedule_kind, schedule_code, anchor_day, start_day, next_day, next_at,
            advanced_day, created_at, team_id FROM task_series, n;
          INSERT INTO task_series_participants (series_id, account_id, series_sequence, position)
          SELECT s.series_id, p.account_id, s.sequence, p.position FROM task_series s, task_series_participants p
          WHERE s.sequence > (SELECT min(sequence) FROM task_series);
          """)
    }
    return first
  }

  /// Enrols who has joined the team of a recurring task, as its next occurrence does.
  private func enrolTeam(of series: TaskSeries, by person: Person, _ services: ServicesInProcess) async throws {
    let (account, id) = (person.id, series.id)
    try await services.store(of: .social).write { transaction in
      let stored = try #require(try TaskSeriesStore.find(id, in: transaction.database))
      _ = try TaskSeriesStore.enrolTeam(of: stored, by: account, transaction)
    }
  }

  @Test("A former member sees none of a team's many recurring tasks, and its rows of them go in steps")
  func series() async throws {
    try await ServicesInProcess.withPeople(2) { services, people in
      let (ana, ben) = (people[0], people[1])
      let (team, _) = try await makeTeam(services, people, tasks: 0)
      let first = try await makeSeries(of: team, by: ana, services)
      let (count, store) = (Self.seriesCount, services.store(of: .social))
      try await leave(team, as: ben, services)
      #expect(try await store.rows("task_series_participants") == count + 100)
      #expect(try await ben.send(ListTaskSeries.self, .init()).items.isEmpty)
      #expect(try await ben.failure(GetTaskSeries.self, .init(seriesID: first.id)) == "not_found")
      try await settle(ben, services)
      try await expectNothingLeft(services)
      #expect(try await store.rows("task_series_participants") == count)
      #expect(try await ana.send(GetTaskSeries.self, .init(seriesID: first.id)).teamID == team.id)
    }
  }

  @Test("A former member stays out of recurring tasks whose creator leaves the team before all is done")
  func detached() async throws {
    try await ServicesInProcess.withPeople(3) { services, people in
      let (ana, ben, eva) = (people[0], people[1], people[2])
      let (team, _) = try await makeTeam(services, people, tasks: 0)
      let first = try await makeSeries(of: team, by: ana, services)
      for person in [ben, ana] { try await leave(team, as: person, services) }
      // Whatever takes a recurring task from its team: its next occurrence, or what follows from the creator's leaving.
      try await enrolTeam(of: first, by: ana, services)
      #expect(try await ben.failure(GetTaskSeries.self, .init(seriesID: first.id)) == "not_found")
      for person in [ana, ben] {
        try await settle(person, services)
        #expect(try await ben.send(ListTaskSeries.self, .init()).items.isEmpty)
      }
      try await expectNothingLeft(services)
      let shown = try await eva.series(first)
      #expect(shown.teamID == nil && shown.participants.map(\.accountID) == [ana.id, eva.id])
      #expect(try await services.store(of: .social).rows("task_series_participants") == 2 * Self.seriesCount)
    }
  }

  @Test("Who comes back before all is done is enrolled in a recurring task anew, until it leaves once more")
  func enrolledAnew() async throws {
    try await ServicesInProcess.withPeople(3) { services, people in
      let (ana, ben, eva) = (people[0], people[1], people[2])
      let (team, _) = try await makeTeam(services, people, tasks: 0)
      let first = try await makeSeries(of: team, by: ana, services)
      func participants() async throws -> [AccountID] { try await ana.series(first).participants.map(\.accountID) }
      for isByTeam in [false, true] {
        try await leave(team, as: ben, services)
        #expect(try await participants() == [ana.id, eva.id])
        #expect(try await ben.failure(GetTaskSeries.self, .init(seriesID: first.id)) == "not_found")
        try await join(team, as: ben, services)
        if isByTeam {
          try await enrolTeam(of: first, by: ana, services)
        } else {
          let input = AddTaskSeriesParticipants.Input(seriesID: first.id, participants: try services.usernames(of: [ben]))
          _ = try await ana.send(AddTaskSeriesParticipants.self, input)
        }
        #expect(try await participants() == [ana.id, eva.id, ben.id])
      }
      try await settle(ben, services)
      try await expectNothingLeft(services)
      #expect(try await participants() == [ana.id, eva.id, ben.id])
      #expect(try await ben.send(ListTaskSeries.self, .init()).items.map(\.id) == [first.id])
      #expect(try await services.store(of: .social).rows("task_series_participants") == 2 * Self.seriesCount + 1)
    }
  }

  @Test("Who was enrolled in a recurring task anew keeps its part when the creator leaves the team, and nothing is left of it")
  func enrolledAnewAndDetached() async throws {
    try await ServicesInProcess.withPeople(3) { services, people in
      let (ana, ben, eva) = (people[0], people[1], people[2])
      let (team, _) = try await makeTeam(services, people, tasks: 0)
      let first = try await makeSeries(of: team, by: ana, services)
      try await leave(team, as: ben, services)
      try await join(team, as: ben, services)
      try await enrolTeam(of: first, by: ana, services)
      #expect(try await services.store(of: .social).rows("task_series_returners") == 1)
      try await leave(team, as: ana, services)
      for person in [ana, ben] { try await settle(person, services) }
      try await expectNothingLeft(services)
      let shown = try await ana.series(first)
      #expect(shown.teamID == nil && shown.participants.map(\.accountID) == [ana.id, eva.id, ben.id])
      #expect(try await ben.send(ListTaskSeries.self, .init()).items.map(\.id) == [first.id])
    }
  }
}
