import GRDB
import Operations
import ServiceKit
import SocialContract
import Storage

/// Blocks: made, listed and removed.
struct BlockHandlers: Sendable {
  /// Whom one account may block.
  static let maximum = 10_000

  /// What a block ends, feature by feature.
  let closings: [BlockClosing]

  /// The account to block, looked up at identity if its event has not arrived yet. An account that has blocked the caller can be blocked
  /// like any other, so the caller learns nothing.
  static func other(_ input: CreateBlock.Input, _ call: AccountCall) async throws -> AccountID {
    guard input.accountID != call.account else { throw BlockFailure.ofOneself }
    guard let other = try await Accounts.resolve(input.accountID, call) else { throw Failure(RequestFailure.notFound) }
    return other.id
  }

  func create(_ input: CreateBlock.Input, _ other: AccountID, _ call: AccountCall, _ transaction: Transaction) throws -> Block {
    let (account, database) = (call.account, transaction.database)
    if try !BlockStore.hasBlocked(account, other, in: database) {
      guard try BlockStore.count(of: account, in: database) < BlockHandlers.maximum else {
        throw BlockFailure.tooMany.with(["max": .number(BlockHandlers.maximum)])
      }
      try BlockStore.add(account, other, transaction)
      for close in closings { try close(account, other, transaction) }
      try RelationStore.publish(account, other, transaction)
    }
    guard let block = try BlockStore.view(other, of: account, in: database) else { throw Failure(RequestFailure.notFound) }
    return block
  }

  static func list(_ input: ListBlocks.Input, _ call: AccountCall, _ database: Database) throws -> Page<Block> {
    try BlockStore.list(of: call.account, call.page(input), in: database)
  }

  static func remove(_ input: DeleteBlock.Input, _ call: AccountCall, _ transaction: Transaction) throws -> Empty {
    guard try BlockStore.remove(call.account, input.accountID, transaction) else { throw Failure(RequestFailure.notFound) }
    try RelationStore.publish(call.account, input.accountID, transaction)
    return Empty()
  }
}

/// Ends what a feature keeps between two accounts, in the transaction in which the first blocks the second.
typealias BlockClosing = @Sendable (_ blocker: AccountID, _ blocked: AccountID, Transaction) throws -> Void
