import InProcess
import Operations
import SocialContract
import Storage
import Testing

@testable import SocialService

@Suite("Team scores of cancelled tasks (TEAM-2)")
struct CancelledTaskScoreTests {
  @Test("Cancelling a task subtracts its confirmations from the teams' scores once, and those who confirmed still see it")
  func cancelled() async throws {
    let identity = IdentityDouble()
    let (ana, ben, eva) = (try identity.person("ana"), try identity.person("ben"), try identity.person("eva"))
    try await ServicesInProcess.teaming(identity) { services in
      let team = try await services.createTeam(by: ana, with: [ben])
      func score() async throws -> [Int?] {
        let team = try await services.team(of: ana)
        return [team?.allTime.score, team?.month.score]
      }
      for round in 1...3 {
        let input = CreateTask.Input(name: try TaskName(text: "Task \(round)"), participants: [ben.username, eva.username])
        let task = NamedTask(taskID: try await services.call(CreateTask.self, input, as: ana.caller).id)
        for person in [ana, ben] { _ = try await services.call(ConfirmTaskCompletion.self, task, as: person.caller) }
        #expect(try await score() == [2, 2])
        // The points stay the team's when who scored them leaves, until the task is cancelled.
        if round == 3 { try await services.leave(team, as: ben) }
        for _ in 0..<2 { _ = try await services.call(CancelTask.self, task, as: ana.caller) }
        #expect(try await score() == [0, 0])
        #expect(try await services.call(GetTask.self, task, as: ben.caller).task.isConfirmed)
      }
      // A completed one is not cancelled, and counts.
      let input = CreateTask.Input(name: try TaskName(text: "Done"), participants: [eva.username])
      let task = NamedTask(taskID: try await services.call(CreateTask.self, input, as: ana.caller).id)
      for person in [ana, eva] { _ = try await services.call(ConfirmTaskCompletion.self, task, as: person.caller) }
      #expect(try await services.refusal(CancelTask.self, task, as: ana.caller) == "task_completed")
      #expect(try await score() == [1, 1])
    }
  }

  @Test(
    "A completion no longer counts once its participant is alone in the task, so that scores cannot be farmed"
  )
  func leftAlone() async throws {
    let identity = IdentityDouble()
    let (ana, ben, eva) = (try identity.person("ana"), try identity.person("ben"), try identity.person("eva"))
    try await ServicesInProcess.teaming(identity) { services in
      try await services.createTeam(by: ana)
      for isRemoved in [true, false] {
        let input = CreateTask.Input(name: try TaskName(text: "Task"), participants: [ben.username, eva.username])
        let task = NamedTask(taskID: try await services.call(CreateTask.self, input, as: ana.caller).id)
        _ = try await services.call(ConfirmTaskCompletion.self, task, as: ana.caller)
        for (person, score) in [(ben, 1), (eva, 0)] {
          if isRemoved {
            _ = try await services.call(
              RemoveTaskParticipant.self, .init(taskID: task.taskID, accountID: person.account), as: ana.caller)
          } else {
            _ = try await services.call(OptOutOfTask.self, .init(taskID: task.taskID, confirm: true), as: person.caller)
          }
          #expect(try await services.team(of: ana)?.allTime.score == score)
        }
        #expect(try await services.call(GetTask.self, task, as: ana.caller).task.state == .completed)
      }
    }
  }
}
