public import Operations
public import SocialContract

extension FeatureContract {
  static let suspensions = FeatureContract(events: [SuspensionAppealed.self])
}

/// A suspended account appeals, by the link that it was sent (SOC-8).
public struct SuspensionAppealed: Event, Hashable {
  public var suspensionID: SuspensionID
  public var accountID: AccountID
  public var text: String
  public var at: Instant

  public init(suspensionID: SuspensionID, accountID: AccountID, text: String, at: Instant) {
    self.suspensionID = suspensionID
    self.accountID = accountID
    self.text = text
    self.at = at
  }

  public static let notes: Notes = [
    "suspensionID": "The suspension.", "accountID": "The account.",
    "text": Note(
      "The reasons for lifting the suspension, in the account's words.",
      length: 1...SuspensionAppealText.maxCharacters, breaksLines: true), "at": "When it happened.",
  ]

  public static let spec = EventSpec(
    "suspensions.appealed", by: .identity, requirements: ["SOC-8"],
    "The owner of a suspended account appealed by the mailed link.")
}
