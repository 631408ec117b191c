import GRDB
import IdentityContract
import Logging
import Operations
import RewardsContract
import ServiceKit
import Storage

/// Offers: creates the operator's, and lists and shows all.
enum OfferHandlers {
  static func create(_ input: CreateOffer.Input, _ call: AccountCall, _ transaction: Transaction) throws -> Offer {
    let id = OfferID()
    try OfferStore.add(id, input, at: transaction.now, in: transaction.database)
    return try OfferStore.required(id, in: transaction.database).offer
  }

  /// Catches up on a consent that was just given, where a location is given.
  static func consent(_ input: ListOffers.Input, _ call: AccountCall) async throws {
    if input.latitude != nil { try await Accounts.catchUp(on: .location, call) }
  }

  static func list(_ input: ListOffers.Input, _: Void, _ call: AccountCall, _ database: Database) throws -> Page<Offer> {
    let place = try place(input.latitude, input.longitude, call, database)
    let query = OfferQuery(
      input, from: place, balance: try LedgerStore.balance(of: call.account, at: call.now, in: database).coins,
      now: call.now)
    return try query.page(call.page(input), in: database)
  }

  /// Returns an offer, and counts the view.
  @Sendable
  static func get(_ input: GetOffer.Input, _ call: AccountCall) async throws -> Offer {
    if input.latitude != nil { try await Accounts.catchUp(on: .location, call) }
    let (offer, isNew) = try await call.read { database in
      let found = try OfferStore.required(input.offerID, in: database)
      // An offer that is not listed is visible only to its partner's members and to accounts that have redeemed it.
      guard try isShown(found, to: call, in: database) else { throw OfferFailure.notFound }
      let place = try place(input.latitude, input.longitude, call, database)
      let counts = try found.isListed && found.partner != nil && !OfferViewStore.hasSeen(found.id, call, in: database)
      return (try details(found, from: place, in: database), counts)
    }
    if isNew { try await countView(of: offer.id, call) }
    return offer
  }

  private static func isShown(_ found: OfferStore.Stored, to call: AccountCall, in database: Database) throws -> Bool {
    guard let partner = found.partner else { return true }
    if try PartnerStore.find(partner, in: database)?.state == .approved, found.state != .withdrawn { return true }
    return try PartnerMemberStore.membership(of: call.account, in: database)?.partner == partner
      || RedemptionStore.hasRedeemed(found.id, call.account, in: database)
  }

  private static func details(_ found: OfferStore.Stored, from place: EarthPoint?, in database: Database) throws -> Offer {
    var offer = found.offer
    try OfferStore.complete(&offer, found.partner, in: database)
    let places = try PartnerPlaceStore.list(of: found.id, in: database)
    if found.partner != nil { offer.places = places }
    if let place {
      let chords = places.map { EarthPoint(latitude: $0.latitude, longitude: $0.longitude).squaredChord(to: place) }
      offer.distanceMeters = chords.min().map { EarthPoint.meters(squaredChord: $0) }
    }
    return offer
  }

  /// The offer is returned even if the view cannot be stored for lack of disk space.
  private static func countView(of offer: OfferID, _ call: AccountCall) async throws {
    do {
      try await call.write { try OfferViewStore.count(offer, call, $0) }
    } catch let failure as Failure where failure.isOfStorage {
      call.logger.warning("a view was not counted", metadata: ["code": .string(failure.code)])
    }
  }

  static func picture(_ input: GetOfferPicture.Input, _ call: AccountCall, _ database: Database) throws -> MediaFile {
    guard let found = try OfferStore.find(input.offerID, in: database), try isShown(found, to: call, in: database) else {
      throw Failure(RequestFailure.notFound)
    }
    return try PartnerOfferStore.picture(of: found.id, version: input.version, in: database)
  }

  /// The caller's location, which requires consent; used for this reply only.
  private static func place(
    _ latitude: Double?, _ longitude: Double?, _ call: AccountCall, _ database: Database
  ) throws -> EarthPoint? {
    guard let latitude, let longitude else { return nil }
    try Accounts.requireConsent(.location, of: call.account, in: database)
    return EarthPoint(latitude: latitude, longitude: longitude)
  }
}
