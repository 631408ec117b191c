import GRDB
import Operations
import RewardsContract
import ServiceKit
import Storage

/// Offers that end soon: read.
struct EndingOfferHandlers: Sendable {
  let noticeDays: Int

  func read(_ input: ReadEndingOffers.Input, _ call: OpenCall, _ database: Database) throws -> ReadEndingOffers.Output {
    try offers(input.accountIDs, at: call.now, database)
  }

  func offers(_ accounts: [AccountID], at now: Instant, _ database: Database) throws -> ReadEndingOffers.Output {
    let ending = try OfferStore.ending(from: now, until: now.adding(seconds: noticeDays * 86_400), in: database)
    return .init(
      accounts: try accounts.map { account in
        let coins = try LedgerStore.balance(of: account, at: now, in: database).coins
        var items: [EndingOffer] = []
        for offer in ending where offer.costCoins <= coins && items.count < ReadEndingOffers.Output.Offers.maxItems {
          guard try !RedemptionStore.hasRedeemed(offer.offerID, account, in: database) else { continue }
          items.append(offer)
        }
        return .init(items: items)
      })
  }
}
