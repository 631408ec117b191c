public import Operations

extension FeatureContract {
  static let partners = FeatureContract(
    operations: [
      RegisterPartner.self, GetOwnPartner.self, GetPartner.self, UpdatePartner.self, ListPartners.self, DecidePartner.self,
      PutPartnerLogo.self, DeletePartnerLogo.self, GetPartnerLogo.self,
    ],
    events: [PartnerDecided.self, PartnerOwnerLost.self])
}

/// A company that gives rewards for coins, as everybody sees it (REW-3).
public struct Partner: Document, Hashable {
  /// Names the partner.
  public var id: PartnerID
  /// The partner's name.
  public var name: String
  /// The partner's description of itself.
  public var about: String
  /// Where the logo is; absent without one.
  public var logoURL: PartnerPictureURL?
  /// The partner's places.
  public var places: [PartnerPlace]

  /// A partner from its parts.
  public init(id: PartnerID, name: String, about: String, logoURL: PartnerPictureURL?, places: [PartnerPlace]) {
    self.id = id
    self.name = name
    self.about = about
    self.logoURL = logoURL
    self.places = places
  }

  public static let notes: Notes = [
    "id": "Id of the partner.", "name": PartnerText.name, "about": PartnerText.about,
    "logoURL": "The path of its logo; absent without one.",
    "places": Note("The places of the company.", items: 0...PartnerPlace.maxPerPartner),
  ]
}

/// Names a partner.
public typealias PartnerID = ID<Partner>

/// The administrators' decision about a partner (REW-3).
public enum PartnerState: String, Choice {
  /// No administrator has decided yet.
  case pending
  /// The partner's offers are shown.
  case approved
  /// The partner was not approved; editing its description requests another decision.
  case refused
  /// The partner was approved, and its offers are hidden for now.
  case suspended
}

/// A partner as its own members and administrators see it (REW-3).
public struct RegisteredPartner: Document, Hashable {
  /// The part that everybody sees.
  public var partner: Partner
  /// The contact for administrators; absent once the partner has no members.
  public var contact: String?
  /// The administrators' decision.
  public var state: PartnerState
  /// The reason, where the partner was refused or suspended.
  public var reason: String?
  /// Whether the partner has no owner that is neither deleted nor suspended: then its offers are not shown.
  public var isWithoutOwner: Bool
  /// The reader's role; absent for administrators.
  public var role: PartnerRole?
  /// When the partner registered.
  public var registeredAt: Instant
  /// When administrators last decided.
  public var decidedAt: Instant?

  /// A partner from its parts.
  public init(
    partner: Partner, contact: String?, state: PartnerState, reason: String?, isWithoutOwner: Bool, role: PartnerRole?,
    registeredAt: Instant, decidedAt: Instant?
  ) {
    self.partner = partner
    self.contact = contact
    self.state = state
    self.reason = reason
    self.isWithoutOwner = isWithoutOwner
    self.role = role
    self.registeredAt = registeredAt
    self.decidedAt = decidedAt
  }

  public static let notes: Notes = [
    "partner": "The public part of it.", "contact": PartnerText.contact, "state": "The decision of the administrators.",
    "reason": "The reason why it was refused or suspended; absent otherwise.",
    "isWithoutOwner": "Whether it has no owner left who is neither deleted nor suspended; its offers then pause.",
    "role": "The caller's role there; absent for administrators.", "registeredAt": "When it registered.",
    "decidedAt": "When administrators last decided; absent before the first decision.",
  ]
}

/// The address of a partner's logo or an offer's picture, with its version: `/v1/partners/{partnerID}/logo?version={tag}` or
/// `/v1/offers/{offerID}/picture?version={tag}`, relative to the gateway's address. It changes with the picture, so that a client fetches
/// each picture once and caches it.
public struct PartnerPictureURL: TextValue {
  public let description: String

  /// - Parameter tag: identifies the picture's exact bytes: 32 hexadecimal digits in lower case.
  public init(logoOf partner: PartnerID, tag: String) { description = "/v1/partners/\(partner)/logo?version=\(tag)" }

  /// - Parameter tag: identifies the picture's exact bytes: 32 hexadecimal digits in lower case.
  public init(pictureOf offer: OfferID, tag: String) { description = "/v1/offers/\(offer)/picture?version=\(tag)" }

  public init(text: String) throws(FieldRule) {
    let logo = /\/v1\/partners\/[0-9a-f-]{36}\/logo\?version=[0-9a-f]{32}/.matchingSemantics(.unicodeScalar)
    let picture = /\/v1\/offers\/[0-9a-f-]{36}\/picture\?version=[0-9a-f]{32}/.matchingSemantics(.unicodeScalar)
    let (isLogo, isPicture) = (text.wholeMatch(of: logo) != nil, text.wholeMatch(of: picture) != nil)
    guard isLogo || isPicture else { throw FieldRule("not_a_photo_url") }
    description = text
  }

