import Foundation
public import GRDB
import Operations
public import RewardsContract
import ServiceKit
import Storage

/// The redemptions of accounts. A row stays when its account is erased: it is the cause of a transfer, and a used code is the partner's
/// record.
enum RedemptionStore {
  /// A stored redemption.
  struct Stored: Sendable {
    let id: RedemptionID
    /// Nil where the account was erased.
    let account: AccountID?
    let partner: PartnerID?
    let transfer: TransferID
    let sealedCode: [UInt8]?
    /// The redemption without its code.
    let redemption: Redemption

    init(_ row: Row) {
      id = row["redemption_id"]
      account = row["account_id"]
      partner = row["partner_id"]
      transfer = row["transfer_id"]
      sealedCode = (row["sealed_code"] as Data?).map { Array($0) }
      redemption = Redemption(
        id: id, offerID: row["offer_id"], title: row["title"], reward: row["reward"], terms: row["terms"],
        partnerName: row["partner_name"], code: nil, coins: row["coins"], state: row["state"], redeemedAt: row["redeemed_at"],
        usableUntil: row["usable_until"], usedAt: row["used_at"], voidedAt: row["voided_at"], voidReason: row["void_reason"])
    }

    /// - Throws: `code_used`, `code_voided`, `code_expired`.
    func expectUsable(at now: Instant) throws(Failure) {
      try RedemptionRules.expectUsable(
        redemption.state, until: redemption.usableUntil, usedAt: redemption.usedAt, at: now)
    }

    /// The redemption as the partner sees it.
    func partnerView(at now: Instant) -> PartnerRedemption {
      PartnerRedemption(
        id: id, offerID: redemption.offerID, title: redemption.title, reward: redemption.reward, terms: redemption.terms,
        coins: redemption.coins, state: redemption.state,
        isUsable: account != nil && redemption.state == .open && redemption.usableUntil.map { now < $0 } ?? true,
        redeemedAt: redemption.redeemedAt, usableUntil: redemption.usableUntil, usedAt: redemption.usedAt,
        voidedAt: redemption.voidedAt)
    }
  }

  static func find(_ id: RedemptionID, in database: Database) throws -> Stored? {
    let statement = try database.cachedStatement(sql: "SELECT * FROM redemptions WHERE redemption_id = ?")
    return try Row.fetchOne(statement, arguments: [id]).map(Stored.init)
  }

  /// Returns the redemption of a code.
  static func find(hash: [UInt8], in database: Database) throws -> Stored? {
    let statement = try database.cachedStatement(sql: "SELECT * FROM redemptions WHERE code_hash = ?")
    return try Row.fetchOne(statement, arguments: [Data(hash)]).map(Stored.init)
  }

  /// Returns a redemption of the account.
  ///
  /// - Throws: `redemption_not_found`.
  static func own(_ id: RedemptionID, of account: AccountID, in database: Database) throws -> Stored {
    guard let found = try find(id, in: database), found.account == account else { throw RedemptionFailure.notFound }
    return found
  }

  /// Whether the account has ever redeemed the offer.
  static func hasRedeemed(_ offer: OfferID, _ account: AccountID, in database: Database) throws -> Bool {
    try database.first(
      "SELECT 1 FROM redemptions WHERE account_id = ? AND offer_id = ? LIMIT 1", .id(account), .id(offer)
    ) { _ in true } ?? false
  }

  /// Redeems an offer for coins and publishes that (REW-5). The offer's words are stored as they are now.
  ///
  /// - Parameters:
  ///   - cost: what the account was shown that it costs.
  ///   - day: the account's present day.
  ///   - hash: of the code.
  /// - Throws: ``OfferFailure``; then nothing has changed.
  static func redeem(
    _ offerID: OfferID, costing cost: Int?, for account: AccountID, on day: LocalDay, hash: [UInt8], _ transaction: Transaction
  ) throws -> Redemption {
    let database = transaction.database
    let found = try OfferStore.take(offerID, costing: cost, at: transaction.now, in: database)
    let offer = found.offer
    try checkLimits(offer, account, day, in: database)
    let redemption = Redemption(
      id: RedemptionID(), offerID: offerID, title: offer.title, reward: offer.reward, terms: offer.terms,
      partnerName: offer.partnerName, code: nil, coins: offer.costCoins, redeemedAt: transaction.now,
      usableUntil: RedemptionRules.end(of: offer, redeemedAt: transaction.now))
    let booking = try LedgerStore.spend(
      offer.costCoins, of: account, for: .redemption(redemption.id, title: offer.title),
      reference: "redemption/\(redemption.id)", transaction)
    try database.run(
      """
      INSERT INTO redemptions (redemption_id, account_id, offer_id, partner_id, transfer_id, title, reward, terms, partner_name,
        coins, redeemed_at, day, usable_until, code_hash, state)
      VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, 'open')
      """, .id(redemption.id), .id(account), .id(offerID), found.partner.map { .id($0) } ?? .null, .id(booking.transferID),
      .text(offer.title), .text(offer.reward), .text(offer.terms), .text(offer.partnerName), .number(offer.costCoins),
      .instant(transaction.now), .day(day), redemption.usableUntil.map { .instant($0) } ?? .null, .bytes(hash))
    if found.partner != nil { try OfferViewStore.countRedemption(of: offerID, transaction) }
    try transaction.publish(
      OfferRedeemed(
        accountID: account, offerID: offerID, redemptionID: redemption.id, title: offer.title, coins: offer.costCoins,
        balance: booking.balance, at: transaction.now))
    return redemption
  }

