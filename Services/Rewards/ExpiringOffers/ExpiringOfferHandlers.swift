import GRDB
import Operations
import RewardsContract
import ServiceKit
import Storage

/// Offers that end soon: read.
struct ExpiringOfferHandlers: Sendable {
  let noticeDays: Int

  func get(_ input: GetExpiringOffers.Input, _ call: OpenCall, _ database: Database) throws -> GetExpiringOffers.Output {
    try offers(input.accountIDs, at: call.now, database)
  }

  func offers(_ accounts: [AccountID], at now: Instant, _ database: Database) throws -> GetExpiringOffers.Output {
    let expiring = try OfferStore.expiring(from: now, until: now.adding(seconds: noticeDays * 86_400), in: database)
    return .init(
      accounts: try accounts.map { account in
        let coins = try LedgerStore.balance(of: account, at: now, in: database).coins
        var items: [ExpiringOffer] = []
        for offer in expiring where offer.costCoins <= coins && items.count < GetExpiringOffers.Output.Offers.maxItems {
          guard try !RedemptionStore.hasRedeemed(offer.offerID, account, in: database) else { continue }
          items.append(offer)
        }
        return .init(items: items)
      })
  }
}