  public static let placeholder = PartnerPictureURL(logoOf: .placeholder, tag: String(repeating: "0", count: 32))
  public static let schema: JSON = ["type": "string", "format": "uri-reference"]
}

enum PartnerText {
  static let name = Note("What the company is called.", length: 1...80, example: "Café Central")
  static let about = Note(
    "What it does.", length: 1...1000, breaksLines: true, example: "Coffee and cakes, roasted in the house.")
  static let contact = Note(
    "How administrators reach it; nobody else sees it.", length: 1...200, example: "hello@cafe.example, +34 600 000 000")
  static let reason = Note(
    "The reason, which its members read.", length: 1...500, breaksLines: true, example: "The address does not exist.")

  static func checkLine(_ text: String?, _ field: String, _ fields: inout FieldChecks) {
    guard let text else { return }
    fields.expect(!text.isBlank, field, FieldRule("empty"))
    fields.expect(!ShortText.hasControl(text), field, FieldRule("control_character"))
  }
}

/// Ways in which an operation on a partner can fail.
public enum PartnerFailure: String, FailureCode {
  /// There is no partner with that id that the caller may see.
  case notFound = "partner_not_found"
  /// The account already belongs to a partner; it can belong to one at most.
  case alreadyInPartner = "already_in_partner"
  /// The decision is not possible in the partner's present state.
  case decidedOtherwise = "partner_decided_otherwise"
  /// Administrators have refused or suspended the partner.
  case notApproved = "partner_not_approved"

  public var status: Int { self == .notFound ? 404 : 409 }
}

/// Registers a company as a partner, which administrators then approve or refuse (REW-3). The caller becomes its owner.
public enum RegisterPartner: AccountOperation {
  /// The company's description.
  public struct Input: Document {
    /// The company's name.
    public var name: String
    /// The company's description of itself.
    public var about: String
    /// The contact for administrators.
    public var contact: String
    /// The logo's file, if there is one.
    public var logo: Base64Bytes?
    /// The company's places.
    public var places: [PartnerPlaceDraft]

    /// The input from its parts.
    public init(name: String, about: String, contact: String, logo: Base64Bytes? = nil, places: [PartnerPlaceDraft] = []) {
      self.name = name
      self.about = about
      self.contact = contact
      self.logo = logo
      self.places = places
    }

    public static let notes: Notes = [
      "name": PartnerText.name, "about": PartnerText.about, "contact": PartnerText.contact,
      "logo": Note("The logo's file, at most \(ContentLimits.current.photoBytes) bytes."),
      "places": Note("The places of the company.", items: 0...PartnerPlace.maxPerPartner),
    ]

    public func check(_ fields: inout FieldChecks) {
      PartnerText.checkLine(name, "name", &fields)
      PartnerText.checkLine(contact, "contact", &fields)
      fields.expect(!about.isBlank, "about", FieldRule("empty"))
    }
  }

  public typealias Output = RegisteredPartner

  public static let spec = OperationSpec(
    "partners.register", of: .rewards, .post("/v1/partners"), by: .verifiedAccount, effect: .create,
    failures: [PartnerFailure.alreadyInPartner.kind], requirements: ["REW-3"],
    "Registers a company that wants to offer rewards; an administrator decides whether it may.")
}

/// Returns the partner that the account belongs to (REW-3).
public enum GetOwnPartner: AccountOperation {
  public typealias Input = Empty
  public typealias Output = RegisteredPartner

  public static let spec = OperationSpec(
    "partners.getMine", of: .rewards, .get("/v1/partners/mine"), by: .account, effect: .read,
    failures: [PartnerFailure.notFound.kind], requirements: ["REW-3"],
    "Returns the caller's company and the caller's role there; `partner_not_found` if the caller belongs to none.")
}

/// Returns an approved partner (REW-3, REW-4).
public enum GetPartner: AccountOperation {
  public typealias Input = PartnerReference
  public typealias Output = Partner

  public static let spec = OperationSpec(
    "partners.get", of: .rewards, .get("/v1/partners/{partnerID}"), by: .account, effect: .read,
    failures: [PartnerFailure.notFound.kind], requirements: ["REW-3", "REW-4"], "Returns a partner.")
}

/// Which partner.
public struct PartnerReference: Document, Hashable {
  /// Names the partner.
  public var partnerID: PartnerID

  /// The input from its parts.
  public init(partnerID: PartnerID) { self.partnerID = partnerID }

