public import Operations

extension FeatureContract {
  static let consents = FeatureContract(operations: [ListConsents.self])
}

/// The purposes of consent, each given separately (GDPR, articles 7 and 9).
public enum ConsentPurpose: String, Choice {
  /// That steps and movement are kept, counted and turned into coins.
  case activityData
  /// That the place is used, for offers nearby and places of entries.
  case location
}

/// Consents given and refused in a form; what is left out stays as it is, which for a new account is refused.
public struct ConsentChoices: Document, Hashable {
  public var activityData: Bool?
  public var location: Bool?

  public init(activityData: Bool? = nil, location: Bool? = nil) {
    self.activityData = activityData
    self.location = location
  }

  /// The choice for that purpose; nil if none is made.
  public subscript(purpose: ConsentPurpose) -> Bool? {
    switch purpose {
    case .activityData: activityData
    case .location: location
    }
  }

  public static let notes: Notes = [
    "activityData": "Whether the account's steps may be kept, counted and turned into coins.",
    "location": "Whether the account's location may be used.",
  ]
}

/// The state of one consent.
public struct ConsentState: Document, Hashable {
  public var isGiven: Bool
  public var changedAt: Instant?
  public var wordingVersion: Int?

  public init(isGiven: Bool, changedAt: Instant? = nil, wordingVersion: Int? = nil) {
    self.isGiven = isGiven
    self.changedAt = changedAt
    self.wordingVersion = wordingVersion
  }

  public static let notes: Notes = [
    "isGiven": "Whether it is given now.", "changedAt": "When it was last given or withdrawn; absent if never.",
    "wordingVersion": Note("The version of the wording that was consented to, see `consents.list`.", example: 1),
  ]
}

/// The state of an account's consents.
public struct ConsentStates: Document, Hashable {
  public var activityData: ConsentState
  public var location: ConsentState

  public init(activityData: ConsentState, location: ConsentState) {
    self.activityData = activityData
    self.location = location
  }

  public static let notes: Notes = [
    "activityData": "Consent to steps being kept, counted and turned into coins.",
    "location": "Consent to the use of the location.",
  ]
}

/// What somebody consents to, in words.
public struct ConsentWording: Document, Hashable {
  public var purpose: ConsentPurpose
  public var version: Int
  public var text: String

  public init(purpose: ConsentPurpose, version: Int, text: String) {
    self.purpose = purpose
    self.version = version
    self.text = text
  }

  public static let notes: Notes = [
    "purpose": "Its name in `consents` of settings and registration.",
    "version": Note("Grows when the wording changes; a consent is kept with the version it was given to.", example: 1),
    "text": "The text to show to the person who is asked for the consent.",
  ]
}

/// Lists what can be consented to, for forms that ask for it.
public enum ListConsents: OpenOperation {
  public typealias Input = Empty
  /// All on one page.
  public typealias Output = Page<ConsentWording>

  public static let spec = OperationSpec(
    "consents.list", of: .identity, .get("/v1/consents"), by: .anyone, effect: .read, requirements: ["ID-13"],
    "Lists the consents that can be given, with their texts.")
}
