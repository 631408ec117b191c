import GRDB
import Operations
import RewardsContract
import ServiceKit
import Storage

/// Corrections of balances.
struct AdjustmentHandlers: Sendable {
  let expiry: CoinExpiry

  /// Ensures that the account is known to this service.
  func prepare(_ input: AdjustCoins.Input, _ call: AccountCall) async throws {
    guard try await Accounts.resolve(input.accountID, call) != nil else { throw Failure(RequestFailure.notFound) }
  }

  /// The lots of the transfer that is corrected.
  private func lots(_ input: AdjustCoins.Input, in database: Database) throws -> [Int64] {
    guard let id = input.transferID else { return [] }
    guard let transfer = try LotTransfer.find(id, in: database), transfer.account == input.accountID else {
      throw Failure.field("transferID", FieldRule("unknown_transfer"))
    }
    return transfer.moves.map(\.lot)
  }

  func adjust(
    _ input: AdjustCoins.Input, _ prepared: Void, _ call: AccountCall, _ transaction: Transaction
  ) throws -> Transfer {
    let (account, database) = (input.accountID, transaction.database)
    guard account != call.account else { throw Failure(RequestFailure.forbidden) }
    guard try !database.isErased(account) else { throw Failure(RequestFailure.notFound) }
    let (reason, reference) = (TransferCause.reason(input.reason.trimmed), "adjustment/\(TransferID())")
    let booking: LedgerStore.Booking
    if input.coins > 0 {
      booking = try LedgerStore.grant(
        input.coins, to: account, for: reason, reference: reference, expiry: expiry, transaction)
    } else {
      let coins = try LedgerStore.balance(of: account, at: transaction.now, in: database).coins
      guard coins >= -input.coins,
        let taken = try LedgerStore.takeBack(
          -input.coins, of: account, for: reason, reference: reference, first: lots(input, in: database), transaction)
      else { throw OfferFailure.notEnoughCoins }
      booking = taken
    }
    try AdjustmentStore.note(booking.transferID, by: call.account, in: database)
    guard let transfer = try LedgerStore.transfer(booking.transferID, of: account, call.language, in: database) else {
      throw Failure(RequestFailure.notFound)
    }
    return transfer
  }
}
