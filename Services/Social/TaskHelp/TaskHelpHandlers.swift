import GRDB
import Operations
import ServiceKit
import SocialContract
import Storage

/// Help in tasks: asked for, offered, closed and thanked for.
enum TaskHelpHandlers {
  static func request(_ input: NamedTask, _ call: AccountCall, _ transaction: Transaction) throws -> TaskHelp {
    try add(.request, input, call, transaction)
  }

  static func offer(_ input: NamedTask, _ call: AccountCall, _ transaction: Transaction) throws -> TaskHelp {
    try add(.offer, input, call, transaction)
  }

  private static func add(
    _ kind: TaskHelpKind, _ input: NamedTask, _ call: AccountCall, _ transaction: Transaction
  ) throws -> TaskHelp {
    let (account, database) = (call.account, transaction.database)
    let task = try TaskStore.find(input.taskID, for: account, in: database).task
    try TaskHelpRules.check(
      kind, in: task.state, participants: TaskParticipantStore.accounts(of: task.id, in: database).count,
      isOpen: TaskHelpStore.isOpen(kind, of: account, in: task.id, database))
    try TaskHelpRules.checkRepetition(TaskHelpStore.lastTimes(of: account, in: task.id, database), at: transaction.now)
    let id = try TaskHelpStore.add(kind, to: task, by: account, transaction)
    return try TaskHelpStore.view(id, of: task.id, for: account, in: database)
  }

  static func close(_ input: NamedTaskHelp, _ call: AccountCall, _ transaction: Transaction) throws -> TaskHelp {
    let (account, database) = (call.account, transaction.database)
    let task = try TaskStore.find(input.taskID, for: account, in: database).task
    let help = try TaskHelpStore.view(input.helpID, of: task.id, for: account, in: database)
    guard help.person.accountID == account else { throw Failure(RequestFailure.forbidden) }
    if help.closedAt == nil { try TaskHelpStore.close(of: account, in: task.id, named: help.id, transaction) }
    return try TaskHelpStore.view(help.id, of: task.id, for: account, in: database)
  }

  static func thank(_ input: ThankForTaskHelp.Input, _ call: AccountCall, _ transaction: Transaction) throws -> TaskHelp {
    let (account, database) = (call.account, transaction.database)
    let task = try TaskStore.find(input.taskID, for: account, in: database).task
    let help = try TaskHelpStore.view(input.helpID, of: task.id, for: account, in: database)
    guard try TaskParticipantStore.find(task.id, input.accountID, in: database) != nil else {
      throw Failure(RequestFailure.notFound)
    }
    try TaskHelpRules.checkThanks(
      help.kind, isOwn: help.person.accountID == account,
      hasHelped: input.accountID != account
        && TaskHelpStore.hasHelped(input.accountID, help.id, in: task.id, database))
    if !help.thankedAccountIDs.contains(input.accountID) {
      try TaskHelpStore.thank(input.accountID, for: help.id, in: task, by: account, transaction)
    }
    return try TaskHelpStore.view(help.id, of: task.id, for: account, in: database)
  }
}
