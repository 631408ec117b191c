import GRDB
import Operations
import ServiceKit
import SocialContract
import Storage

/// Tasks of teams: listed and joined.
struct TeamTaskHandlers: Sendable {
  let links: TaskLinkKeys

  static func list(_ input: ListTeamTasks.Input, _ call: AccountCall, _ database: Database) throws -> Page<TeamTask> {
    _ = try TeamMemberStore.membership(of: call.account, in: input.teamID, database)
    return try TeamTaskStore.list(of: input.teamID, for: call.account, state: input.state, call.page(input), in: database)
  }

  func join(_ input: JoinTeamTask.Input, _ call: AccountCall, _ transaction: Transaction) throws -> TaskDetails {
    let (account, database) = (call.account, transaction.database)
    _ = try TeamMemberStore.membership(of: account, in: input.teamID, database)
    guard let task = try TeamTaskStore.find(input.taskID, of: input.teamID, for: account, in: database) else {
      throw Failure(RequestFailure.notFound)
    }
    if try TaskParticipantStore.find(task.id, account, in: database) == nil {
      try TaskRules.expectOpen(task.state)
      guard try !TaskParticipantStore.wasRemoved(account, from: task.id, in: database) else { throw TeamTaskFailure.removed }
      guard task.participantCount < TaskRules.maxParticipants else { throw TaskParticipantRules.tooMany }
      try TaskParticipantStore.add([account], to: task.id, task.sequence, by: account, transaction)
      try TaskStore.settle(task.id, transaction)
    }
    return try TaskStore.details(task.id, for: account, links, in: database)
  }
}
