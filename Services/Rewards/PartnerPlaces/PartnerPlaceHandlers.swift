import GRDB
import Operations
import RewardsContract
import ServiceKit
import Storage

/// A partner's places: created, changed and deleted.
enum PartnerPlaceHandlers {
  static func create(_ input: PartnerPlaceDraft, _ call: AccountCall, _ transaction: Transaction) throws -> PartnerPlace {
    let partner = try PartnerMemberStore.partner(ownedBy: call.account, in: transaction.database)
    guard try PartnerPlaceStore.count(of: partner, in: transaction.database) < PartnerPlace.maxPerPartner else {
      throw PartnerPlaceFailure.tooMany.with(["max": .number(PartnerPlace.maxPerPartner)])
    }
    return try PartnerPlaceStore.add(input, to: partner, in: transaction.database)
  }

  static func update(_ input: UpdatePartnerPlace.Input, _ call: AccountCall, _ transaction: Transaction) throws -> PartnerPlace {
    var place = try own(input.placeID, call, transaction)
    place.address = input.address.applied(to: place.address)
    place.latitude = input.latitude.applied(to: place.latitude)
    place.longitude = input.longitude.applied(to: place.longitude)
    try PartnerPlaceStore.change(place, in: transaction.database)
    return place
  }

  static func delete(_ input: DeletePartnerPlace.Input, _ call: AccountCall, _ transaction: Transaction) throws -> Empty {
    try PartnerPlaceStore.remove(own(input.placeID, call, transaction).id, in: transaction.database)
    return Empty()
  }

  private static func own(
    _ id: PartnerPlaceID, _ call: AccountCall, _ transaction: Transaction
  ) throws -> PartnerPlace {
    let partner = try PartnerMemberStore.partner(ownedBy: call.account, in: transaction.database)
    guard let place = try PartnerPlaceStore.find(id, of: partner, in: transaction.database) else {
      throw Failure(RequestFailure.notFound)
    }
    return place
  }
}
