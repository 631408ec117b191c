import GRDB
import Operations
import RewardsContract
import ServiceKit
import Storage

/// Redeems offers, and lists, shows and voids redemptions.
struct RedemptionHandlers: Sendable {
  let makeCode: @Sendable () -> RedemptionCode
  let keys: RedemptionKeys
  let codes: SealedCodes
  let calendars: AccountCalendars

  @Sendable
  func redeem(_ input: RedeemOffer.Input, _ call: AccountCall, _ transaction: Transaction) throws -> Redemption {
    let code = makeCode()
    var redemption = try RedemptionStore.redeem(
      input.offerID, costing: input.costCoins, for: call.account, on: calendars.today(of: call.account, transaction),
      hash: keys.hash(of: code), transaction)
    try codes.keep(code, of: redemption.id, in: transaction.database)
    redemption.code = code
    return redemption
  }

  @Sendable
  func list(_ input: ListRedemptions.Input, _ call: AccountCall, _ database: Database) throws -> Page<Redemption> {
    try RedemptionStore.list(of: call.account, call.page(input), codes: codes, in: database)
  }

  @Sendable
  func get(_ input: RedemptionReference, _ call: AccountCall, _ database: Database) throws -> Redemption {
    try RedemptionStore.own(input.redemptionID, of: call.account, in: database).opened(codes)
  }

  @Sendable
  func present(_ input: RedemptionReference, _ call: AccountCall, _ database: Database) throws -> PresentedCode {
    let found = try RedemptionStore.own(input.redemptionID, of: call.account, in: database)
    try found.expectUsable(at: call.now)
    return try keys.present(found.id, at: call.now)
  }

  /// Called by an administrator.
  static func void(_ input: VoidedRedemption, _ call: AccountCall, _ transaction: Transaction) throws -> Empty {
    guard let found = try RedemptionStore.find(input.redemptionID, in: transaction.database) else {
      throw RedemptionFailure.notFound
    }
    guard found.account != call.account else { throw Failure(RequestFailure.forbidden) }
    try found.expectUsable(at: transaction.now)
    try RedemptionStore.void(found, reason: input.reason, transaction)
    return Empty()
  }
}
