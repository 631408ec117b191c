import Synchronization

/// How much people may write, where whoever runs the system may let them write more.
///
/// Contracts are types, and their limits are in documents, schemas and rules alike: so these are the process's, set from its settings before
/// it does anything else, and never again. All processes of a system are to have the same: a service refuses by its own, and the gateway's
/// document lists those of the gateway.
public struct ContentLimits: Sendable, Hashable {
  /// Characters (grapheme clusters) of an activity's title.
  public var activityTitle = 20
  /// Characters of the reason for an activity.
  public var activityReason = 30
  /// Characters of an entry's comment.
  public var entryComment = 20
  /// Bytes of a photo's file, of entries and accounts alike.
  public var photoBytes = 65_536
  /// Times of day at which an account is reminded, of all its activities together.
  public var accountReminders = 200

  /// As the requirements have them.
  public init() {}

  /// What they may be raised to: a page of 200 items of the longest texts still is a message on the bus.
  public static let maxTitle = 200
  public static let maxReason = 500
  public static let maxComment = 500
  /// Half of what a request may have: a form has it in base64.
  public static let maxPhotoBytes = 524_288
  /// As many as the activities of an account may have together.
  public static let maxAccountReminders = 10_000

  private static let process = Mutex(ContentLimits())

  /// Those of this process.
  public static var current: ContentLimits { process.withLock { $0 } }

  /// Sets those of this process, before anything asks for them.
  public static func set(_ limits: ContentLimits) { process.withLock { $0 = limits } }
}
