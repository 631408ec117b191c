public import Operations

extension FeatureContract {
  static let partnerOffers = FeatureContract(
    operations: [
      CreatePartnerOffer.self, UpdatePartnerOffer.self, PausePartnerOffer.self, ResumePartnerOffer.self,
      WithdrawPartnerOffer.self, ListPartnerOffers.self, PutOfferPicture.self, DeleteOfferPicture.self,
    ])
}

/// Whether one of a partner's offers can be redeemed (REW-3).
public enum PartnerOfferState: String, Choice {
  case open
  /// Paused until the partner resumes it.
  case paused
  /// Withdrawn permanently.
  case withdrawn
}

/// An offer as the partner sees it (REW-3).
public struct PartnerOffer: Document, Hashable {
  /// The offer as it appears to everybody while it is listed.
  public var offer: Offer
  /// Whether the partner allows the offer to be redeemed.
  public var state: PartnerOfferState
  /// The total number of items.
  public var stock: Int
  /// Whether the offer applies at every place of the partner, future ones included.
  public var isEverywhere: Bool

  /// An offer from its parts.
  public init(offer: Offer, state: PartnerOfferState, stock: Int, isEverywhere: Bool) {
    self.offer = offer
    self.state = state
    self.stock = stock
    self.isEverywhere = isEverywhere
  }

  public static let notes: Notes = [
    "offer": "The public part of it.", "state": "The state that the partner has given it.", "stock": OfferText.stock,
    "isEverywhere": "Whether it is valid at every place of the company, including future ones.",
  ]
}

/// Why a change of a partner's offer is refused.
public enum PartnerOfferFailure: String, FailureCode {
  /// The offer was withdrawn permanently.
  case withdrawn = "offer_withdrawn"
  /// The partner has reached the maximum number of offers.
  case tooMany = "too_many_offers"

  public var status: Int { 409 }
}

/// Publishes an offer of the caller's partner (REW-3). It is listed once administrators have approved the partner.
public enum CreatePartnerOffer: AccountOperation {
  /// The offer.
  public struct Input: Document {
    /// The offer's title.
    public var title: String
    /// The reward that the account receives.
    public var reward: String
    /// The conditions.
    public var terms: String?
    /// The offer's category.
    public var category: OfferCategory
    /// The price in coins.
    public var costCoins: Int
    /// The total number of items.
    public var stock: Int
    /// The instant from which the offer can be redeemed.
    public var validFrom: Instant
    /// The instant until which it can be redeemed, that instant excluded.
    public var validUntil: Instant
    /// The places at which the offer applies; all if absent.
    public var placeIDs: [PartnerPlaceID]?
    /// The maximum number of redemptions per account.
    public var limitPerAccount: Int?
    /// The maximum number of redemptions per account and local day.
    public var limitPerDay: Int?
    /// For how many days a code is valid.
    public var codeValidDays: Int?

    /// The input from its parts.
    public init(
      title: String, reward: String, terms: String? = nil, category: OfferCategory, costCoins: Int, stock: Int,
      validFrom: Instant, validUntil: Instant, placeIDs: [PartnerPlaceID]? = nil, limitPerAccount: Int? = nil,
      limitPerDay: Int? = nil, codeValidDays: Int? = nil
    ) {
      self.title = title
      self.reward = reward
      self.terms = terms
      self.category = category
      self.costCoins = costCoins
      self.stock = stock
      self.validFrom = validFrom
      self.validUntil = validUntil
      self.placeIDs = placeIDs
      self.limitPerAccount = limitPerAccount
      self.limitPerDay = limitPerDay
      self.codeValidDays = codeValidDays
    }

    public static let notes: Notes = OfferText.notes.merging([
      "stock": OfferText.stock,
      "placeIDs": Note("The places at which it is valid; all of the company's if absent.", items: 1...PartnerPlace.maxPerPartner),
    ]) { $1 }

