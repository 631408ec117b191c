/// How long a copy pauses after each piece that it has brought to the disk, so that others' commits need not wait (OPS-3).
///
/// A piece is small, so that a commit waits little for it. If there are no commits to the store, the copy continues at once. Otherwise it
/// pauses for as long as the piece took, and for up to ``maxShare`` times as long if commits take longer than ``patience``. A copy that is
/// behind its schedule does not pause: it would not end in time.
struct CopyPace: Hashable, Sendable {
  /// A commit that takes longer is taken to have waited for the copy.
  static let patience = Duration.milliseconds(20)
  static let maxShare = 8.0
  /// The longest pause.
  static let maxPause = Duration.seconds(1)

  /// The next pause, as a multiple of the time that the last piece took.
  private(set) var share = 1.0

  /// - Parameters:
  ///   - duration: how long the disk took for the last piece.
  ///   - slowest: the longest commit since the previous piece; nil if there was none.
  ///   - isBehind: whether less was copied than the schedule requires by now.
  mutating func pause(after duration: Duration, slowestCommit slowest: Duration?, isBehind: Bool) -> Duration {
    switch slowest {
    case nil: share = max(0, share - 0.125)
    case .some(let slowest) where slowest > Self.patience: share = min(max(share, 0.5) * 2, Self.maxShare)
    default: share = max(1, share * 0.9)
    }
    return isBehind ? .zero : min(duration * share, Self.maxPause)
  }
}

/// How much of a copy has to be done by now. The copy is behind if the share of its pages that is copied is smaller than the share that is
/// used of its time or of its log budget, the bytes by which the write-ahead log may grow meanwhile.
struct CopySchedule: Hashable, Sendable {
  /// How long the copy may take.
  let duration: Duration
  /// By how many bytes the log may grow until the copy is done.
  let logBytes: Int

  /// - Parameters:
  ///   - done: the share of the pages that is copied.
  ///   - elapsed: the time since copying began.
  ///   - grown: the bytes by which the log has grown since then.
  func isBehind(done: Double, elapsed: Duration, grown: Int) -> Bool {
    done < max(elapsed / duration, Double(grown) / Double(max(1, logBytes)))
  }
}
