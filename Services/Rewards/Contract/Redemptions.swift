public import Operations

/// An offer that an account gave coins for, and the code that proves it (REW-5).
public struct Redemption: Document, Hashable {
  /// Names the redemption.
  public var redemptionID: RedemptionID
  /// Which offer.
  public var offerID: OfferID
  /// The offer's title.
  public var title: String
  /// What one gets.
  public var reward: String
  /// Who gives it.
  public var partnerName: String
  /// What the partner asks for: 16 characters of Crockford's base 32 in groups of four.
  public var code: String
  /// What it cost.
  public var coins: Int
  /// When.
  public var redeemedAt: Instant

  /// A redemption from its parts.
  public init(
    redemptionID: RedemptionID, offerID: OfferID, title: String, reward: String, partnerName: String, code: String, coins: Int,
    redeemedAt: Instant
  ) {
    self.redemptionID = redemptionID
    self.offerID = offerID
    self.title = title
    self.reward = reward
    self.partnerName = partnerName
    self.code = code
    self.coins = coins
    self.redeemedAt = redeemedAt
  }

  public static let notes: Notes = [
    "redemptionID": "Names the redemption.", "offerID": "Which offer.", "title": "The offer's title.", "reward": "What one gets.",
    "partnerName": "Who gives it.",
    "code": Note("What the partner asks for: Crockford's base 32 in groups of four.", example: "7H2K-9QMX-0TZC-4BVR"),
    "coins": Note("What it cost.", example: 250), "redeemedAt": "When.",
  ]
}

/// Names a redemption.
public typealias RedemptionID = ID<Redemption>

/// Gives coins for an offer (REW-5).
public enum RedeemOffer: Operation {
  /// Which offer.
  public struct Input: Document {
    /// Names the offer.
    public var offerID: OfferID

    /// The input from its parts.
    public init(offerID: OfferID) { self.offerID = offerID }

    public static let notes: Notes = ["offerID": "Names the offer."]
  }

  public typealias Output = Redemption

  public static let spec = OperationSpec(
    "offers.redeem", of: .rewards, .post("/v1/offers/{offerID}/redemptions"), by: .verifiedAccount, effect: .create,
    failures: OfferFailure.allCases.map(\.kind), requirements: ["REW-5"],
    "Give coins for an offer: coins, stock and validity are checked and changed in one transaction.")
}

/// Lists what the account redeemed, newest first (REW-5).
public enum ListRedemptions: Operation {
  public typealias Input = PageRequest
  public typealias Output = Page<Redemption>

  public static let spec = OperationSpec(
    "redemptions.list", of: .rewards, .get("/v1/redemptions"), by: .account, effect: .read, requirements: ["REW-5"],
    "List what the account redeemed, newest first.")
}

/// An account gave coins for an offer. The code is not told: it is the owner's alone.
public struct OfferRedeemed: Event, Hashable {
  /// Who redeemed.
  public var accountID: AccountID
  /// Which offer.
  public var offerID: OfferID
  /// The redemption.
  public var redemptionID: RedemptionID
  /// The offer's title.
  public var title: String
  /// What it cost.
  public var coins: Int
  /// How many coins the account has now.
  public var balance: Int
  /// When.
  public var at: Instant

  /// The event from its parts.
  public init(
    accountID: AccountID, offerID: OfferID, redemptionID: RedemptionID, title: String, coins: Int, balance: Int, at: Instant
  ) {
    self.accountID = accountID
    self.offerID = offerID
    self.redemptionID = redemptionID
    self.title = title
    self.coins = coins
    self.balance = balance
    self.at = at
  }

  public static let notes: Notes = [
    "accountID": "Who redeemed.", "offerID": "Which offer.", "redemptionID": "The redemption.", "title": "The offer's title.",
    "coins": "What it cost.", "balance": "How many coins the account has now.", "at": "When.",
  ]

  public static let spec = EventSpec(
    "offers.redeemed", by: .rewards, requirements: ["REW-5"], "An account gave coins for an offer.")
}
