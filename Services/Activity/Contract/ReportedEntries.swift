public import Operations

extension FeatureContract {
  static let reportedEntries = FeatureContract(operations: [GetReportedEntry.self])
}

/// An entry as the account's followers see it, copied for moderators when it is reported (SOC-8).
public struct ReportedEntry: Document, Hashable {
  /// The account that owns the entry.
  public var accountID: AccountID
  /// The activity's title.
  public var title: String
  /// The account's comment on the entry.
  public var comment: String?
  /// The entry's photo.
  public var photo: MediaFile?
  /// When any field of the entry was last written.
  public var recordedAt: Instant

  /// A copy from its parts.
  public init(accountID: AccountID, title: String, comment: String?, photo: MediaFile?, recordedAt: Instant) {
    self.accountID = accountID
    self.title = title
    self.comment = comment
    self.photo = photo
    self.recordedAt = recordedAt
  }

  public static let notes: Notes = [
    "accountID": "The account whose entry it is.", "title": "The activity's title.",
    "comment": Note("The owner's comment; absent without one.", example: "Felt great"),
    "photo": "Its photo; absent without one.", "recordedAt": "When any part of it was last changed.",
  ]
}

/// Gives social a copy of an entry, for a report by an account that can see it (SOC-8).
public enum GetReportedEntry: OpenOperation {
  /// Which entry, and the account that reports it.
  public struct Input: Document, Hashable {
    /// The account that reports.
    public var readerAccountID: AccountID
    /// Names the activity.
    public var activityID: ActivityID
    /// The day.
    public var day: LocalDay

    /// The input from its parts.
    public init(readerAccountID: AccountID, activityID: ActivityID, day: LocalDay) {
      self.readerAccountID = readerAccountID
      self.activityID = activityID
      self.day = day
    }

    public static let notes: Notes = [
      "readerAccountID": "The account that reports it.", "activityID": "Id of the activity.", "day": "The day.",
    ]
  }

  public typealias Output = ReportedEntry

  public static let spec = OperationSpec(
    "reportedEntries.get", of: .activity, nil, by: .services([.social]), effect: .read,
    failures: [RequestFailure.notFound.kind], requirements: ["SOC-8"],
    "Returns a copy of a reported entry; `not_found` if there is none that the reporting account may see.")
}
