import GRDB
import Operations
import RewardsContract
import ServiceKit
import Storage

/// Lets partners check codes, use them, and void redemptions.
struct PartnerRedemptionHandlers: Sendable {
  let keys: RedemptionKeys

  @Sendable
  func check(
    _ input: GivenCode, _: Void, _ call: AccountCall, _ transaction: Transaction
  ) throws -> Result<PartnerRedemption, Failure> {
    try find(input, call, transaction).map { $0.partnerView(at: transaction.now) }
  }

  @Sendable
  func use(
    _ input: GivenCode, _: Void, _ call: AccountCall, _ transaction: Transaction
  ) throws -> Result<PartnerRedemption, Failure> {
    let found: RedemptionStore.Stored
    switch try find(input, call, transaction) {
    case .success(let redemption): found = redemption
    case .failure(let failure): return .failure(failure)
    }
    // An open redemption of an erased account can no longer be used.
    if found.account == nil, found.redemption.state == .open { return .failure(RedemptionFailure.notFound.with()) }
    try found.expectUsable(at: transaction.now)
    try RedemptionStore.use(found, transaction)
    guard let used = try RedemptionStore.find(found.id, in: transaction.database) else { throw RedemptionFailure.notFound }
    return .success(used.partnerView(at: transaction.now))
  }

  /// Returns the redemption of the caller's partner for a code. A wrong code is counted, and the count is kept.
  ///
  /// - Throws: `invalid_fields` for text that is not in the form of a code.
  private func find(
    _ input: GivenCode, _ call: AccountCall, _ transaction: Transaction
  ) throws -> Result<RedemptionStore.Stored, Failure> {
    let database = transaction.database
    let partner = try PartnerMemberStore.partner(of: call.account, in: database)
    let wrongUntil = try RedemptionStore.wrongCodesUntil(of: partner, in: database)
    let wait = WrongCodeRules.waitSeconds(wrongUntil, now: transaction.now)
    guard wait == 0 else {
      return .failure(RedemptionFailure.tooManyWrongCodes.with(["seconds": .number(wait)], retryAfterSeconds: wait))
    }
    var found: RedemptionStore.Stored?
    switch try keys.read(input.code, at: transaction.now) {
    case .ended: return .failure(RedemptionFailure.presentationExpired.with())
    case .wrong: break
    case .redemption(let id): found = try RedemptionStore.find(id, in: database)
    case nil: found = try RedemptionStore.find(hash: keys.hash(of: code(input)), in: database)
    }
    if let found, found.partner == partner { return .success(found) }
    try RedemptionStore.setWrongCodes(
      of: partner, until: WrongCodeRules.adding(to: wrongUntil, now: transaction.now), in: database)
    return .failure(RedemptionFailure.notFound.with())
  }

  private func code(_ input: GivenCode) throws -> RedemptionCode {
    do throws(FieldRule) {
      return try RedemptionCode(text: input.code)
    } catch {
      throw Failure.field("code", error)
    }
  }

  static func list(_ input: ListPage, _ call: AccountCall, _ database: Database) throws -> Page<PartnerRedemption> {
    try RedemptionStore.list(
      of: PartnerMemberStore.partner(of: call.account, in: database), call.page(input), at: call.now, in: database)
  }

  static func void(_ input: VoidedRedemption, _ call: AccountCall, _ transaction: Transaction) throws -> PartnerRedemption {
    let database = transaction.database
    let partner = try PartnerMemberStore.partner(ownedBy: call.account, in: database)
    guard let found = try RedemptionStore.find(input.redemptionID, in: database), found.partner == partner else {
      throw RedemptionFailure.notFound
    }
    try found.expectUsable(at: transaction.now)
    try RedemptionStore.void(found, reason: input.reason, transaction)
    guard let voided = try RedemptionStore.find(found.id, in: database) else { throw RedemptionFailure.notFound }
    return voided.partnerView(at: transaction.now)
  }
}
