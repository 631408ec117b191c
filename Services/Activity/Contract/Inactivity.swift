public import Operations

/// After how many days without any movement an account wants to be told (NOT-3).
public struct InactivityNotice: Document, Hashable {
  public var days: Int?

  public init(days: Int?) { self.days = days }

  public static let notes: Notes = [
    "days": Note("After how many days without any movement you are told; absent for never.", range: 1...60, example: 3)
  ]
}

/// Shows after how many days without movement the account is told (NOT-3).
public enum ReadInactivityNotice: AccountOperation {
  public typealias Input = Empty
  public typealias Output = InactivityNotice

  public static let spec = OperationSpec(
    "inactivityNotices.get", of: .activity, .get("/v1/inactivity-notice"), by: .account, effect: .read, requirements: ["NOT-3"],
    "Show after how many days without any movement you are told.")
}

/// Chooses after how many days without movement the account is told, once for each time that it does not move. Days are counted anew from the
/// present one when the number changes (NOT-3).
public enum SetInactivityNotice: AccountOperation {
  public struct Input: Document {
    public var days: Int

    public init(days: Int) { self.days = days }

    public static let notes: Notes = [
      "days": Note("After how many days without any movement you are told.", range: 1...60, example: 3)
    ]
  }

  public typealias Output = InactivityNotice

  public static let spec = OperationSpec(
    "inactivityNotices.set", of: .activity, .put("/v1/inactivity-notice"), by: .account, effect: .write,
    failures: [RequestFailure.consentRequired.kind], requirements: ["NOT-3", "ID-13"],
    "Choose after how many days without any movement you are told.")
}

/// Ends it: nothing of that kind is told any more, nor what waits. Repeating it changes nothing (NOT-3).
public enum ClearInactivityNotice: AccountOperation {
  public typealias Input = Empty
  public typealias Output = Empty

  public static let spec = OperationSpec(
    "inactivityNotices.clear", of: .activity, .delete("/v1/inactivity-notice"), by: .account, effect: .write,
    requirements: ["NOT-3"], "Be told no more that you did not move.")
}

/// An account has not moved for as many days as it chose: published once for each time that it does not move (NOT-3).
public struct InactivityNoticed: Event, Hashable {
  public var noticeID: ID<InactivityNotice>
  public var accountID: AccountID
  /// Whole days, the present one not counted.
  public var days: Int
  public var at: Instant

  public init(noticeID: ID<InactivityNotice>, accountID: AccountID, days: Int, at: Instant) {
    self.noticeID = noticeID
    self.accountID = accountID
    self.days = days
    self.at = at
  }

  public static let notes: Notes = [
    "noticeID": "Names the notice.", "accountID": "Whose movement is missing.",
    "days": "How many whole days it is, the present one not counted.", "at": "When this was published.",
  ]

  public static let spec = EventSpec(
    "inactivity.noticed", by: .activity, requirements: ["NOT-3"], "An account has not moved for as many days as it chose.")
}

/// What was noticed is true no longer: the account moves again, or does not want to be told any more (NOT-3).
public struct InactivityEnded: Event, Hashable {
  public var noticeID: ID<InactivityNotice>
  public var accountID: AccountID

  public init(noticeID: ID<InactivityNotice>, accountID: AccountID) {
    self.noticeID = noticeID
    self.accountID = accountID
  }

  public static let notes: Notes = ["noticeID": "Names the notice.", "accountID": "Whose it was."]

  public static let spec = EventSpec(
    "inactivity.ended", by: .activity, requirements: ["NOT-3"],
    "An account moves again, or does not want to be told any more that it did not.")
}
