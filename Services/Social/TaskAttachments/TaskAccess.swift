import GRDB
import Operations
import SocialContract

/// The participants of tasks, for the features that build on tasks.
struct TaskAccess: Sendable {
  typealias Participation = (isParticipant: Bool, isCreator: Bool)

  /// The account's participation in a task; nil where the task does not exist for it.
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

  /// The participants in ``TaskParticipantStore``. The account responsible for a task has its creator's rights on files.
  static let participants = TaskAccess(
    participation: { task, account, database in
      guard let task = try TaskStore.findOptional(task, for: account, in: database)?.task else { return nil }
      return (true, try TaskStore.responsible(for: task, in: database) == account)
    }, participants: { try TaskParticipantStore.accounts(of: $0, in: $1) },
    isCancelled: { try TaskStore.find($0, in: $1)?.state == .cancelled })
}
