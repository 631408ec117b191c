import Synchronization

/// How much people may write; an operator may raise the limits.
///
/// Contracts are types, and their limits appear in documents, schemas and rules alike. So the limits belong to the process: they are set
/// from its settings before it does anything else, and never again. All processes of a system must have the same limits: a service enforces
/// its own, and the gateway's document lists those of the gateway.
public struct ContentLimits: Sendable, Hashable {
  /// Characters (grapheme clusters) of an activity's title.
  public var activityTitle = 20
  /// Characters of the reason for an activity.
  public var activityReason = 30
  /// Characters of an entry's comment.
  public var entryComment = 20
  /// Bytes of a photo's file, of entries and accounts alike.
  public var photoBytes = 65_536
  /// Times of day at which an account is reminded, over all its activities.
  public var accountReminders = 200

  /// The limits in the requirements.
  public init() {}

  /// The highest limits that may be set: a page of 200 items with the longest texts still fits into a message on the bus.
  public static let maxTitle = 200
  public static let maxReason = 500
  public static let maxComment = 500
  /// Half of a request's limit: a form carries the photo in base64.
  public static let maxPhotoBytes = 524_288
  /// As many as all activities of an account may have together.
  public static let maxAccountReminders = 10_000

  private static let process = Mutex(ContentLimits())

  /// The limits of this process.
  public static var current: ContentLimits { process.withLock { $0 } }

  /// Sets the limits of this process, before they are first read.
  public static func set(_ limits: ContentLimits) { process.withLock { $0 = limits } }
}