  private static func checkLimits(_ offer: Offer, _ account: AccountID, _ day: LocalDay, in database: Database) throws {
    guard offer.limitPerAccount != nil || offer.limitPerDay != nil else { return }
    let counts = try database.first(
      """
      SELECT count(*), coalesce(sum(day >= ?3), 0) FROM redemptions
      WHERE account_id = ?1 AND offer_id = ?2 AND state <> 'voided'
      """, .id(account), .id(offer.id), .day(day)
    ) { (redeemed: $0.number(0), today: $0.number(1)) }
    try RedemptionRules.expectWithinLimits(offer, redeemed: counts?.redeemed ?? 0, today: counts?.today ?? 0)
  }

  /// An account's redemptions, newest first.
  static func list(
    of account: AccountID, _ page: PageRequest, codes: SealedCodes, in database: Database
  ) throws -> Page<Redemption> {
    let statement = try database.cachedStatement(
      sql: "SELECT * FROM redemptions WHERE account_id = ? AND redemption_id < ? ORDER BY redemption_id DESC LIMIT ?")
    let found = try Row.fetchAll(
      statement, arguments: [account, page.cursor(RedemptionID.init(text:)) ?? .last, page.fetchLimit])
    return page.page(of: found, key: { $0["redemption_id"] as RedemptionID }) {
      // A code whose key is missing is an incident of its own, and must not hide other redemptions.
      let stored = Stored($0)
      return (try? stored.opened(codes)) ?? stored.redemption
    }
  }

  /// A partner's redemptions, newest first.
  static func list(
    of partner: PartnerID, _ page: PageRequest, at now: Instant, in database: Database
  ) throws -> Page<PartnerRedemption> {
    let statement = try database.cachedStatement(
      sql: "SELECT * FROM redemptions WHERE partner_id = ? AND redemption_id < ? ORDER BY redemption_id DESC LIMIT ?")
    let found = try Row.fetchAll(
      statement, arguments: [partner, page.cursor(RedemptionID.init(text:)) ?? .last, page.fetchLimit])
    return page.page(of: found, key: { $0["redemption_id"] as RedemptionID }) { Stored($0).partnerView(at: now) }
  }

  /// Uses a valid code, and publishes that to the account that redeemed.
  static func use(_ found: Stored, _ transaction: Transaction) throws {
    try transaction.database.run(
      "UPDATE redemptions SET state = 'used', used_at = ?2 WHERE redemption_id = ?1 AND state = 'open'", .id(found.id),
      .instant(transaction.now))
    if found.partner != nil { try OfferViewStore.countUse(of: found.redemption.offerID, transaction) }
    guard let account = found.account else { return }
    try transaction.publish(
      RedemptionUsed(
        accountID: account, offerID: found.redemption.offerID, redemptionID: found.id, title: found.redemption.title,
        partnerName: found.redemption.partnerName, at: transaction.now))
  }

  /// Voids a redemption whose code is valid: returns the coins, and the item to the offer's stock, and publishes that.
  ///
  /// - Throws: `redemption_not_found` where the account that redeemed was erased.
  static func void(_ found: Stored, reason: String, _ transaction: Transaction) throws {
    guard let account = found.account,
      let booking = try LedgerStore.refund(found.transfer, reference: "redemption/\(found.id)/void", transaction)
    else { throw RedemptionFailure.notFound }
    try transaction.database.run(
      """
      UPDATE redemptions SET state = 'voided', voided_at = ?2, void_reason = ?3, refund_id = ?4
      WHERE redemption_id = ?1 AND state = 'open'
      """, .id(found.id), .instant(transaction.now), .text(reason), .id(booking.transferID))
    try OfferStore.giveBack(found.redemption.offerID, in: transaction.database)
    try transaction.publish(
      RedemptionVoided(
        accountID: account, offerID: found.redemption.offerID, redemptionID: found.id, title: found.redemption.title,
        reason: reason, coins: booking.coins, balance: booking.balance, at: transaction.now))
  }

  // MARK: - Wrong codes

  /// When the wrong codes of a partner's members are forgotten.
  static func wrongCodesUntil(of partner: PartnerID, in database: Database) throws -> Instant {
    try database.first("SELECT wrong_codes_until FROM partners WHERE partner_id = ?", .id(partner)) { $0.instant(0) }
      ?? Instant(milliseconds: 0)
  }

  static func setWrongCodes(of partner: PartnerID, until instant: Instant, in database: Database) throws {
    try database.run("UPDATE partners SET wrong_codes_until = ?2 WHERE partner_id = ?1", .id(partner), .instant(instant))
  }
}

extension RedemptionStore.Stored {
  /// The redemption with its code.
  func opened(_ codes: SealedCodes) throws -> Redemption {
    var redemption = redemption
    redemption.code = try codes.code(sealedCode, of: id)
    return redemption
  }
}

extension RedemptionState: DatabaseValueConvertible {}
extension RedemptionCode: DatabaseValueConvertible {}