  public static let notes: Notes = ["partnerID": "Id of the partner."]
}

/// Changes a partner's description (REW-3). For a refused partner this requests another decision.
public enum UpdatePartner: AccountOperation {
  /// The fields to change.
  public struct Input: Document {
    /// The partner's name.
    public var name: Patch<String>
    /// The partner's description of itself.
    public var about: Patch<String>
    /// The contact for administrators.
    public var contact: Patch<String>

    /// The input from its parts.
    public init(name: Patch<String> = .keep, about: Patch<String> = .keep, contact: Patch<String> = .keep) {
      self.name = name
      self.about = about
      self.contact = contact
    }

    public static let notes: Notes = [
      "name": PartnerText.name, "about": PartnerText.about, "contact": PartnerText.contact,
    ]

    public func check(_ fields: inout FieldChecks) {
      PartnerText.checkLine(name.value, "name", &fields)
      PartnerText.checkLine(contact.value, "contact", &fields)
      fields.expect(about.value.map { !$0.isBlank } ?? true, "about", FieldRule("empty"))
    }
  }

  public typealias Output = RegisteredPartner

  public static let spec = OperationSpec(
    "partners.update", of: .rewards, .patch("/v1/partners/mine"), by: .partnerOwner, effect: .write, requirements: ["REW-3"],
    "Changes the profile of the caller's company; if it was refused, it is reviewed again.")
}

/// Sets the partner's logo: a PNG, JPEG or WebP of at most 65,536 bytes (``ContentLimits/photoBytes``) and 2,048 pixels each way (REW-3).
///
/// The server encodes the picture again.
public enum PutPartnerLogo: AccountOperation {
  /// The picture.
  public struct Input: Document, Hashable {
    /// The picture's file.
    public var content: Base64Bytes

    /// The input from its parts.
    public init(content: Base64Bytes) { self.content = content }

    public static let notes: Notes = [
      "content": Note("The picture's file, at most \(ContentLimits.current.photoBytes) bytes.")
    ]
  }

  public typealias Output = RegisteredPartner

  public static let spec = OperationSpec(
    "partnerLogos.put", of: .rewards, .put("/v1/partners/mine/logo"), by: .partnerOwner, effect: .write,
    raw: .body("content", "image/*"), requirements: ["REW-3"], "Sets the logo of the caller's company.")
}

/// Removes the partner's logo (REW-3). Does nothing where there is none.
public enum DeletePartnerLogo: AccountOperation {
  public typealias Input = Empty
  public typealias Output = RegisteredPartner

  public static let spec = OperationSpec(
    "partnerLogos.delete", of: .rewards, .delete("/v1/partners/mine/logo"), by: .partnerOwner, effect: .write,
    requirements: ["REW-3"], "Removes the logo of the caller's company.")
}

/// Returns a partner's logo (REW-3). Every list of offers contains its address with the version (``PartnerPictureURL``). The logo of a
/// partner that was not approved is readable for its own members and administrators only.
public enum GetPartnerLogo: AccountOperation {
  /// Whose logo.
  public struct Input: Document, Hashable {
    /// Names the partner.
    public var partnerID: PartnerID
    /// The version from the logo's address.
    public var version: String?

    /// The input from its parts.
    public init(partnerID: PartnerID, version: String? = nil) {
      self.partnerID = partnerID
      self.version = version
    }

    public static let notes: Notes = ["partnerID": "Id of the partner.", "version": PictureText.version]
  }

  public typealias Output = MediaFile

  public static let spec = OperationSpec(
    "partnerLogos.get", of: .rewards, .get("/v1/partners/{partnerID}/logo"), by: .account, effect: .read,
    failures: [RequestFailure.notFound.kind], raw: .answer(PictureText.types), requirements: ["REW-3"],
    "Returns a partner's logo; `not_found` without one.")
}

enum PictureText {
  static let types = ["image/jpeg", "image/png", "image/webp"]
  static let version = Note(
    "The version that the picture had when its address was made; the picture is the one of now.", length: 1...100)
}

// MARK: - Administrators

/// Lists the partners in one state, earliest registration first (REW-3).
public enum ListPartners: AccountOperation {
  /// Which partners.
  public struct Input: ListInput {
    /// The state; `pending` by default.
    public var state: PartnerState?
    public var limit: Int?
    public var cursor: PageCursor?

    /// The input from its parts.
    public init(state: PartnerState? = nil, limit: Int? = nil, cursor: PageCursor? = nil) {
      self.state = state
      self.limit = limit
      self.cursor = cursor
    }

    public static let notes = listNotes(["state": "Those in this state; `pending` if absent."])
  }

