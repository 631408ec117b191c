public import Operations

extension FeatureContract {
  static let calendarFeeds = FeatureContract(
    operations: [CreateCalendarFeedLink.self, GetCalendarFeedLink.self, RevokeCalendarFeedLink.self, GetCalendarFeed.self])
}

/// The secret link to the account's activities as an iCalendar feed, shown once (ACT-16).
public struct CalendarFeedLink: Document, Hashable {
  /// The link's secret: anyone who has it can read the feed.
  public var key: String
  /// Where the feed is, on this server.
  public var path: String
  /// When the link was made.
  public var createdAt: Instant

  /// A link from its parts.
  public init(key: String, createdAt: Instant) {
    self.key = key
    path = "/v1/calendar-feeds/\(key)"
    self.createdAt = createdAt
  }

  public static let notes: Notes = [
    "key":
      "The secret key of the link: anyone who has it can read the feed. It is shown only now; the server keeps only its hash.",
    "path": Note("The path of the feed, on this server.", example: "/v1/calendar-feeds/AZrk…"),
    "createdAt": "When the link was created.",
  ]
}

/// Creates a secret link to the account's feed; an earlier link stops working.
///
/// The link gives access for as long as it exists. So neither a personal access token, which may be write-only and can be revoked at any
/// time, nor a session in doubt may create one. The link ends when the session that created it is closed from elsewhere, and whenever the
/// account's personal access tokens end with it (``AccessWithdrawn`` of identity); logging out keeps it. A personal access token may ask
/// whether there is a link, and revoke it.
public enum CreateCalendarFeedLink: AccountOperation {
  public typealias Input = Empty
  public typealias Output = CalendarFeedLink

  // A recorded reply would keep the key in the store; a caller that lost the reply creates another link.
  public static let spec = OperationSpec(
    "calendarFeeds.createLink", of: .activity, .post("/v1/calendar-feed"), by: .account, effect: .create,
    isForSessionsOnly: true, takesIdempotencyKey: false, requirements: ["ACT-16"],
    "Creates a secret link to the caller's activities as an iCalendar feed; needs a session. An older link stops working.")
}

/// Whether the account has a feed.
public struct CalendarFeedState: Document, Hashable {
  /// When its link was made.
  public var createdAt: Instant?

  /// A state from its parts.
  public init(createdAt: Instant?) { self.createdAt = createdAt }

  public static let notes: Notes = ["createdAt": "When the link to the feed was created; absent without one."]
}

/// Returns whether the account has a feed, and since when.
public enum GetCalendarFeedLink: AccountOperation {
  public typealias Input = Empty
  public typealias Output = CalendarFeedState

  public static let spec = OperationSpec(
    "calendarFeeds.getLink", of: .activity, .get("/v1/calendar-feed"), by: .account, effect: .read, requirements: ["ACT-16"],
    "Returns whether the caller has a link to an iCalendar feed, and since when.")
}

/// Revokes the link to the account's feed. Does nothing where there is none.
public enum RevokeCalendarFeedLink: AccountOperation {
  public typealias Input = Empty
  public typealias Output = Empty

  public static let spec = OperationSpec(
    "calendarFeeds.revokeLink", of: .activity, .delete("/v1/calendar-feed"), by: .account, effect: .write,
    requirements: ["ACT-16"],
    "Revokes the link to the caller's iCalendar feed.")
}

/// Returns the feed of a secret link as iCalendar (RFC 5545), for calendar programs that subscribe to it.
public enum GetCalendarFeed: OpenOperation {
  /// Which feed.
  public struct Input: Document, Hashable {
    /// The link's key.
    public var key: String

    /// The input from its parts.
    public init(key: String) { self.key = key }

    public static let notes: Notes = ["key": Note("The link's key.", length: 1...200)]
  }

  public typealias Output = MediaFile

  /// The media type of the feed.
  public static let mediaType = "text/calendar; charset=utf-8"

  public static let spec = OperationSpec(
    "calendarFeeds.get", of: .activity, .get("/v1/calendar-feeds/{key}"), by: .anyone, effect: .read,
    failures: [RequestFailure.notFound.kind], raw: .answer([mediaType]), requirements: ["ACT-16"],
    "Returns an iCalendar feed by its secret link; `not_found` for a link that does not work.")
}
