public import Operations

/// What a partner company gives for coins (REW-3, REW-4).
public struct Offer: Document, Hashable {
  /// Names the offer.
  public var id: OfferID
  /// What it is called.
  public var title: String
  /// What one gets.
  public var reward: String
  /// Who gives it.
  public var partnerName: String
  /// What it costs.
  public var costCoins: Int
  /// How many are left.
  public var remaining: Int
  /// From when on it can be redeemed.
  public var validFrom: Instant
  /// Until when, that instant excluded.
  public var validUntil: Instant

  /// An offer from its parts.
  public init(
    id: OfferID, title: String, reward: String, partnerName: String, costCoins: Int, remaining: Int, validFrom: Instant,
    validUntil: Instant
  ) {
    self.id = id
    self.title = title
    self.reward = reward
    self.partnerName = partnerName
    self.costCoins = costCoins
    self.remaining = remaining
    self.validFrom = validFrom
    self.validUntil = validUntil
  }

  public static let notes: Notes = [
    "id": "Names the offer.", "title": OfferText.title, "reward": OfferText.reward, "partnerName": OfferText.partnerName,
    "costCoins": OfferText.costCoins, "remaining": Note("How many are left.", range: 0...OfferText.maxStock, example: 12),
    "validFrom": "From when on it can be redeemed.", "validUntil": "Until when it can be redeemed, that instant excluded.",
  ]
}

/// Names an offer.
public typealias OfferID = ID<Offer>

enum OfferText {
  static let maxStock: Double = 1_000_000_000
  static let title = Note("What it is called.", length: 1...80, example: "Coffee for two")
  static let reward = Note("What one gets.", length: 1...500, breaksLines: true, example: "Two coffees of the day")
  static let partnerName = Note("Who gives it.", length: 1...80, example: "Café Central")
  static let costCoins = Note("What it costs.", range: 1...1_000_000_000, example: 250)
  static let stock = Note("How many there are in all.", range: 1...maxStock, example: 100)
}

/// Ways in which asking for an offer can fail.
public enum OfferFailure: String, FailureCode {
  /// There is no offer of that id.
  case notFound = "offer_not_found"
  /// None are left.
  case soldOut = "offer_sold_out"
  /// It cannot be redeemed yet, or no longer.
  case notValid = "offer_not_valid"
  /// The account has fewer coins than the offer costs (E UC-04, AF-01).
  case notEnoughCoins = "not_enough_coins"

  public var status: Int { self == .notFound ? 404 : 409 }
}

/// Lists the offers that can be redeemed now, the ones that end first before the others (REW-4).
public enum ListOffers: AccountOperation {
  public typealias Input = ListPage
  public typealias Output = Page<Offer>

  public static let spec = OperationSpec(
    "offers.list", of: .rewards, .get("/v1/offers"), by: .account, effect: .read, requirements: ["REW-4"],
    "List the offers that are valid now, those that end first before the others.")
}

/// Shows one offer (REW-4).
public enum GetOffer: AccountOperation {
  /// Which one.
  public struct Input: Document {
    /// Names the offer.
    public var offerID: OfferID

    /// The input from its parts.
    public init(offerID: OfferID) { self.offerID = offerID }

    public static let notes: Notes = ["offerID": "Names the offer."]
  }

  public typealias Output = Offer

  public static let spec = OperationSpec(
    "offers.get", of: .rewards, .get("/v1/offers/{offerID}"), by: .account, effect: .read,
    failures: [OfferFailure.notFound.kind], requirements: ["REW-4"], "Show one offer.")
}

/// Publishes an offer (REW-3).
public enum CreateOffer: AccountOperation {
  /// What is offered.
  public struct Input: Document {
    /// What it is called.
    public var title: String
    /// What one gets.
    public var reward: String
    /// Who gives it.
    public var partnerName: String
    /// What it costs.
    public var costCoins: Int
    /// How many there are in all.
    public var stock: Int
    /// From when on it can be redeemed.
    public var validFrom: Instant
    /// Until when, that instant excluded.
    public var validUntil: Instant

    /// The input from its parts.
    public init(
      title: String, reward: String, partnerName: String, costCoins: Int, stock: Int, validFrom: Instant, validUntil: Instant
    ) {
      self.title = title
      self.reward = reward
      self.partnerName = partnerName
      self.costCoins = costCoins
      self.stock = stock
      self.validFrom = validFrom
      self.validUntil = validUntil
    }

    public static let notes: Notes = [
      "title": OfferText.title, "reward": OfferText.reward, "partnerName": OfferText.partnerName,
      "costCoins": OfferText.costCoins, "stock": OfferText.stock, "validFrom": "From when on it can be redeemed.",
      "validUntil": "Until when it can be redeemed, that instant excluded.",
    ]

    public func check(_ fields: inout FieldChecks) {
      for (field, text) in [("title", title), ("partnerName", partnerName)] {
        fields.expect(!ShortText.hasControl(text), field, FieldRule("control_character"))
      }
      guard fields.areRight("validFrom") else { return }
      fields.expect(validFrom < validUntil, "validUntil", FieldRule("not_after", ["field": .text("validFrom")]))
    }
  }

  public typealias Output = Offer

  public static let spec = OperationSpec(
    "offers.create", of: .rewards, .post("/v1/offers"), by: .administrator, effect: .create, requirements: ["REW-3"],
    "Publish an offer.")
}
