import Operations
import SocialContract

/// The rules for reports, and for how much of them is kept (SOC-8).
enum ReportRules {
  /// Reports of one account within a day.
  static let maxPerDay = 20
  static let daySeconds = 86_400
  /// Bytes of the copies that are kept of what one account reported.
  static let maxBytes = 8 << 20
  /// The same of files, of which each content is kept once.
  static let maxFileBytes = 256 << 20
  /// How long copies are kept after the decision, and how long an account can appeal.
  static let keptSeconds = 180 * 86_400
  /// How many of those who reported are notified in the transaction of a decision; the others a moment later.
  static let publishedAtOnce = 100

  /// What an account has reported before.
  struct Earlier: Hashable, Sendable {
    /// Whether it has reported the same, and nobody has decided.
    var isReported = false
    /// Within the last day.
    var count = 0
    /// When the first of those was.
    var firstAt: Instant?
    /// Of the copies that are kept.
    var bytes = 0
    /// Of the files that are kept.
    var fileBytes = 0
  }

  /// - Throws: why the account may not report it.
  static func send(
    from reporter: AccountID, about accused: AccountID, _ earlier: Earlier, bytes: Int, fileBytes: Int = 0, at now: Instant
  ) throws(Failure) {
    guard reporter != accused else { throw ReportFailure.ofOneself.with() }
    guard !earlier.isReported else { throw ReportFailure.alreadyReported.with() }
    guard earlier.count < maxPerDay else {
      let wait = ((earlier.firstAt ?? now).adding(seconds: daySeconds).milliseconds - now.milliseconds + 999) / 1000
      throw ReportFailure.tooMany.with(
        ["max": .number(maxPerDay), "seconds": .number(max(1, Int(wait)))], retryAfterSeconds: max(1, Int(wait)))
    }
    guard earlier.bytes + bytes <= maxBytes else { throw ReportFailure.tooManyBytes.with(["max": .number(maxBytes)]) }
    guard earlier.fileBytes + fileBytes <= maxFileBytes else {
      throw ReportFailure.tooManyBytes.with(["max": .number(maxFileBytes)])
    }
  }
}
