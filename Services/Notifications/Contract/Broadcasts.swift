public import Operations

extension FeatureContract {
  static let broadcasts = FeatureContract(
    operations: [PreviewBroadcast.self, SendBroadcast.self, TestBroadcast.self, ListBroadcasts.self, CancelBroadcast.self])
}

/// Marks ids of broadcasts.
public enum BroadcastMark {}

/// A broadcast of the operators: its content and its recipients (NOT-5).
public struct BroadcastMessage: Document, Hashable {
  public static let maxTitle = 80
  public static let maxText = 1000
  public static let maxRate = 60_000

  public var title: String
  public var text: String
  public var spanishTitle: String?
  public var spanishText: String?
  public var language: Language?
  public var idleDays: Int?

  public init(
    title: String, text: String, spanishTitle: String? = nil, spanishText: String? = nil, language: Language? = nil,
    idleDays: Int? = nil
  ) {
    self.title = title
    self.text = text
    self.spanishTitle = spanishTitle
    self.spanishText = spanishText
    self.language = language
    self.idleDays = idleDays
  }

  public static let notes: Notes = [
    "title": Note("Its title, in English.", length: 1...maxTitle), "text": Note("Its text, in English.", length: 1...maxText),
    "spanishTitle": Note("Its title for those who read Spanish; the English one if absent.", length: 1...maxTitle),
    "spanishText": Note("Its text for those who read Spanish; the English one if absent.", length: 1...maxText),
    "language": "Only to accounts of that language.",
    "idleDays": Note(
      "Only to accounts without any session used for that many whole UTC days, and not verified in that time.", range: 1...3650),
  ]

  public func check(_ fields: inout FieldChecks) {
    fields.expect(
      (spanishTitle == nil) == (spanishText == nil), spanishTitle == nil ? "spanishTitle" : "spanishText", FieldRule("required"))
  }
}

/// What has become of a broadcast.
public enum BroadcastState: String, Choice { case sending, done, cancelled }

/// A broadcast and its state.
public struct Broadcast: Document, Hashable {
  public var id: ID<BroadcastMark>
  public var message: BroadcastMessage
  public var perMinute: Int
  public var state: BroadcastState
  public var sentCount: Int
  public var createdAt: Instant
  public var finishedAt: Instant?

  public init(
    id: ID<BroadcastMark>, message: BroadcastMessage, perMinute: Int, state: BroadcastState, sentCount: Int, createdAt: Instant,
    finishedAt: Instant?
  ) {
    self.id = id
    self.message = message
    self.perMinute = perMinute
    self.state = state
    self.sentCount = sentCount
    self.createdAt = createdAt
    self.finishedAt = finishedAt
  }

  public static let notes: Notes = [
    "id": "The broadcast.", "message": "The broadcast's texts and its audience.",
    "perMinute": "The maximum number of accounts that get it in a minute.",
    "state": "The state of the broadcast.", "sentCount": "The number of accounts that it was sent to.",
    "createdAt": "When it was requested.",
    "finishedAt": "When it was done or cancelled.",
  ]
}

/// Previews a broadcast: the number of recipients and the texts. Nothing is sent (NOT-5).
public enum PreviewBroadcast: AccountOperation {
  public typealias Input = BroadcastMessage

  public struct Output: Document, Hashable {
    public var count: Int
    public var title: String
    public var text: String

    public init(count: Int, title: String, text: String) {
      self.count = count
      self.title = title
      self.text = text
    }

    public static let notes: Notes = [
      "count": "The number of accounts that it is for.", "title": "Its title, as shown to readers of the caller's language.",
      "text": "Its text, as shown to readers of the caller's language.",
    ]
  }

  public static let spec = OperationSpec(
    "broadcasts.preview", of: .notifications, .post("/v1/broadcasts/preview"), by: .administrator, effect: .read,
    requirements: ["NOT-5"], "Returns how many accounts a broadcast would go to, and how it reads, without sending it.")
}

/// Sends a broadcast to all its recipients, at most so many a minute (NOT-5). Each account gets it exactly once, even after a crash.
public enum SendBroadcast: AccountOperation {
  public struct Input: Document, Hashable {
    public var message: BroadcastMessage
    public var perMinute: Int?

    public init(message: BroadcastMessage, perMinute: Int? = nil) {
      self.message = message
      self.perMinute = perMinute
    }

    public static let notes: Notes = [
      "message": "The broadcast's texts and its audience.",
      "perMinute": Note(
        "The maximum number of accounts that get it in a minute; 6,000 if absent.", range: 1...Double(BroadcastMessage.maxRate)),
    ]
  }

  public typealias Output = Broadcast

  public static let spec = OperationSpec(
    "broadcasts.send", of: .notifications, .post("/v1/broadcasts"), by: .administrator, effect: .create, requirements: ["NOT-5"],
    "Sends a broadcast to all accounts, or to those of a language or not seen for a while.")
}

/// Sends the message to its author alone, at once, as everybody would get it (NOT-5).
public enum TestBroadcast: AccountOperation {
  public typealias Input = BroadcastMessage
  public typealias Output = Empty

  public static let spec = OperationSpec(
    "broadcasts.test", of: .notifications, .post("/v1/broadcasts/test"), by: .administrator, effect: .create,
    requirements: ["NOT-5"],
    "Sends a broadcast to the caller alone, by every channel that the caller has turned on for announcements.")
}

/// The broadcasts, newest first (NOT-5).
public enum ListBroadcasts: AccountOperation {
  public typealias Input = ListPage
  public typealias Output = Page<Broadcast>

  public static let spec = OperationSpec(
    "broadcasts.list", of: .notifications, .get("/v1/broadcasts"), by: .administrator, effect: .read, requirements: ["NOT-5"],
    "Lists the broadcasts, newest first, and how far each has come.")
}

/// Cancels a broadcast that is being sent: accounts that have it keep it (NOT-5).
public enum CancelBroadcast: AccountOperation {
  public struct Input: Document, Hashable {
    public var broadcastID: ID<BroadcastMark>

    public init(broadcastID: ID<BroadcastMark>) { self.broadcastID = broadcastID }

    public static let notes: Notes = ["broadcastID": "The broadcast."]
  }

  public typealias Output = Broadcast

  public static let spec = OperationSpec(
    "broadcasts.cancel", of: .notifications, .post("/v1/broadcasts/{broadcastID}/cancel"), by: .administrator, effect: .write,
    failures: [RequestFailure.notFound.kind], requirements: ["NOT-5"], "Cancels a broadcast that is being sent.")
}
