public import Operations

extension FeatureContract {
  static let redemptions = FeatureContract(
    operations: [RedeemOffer.self, ListRedemptions.self, GetRedemption.self, PresentRedemption.self, VoidRedemption.self],
    events: [OfferRedeemed.self, RedemptionUsed.self, RedemptionVoided.self])
}

/// The state of a redemption (REW-5).
public enum RedemptionState: String, Choice {
  /// The code can be used, until its end.
  case open
  /// The code was used.
  case used
  /// The redemption was voided, and the coins were given back.
  case voided
}

/// An offer that an account redeemed for coins, and the code that proves it (REW-5). Its words are those at the time of redemption,
/// whatever the offer says since.
public struct Redemption: Document, Hashable {
  /// Names the redemption.
  public var id: RedemptionID
  /// The offer.
  public var offerID: OfferID
  /// The offer's title.
  public var title: String
  /// The reward that the account receives.
  public var reward: String
  /// The conditions.
  public var terms: String?
  /// The name of the partner or other giver.
  public var partnerName: String
  /// The code that the partner asks for; absent only where damage to the store lost it.
  public var code: RedemptionCode?
  /// The price in coins.
  public var coins: Int
  /// The redemption's state.
  public var state: RedemptionState
  /// When the offer was redeemed.
  public var redeemedAt: Instant
  /// Until when the code can be used, that instant excluded; absent where it does not end.
  public var usableUntil: Instant?
  /// When its code was used.
  public var usedAt: Instant?
  /// When it was voided.
  public var voidedAt: Instant?
  /// Why it was voided.
  public var voidReason: String?

  /// A redemption from its parts.
  public init(
    id: RedemptionID, offerID: OfferID, title: String, reward: String, terms: String? = nil, partnerName: String,
    code: RedemptionCode?, coins: Int, state: RedemptionState = .open, redeemedAt: Instant, usableUntil: Instant? = nil,
    usedAt: Instant? = nil, voidedAt: Instant? = nil, voidReason: String? = nil
  ) {
    self.id = id
    self.offerID = offerID
    self.title = title
    self.reward = reward
    self.terms = terms
    self.partnerName = partnerName
    self.code = code
    self.coins = coins
    self.state = state
    self.redeemedAt = redeemedAt
    self.usableUntil = usableUntil
    self.usedAt = usedAt
    self.voidedAt = voidedAt
    self.voidReason = voidReason
  }

  public static let notes: Notes = [
    "id": "Id of the redemption.", "offerID": "The offer.", "title": "The offer's title.", "reward": "The reward.",
    "terms": OfferText.terms, "partnerName": "The partner that gives it.", "code": "The code that the partner asks for.",
    "coins": Note("The coins that it cost.", example: 250), "state": "The state of the redemption.",
    "redeemedAt": "When it was redeemed.",
    "usableUntil": "Until when the code can be used, exclusive; absent if it does not expire.",
    "usedAt": "When its code was used; absent otherwise.", "voidedAt": "When it was voided; absent otherwise.",
    "voidReason": "The reason why it was voided; absent otherwise.",
  ]
}

/// The proof of a redemption: 80 random bits as 16 characters of Crockford's base 32 (https://www.crockford.com/base32.html), in groups of
/// four. Lower case, missing hyphens, O for 0, and I or L for 1 are accepted.
public struct RedemptionCode: TextValue {
  public let description: String

  private static let digits = Array("0123456789ABCDEFGHJKMNPQRSTVWXYZ")
  private static let length = 16

  /// Creates a random code, which cannot be guessed if the generator's numbers are unpredictable.
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

/// Ways in which an operation on a redemption can fail.
public enum RedemptionFailure: String, FailureCode {
  /// There is no redemption with that id, or no such code, that the caller may see.
  case notFound = "redemption_not_found"
  /// The code was already used.
  case used = "code_used"
  /// The redemption was voided.
  case voided = "code_voided"
  /// The code has expired.
  case expired = "code_expired"
  /// The presented QR code is older than a minute.
  case presentationExpired = "presentation_expired"
  /// The partner's members have given so many wrong codes that they must wait.
  case tooManyWrongCodes = "too_many_wrong_codes"

  public var status: Int {
    switch self {
    case .notFound: 404
    case .used, .voided, .expired, .presentationExpired: 409
    case .tooManyWrongCodes: 429
    }
  }

