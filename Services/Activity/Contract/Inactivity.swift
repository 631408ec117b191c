public import Operations

extension FeatureContract {
  static let inactivity = FeatureContract(
    operations: [GetInactivityNotice.self, SetInactivityNotice.self, ClearInactivityNotice.self],
    events: [InactivityDetected.self, InactivityEnded.self])
}

/// After how many days without any movement an account wants to be notified (NOT-3).
public struct InactivityNotice: Document, Hashable {
  public var days: Int?

  public init(days: Int?) { self.days = days }

  public static let notes: Notes = [
    "days": Note(
      "The number of days without any movement after which the caller is notified; absent for never.", range: 1...60, example: 3)
  ]
}

/// Returns after how many days without movement the account is notified (NOT-3).
public enum GetInactivityNotice: AccountOperation {
  public typealias Input = Empty
  public typealias Output = InactivityNotice

  public static let spec = OperationSpec(
    "inactivityNotices.get", of: .activity, .get("/v1/inactivity-notice"), by: .account, effect: .read, requirements: ["NOT-3"],
    "Returns after how many days without any movement the caller is notified.")
}

/// Sets after how many days without movement the account is notified, once per period of inactivity. When the number changes, counting
/// starts again from the present day (NOT-3).
public enum SetInactivityNotice: AccountOperation {
  public struct Input: Document {
    public var days: Int

    public init(days: Int) { self.days = days }

    public static let notes: Notes = [
      "days": Note("The number of days without any movement after which the caller is notified.", range: 1...60, example: 3)
    ]
  }

  public typealias Output = InactivityNotice

  public static let spec = OperationSpec(
    "inactivityNotices.set", of: .activity, .put("/v1/inactivity-notice"), by: .account, effect: .write,
    failures: [RequestFailure.consentRequired.kind], requirements: ["NOT-3", "ID-13"],
    "Sets after how many days without any movement the caller is notified.")
}

/// Turns the notices off, pending ones included. Idempotent (NOT-3).
public enum ClearInactivityNotice: AccountOperation {
  public typealias Input = Empty
  public typealias Output = Empty

  public static let spec = OperationSpec(
    "inactivityNotices.clear", of: .activity, .delete("/v1/inactivity-notice"), by: .account, effect: .write,
    requirements: ["NOT-3"], "Turns the caller's inactivity notices off.")
}

/// An account has not moved for the number of days that it chose; published once per period of inactivity (NOT-3).
public struct InactivityDetected: Event, Hashable {
  public var noticeID: ID<InactivityNotice>
  public var accountID: AccountID
  /// The number of whole days, without the present one.
  public var days: Int
  public var at: Instant

  public init(noticeID: ID<InactivityNotice>, accountID: AccountID, days: Int, at: Instant) {
    self.noticeID = noticeID
    self.accountID = accountID
    self.days = days
    self.at = at
  }

  public static let notes: Notes = [
    "noticeID": "Id of the notice.", "accountID": "The account that has not moved.",
    "days": "The number of whole days without movement, not counting the present one.", "at": "When this was published.",
  ]

  public static let spec = EventSpec(
    "inactivity.detected", formerly: "inactivity.noticed", by: .activity, requirements: ["NOT-3"],
    "An account has not moved for as many days as it chose.")
}

/// A notice no longer applies: the account moves again, or has turned the notices off (NOT-3).
public struct InactivityEnded: Event, Hashable {
  public var noticeID: ID<InactivityNotice>
  public var accountID: AccountID

  public init(noticeID: ID<InactivityNotice>, accountID: AccountID) {
    self.noticeID = noticeID
    self.accountID = accountID
  }

  public static let notes: Notes = ["noticeID": "Id of the notice.", "accountID": "The account that it belonged to."]

  public static let spec = EventSpec(
    "inactivity.ended", by: .activity, requirements: ["NOT-3"],
    "An account moves again, or turned its inactivity notices off.")
}
