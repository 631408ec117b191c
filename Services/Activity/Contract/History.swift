public import Operations

extension FeatureContract {
  static let history = FeatureContract(operations: [ListHistory.self, ListHistoryPoints.self])
}

/// Whose entries a history shows (ACT-12).
public enum HistoryScope: String, Choice {
  /// All entries of the caller.
  case mine
  /// Entries of accounts that the caller follows: only the latest of each activity.
  case followed
  /// All entries of the caller and of the accounts that the caller follows.
  case all
}

/// An entry as a history shows it.
public struct HistoryItem: Document, Hashable {
  /// The account that owns the entry.
  public var accountID: AccountID
  /// The account's username.
  public var username: Username
  /// The account's nickname, if it has one.
  public var nickname: String?
  /// Where the account's photo is, if it has one.
  public var photoURL: PhotoURL?
  /// The activity of the entry.
  public var activityID: ActivityID
  /// The activity's title.
  public var title: String
  /// The activity's category.
  public var category: ActivityCategory
  /// Name of the category's icon.
  public var icon: String
  /// The day.
  public var day: LocalDay
  /// The state of the day.
  public var state: DayState
  /// For a quantity: how much.
  public var amount: Double?
  /// For a quantity: its unit.
  public var unit: String?
  /// For a duration: how long.
  public var durationSeconds: Int?
  /// The account's comment on the entry.
  public var comment: String?
  /// Where it was done.
  public var location: EntryLocation?
  /// Identifies the exact bytes of the entry's photo; nil without one.
  public var photoTag: String?
  /// When any field of the entry was last written.
  public var recordedAt: Instant

  /// An item from its parts; the icon is its category's.
  public init(
    accountID: AccountID, username: Username, nickname: String?, photoURL: PhotoURL? = nil, activityID: ActivityID,
    title: String, category: ActivityCategory, day: LocalDay, state: DayState, amount: Double?, unit: String?,
    durationSeconds: Int?,
    comment: String?, location: EntryLocation?, photoTag: String?, recordedAt: Instant
  ) {
    self.accountID = accountID
    self.username = username
    self.nickname = nickname
    self.photoURL = photoURL
    self.activityID = activityID
    self.title = title
    self.category = category
    icon = category.icon
    self.day = day
    self.state = state
    self.amount = amount
    self.unit = unit
    self.durationSeconds = durationSeconds
    self.comment = comment
    self.location = location
    self.photoTag = photoTag
    self.recordedAt = recordedAt
  }

  public static let notes: Notes = [
    "accountID": "The account whose entry it is.", "username": "Its owner's username.",
    "nickname": "Its owner's nickname, if there is one.",
    "photoURL": "Its owner's photo, if there is one.", "activityID": "The activity.", "title": "The activity's title.",
    "category": "What kind of thing it is.",
    "icon": Note("Name of the category's icon, as in the Lucide set.", example: "droplet"), "day": "The day.",
    "state": "The state of the day.", "amount": "For a quantity: the amount.", "unit": "For a quantity: what is counted.",
    "durationSeconds": "For a duration: the time.", "comment": Note("The owner's comment.", example: "Felt great"),
    "location": "Where it was done.",
    "photoTag": Note(
      "Identifies exactly the bytes of its photo, and is the photo's `ETag`; absent without one.",
      example: "9f86d081884c7d659a2feaa0c55ad015"),
    "recordedAt": "When any part of it was last changed.",
  ]
}

/// An entry as a map shows it.
public struct HistoryPoint: Document, Hashable {
  /// The account that owns the entry.
  public var accountID: AccountID
  /// The activity.
  public var activityID: ActivityID
  /// The activity's title.
  public var title: String
  /// Name of the icon of the activity's category.
  public var icon: String
  /// The day.
  public var day: LocalDay
  /// Where it was done.
  public var location: EntryLocation

  /// Creates the point of an item; nil where the item has no location.
  public init?(_ item: HistoryItem) {
    guard let location = item.location else { return nil }
    accountID = item.accountID
    activityID = item.activityID
    title = item.title
    icon = item.icon
    day = item.day
    self.location = location
  }

  public static let notes: Notes = [
    "accountID": "The account whose entry it is.", "activityID": "The activity.", "title": "The activity's title.",
    "icon": Note("Name of the icon of the activity's category, as in the Lucide set.", example: "droplet"), "day": "The day.",
    "location": "Where it was done.",
  ]
}

