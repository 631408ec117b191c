public import Operations

extension FeatureContract {
  static let partnerRedemptions = FeatureContract(
    operations: [CheckCode.self, UseCode.self, ListPartnerRedemptions.self, VoidPartnerRedemption.self])
}

/// A redemption as the partner sees it: what to give, and whether the code is usable; nothing about the account that redeemed it (REW-5).
public struct PartnerRedemption: Document, Hashable {
  /// Names the redemption.
  public var id: RedemptionID
  /// The offer.
  public var offerID: OfferID
  /// The offer's title when it was redeemed.
  public var title: String
  /// The reward to give.
  public var reward: String
  /// The conditions.
  public var terms: String?
  /// The price in coins.
  public var coins: Int
  /// The redemption's state.
  public var state: RedemptionState
  /// Whether the code can be used now.
  public var isUsable: Bool
  /// When it was redeemed.
  public var redeemedAt: Instant
  /// Until when the code can be used, that instant excluded.
  public var usableUntil: Instant?
  /// When its code was used.
  public var usedAt: Instant?
  /// When it was voided.
  public var voidedAt: Instant?

  /// A redemption from its parts.
  public init(
    id: RedemptionID, offerID: OfferID, title: String, reward: String, terms: String?, coins: Int, state: RedemptionState,
    isUsable: Bool, redeemedAt: Instant, usableUntil: Instant?, usedAt: Instant?, voidedAt: Instant?
  ) {
    self.id = id
    self.offerID = offerID
    self.title = title
    self.reward = reward
    self.terms = terms
    self.coins = coins
    self.state = state
    self.isUsable = isUsable
    self.redeemedAt = redeemedAt
    self.usableUntil = usableUntil
    self.usedAt = usedAt
    self.voidedAt = voidedAt
  }

  public static let notes: Notes = [
    "id": "Id of the redemption.", "offerID": "The offer.", "title": "The offer's title when it was redeemed.",
    "reward": "What is to be given.", "terms": OfferText.terms, "coins": Note("The coins that it cost.", example: 250),
    "state": "The state of the redemption.", "isUsable": "Whether the code can be used now.",
    "redeemedAt": "When it was redeemed.",
    "usableUntil": "Until when the code can be used, exclusive; absent if it does not expire.",
    "usedAt": "When its code was used; absent otherwise.", "voidedAt": "When it was voided; absent otherwise.",
  ]
}

/// A code as it arrives at a till: typed, or read from a QR code.
public struct GivenCode: Document, Hashable {
  /// The text.
  public var code: String

  /// The input from its parts.
  public init(code: String) { self.code = code }

  public static let notes: Notes = [
    "code": Note(
      "The code as typed, or the text of the QR code.", length: 1...200, example: "7H2K-9QMX-0TZC-4BVR")
  ]
}

/// Checks a code without using it: what it is for, until when it is valid, and whether it was used (REW-5).
///
/// A code of another partner is treated as one that does not exist. Wrong codes count against the partner, see
/// ``RedemptionFailure/tooManyWrongCodes``.
public enum CheckCode: AccountOperation {
  public typealias Input = GivenCode
  public typealias Output = PartnerRedemption

  public static let spec = OperationSpec(
    "codes.check", of: .rewards, .post("/v1/partners/mine/codes/check"), by: .partnerClerk, effect: .write,
    failures: GivenCode.failures, requirements: ["REW-5"],
    "Returns what a code of the caller's company is for, until when it is valid, and whether it was used, without using it.")
}

/// Uses a code, only once even if several tills try (REW-5). A retry with the same idempotency key reports that this call used it.
public enum UseCode: AccountOperation {
  public typealias Input = GivenCode
  public typealias Output = PartnerRedemption

  public static let spec = OperationSpec(
    "codes.use", of: .rewards, .post("/v1/partners/mine/codes/use"), by: .partnerClerk, effect: .create,
    failures: GivenCode.failures + RedemptionFailure.ofUse, requirements: ["REW-5"],
    "Marks a code of the caller's company as used.")
}

extension GivenCode {
  static let failures = [
    RedemptionFailure.notFound.kind, RedemptionFailure.presentationExpired.kind, RedemptionFailure.tooManyWrongCodes.kind,
  ]
}

/// Lists the redemptions of the caller's partner's offers, newest first (REW-5).
public enum ListPartnerRedemptions: AccountOperation {
  public typealias Input = ListPage
  public typealias Output = Page<PartnerRedemption>

  public static let spec = OperationSpec(
    "partnerRedemptions.list", of: .rewards, .get("/v1/partners/mine/redemptions"), by: .partnerClerk, effect: .read,
    requirements: ["REW-5"], "Lists the redemptions of the offers of the caller's company, newest first.")
}

/// Voids a redemption of the caller's partner whose code is unused and still valid: the coins are given back (REW-5).
public enum VoidPartnerRedemption: AccountOperation {
  public typealias Input = VoidedRedemption
  public typealias Output = PartnerRedemption

  public static let spec = OperationSpec(
    "partnerRedemptions.void", of: .rewards, .post("/v1/partners/mine/redemptions/{redemptionID}/void"), by: .partnerOwner,
    effect: .write, failures: [RedemptionFailure.notFound.kind] + RedemptionFailure.ofUse, requirements: ["REW-5"],
    "Voids a redemption at the caller's company and refunds the coins.")
}
