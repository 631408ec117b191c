public import Operations

extension FeatureContract {
  static let offers = FeatureContract(operations: [ListOffers.self, GetOffer.self, GetOfferPicture.self, CreateOffer.self])
}

/// A reward that can be had for coins, and its conditions (REW-3, REW-4).
public struct Offer: Document, Hashable {
  /// Names the offer.
  public var id: OfferID
  /// The offer's title.
  public var title: String
  /// The reward that the account receives.
  public var reward: String
  /// The conditions.
  public var terms: String?
  /// The offer's category.
  public var category: OfferCategory?
  /// The name of the partner or other giver.
  public var partnerName: String
  /// The partner; absent for the operator's own offers.
  public var partner: OfferPartner?
  /// Where the picture is; absent without one.
  public var pictureURL: PartnerPictureURL?
  /// The price in coins.
  public var costCoins: Int
  /// How many are left.
  public var remaining: Int
  /// The instant from which the offer can be redeemed.
  public var validFrom: Instant
  /// The instant until which it can be redeemed, that instant excluded.
  public var validUntil: Instant
  /// The maximum number of redemptions per account.
  public var limitPerAccount: Int?
  /// The maximum number of redemptions per account and local day.
  public var limitPerDay: Int?
  /// For how many days a code is valid; until the offer's end if absent.
  public var codeValidDays: Int?
  /// The distance from the caller's given location to the nearest place of the offer.
  public var distanceMeters: Int?
  /// The places at which the offer applies; only given where a single offer is requested.
  public var places: [PartnerPlace]?

  /// An offer from its parts.
  public init(
    id: OfferID, title: String, reward: String, terms: String? = nil, category: OfferCategory? = nil, partnerName: String,
    partner: OfferPartner? = nil, pictureURL: PartnerPictureURL? = nil, costCoins: Int, remaining: Int, validFrom: Instant,
    validUntil: Instant, limitPerAccount: Int? = nil, limitPerDay: Int? = nil, codeValidDays: Int? = nil,
    distanceMeters: Int? = nil, places: [PartnerPlace]? = nil
  ) {
    self.id = id
    self.title = title
    self.reward = reward
    self.terms = terms
    self.category = category
    self.partnerName = partnerName
    self.partner = partner
    self.pictureURL = pictureURL
    self.costCoins = costCoins
    self.remaining = remaining
    self.validFrom = validFrom
    self.validUntil = validUntil
    self.limitPerAccount = limitPerAccount
    self.limitPerDay = limitPerDay
    self.codeValidDays = codeValidDays
    self.distanceMeters = distanceMeters
    self.places = places
  }

  public static let notes: Notes = OfferText.notes.merging([
    "id": "Id of the offer.", "partnerName": OfferText.partnerName,
    "partner": "The partner; absent for the operator's own offers.",
    "pictureURL": "The path of its picture; absent without one.",
    "remaining": Note("The number left.", range: 0...OfferText.maxStock, example: 12),
    "distanceMeters": Note(
      "The distance of its nearest place from the given point, along the great circle; absent without either.",
      range: 0...20_100_000, example: 350),
    "places": Note("The places where it is valid; only in the answer for one offer.", items: 0...PartnerPlace.maxPerPartner),
  ]) { $1 }
}

/// Names an offer.
public typealias OfferID = ID<Offer>

/// The partner of an offer, in short form (REW-4).
public struct OfferPartner: Document, Hashable {
  /// Names the partner.
  public var id: PartnerID
  /// The partner's description of itself.
  public var about: String
  /// Where the logo is; absent without one.
  public var logoURL: PartnerPictureURL?

  /// A partner from its parts.
  public init(id: PartnerID, about: String, logoURL: PartnerPictureURL?) {
    self.id = id
    self.about = about
    self.logoURL = logoURL
  }

  public static let notes: Notes = [
    "id": "Id of the partner.", "about": PartnerText.about, "logoURL": "The path of its logo; absent without one.",
  ]
}

/// The category of an offer's reward.
public enum OfferCategory: String, Choice {
  case food, drinks, sports, health, beauty, culture, travel, shopping, services, other
}