    public func check(_ fields: inout FieldChecks) {
      PartnerText.checkLine(title, "title", &fields)
      fields.expect(!reward.isBlank, "reward", FieldRule("empty"))
      guard fields.areRight("validFrom") else { return }
      fields.expect(validFrom < validUntil, "validUntil", FieldRule("not_after", ["field": .text("validFrom")]))
    }
  }

  public typealias Output = PartnerOffer

  public static let spec = OperationSpec(
    "partnerOffers.create", of: .rewards, .post("/v1/partners/mine/offers"), by: .partnerOwner, effect: .create,
    failures: [PartnerFailure.notApproved.kind, PartnerOfferFailure.tooMany.kind], requirements: ["REW-3"],
    "Publishes an offer of the caller's company.")
}

/// Changes an offer of the caller's partner (REW-3). Earlier redemptions keep the words and the end under which they were made.
public enum UpdatePartnerOffer: AccountOperation {
  /// Which offer, and the fields to change.
  public struct Input: Document {
    /// Names the offer.
    public var offerID: OfferID
    /// The offer's title.
    public var title: Patch<String>
    /// The reward that the account receives.
    public var reward: Patch<String>
    /// The conditions.
    public var terms: Patch<String?>
    /// The offer's category.
    public var category: Patch<OfferCategory>
    /// The price in coins.
    public var costCoins: Patch<Int>
    /// The total number of items; never fewer than were redeemed.
    public var stock: Patch<Int>
    /// The instant from which the offer can be redeemed.
    public var validFrom: Patch<Instant>
    /// The instant until which it can be redeemed, that instant excluded.
    public var validUntil: Patch<Instant>
    /// The places at which the offer applies; null for all.
    public var placeIDs: Patch<[PartnerPlaceID]?>
    /// The maximum number of redemptions per account.
    public var limitPerAccount: Patch<Int?>
    /// The maximum number of redemptions per account and local day.
    public var limitPerDay: Patch<Int?>
    /// For how many days a code is valid.
    public var codeValidDays: Patch<Int?>

    /// The input from its parts.
    public init(
      offerID: OfferID, title: Patch<String> = .keep, reward: Patch<String> = .keep, terms: Patch<String?> = .keep,
      category: Patch<OfferCategory> = .keep, costCoins: Patch<Int> = .keep, stock: Patch<Int> = .keep,
      validFrom: Patch<Instant> = .keep, validUntil: Patch<Instant> = .keep, placeIDs: Patch<[PartnerPlaceID]?> = .keep,
      limitPerAccount: Patch<Int?> = .keep, limitPerDay: Patch<Int?> = .keep, codeValidDays: Patch<Int?> = .keep
    ) {
      self.offerID = offerID
      self.title = title
      self.reward = reward
      self.terms = terms
      self.category = category
      self.costCoins = costCoins
      self.stock = stock
      self.validFrom = validFrom
      self.validUntil = validUntil
      self.placeIDs = placeIDs
      self.limitPerAccount = limitPerAccount
      self.limitPerDay = limitPerDay
      self.codeValidDays = codeValidDays
    }

    public static let notes: Notes = OfferText.notes.merging([
      "offerID": "Id of the offer.", "stock": OfferText.stock,
      "placeIDs": Note("The places at which it is valid; null for all of the company's.", items: 1...PartnerPlace.maxPerPartner),
    ]) { $1 }

    public func check(_ fields: inout FieldChecks) {
      PartnerText.checkLine(title.value, "title", &fields)
      fields.expect(reward.value.map { !$0.isBlank } ?? true, "reward", FieldRule("empty"))
    }
  }

  public typealias Output = PartnerOffer

  public static let spec = OperationSpec(
    "partnerOffers.update", of: .rewards, .patch("/v1/partners/mine/offers/{offerID}"), by: .partnerOwner, effect: .write,
    failures: OfferReference.failures + [PartnerFailure.notApproved.kind], requirements: ["REW-3"],
    "Changes an offer of the caller's company; redemptions keep the words they were made with.")
}

/// Which offer.
public struct OfferReference: Document, Hashable {
  /// Names the offer.
  public var offerID: OfferID

  /// The input from its parts.
  public init(offerID: OfferID) { self.offerID = offerID }