  public typealias Output = Page<RegisteredPartner>

  public static let spec = OperationSpec(
    "partners.list", of: .rewards, .get("/v1/partners"), by: .administrator, effect: .read, requirements: ["REW-3"],
    "Lists the partners that wait for a decision, or those in another state, in the order in which they registered.")
}

/// An administrator's decision about a partner.
public enum PartnerDecision: String, Choice {
  /// Approves the partner, also after it was refused or suspended.
  case approve
  /// Refuses the partner.
  case refuse
  /// Suspends an approved partner: its offers are no longer shown.
  case suspend
}

/// Decides about a partner (REW-3); each of its owners is notified. An administrator cannot decide about their own partner.
public enum DecidePartner: AccountOperation {
  /// The partner and the decision.
  public struct Input: Document {
    /// Names the partner.
    public var partnerID: PartnerID
    /// The decision.
    public var decision: PartnerDecision
    /// The reason; required unless the partner is approved.
    public var reason: String?

    /// The input from its parts.
    public init(partnerID: PartnerID, decision: PartnerDecision, reason: String? = nil) {
      self.partnerID = partnerID
      self.decision = decision
      self.reason = reason
    }

    public static let notes: Notes = [
      "partnerID": "Id of the partner.", "decision": "The decision.",
      "reason": Note(
        "The reason, which its members read; required unless it is approved.", length: 1...500, breaksLines: true,
        example: "The address does not exist."),
    ]

    public func check(_ fields: inout FieldChecks) {
      guard fields.areRight("decision") else { return }
      fields.expect(decision == .approve || reason.map { !$0.isBlank } ?? false, "reason", FieldRule("required"))
    }
  }

  public typealias Output = RegisteredPartner

  public static let spec = OperationSpec(
    "partners.decide", of: .rewards, .post("/v1/partners/{partnerID}/decision"), by: .administrator, effect: .write,
    failures: [PartnerFailure.notFound.kind, PartnerFailure.decidedOtherwise.kind], requirements: ["REW-3"],
    "Approves, refuses or suspends a partner.")
}

// MARK: - Events

/// Administrators have decided about a partner. Published for each of its owners (REW-3).
public struct PartnerDecided: Event, Hashable {
  /// Names the notice: one for each owner and decision.
  public var noticeID: ID<PartnerDecided>
  /// The owner.
  public var accountID: AccountID
  /// The partner.
  public var partnerID: PartnerID
  /// The partner's name.
  public var name: String
  /// The partner's new state.
  public var state: PartnerState
  /// The reason.
  public var reason: String?
  /// When it was decided.
  public var at: Instant

  /// The event from its parts.
  public init(
    noticeID: ID<PartnerDecided>, accountID: AccountID, partnerID: PartnerID, name: String, state: PartnerState, reason: String?,
    at: Instant
  ) {
    self.noticeID = noticeID
    self.accountID = accountID
    self.partnerID = partnerID
    self.name = name
    self.state = state
    self.reason = reason
    self.at = at
  }

  public static let notes: Notes = [
    "noticeID": "Id of the notice: one for each owner and decision.", "accountID": "The owner.", "partnerID": "The partner.",
    "name": "Its name.", "state": "Its state now.", "reason": "The reason why it was refused or suspended; absent otherwise.",
    "at": "When it happened.",
  ]

  public static let spec = EventSpec(
    "partners.decided", by: .rewards, requirements: ["REW-3"],
    "Administrators approved, refused or suspended a partner; one event for each owner.")
}

/// A partner has no owner left that is neither deleted nor suspended, and its offers pause. Published for each of the administrators
/// (REW-3).
public struct PartnerOwnerLost: Event, Hashable {
  /// Names the notice: one for each administrator.
  public var noticeID: ID<PartnerOwnerLost>
  /// The administrator.
  public var accountID: AccountID
  /// The partner.
  public var partnerID: PartnerID
  /// The partner's name.
  public var name: String
  /// When the last owner was lost.
  public var at: Instant

  /// The event from its parts.
  public init(noticeID: ID<PartnerOwnerLost>, accountID: AccountID, partnerID: PartnerID, name: String, at: Instant) {
    self.noticeID = noticeID
    self.accountID = accountID
    self.partnerID = partnerID
    self.name = name
    self.at = at
  }

  public static let notes: Notes = [
    "noticeID": "Id of the notice: one for each administrator.", "accountID": "The administrator.", "partnerID": "The partner.",
    "name": "Its name.", "at": "When it happened.",
  ]

  public static let spec = EventSpec(
    "partners.ownerLost", by: .rewards, requirements: ["REW-3"],
    "The last owner of a partner was deleted or suspended; one event for each administrator.")
}
