public import Operations

/// The secret link to the account's activities as an iCalendar feed, shown once (ACT-16).
public struct CalendarFeedLink: Document, Hashable {
  /// Who has it reads the feed.
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
    "key": "Who has it reads the feed. It is shown only now: no more than its hash is kept.",
    "path": Note("Where the feed is, on this server.", example: "/v1/calendar-feeds/AZrk…"),
    "createdAt": "When the link was made.",
  ]
}

/// Makes a secret link to the account's feed, or another instead of it: the one before stops working.
///
/// The link reads what it shows for as long as it stands, so no personal access token makes one, which may be for writing alone and is
/// revoked at any time, nor does a session in doubt. It ends with the session that made it where that was closed from elsewhere, and whenever the account's
/// personal access tokens end with it (``AccessWithdrawn`` of identity); logging out leaves it. A personal access token may ask whether
/// there is a link, and revoke it.
public enum CreateCalendarFeed: AccountOperation {
  public typealias Input = Empty
  public typealias Output = CalendarFeedLink

  // A recorded reply would keep the key in the store; who lost the answer makes another link.
  public static let spec = OperationSpec(
    "calendarFeeds.create", of: .activity, .post("/v1/calendar-feed"), by: .account, effect: .create,
    isForSessionsOnly: true, takesIdempotencyKey: false, requirements: ["ACT-16"],
    "Make a secret link to your activities as an iCalendar feed, in a session; an older link stops working.")
}

/// Whether the account has a feed.
public struct CalendarFeedState: Document, Hashable {
  /// When its link was made.
  public var createdAt: Instant?

  /// A state from its parts.
  public init(createdAt: Instant?) { self.createdAt = createdAt }

  public static let notes: Notes = ["createdAt": "When the link to the feed was made; absent without one."]
}

/// Says whether the account has a feed, and since when.
public enum GetCalendarFeed: AccountOperation {
  public typealias Input = Empty
  public typealias Output = CalendarFeedState

  public static let spec = OperationSpec(
    "calendarFeeds.get", of: .activity, .get("/v1/calendar-feed"), by: .account, effect: .read, requirements: ["ACT-16"],
    "See whether there is a link to your iCalendar feed, and since when.")
}

/// Lets the link to the account's feed stop working. Without one it does nothing.
public enum RevokeCalendarFeed: AccountOperation {
  public typealias Input = Empty
  public typealias Output = Empty

  public static let spec = OperationSpec(
    "calendarFeeds.revoke", of: .activity, .delete("/v1/calendar-feed"), by: .account, effect: .write, requirements: ["ACT-16"],
    "Let the link to your iCalendar feed stop working.")
}

/// Reads the feed behind a secret link: iCalendar (RFC 5545), for calendar programs to subscribe to.
public enum ReadCalendarFeed: OpenOperation {
  /// Which feed.
  public struct Input: Document, Hashable {
    /// The link's key.
    public var key: String

    /// The input from its parts.
    public init(key: String) { self.key = key }

    public static let notes: Notes = ["key": Note("The link's key.", length: 1...200)]
  }

  public typealias Output = MediaFile

  /// What the feed is.
  public static let mediaType = "text/calendar; charset=utf-8"

  public static let spec = OperationSpec(
    "calendarFeeds.read", of: .activity, .get("/v1/calendar-feeds/{key}"), by: .anyone, effect: .read,
    failures: [RequestFailure.notFound.kind], raw: .answer([mediaType]), requirements: ["ACT-16"],
    "Read an iCalendar feed by its secret link; `not_found` for a link that does not work.")
}
