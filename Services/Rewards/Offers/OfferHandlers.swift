import GRDB
import Operations
import RewardsContract
import ServiceKit
import Storage

/// Offers: made and read.
enum OfferHandlers {
  static func create(_ input: CreateOffer.Input, _ call: AccountCall, _ transaction: Transaction) throws -> Offer {
    let id = OfferID()
    try OfferStore.add(id, input, in: transaction.database)
    return try OfferStore.find(id, in: transaction.database)
  }

  static func list(_ input: ListOffers.Input, _ call: AccountCall, _ database: Database) throws -> Page<Offer> {
    try OfferStore.valid(at: call.now, call.page(input), in: database)
  }

  static func get(_ input: GetOffer.Input, _ call: AccountCall, _ database: Database) throws -> Offer {
    try OfferStore.find(input.offerID, in: database)
  }
}