  /// Failures of operations that need a valid code.
  static let ofUse = [RedemptionFailure.used.kind, RedemptionFailure.voided.kind, RedemptionFailure.expired.kind]
}

/// Redeems an offer for coins (REW-5).
public enum RedeemOffer: AccountOperation {
  /// Which offer.
  public struct Input: Document {
    /// Names the offer.
    public var offerID: OfferID
    /// The price that the account was shown.
    public var costCoins: Int?

    /// The input from its parts.
    public init(offerID: OfferID, costCoins: Int? = nil) {
      self.offerID = offerID
      self.costCoins = costCoins
    }

    public static let notes: Notes = [
      "offerID": "Id of the offer.",
      "costCoins": Note(
        "The price that the caller was shown: refused with `offer_changed` if it is no longer the price.",
        range: 1...1_000_000_000, example: 250),
    ]
  }

  public typealias Output = Redemption

  public static let spec = OperationSpec(
    "offers.redeem", of: .rewards, .post("/v1/offers/{offerID}/redemptions"), by: .verifiedAccount, effect: .create,
    failures: OfferFailure.allCases.map(\.kind), requirements: ["REW-5"],
    "Redeems an offer for coins; coins, stock, validity and limits are checked and changed in one transaction.")
}

/// Lists the account's redemptions, newest first (REW-5).
public enum ListRedemptions: AccountOperation {
  public typealias Input = ListPage
  public typealias Output = Page<Redemption>

  public static let spec = OperationSpec(
    "redemptions.list", of: .rewards, .get("/v1/redemptions"), by: .account, effect: .read, requirements: ["REW-5"],
    "Lists the caller's redemptions, newest first.")
}

/// Which redemption.
public struct RedemptionReference: Document, Hashable {
  /// Names the redemption.
  public var redemptionID: RedemptionID

  /// The input from its parts.
  public init(redemptionID: RedemptionID) { self.redemptionID = redemptionID }

  public static let notes: Notes = ["redemptionID": "Id of the redemption."]
}

/// Returns one of the account's own redemptions (REW-5).
public enum GetRedemption: AccountOperation {
  public typealias Input = RedemptionReference
  public typealias Output = Redemption

  public static let spec = OperationSpec(
    "redemptions.get", of: .rewards, .get("/v1/redemptions/{redemptionID}"), by: .account, effect: .read,
    failures: [RedemptionFailure.notFound.kind], requirements: ["REW-5"], "Returns one of the caller's redemptions.")
}

/// The content of a QR code that is valid for a minute (REW-5).
public struct PresentedCode: Document, Hashable {
  /// The text to show as a QR code (ISO/IEC 18004); it does not contain the redemption's code.
  public var payload: String
  /// When it expires and a new one has to be requested.
  public var expiresAt: Instant

  /// A presentation from its parts.
  public init(payload: String, expiresAt: Instant) {
    self.payload = payload
    self.expiresAt = expiresAt
  }

  public static let notes: Notes = [
    "payload": Note(
      "The text to show as a QR code: it is signed, and does not contain the redemption's code.", length: 1...200,
      example: "RACHA1:AZrk…"),
    "expiresAt": "When it expires: a minute after it was created. Request a new one before.",
  ]
}

/// Creates a QR code's content that the account shows in place of its code (REW-5). It is signed and valid for a minute, so that a
/// screenshot is worthless later. A client requests a new one as long as it shows the code.
public enum PresentRedemption: AccountOperation {
  public typealias Input = RedemptionReference
  public typealias Output = PresentedCode

  public static let spec = OperationSpec(
    "redemptions.present", of: .rewards, .get("/v1/redemptions/{redemptionID}/presentation"), by: .account, effect: .read,
    failures: [RedemptionFailure.notFound.kind] + RedemptionFailure.ofUse, requirements: ["REW-5"],
    "Creates the text of a QR code for one of the caller's redemptions, valid for a minute.")
}

/// Voids a redemption whose code is unused and still valid: the coins are given back, and the item returns to the offer's stock (REW-5).
public enum VoidRedemption: AccountOperation {
  public typealias Input = VoidedRedemption
  public typealias Output = Empty

