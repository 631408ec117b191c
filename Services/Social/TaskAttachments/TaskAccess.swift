import GRDB
import Operations
import SocialContract

/// Who takes part in tasks, as the features that build on tasks ask for it.
struct TaskAccess: Sendable {
  typealias Participation = (isParticipant: Bool, isCreator: Bool)

  /// What the account has to do with a task; nil where the task does not exist for it.
  let participation: @Sendable (_ task: ID<SharedTask>, _ account: AccountID, Database) throws -> Participation?
  /// All who take part in a task.
  let participants: @Sendable (_ task: ID<SharedTask>, Database) throws -> [AccountID]
  /// Whether a task was cancelled, so that it takes no files and has no token.
  var isCancelled: @Sendable (_ task: ID<SharedTask>, Database) throws -> Bool = { _, _ in false }

  /// Whether the account created the task.
  ///
  /// - Throws: `not_found` unless it takes part.
  @discardableResult
  func require(_ task: ID<SharedTask>, _ account: AccountID, in database: Database) throws -> Bool {
    guard let found = try participation(task, account, database), found.isParticipant else {
      throw Failure(RequestFailure.notFound)
    }
    return found.isCreator
  }

  /// Refuses files for a cancelled task.
  ///
  /// - Throws: `task_cancelled`.
  func expectNotCancelled(_ task: ID<SharedTask>, in database: Database) throws {
    if try isCancelled(task, database) { throw TaskFailure.cancelled }
  }

  /// Those who take part in tasks, as ``TaskParticipantStore`` has them. Who answers for a task does with files what its creator does.
  static let participants = TaskAccess(
    participation: { task, account, database in
      guard let task = try TaskStore.findOptional(task, for: account, in: database)?.task else { return nil }
      return (true, try TaskStore.responsible(for: task, in: database) == account)
    }, participants: { try TaskParticipantStore.accounts(of: $0, in: $1) },
    isCancelled: { try TaskStore.find($0, in: $1)?.state == .cancelled })
}
