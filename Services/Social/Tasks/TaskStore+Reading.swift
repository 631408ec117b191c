import GRDB
import Operations
import ServiceKit
import SocialContract
import Storage

extension TaskStore {
  /// Tasks in which an account takes part, to be narrowed down.
  private static let selection = """
    SELECT t.*, p.confirmed_at, a.account_id AS creator_id, \(isResponsible("p", for: "t")) AS can_edit,
      \(ShownPersonStore.columns(for: "p.account_id"))
    FROM task_participants p JOIN tasks t ON t.task_id = p.task_id
    LEFT JOIN accounts a ON a.account_id = t.creator_account
    """

  /// A task as one of its participants sees it; for others it does not exist.
  static func view(_ id: ID<SharedTask>, for account: AccountID, in database: Database) throws -> SharedTask {
    let statement = try database.cachedStatement(
      sql: "\(selection) WHERE p.task_id = ? AND p.account_id = ? AND p.state <> 'left'")
    guard let row = try Row.fetchOne(statement, arguments: [id, account]) else { throw Failure(RequestFailure.notFound) }
    return SharedTask(row, for: account)
  }

  /// The same with all that its screen shows.
  static func details(
    _ id: ID<SharedTask>, for account: AccountID, _ links: TaskLinkKeys, in database: Database
  ) throws -> TaskDetails {
    let task = try view(id, for: account, in: database)
    let (comments, hasEarlier) = try TaskCommentStore.latest(of: id, for: account, in: database)
    let (attachments, hasMore) = try TaskAttachmentStore.latest(
      of: id, for: account, isCreator: task.canEdit, in: database)
    return TaskDetails(
      task: task, participants: try TaskParticipantStore.list(of: id, for: account, in: database), comments: comments,
      hasEarlierComments: hasEarlier, help: try TaskHelpStore.listOpen(in: id, for: account, database),
      attachments: attachments, hasMoreAttachments: hasMore, parts: try TaskPartStore.list(of: id, for: account, in: database),
      link: try TaskLinkStore.find(to: id, of: account, links, in: database))
  }

  /// How a page of the tasks in one state is found: by a walk along an index from the newest on.
  static let listSQL = """
    \(selection) WHERE p.account_id = :account AND p.state = :state AND p.task_sequence < :before
    ORDER BY p.task_sequence DESC LIMIT :limit
    """

  /// The account's tasks, newest first: those in a state, or those that are open and behind them those completed.
  static func list(
    for account: AccountID, state: TaskState?, _ page: PageRequest, in database: Database
  ) throws -> Page<SharedTask> {
    try self.page(state: state, page) { state, before, limit in
      try Row.fetchAll(
        database.cachedStatement(sql: listSQL),
        arguments: ["account": account, "state": state, "before": before, "limit": limit])
    } item: {
      SharedTask($0, for: account)
    }
  }

  /// A page of tasks, newest first: those in a state, or those that are open and behind them those completed.
  ///
  /// - Parameter rows: the newest in a state before a sequence number, at most so many.
  static func page<Item>(
    state: TaskState?, _ page: PageRequest, rows: (_ state: TaskState, _ before: Int64, _ limit: Int) throws -> [Row],
    item: (Row) -> Item
  ) throws -> Page<Item> {
    let position = try page.cursor(TaskPosition.init(text:))
    let states = state.map { [$0] } ?? [.open, .completed]
    var found: [Row] = []
    for state in states.drop(while: { position != nil && $0 != position?.state }) where found.count < page.fetchLimit {
      let before = position.flatMap { $0.state == state ? $0.sequence : nil }
      found += try rows(state, before ?? .max, page.fetchLimit - found.count)
    }
    return page.page(of: found, key: { TaskPosition(state: $0["state"], sequence: $0["sequence"]) }, item: item)
  }
}

extension SharedTask {
  /// A row of a task with its creator.
  init(_ row: Row, for account: AccountID) {
    let creator = TaskPerson(row, "creator_id")
    self.init(
      id: row["task_id"], name: row["name"], description: row["description"], dueDay: row["due_day"], state: row["state"],
      creator: creator, isCreator: creator?.accountID == account, canEdit: row["can_edit"],
      participantCount: row["participant_count"],
      confirmedCount: row["confirmed_count"], isConfirmed: row["confirmed_at"] != nil, createdAt: row["created_at"],
      completedAt: row["completed_at"], cancelledAt: row["cancelled_at"], seriesID: row["series_id"],
      teamID: row["team_id"])
  }
}
