public import Operations

/// An offer that an account gave coins for, and the code that proves it (REW-5).
public struct Redemption: Document, Hashable {
  /// Names the redemption.
  public var id: RedemptionID
  /// Which offer.
  public var offerID: OfferID
  /// The offer's title.
  public var title: String
  /// What one gets.
  public var reward: String
  /// Who gives it.
  public var partnerName: String
  /// What the partner asks for.
  public var code: RedemptionCode
  /// What it cost.
  public var coins: Int
  /// When.
  public var redeemedAt: Instant

  /// A redemption from its parts.
  public init(
    id: RedemptionID, offerID: OfferID, title: String, reward: String, partnerName: String, code: RedemptionCode,
    coins: Int,
    redeemedAt: Instant
  ) {
    self.id = id
    self.offerID = offerID
    self.title = title
    self.reward = reward
    self.partnerName = partnerName
    self.code = code
    self.coins = coins
    self.redeemedAt = redeemedAt
  }

  public static let notes: Notes = [
    "id": "Names the redemption.", "offerID": "Which offer.", "title": "The offer's title.", "reward": "What one gets.",
    "partnerName": "Who gives it.",
    "code": "What the partner asks for.",
    "coins": Note("What it cost.", example: 250), "redeemedAt": "When.",
  ]
}

/// The proof of a redemption: 80 random bits as 16 characters of Crockford's base 32 (https://www.crockford.com/base32.html), in
/// groups of four. Read aloud or typed, lower case, missing hyphens, O for 0 and I or L for 1 are understood.
public struct RedemptionCode: TextValue {
  public let description: String

  private static let digits = Array("0123456789ABCDEFGHJKMNPQRSTVWXYZ")
  private static let length = 16

  /// A fresh code that nobody can guess, provided that the generator's numbers are unpredictable.
  public init(using generator: inout some RandomNumberGenerator) {
    self.init((0..<RedemptionCode.length).map { _ in RedemptionCode.digits[Int.random(in: 0..<32, using: &generator)] })
  }

  public init(text: String) throws(FieldRule) {
    var characters: [Character] = []
    for character in text.prefix(100).uppercased() where character != "-" && character != " " {
      let meant: Character =
        switch character {
        case "O": "0"
        case "I", "L": "1"
        default: character
        }
      guard RedemptionCode.digits.contains(meant) else { throw FieldRule("not_a_redemption_code") }
      characters.append(meant)
    }
    guard characters.count == RedemptionCode.length else { throw FieldRule("not_a_redemption_code") }
    self.init(characters)
  }

  private init(_ characters: [Character]) {
    description = stride(from: 0, to: characters.count, by: 4).map { String(characters[$0..<$0 + 4]) }.joined(separator: "-")
  }

  public static let placeholder = RedemptionCode(Array(repeating: "0", count: length))

  public static let schema: JSON = [
    "type": "string", "pattern": "^[0-9A-HJKMNP-TV-Z]{4}(-[0-9A-HJKMNP-TV-Z]{4}){3}$", "examples": ["7H2K-9QMX-0TZC-4BVR"],
  ]
}

/// Names a redemption.
public typealias RedemptionID = ID<Redemption>

/// Gives coins for an offer (REW-5).
public enum RedeemOffer: AccountOperation {
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
public enum ListRedemptions: AccountOperation {
  public typealias Input = ListPage
  public typealias Output = Page<Redemption>

  public static let spec = OperationSpec(
    "redemptions.list", of: .rewards, .get("/v1/redemptions"), by: .account, effect: .read, requirements: ["REW-5"],
    "List what the account redeemed, newest first.")
}

/// An account gave coins for an offer. The code is not published: it is the owner's alone.
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
  /// How many coins the account had then.
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
    "coins": "What it cost.", "balance": "How many coins the account had then.", "at": "When.",
  ]

  public static let spec = EventSpec(
    "offers.redeemed", by: .rewards, requirements: ["REW-5"], "An account gave coins for an offer.")
}
