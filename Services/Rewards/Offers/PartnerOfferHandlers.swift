import GRDB
import Images
import Operations
import RewardsContract
import ServiceKit
import Storage

/// Partners' own offers: created, changed, paused, withdrawn and listed.
struct PartnerOfferHandlers: Sendable {
  let pictures: PictureProcessor

  static func create(
    _ input: CreatePartnerOffer.Input, _ call: AccountCall, _ transaction: Transaction
  ) throws -> PartnerOffer {
    let partner = try offering(call, transaction)
    let id = try PartnerOfferStore.add(input, of: partner, transaction)
    return try PartnerOfferStore.view(id, in: transaction.database)
  }

  static func update(_ input: UpdatePartnerOffer.Input, _ call: AccountCall, _ transaction: Transaction) throws -> PartnerOffer {
    let partner = try offering(call, transaction)
    let found = try own(input.offerID, call, transaction)
    try PartnerOfferStore.edit(found, input, of: partner, transaction)
    return try PartnerOfferStore.view(found.id, in: transaction.database)
  }

  static func pause(_ input: OfferReference, _ call: AccountCall, _ transaction: Transaction) throws -> PartnerOffer {
    try setState(.paused, own(input.offerID, call, transaction), transaction)
  }

  static func resume(_ input: OfferReference, _ call: AccountCall, _ transaction: Transaction) throws -> PartnerOffer {
    _ = try offering(call, transaction)
    return try setState(.open, own(input.offerID, call, transaction), transaction)
  }

  static func withdraw(_ input: OfferReference, _ call: AccountCall, _ transaction: Transaction) throws -> PartnerOffer {
    let partner = try PartnerMemberStore.partner(ownedBy: call.account, in: transaction.database)
    let found = try PartnerOfferStore.required(input.offerID, of: partner, in: transaction.database)
    return try setState(.withdrawn, found, transaction)
  }

  static func list(_ input: ListPage, _ call: AccountCall, _ database: Database) throws -> Page<PartnerOffer> {
    try PartnerOfferStore.list(of: PartnerMemberStore.partner(of: call.account, in: database), call.page(input), in: database)
  }

  func picture(_ input: PutOfferPicture.Input, _ call: AccountCall) async throws -> Picture {
    // For another partner's offer no picture is decoded.
    try await call.read { database in
      let partner = try PartnerMemberStore.partner(ownedBy: call.account, in: database)
      _ = try PartnerOfferStore.required(input.offerID, of: partner, in: database)
    }
    return try await pictures.picture(input.content.bytes, field: "content", of: call.account)
  }

  static func putPicture(
    _ input: PutOfferPicture.Input, _ picture: Picture, _ call: AccountCall, _ transaction: Transaction
  ) throws -> PartnerOffer {
    let found = try own(input.offerID, call, transaction)
    try PartnerOfferStore.setPicture(of: found.id, picture, in: transaction.database)
    return try PartnerOfferStore.view(found.id, in: transaction.database)
  }

  static func deletePicture(_ input: OfferReference, _ call: AccountCall, _ transaction: Transaction) throws -> PartnerOffer {
    let partner = try PartnerMemberStore.partner(ownedBy: call.account, in: transaction.database)
    let found = try PartnerOfferStore.required(input.offerID, of: partner, in: transaction.database)
    try PartnerOfferStore.setPicture(of: found.id, nil, in: transaction.database)
    return try PartnerOfferStore.view(found.id, in: transaction.database)
  }

  /// The caller's partner, which may publish offers.
  ///
  /// - Throws: `partner_not_approved` where administrators have refused or suspended it.
  private static func offering(_ call: AccountCall, _ transaction: Transaction) throws -> PartnerStore.Stored {
    let id = try PartnerMemberStore.partner(ownedBy: call.account, in: transaction.database)
    let partner = try PartnerStore.required(id, in: transaction.database)
    guard PartnerRules.mayOffer(partner.state) else { throw PartnerFailure.notApproved }
    return partner
  }

  /// An offer of the caller's partner that is not withdrawn.
  private static func own(
    _ id: OfferID, _ call: AccountCall, _ transaction: Transaction
  ) throws -> OfferStore.Stored {
    let partner = try PartnerMemberStore.partner(ownedBy: call.account, in: transaction.database)
    let found = try PartnerOfferStore.required(id, of: partner, in: transaction.database)
    guard found.state != .withdrawn else { throw PartnerOfferFailure.withdrawn }
    return found
  }

  private static func setState(
    _ state: PartnerOfferState, _ found: OfferStore.Stored, _ transaction: Transaction
  ) throws -> PartnerOffer {
    try PartnerOfferStore.setState(of: found.id, state, transaction)
    return try PartnerOfferStore.view(found.id, in: transaction.database)
  }
}