enum OfferText {
  static let maxStock: Double = 1_000_000_000
  static let title = Note("Its title.", length: 1...80, example: "Coffee for two")
  static let reward = Note("The reward.", length: 1...500, breaksLines: true, example: "Two coffees of the day")
  static let terms = Note("The conditions.", length: 1...2000, breaksLines: true, example: "Not on Sundays.")
  static let category = Note("What kind of thing it is.")
  static let partnerName = Note("The partner that gives it.", length: 1...80, example: "Café Central")
  static let costCoins = Note("Its price in coins.", range: 1...1_000_000_000, example: 250)
  static let stock = Note("How many there are in all.", range: 1...maxStock, example: 100)
  static let limitPerAccount = Note("How many one account may redeem in all; any number if absent.", range: 1...1000, example: 5)
  static let limitPerDay = Note(
    "How many one account may redeem on one of its days; any number if absent.", range: 1...1000, example: 1)
  static let codeValidDays = Note(
    "For how many days a code is valid; until the offer's end if absent.", range: 1...366, example: 30)

  /// Notes on the fields that offers share with the inputs that create them.
  static let notes: Notes = [
    "title": title, "reward": reward, "terms": terms, "category": category, "costCoins": costCoins,
    "validFrom": "From when it can be redeemed.", "validUntil": "Until when it can be redeemed, exclusive.",
    "limitPerAccount": limitPerAccount, "limitPerDay": limitPerDay, "codeValidDays": codeValidDays,
  ]
}

/// Ways in which an operation on an offer can fail.
public enum OfferFailure: String, FailureCode {
  /// There is no offer with that id.
  case notFound = "offer_not_found"
  /// No items are left.
  case soldOut = "offer_sold_out"
  /// The offer cannot be redeemed yet, or no longer.
  case notValid = "offer_not_valid"
  /// The partner has paused the offer, or was suspended.
  case paused = "offer_paused"
  /// The price differs from the one that the caller was shown.
  case changed = "offer_changed"
  /// The account has reached the maximum number of redemptions, in all or for the day.
  case limitReached = "offer_limit_reached"
  /// The account has fewer coins than the offer costs (E UC-04, AF-01).
  case notEnoughCoins = "not_enough_coins"

  public var status: Int { self == .notFound ? 404 : 409 }
}

/// The order of a list of offers (REW-4).
public enum OfferOrder: String, Choice {
  /// The offers that end first.
  case end
  /// The cheapest first.
  case cost
  /// The newest first.
  case newest
  /// The nearest first.
  case distance
}

/// The caller's location for one call; used for the reply only, and neither kept nor logged (REW-4).
protocol GivenPlace: Document {
  var latitude: Double? { get }
  var longitude: Double? { get }
}

extension GivenPlace {
  static var placeNotes: Notes {
    [
      "latitude": Note(
        "The caller's latitude, in degrees north; with `longitude`. It requires the consent to location, and is not kept.",
        range: -90...90, example: .number(40.4168)),
      "longitude": Note("The caller's longitude, in degrees east.", range: -180...180, example: .number(-3.7038)),
    ]
  }

  func checkPlace(_ fields: inout FieldChecks) {
    fields.expect(latitude == nil || longitude != nil, "longitude", FieldRule("required"))
    fields.expect(longitude == nil || latitude != nil, "latitude", FieldRule("required"))
  }
}

/// Lists the offers that can be redeemed now (REW-4).
///
/// A page may have fewer items than asked for, even none, though there are more: each page scans a bounded number of offers for a rare
/// combination of filters, and `nextCursor` continues after them.
public enum ListOffers: AccountOperation {
  /// The filters and the order.
  public struct Input: ListInput, GivenPlace {
    /// The order; `end` if absent.
    public var sort: OfferOrder?
    /// If true, only offers for which the account has enough coins.
    public var isAffordable: Bool?
    /// The latitude of the account's location.
    public var latitude: Double?
    /// The longitude of the account's location.
    public var longitude: Double?
    /// Only offers that apply within this distance of the location.
    public var radiusMeters: Int?
    /// Only offers of this partner.
    public var partnerID: PartnerID?
    /// Only offers of this category.
    public var category: OfferCategory?
    /// Only offers whose title, reward or partner's name contains this text.
    public var text: String?
    public var limit: Int?
    public var cursor: PageCursor?

    /// The input from its parts.
    public init(
      sort: OfferOrder? = nil, isAffordable: Bool? = nil, latitude: Double? = nil, longitude: Double? = nil,
      radiusMeters: Int? = nil, partnerID: PartnerID? = nil, category: OfferCategory? = nil, text: String? = nil,
      limit: Int? = nil, cursor: PageCursor? = nil
    ) {
      self.sort = sort
      self.isAffordable = isAffordable
      self.latitude = latitude
      self.longitude = longitude
      self.radiusMeters = radiusMeters
      self.partnerID = partnerID
      self.category = category
      self.text = text
      self.limit = limit
      self.cursor = cursor
    }

