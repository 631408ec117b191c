import GRDB
import Operations
import RewardsContract
import ServiceKit
import Storage

/// Offers that end soon, for those who ask to be told of them (NOT-5).
struct EndingOfferFeature: Feature {
  /// How many days before its end an offer ends soon.
  let noticeDays: Int

  init(_ settings: Settings) {
    noticeDays = settings.int("racha.offers.endingNoticeDays", default: 3, in: 1...30)
  }

  func register(in service: inout ServiceDefinition) {
    service.serve(ReadEndingOffers.self, read: EndingOfferHandlers(noticeDays: noticeDays).read)
  }
}

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

extension OfferStore {
  /// How many of the offers that end soon are looked at.
  static let maxEnding = 500

  /// The offers that can be had and end within a time, the first ones first.
  static func ending(from now: Instant, until end: Instant, in database: Database) throws -> [EndingOffer] {
    let statement = try database.cachedStatement(
      sql: """
        SELECT * FROM offers INDEXED BY offers_by_end
        WHERE is_listed AND valid_until > :now AND valid_until <= :end AND valid_from <= :now AND remaining > 0
        ORDER BY valid_until, offer_id LIMIT :limit
        """)
    return try Row.fetchAll(statement, arguments: ["now": now, "end": end, "limit": maxEnding]).map { row in
      EndingOffer(
        offerID: row["offer_id"], title: row["title"], partnerName: row["partner_name"], costCoins: row["cost_coins"],
        endsAt: row["valid_until"])
    }
  }
}
