import Operations
import ServiceKit
import SocialContract
import Storage

/// A team's own tasks: created by a member for all current members, listed to all members, joined by later members (TASK-1, TEAM-1).
/// Membership counts as consent, whatever a member's setting about being enrolled; a block takes precedence. They are stored with all other
/// tasks, by `TaskStore`.
struct TeamTaskFeature: Feature {
  let links: TaskLinkKeys
  let migrations = [TeamTaskStore.migration(41)]

  func register(in service: inout ServiceDefinition) {
    service.serve(ListTeamTasks.self, read: TeamTaskHandlers.list)
    service.serve(JoinTeamTask.self, write: TeamTaskHandlers(links: links).join)
  }
}
