import GRDB
import Images
import Operations
import RewardsContract
import ServiceKit
import Storage

/// Partners: registered, shown, changed and decided about.
struct PartnerHandlers: Sendable {
  let pictures: PictureProcessor

  func logo(_ input: RegisterPartner.Input, _ call: AccountCall) async throws -> Picture? {
    guard let logo = input.logo else { return nil }
    return try await pictures.picture(logo.bytes, field: "logo", of: call.account)
  }

  static func register(
    _ input: RegisterPartner.Input, _ logo: Picture?, _ call: AccountCall, _ transaction: Transaction
  ) throws -> RegisteredPartner {
    try expectFree(call.account, in: transaction.database)
    let id = try PartnerStore.add(input, logo: logo, of: call.account, transaction)
    return try own(id, .owner, transaction.database)
  }

  private static func expectFree(_ account: AccountID, in database: Database) throws {
    guard try PartnerMemberStore.membership(of: account, in: database) == nil else { throw PartnerFailure.alreadyInPartner }
  }

  private static func own(_ id: PartnerID, _ role: PartnerRole, _ database: Database) throws -> RegisteredPartner {
    try PartnerStore.registered(PartnerStore.required(id, in: database), role: role, in: database)
  }

  static func own(_ input: Empty, _ call: AccountCall, _ database: Database) throws -> RegisteredPartner {
    guard let membership = try PartnerMemberStore.membership(of: call.account, in: database) else {
      throw PartnerFailure.notFound
    }
    return try own(membership.partner, membership.role, database)
  }

  static func get(_ input: PartnerReference, _ call: AccountCall, _ database: Database) throws -> Partner {
    let partner = try PartnerStore.required(input.partnerID, in: database)
    guard partner.state == .approved else { throw PartnerFailure.notFound }
    return try PartnerStore.view(partner, in: database)
  }

  static func update(_ input: UpdatePartner.Input, _ call: AccountCall, _ transaction: Transaction) throws -> RegisteredPartner {
    let id = try PartnerMemberStore.partner(ownedBy: call.account, in: transaction.database)
    try PartnerStore.edit(PartnerStore.required(id, in: transaction.database), input, transaction)
    return try own(id, .owner, transaction.database)
  }

  // MARK: - Logos

  func picture(_ input: PutPartnerLogo.Input, _ call: AccountCall) async throws -> Picture {
    try await pictures.picture(input.content.bytes, field: "content", of: call.account)
  }

  static func putLogo(
    _ input: PutPartnerLogo.Input, _ picture: Picture, _ call: AccountCall, _ transaction: Transaction
  ) throws -> RegisteredPartner {
    try setLogo(picture, call, transaction)
  }

  static func deleteLogo(_ input: Empty, _ call: AccountCall, _ transaction: Transaction) throws -> RegisteredPartner {
    try setLogo(nil, call, transaction)
  }

  private static func setLogo(
    _ picture: Picture?, _ call: AccountCall, _ transaction: Transaction
  ) throws -> RegisteredPartner {
    let id = try PartnerMemberStore.partner(ownedBy: call.account, in: transaction.database)
    try PartnerStore.setLogo(of: id, picture, in: transaction.database)
    return try own(id, .owner, transaction.database)
  }

  static func getLogo(_ input: GetPartnerLogo.Input, _ call: AccountCall, _ database: Database) throws -> MediaFile {
    let isShown = try PartnerStore.find(input.partnerID, in: database)?.state == .approved
    let isOwn = try PartnerMemberStore.membership(of: call.account, in: database)?.partner == input.partnerID
    guard isShown || isOwn || call.caller.isAdministrator else { throw Failure(RequestFailure.notFound) }
    return try PartnerStore.logo(of: input.partnerID, version: input.version, in: database)
  }

  // MARK: - Administrators

  static func list(_ input: ListPartners.Input, _ call: AccountCall, _ database: Database) throws -> Page<RegisteredPartner> {
    try PartnerStore.list(input.state ?? .pending, call.page(input), in: database)
  }

  static func decide(
    _ input: DecidePartner.Input, _ call: AccountCall, _ transaction: Transaction
  ) throws -> RegisteredPartner {
    let database = transaction.database
    let partner = try PartnerStore.required(input.partnerID, in: database)
    // Administrators cannot decide about their own partner.
    guard try PartnerMemberStore.membership(of: call.account, in: database)?.partner != partner.id else {
      throw Failure(RequestFailure.forbidden)
    }
    guard let state = PartnerRules.state(after: input.decision, of: partner.state) else { throw PartnerFailure.decidedOtherwise }
    try PartnerStore.decide(partner, state, reason: input.decision == .approve ? nil : input.reason, transaction)
    return try PartnerStore.registered(PartnerStore.required(partner.id, in: database), role: nil, in: database)
  }
}
