import Operations
import ServiceKit
import SocialContract
import Storage

/// A team's own tasks: made by a member for all who are in the team then, listed to all members, joined by who came later (TASK-1, TEAM-1).
/// The members' being in the team is their consent, whatever their setting says of who may enrol them; a block goes before it. They are kept with
/// all other tasks, by `TaskStore`.
struct TeamTaskFeature: Feature {
  let links: TaskLinkKeys
  let migrations = [TeamTaskStore.migration(41)]

  func register(in service: inout ServiceDefinition) {
    service.serve(ListTeamTasks.self, read: TeamTaskHandlers.list)
    service.serve(JoinTeamTask.self, write: TeamTaskHandlers(links: links).join)
  }
}
