import GRDB
import Operations
import ServiceKit
import SocialContract
import Storage

/// Public links to completed tasks: made, listed, revoked, and what they open.
struct TaskLinkHandlers: Sendable {
  let keys: TaskLinkKeys
  private let words = Words(Contract.social.words)

  init(keys: TaskLinkKeys) { self.keys = keys }

  func create(_ input: CreateTaskLink.Input, _ call: AccountCall, _ transaction: Transaction) throws -> TaskLink {
    let (account, database) = (call.account, transaction.database)
    let task = try TaskStore.find(input.taskID, for: account, in: database).task
    try TaskLinkRules.expectCompleted(task.state)
    guard try !TaskLinkStore.isClosed(to: task.id, of: account, in: database) else { throw TaskLinkFailure.closed }
    let showsDescription = input.showsDescription ?? false
    try TaskLinkRules.checkDescription(isShown: showsDescription, isCreator: task.creator == account)
    if try TaskLinkStore.find(to: task.id, of: account, keys, in: database) == nil {
      guard try TaskLinkStore.count(of: account, in: database) < TaskLinkRules.maxPerAccount else {
        throw TaskLinkFailure.tooMany.with(["max": .number(TaskLinkRules.maxPerAccount)])
      }
    }
    try TaskLinkStore.put(
      to: task.id, of: account, showsDescription: showsDescription, showsOwner: input.showsOwner ?? false, transaction)
    guard let link = try TaskLinkStore.find(to: task.id, of: account, keys, in: database) else {
      throw Failure(RequestFailure.notFound)
    }
    return link
  }

  func list(_ input: ListPage, _ call: AccountCall, _ database: Database) throws -> Page<TaskLink> {
    try TaskLinkStore.list(of: call.account, keys, call.page(input), in: database)
  }

  static func revoke(_ input: RevokeTaskLink.Input, _ call: AccountCall, _ transaction: Transaction) throws -> Empty {
    guard try TaskLinkStore.revoke(input.taskLinkID, of: call.account, transaction) else {
      throw Failure(RequestFailure.notFound)
    }
    return Empty()
  }

  /// Whatever is wrong with a key, the answer is the same.
  func get(_ input: GetPublicTask.Input, _ call: OpenCall, _ database: Database) throws -> PublicTask {
    guard let link = try keys.link(input.key), let task = try TaskLinkStore.publicTask(link, at: call.now, in: database) else {
      throw Failure(RequestFailure.notFound)
    }
    return task
  }

  func profilePart(_ input: ProfilePartInput, _ call: OpenCall, _ database: Database) throws -> ProfilePart {
    let shown = try TaskLinkStore.shown(of: input.accountID, at: call.now, in: database)
    let items = try shown.map { link, task in
      ProfilePart.Item(
        text: task.name.description, detail: task.completedAt.description.beginning(maxBytes: 10),
        page: TaskLink.page(try keys.text(of: link)))
    }
    return ProfilePart(heading: words.text("profilePart.tasks", input.language) ?? "", items: items)
  }
}