    /// The default and the maximum radius.
    public static let usualRadiusMeters = 10_000
    public static let maxRadiusMeters = 100_000

    public static let notes = listNotes(
      placeNotes.merging([
        "sort": "The order: those that end first (`end`, if absent), cost least, are newest or nearest before the others.",
        "isAffordable": "Whether to list only those that the caller has the coins for.",
        "radiusMeters": Note(
          "Only offers within so many metres of that point: up to 100,000, 10,000 if absent.", range: 1...Double(maxRadiusMeters),
          example: 5000), "partnerID": "Only those of this partner.", "category": "Only those of this kind.",
        "text": Note(
          "Only offers with this text in title, reward or partner's name, ignoring case and accents.", length: 1...100,
          example: "coffee"),
      ]) { $1 })

    public func check(_ fields: inout FieldChecks) {
      checkPlace(&fields)
      if sort == .distance || radiusMeters != nil { fields.expect(latitude != nil, "latitude", FieldRule("required")) }
      if let text { fields.expect(!text.isBlank, "text", FieldRule("empty")) }
    }
  }

  public typealias Output = Page<Offer>

  public static let spec = OperationSpec(
    "offers.list", of: .rewards, .get("/v1/offers"), by: .account, effect: .read,
    failures: [RequestFailure.consentRequired.kind], requirements: ["REW-4"],
    "Lists the offers that are valid now, in the requested order and of the requested kind.")
}

/// Returns one offer with its partner and its places (REW-4). The partner learns how many people have looked at it per day, but not who
/// they are.
public enum GetOffer: AccountOperation {
  /// Which offer, and where the account is.
  public struct Input: Document, GivenPlace {
    /// Names the offer.
    public var offerID: OfferID
    /// The latitude of the account's location.
    public var latitude: Double?
    /// The longitude of the account's location.
    public var longitude: Double?

    /// The input from its parts.
    public init(offerID: OfferID, latitude: Double? = nil, longitude: Double? = nil) {
      self.offerID = offerID
      self.latitude = latitude
      self.longitude = longitude
    }

    public static let notes: Notes = placeNotes.merging(["offerID": "Id of the offer."]) { $1 }

    public func check(_ fields: inout FieldChecks) { checkPlace(&fields) }
  }

  public typealias Output = Offer

  public static let spec = OperationSpec(
    "offers.get", of: .rewards, .get("/v1/offers/{offerID}"), by: .account, effect: .read,
    failures: [OfferFailure.notFound.kind, RequestFailure.consentRequired.kind], requirements: ["REW-4"],
    "Returns an offer with its partner and the places where it is valid.")
}

/// Returns an offer's picture. Every list contains its address with the version (``PartnerPictureURL``) (REW-3).
public enum GetOfferPicture: AccountOperation {
  /// Which picture.
  public struct Input: Document, Hashable {
    /// Names the offer.
    public var offerID: OfferID
    /// The version from the picture's address.
    public var version: String?

    /// The input from its parts.
    public init(offerID: OfferID, version: String? = nil) {
      self.offerID = offerID
      self.version = version
    }

    public static let notes: Notes = ["offerID": "Id of the offer.", "version": PictureText.version]
  }

  public typealias Output = MediaFile

  public static let spec = OperationSpec(
    "offerPictures.get", of: .rewards, .get("/v1/offers/{offerID}/picture"), by: .account, effect: .read,
    failures: [RequestFailure.notFound.kind], raw: .answer(PictureText.types), requirements: ["REW-3"],
    "Returns an offer's picture; `not_found` without one.")
}

/// Publishes an offer of the operator, without a partner (REW-3).
public enum CreateOffer: AccountOperation {
  /// The offer.
  public struct Input: Document {
    /// The offer's title.
    public var title: String
    /// The reward that the account receives.
    public var reward: String
    /// The name of the giver.
    public var partnerName: String
    /// The price in coins.
    public var costCoins: Int
    /// The total number of items.
    public var stock: Int
    /// The instant from which the offer can be redeemed.
    public var validFrom: Instant
    /// The instant until which it can be redeemed, that instant excluded.
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
      "costCoins": OfferText.costCoins, "stock": OfferText.stock, "validFrom": "From when it can be redeemed.",
      "validUntil": "Until when it can be redeemed, exclusive.",
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
    "Publishes an offer of the operator's own.")
}