  public static let spec = OperationSpec(
    "redemptions.void", of: .rewards, .post("/v1/redemptions/{redemptionID}/void"), by: .administrator, effect: .write,
    failures: [RedemptionFailure.notFound.kind] + RedemptionFailure.ofUse, requirements: ["REW-5"],
    "Voids a redemption and refunds the coins, as an administrator.")
}

/// The redemption to void, and the reason.
public struct VoidedRedemption: Document, Hashable {
  /// Names the redemption.
  public var redemptionID: RedemptionID
  /// The reason.
  public var reason: String

  /// The input from its parts.
  public init(redemptionID: RedemptionID, reason: String) {
    self.redemptionID = redemptionID
    self.reason = reason
  }

  public static let notes: Notes = [
    "redemptionID": "Id of the redemption.",
    "reason": Note(
      "The reason, which the account that redeemed it reads.", length: 1...200, example: "The cakes are sold out."),
  ]

  public func check(_ fields: inout FieldChecks) { PartnerText.checkLine(reason, "reason", &fields) }
}

/// An account redeemed an offer. The code is private to the owner and is not published.
public struct OfferRedeemed: Event, Hashable {
  /// The account that redeemed.
  public var accountID: AccountID
  /// The offer.
  public var offerID: OfferID
  /// The redemption.
  public var redemptionID: RedemptionID
  /// The offer's title.
  public var title: String
  /// The price in coins.
  public var coins: Int
  /// The account's balance after the redemption.
  public var balance: Int
  /// When the offer was redeemed.
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
    "accountID": "The account that redeemed it.", "offerID": "The offer.", "redemptionID": "The redemption.",
    "title": "The offer's title.",
    "coins": "The coins that it cost.", "balance": "The account's balance at that time.", "at": "When it happened.",
  ]

  public static let spec = EventSpec(
    "offers.redeemed", by: .rewards, requirements: ["REW-5"], "An account redeemed an offer for coins.")
}

/// The code of a redemption was used at the partner's till (REW-5).
public struct RedemptionUsed: Event, Hashable {
  /// The account that redeemed.
  public var accountID: AccountID
  /// The offer.
  public var offerID: OfferID
  /// The redemption.
  public var redemptionID: RedemptionID
  /// The offer's title when it was redeemed.
  public var title: String
  /// The name of the partner or other giver.
  public var partnerName: String
  /// When the code was used.
  public var at: Instant

  /// The event from its parts.
  public init(
    accountID: AccountID, offerID: OfferID, redemptionID: RedemptionID, title: String, partnerName: String, at: Instant
  ) {
    self.accountID = accountID
    self.offerID = offerID
    self.redemptionID = redemptionID
    self.title = title
    self.partnerName = partnerName
    self.at = at
  }

  public static let notes: Notes = [
    "accountID": "The account that redeemed it.", "offerID": "The offer.", "redemptionID": "The redemption.",
    "title": "The offer's title.",
    "partnerName": "The partner that gave it.", "at": "When it happened.",
  ]

  public static let spec = EventSpec(
    "redemptions.used", by: .rewards, requirements: ["REW-5"], "The code of a redemption was used at the partner's.")
}

/// A redemption was voided, and the coins were given back (REW-5).
public struct RedemptionVoided: Event, Hashable {
  /// The account that had redeemed.
  public var accountID: AccountID
  /// The offer.
  public var offerID: OfferID
  /// The redemption.
  public var redemptionID: RedemptionID
  /// The offer's title when it was redeemed.
  public var title: String
  /// The reason.
  public var reason: String
  /// How many coins were given back.
  public var coins: Int
  /// The account's balance afterwards.
  public var balance: Int
  /// When the redemption was voided.
  public var at: Instant

  /// The event from its parts.
  public init(
    accountID: AccountID, offerID: OfferID, redemptionID: RedemptionID, title: String, reason: String, coins: Int, balance: Int,
    at: Instant
  ) {
    self.accountID = accountID
    self.offerID = offerID
    self.redemptionID = redemptionID
    self.title = title
    self.reason = reason
    self.coins = coins
    self.balance = balance
    self.at = at
  }

  public static let notes: Notes = [
    "accountID": "The account that had redeemed it.", "offerID": "The offer.", "redemptionID": "The redemption.",
    "title": "The offer's title.", "reason": "The reason.", "coins": "The number of coins refunded.",
    "balance": "The account's balance at that time.", "at": "When it happened.",
  ]

  public static let spec = EventSpec(
    "redemptions.voided", by: .rewards, requirements: ["REW-5"], "A redemption was voided, and its coins were refunded.")
}
