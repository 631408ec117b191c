import Operations
import RewardsContract
import ServiceKit
import Storage

extension ServiceDefinition {
  /// Serves the publishing and reading of offers.
  mutating func serveOffers() {
    serve(CreateOffer.self) { input, _, transaction in
      let id = OfferID()
      try Offers.add(id, input, in: transaction.database)
      return try Offers.find(id, in: transaction.database)
    }

    serve(ListOffers.self) { input, call, database in
      try Offers.valid(at: call.now, call.page(input), in: database)
    }

    serve(GetOffer.self) { input, _, database in
      try Offers.find(input.offerID, in: database)
    }
  }
}