  public static let notes: Notes = ["offerID": "Id of the offer."]

  /// Failures of operations that change the partner's own offer.
  static let failures = [OfferFailure.notFound.kind, PartnerOfferFailure.withdrawn.kind]
}

/// Pauses an offer of the caller's partner: it cannot be redeemed until it is resumed (REW-3). Codes already issued stay valid.
public enum PausePartnerOffer: AccountOperation {
  public typealias Input = OfferReference
  public typealias Output = PartnerOffer

  public static let spec = OperationSpec(
    "partnerOffers.pause", of: .rewards, .post("/v1/partners/mine/offers/{offerID}/pause"), by: .partnerOwner, effect: .write,
    failures: OfferReference.failures, requirements: ["REW-3"], "Pauses an offer of the caller's company.")
}

/// Resumes a paused offer of the caller's partner (REW-3).
public enum ResumePartnerOffer: AccountOperation {
  public typealias Input = OfferReference
  public typealias Output = PartnerOffer

  public static let spec = OperationSpec(
    "partnerOffers.resume", of: .rewards, .post("/v1/partners/mine/offers/{offerID}/resume"), by: .partnerOwner, effect: .write,
    failures: OfferReference.failures + [PartnerFailure.notApproved.kind], requirements: ["REW-3"],
    "Resumes a paused offer of the caller's company.")
}

/// Permanently withdraws an offer of the caller's partner (REW-3). Codes already issued stay valid.
public enum WithdrawPartnerOffer: AccountOperation {
  public typealias Input = OfferReference
  public typealias Output = PartnerOffer

  public static let spec = OperationSpec(
    "partnerOffers.withdraw", of: .rewards, .delete("/v1/partners/mine/offers/{offerID}"), by: .partnerOwner, effect: .write,
    failures: [OfferFailure.notFound.kind], requirements: ["REW-3"], "Permanently withdraws an offer of the caller's company.")
}

/// Lists the offers of the caller's partner, newest first (REW-3).
public enum ListPartnerOffers: AccountOperation {
  public typealias Input = ListPage
  public typealias Output = Page<PartnerOffer>

  public static let spec = OperationSpec(
    "partnerOffers.list", of: .rewards, .get("/v1/partners/mine/offers"), by: .partnerClerk, effect: .read,
    requirements: ["REW-3"], "Lists the offers of the caller's company, newest first.")
}

/// Sets an offer's picture: a PNG, JPEG or WebP of at most 65,536 bytes (``ContentLimits/photoBytes``) and 2,048 pixels each way (REW-3).
///
/// The server encodes the picture again.
public enum PutOfferPicture: AccountOperation {
  /// Which offer, and its picture.
  public struct Input: Document, Hashable {
    /// Names the offer.
    public var offerID: OfferID
    /// The picture's file.
    public var content: Base64Bytes

    /// The input from its parts.
    public init(offerID: OfferID, content: Base64Bytes) {
      self.offerID = offerID
      self.content = content
    }

    public static let notes: Notes = [
      "offerID": "Id of the offer.",
      "content": Note("The picture's file, at most \(ContentLimits.current.photoBytes) bytes."),
    ]
  }

  public typealias Output = PartnerOffer

  public static let spec = OperationSpec(
    "offerPictures.put", of: .rewards, .put("/v1/partners/mine/offers/{offerID}/picture"), by: .partnerOwner, effect: .write,
    failures: OfferReference.failures, raw: .body("content", "image/*"), requirements: ["REW-3"],
    "Sets the picture of an offer of the caller's company.")
}

/// Removes an offer's picture (REW-3). Does nothing where there is none.
public enum DeleteOfferPicture: AccountOperation {
  public typealias Input = OfferReference
  public typealias Output = PartnerOffer

  public static let spec = OperationSpec(
    "offerPictures.delete", of: .rewards, .delete("/v1/partners/mine/offers/{offerID}/picture"), by: .partnerOwner,
    effect: .write, failures: [OfferFailure.notFound.kind], requirements: ["REW-3"],
    "Removes the picture of an offer of the caller's company.")
}