/// Filters of a history search; all given filters must match.
public struct HistoryQuery: ListInput, Hashable {
  /// Whose entries; the caller's own by default.
  public var scope: HistoryScope?
  /// Only entries of these activities.
  public var activityIDs: [ActivityID]?
  /// Only entries whose comment contains this text; case and accents are ignored.
  public var text: String?
  /// Only entries near the point of this latitude and longitude.
  public var latitude: Double?
  /// The point's longitude.
  public var longitude: Double?
  /// The radius in metres; 5,000 by default.
  public var radiusMeters: Int?
  /// The first day.
  public var from: LocalDay?
  /// The last day.
  public var to: LocalDay?
  public var limit: Int?
  public var cursor: PageCursor?

  /// A query from its parts.
  public init(
    scope: HistoryScope? = nil, activityIDs: [ActivityID]? = nil, text: String? = nil, latitude: Double? = nil,
    longitude: Double? = nil, radiusMeters: Int? = nil, from: LocalDay? = nil, to: LocalDay? = nil, limit: Int? = nil,
    cursor: PageCursor? = nil
  ) {
    self.scope = scope
    self.activityIDs = activityIDs
    self.text = text
    self.latitude = latitude
    self.longitude = longitude
    self.radiusMeters = radiusMeters
    self.from = from
    self.to = to
    self.limit = limit
    self.cursor = cursor
  }

  /// The radius where none is given.
  public static let usualRadiusMeters = 5_000
  static let maxRadiusMeters = 50_000
  static let maxActivities = 50
  /// No comment is longer than this.
  static var maxCharacters: Int { ContentLimits.current.entryComment }

  public static let notes = listNotes([
    "scope":
      "`mine`, the default; `followed`: the latest entry of each activity of the accounts that the caller follows; `all`: all of both.",
    "activityIDs": Note("Only entries of these activities.", items: 1...maxActivities),
    "text": Note(
      "Only entries with this text in their comment, ignoring case and accents.", length: 0...maxCharacters, example: "rain"),
    "latitude": Note(
      "Only entries near this point; with `longitude`.", range: EntryLocation.latitudes, example: .number(40.4168)),
    "longitude": Note("The point's longitude.", range: EntryLocation.longitudes, example: .number(-3.7038)),
    "radiusMeters": Note("The radius, in metres; 5,000 if absent.", range: 1...Double(maxRadiusMeters), example: 5000),
    "from": "The first day, from 1970-01-01 on.", "to": "The last day, up to 2199-12-31.",
  ])

  /// The rule that a text without anything to search for breaks.
  public static let nothingToLookFor = FieldRule("nothing_to_look_for")

  public func check(_ fields: inout FieldChecks) {
    if let text { fields.expect(!text.isBlank, "text", HistoryQuery.nothingToLookFor) }
    ActivityText.checkSize(text, "text", maximum: HistoryQuery.maxCharacters, &fields)
    fields.expect(latitude == nil || longitude != nil, "longitude", FieldRule("required"))
    fields.expect((longitude == nil && radiusMeters == nil) || latitude != nil, "latitude", FieldRule("required"))
    PlannableDays.check(from, "from", &fields)
    PlannableDays.check(to, "to", &fields)
    PlannableDays.checkOrder(("from", from), ("to", to), &fields)
  }
}

/// Lists entries, newest day first (ACT-12).
///
/// A page may have fewer items than asked for, even none, though there are more: each page scans a bounded number of entries for a rare
/// combination of filters, and `nextCursor` continues after them.
public enum ListHistory: AccountOperation {
  public typealias Input = HistoryQuery
  public typealias Output = Page<HistoryItem>

  public static let spec = OperationSpec(
    "history.list", of: .activity, .get("/v1/history"), by: .account, effect: .read,
    failures: [RequestFailure.consentRequired.kind], requirements: ["ACT-12"],
    """
    Lists entries, newest day first. Filtering by a point requires the consent to location. A page may hold fewer entries than \
    requested though `nextCursor` leads to more.
    """)
}

/// Lists the entries that have a location, newest day first, for a map (ACT-12); see ``ListHistory``.
public enum ListHistoryPoints: AccountOperation {
  public typealias Input = HistoryQuery
  public typealias Output = Page<HistoryPoint>

  public static let spec = OperationSpec(
    "history.listPoints", of: .activity, .get("/v1/history/points"), by: .account, effect: .read,
    failures: [RequestFailure.consentRequired.kind], requirements: ["ACT-12"],
    "Lists the entries that have a location as points of a map, newest day first; takes the same filters as the history.")
}
