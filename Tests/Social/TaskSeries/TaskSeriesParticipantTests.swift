import GRDB
import IdentityContract
import InProcess
import NotificationsContract
import Operations
import SocialContract
import Storage
import Testing

@testable import SocialService

@Suite("Participants and owners of recurring tasks (TASK-1, TASK-5)")
struct TaskSeriesParticipantTests {
  private func add(_ others: [Person], to series: TaskSeries, _ services: ServicesInProcess) throws
    -> AddTaskSeriesParticipants.Input
  {
    .init(seriesID: series.id, participants: try services.usernames(of: others))
  }

  @Test("The creator enrols more participants in future occurrences, who are each notified once")
  func adding() async throws {
    try await ServicesInProcess.withPeople(4, notified: true) { services, people in
      let (ana, ben, eva, leo) = (people[0], people[1], people[2], people[3])
      let series = try await services.makeSeries(by: ana, with: [ben])
      let input = try add([ben, eva], to: series, services)
      #expect(try await ben.failure(AddTaskSeriesParticipants.self, input) == "forbidden")
      #expect(try await leo.failure(AddTaskSeriesParticipants.self, input) == "not_found")
      for _ in 0..<2 {
        let changed = try await ana.send(AddTaskSeriesParticipants.self, input)
        #expect(changed.participants.map(\.accountID) == [ana.id, ben.id, eva.id])
      }
      #expect(try await eva.occurrences().isEmpty)
      try await services.pass(days: 1)
      #expect(try await eva.occurrences().map(\.participantCount) == [3])
      #expect(try await services.notices(of: eva).filter { $0.kind.rawValue == "taskSeriesEnrolled" }.count == 1)
      #expect(try await services.notices(of: ben).filter { $0.kind.rawValue == "taskSeriesEnrolled" }.count == 1)
      try await services.change(leo, receivedBy: .social) { $0.taskEnrollment = .nobody }
      let unknown = AddTaskSeriesParticipants.Input(
        seriesID: series.id, participants: try services.usernames(of: [leo]) + [Username(text: "no.one")])
      #expect(
        try await ana.refusedFields(AddTaskSeriesParticipants.self, unknown)
          == ["participants[0] enrollment_not_allowed", "participants[1] unknown_user"])
      // Who has left by itself is not asked again.
      _ = try await eva.send(OptOutOfTaskSeries.self, .init(seriesID: series.id, confirm: true))
      #expect(
        try await ana.refusedFields(AddTaskSeriesParticipants.self, add([eva], to: series, services))
          == ["participants[0] opted_out"])
      _ = try await ana.send(EndTaskSeries.self, .init(seriesID: series.id))
      #expect(try await ana.failure(AddTaskSeriesParticipants.self, add([ben], to: series, services)) == "task_series_ended")
    }
  }

  @Test("The creator removes a participant from future and open occurrences, and can enrol it again")
  func removing() async throws {
    try await ServicesInProcess.withPeople(3, notified: true) { services, people in
      let (ana, ben, eva) = (people[0], people[1], people[2])
      let series = try await services.makeSeries(by: ana, with: [ben, eva])
      let first = try #require(try await ben.occurrences().first)
      try await ben.confirm(first)
      try await services.pass(days: 1)
      let input = RemoveTaskSeriesParticipant.Input(seriesID: series.id, accountID: ben.id)
      #expect(try await eva.failure(RemoveTaskSeriesParticipant.self, input) == "forbidden")
      let own = RemoveTaskSeriesParticipant.Input(seriesID: series.id, accountID: ana.id)
      #expect(try await ana.failure(RemoveTaskSeriesParticipant.self, own) == "task_series_creator_stays")
      let changed = try await ana.send(RemoveTaskSeriesParticipant.self, input)
      #expect(changed.participants.map(\.accountID) == [ana.id, eva.id])
      #expect(try await ana.failure(RemoveTaskSeriesParticipant.self, input) == "not_found")
      #expect(try await ben.occurrences().map(\.id) == [first.id])
      #expect(try await ben.failure(GetTaskSeries.self, .init(seriesID: series.id)) == "not_found")
      let notice = try #require(try await services.notices(of: ben).first)
      #expect(notice.kind.rawValue == "taskSeriesRemoved" && notice.text.contains("Bins"))
      try await services.pass(days: 1)
      #expect(try await ben.occurrences().map(\.id) == [first.id])
      _ = try await ana.send(AddTaskSeriesParticipants.self, add([ben], to: series, services))
      try await services.pass(days: 1)
      #expect(try await ben.occurrences(.open).map(\.dueDay?.description) == ["2026-11-24"])
      try await services.erase(ben)
      #expect(try await services.store(of: .social).traces(of: ben.id).filter { $0.hasPrefix("task") }.isEmpty)
    }
  }

  @Test("A participant added and removed repeatedly is notified a limited number of times a day")
  func flood() async throws {
    try await ServicesInProcess.withPeople(2, notified: true) { services, people in
      let (ana, ben) = (people[0], people[1])
      let series = try await services.makeSeries(by: ana, with: [ben])
      for _ in 0..<TaskRules.maxNotices {
        _ = try await ana.send(RemoveTaskSeriesParticipant.self, .init(seriesID: series.id, accountID: ben.id))
        _ = try await ana.send(AddTaskSeriesParticipants.self, add([ben], to: series, services))
      }
      #expect(try await services.published(TaskSeriesNoticeCreated.self).count == TaskRules.maxNotices)
    }
  }

  @Test(
    "Occurrences of a team's recurring task belong to the team, and all its members take part except those who left"
  )
  func team() async throws {
    try await ServicesInProcess.withPeople(4) { services, people in
      let (ana, ben, eva, leo) = (people[0], people[1], people[2], people[3])
      let team = try await ana.send(
        CreateTeam.self, .init(name: TeamName(text: "Birds"), usernames: services.usernames(of: [ben, leo])))
      try await services.change(ben, receivedBy: .social) { $0.taskEnrollment = .nobody }
      let input = CreateTaskSeries.Input(name: try TaskName(text: "Bins"), schedule: .daily, teamID: team.id)
      #expect(try await eva.failure(CreateTaskSeries.self, input) == "not_found")
      let series = try await ana.send(CreateTaskSeries.self, input)
      #expect(series.teamID == team.id && series.participants.map(\.accountID) == [ana.id, ben.id, leo.id])
      #expect(try await ben.occurrences().map(\.teamID) == [team.id])
      _ = try await leo.send(OptOutOfTaskSeries.self, .init(seriesID: series.id, confirm: true))
      let invitation = try await ana.send(
        SendTeamInvitation.self, .init(teamID: team.id, username: services.usernames(of: [eva])[0]))
      _ = try await eva.send(AcceptTeamInvitation.self, .init(teamInvitationID: invitation.id))
      try await services.pass(days: 1)
      #expect(try await eva.occurrences().map(\.participantCount) == [3])
      #expect(try await eva.series(series).participants.map(\.accountID) == [ana.id, ben.id, eva.id])
      #expect(try await leo.occurrences(.open).isEmpty)
      // Who leaves the team leaves its series with it.
      _ = try await ben.send(LeaveTeam.self, .init(teamID: team.id))
      #expect(try await ben.occurrences(.open).isEmpty)
      try await services.pass(days: 1)
      #expect(try await ben.occurrences(.open).isEmpty)
      #expect(try await ana.occurrences(.open).first?.participantCount == 2)
      // With its creator it is the team's no more, and goes on among who takes part.
      _ = try await ana.send(LeaveTeam.self, .init(teamID: team.id))
      try await services.pass(days: 1)
      let last = try #require(try await eva.occurrences(.open).first)
      #expect(last.teamID == nil && last.participantCount == 2 && last.dueDay?.description == "2026-11-24")
      #expect(try await ana.series(series).teamID == nil)
    }
  }

  @Test("An occurrence copies the parts of the one before as not done, with assignees who still take part")
  func parts() async throws {
    try await ServicesInProcess.withPeople(3, notified: true) { services, people in
      let (ana, ben, eva) = (people[0], people[1], people[2])
      let series = try await services.makeSeries(by: ana, with: [ben, eva])
      let first = try #require(try await ana.occurrences().first)
      for (title, assignee) in [("Sand", ben.id), ("Paint", eva.id), ("Sweep", nil)] {
        _ = try await ana.send(
          CreateTaskPart.self, .init(taskID: first.id, title: TaskName(text: title), assigneeID: assignee))
      }
      let part = try await ben.details(of: first).parts[0].id
      _ = try await ben.send(CompleteTaskPart.self, .init(taskID: first.id, partID: part))
      _ = try await eva.send(OptOutOfTaskSeries.self, .init(seriesID: series.id, confirm: true))
      try await services.pass(days: 1)
      let second = try #require(try await ana.occurrences(.open).first)
      let parts = try await ana.details(of: second).parts
      #expect(parts.map(\.title.description) == ["Sand", "Paint", "Sweep"] && parts.allSatisfy { $0.doneAt == nil })
      #expect(parts.map(\.assignee?.accountID) == [ben.id, nil, nil])
      #expect(try await services.notices(of: ben).filter { $0.kind.rawValue == "taskPartAssigned" }.count == 1)
      // Where there is no room for their texts, there are none.
      let account = ana.id
      try await services.store(of: .social).write {
        try $0.database.run("UPDATE task_space SET bytes = ? WHERE account_id = ?", .number((1 << 20) - 10), .id(account))
      }
      try await services.pass(days: 1)
      #expect(try await ana.details(of: #require(try await ana.occurrences(.open).first)).parts.isEmpty)
    }
  }
}
