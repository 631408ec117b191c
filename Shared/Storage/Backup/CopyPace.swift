/// How long a copy leaves the disk alone after each piece that it has brought there, so that others' commits need not wait (OPS-3).
///
/// A piece is small, so that whoever commits behind it waits little. Where nobody commits to the store, the copy goes on at once; where
/// somebody does, the disk is left alone as long as the piece took, and up to ``maxShare`` times as long where commits take longer
/// than ``patience``. A copy that is behind its schedule does not pause: it would not end in time.
struct CopyPace: Hashable, Sendable {
  /// Commits that take longer wait for the copy.
  static let patience = Duration.milliseconds(20)
  static let maxShare = 8.0
  /// No pause is longer.
  static let maxPause = Duration.seconds(1)

  /// The next pause, as a multiple of the time that the last piece took.
  private(set) var share = 1.0

  /// - Parameters:
  ///   - duration: how long the disk took for the last piece.
  ///   - slowest: the longest commit since the piece before; nil where nothing was committed.
  ///   - isBehind: whether less was copied than by now it has to be.
  mutating func pause(after duration: Duration, slowestCommit slowest: Duration?, isBehind: Bool) -> Duration {
    switch slowest {
    case nil: share = max(0, share - 0.125)
    case .some(let slowest) where slowest > Self.patience: share = min(max(share, 0.5) * 2, Self.maxShare)
    default: share = max(1, share * 0.9)
    }
    return isBehind ? .zero : min(duration * share, Self.maxPause)
  }
}

/// How much of a copy has to be done by now. The copy is behind when a larger share of its time or of its log budget is used than of its
/// pages is copied; the budget is what the write-ahead log may grow by meanwhile.
struct CopySchedule: Hashable, Sendable {
  /// How long it may take.
  let duration: Duration
  /// By how many bytes the log may grow until it is done.
  let logBytes: Int

  /// - Parameters:
  ///   - done: the share of the pages that is copied.
  ///   - elapsed: since when the log cannot be cut.
  ///   - grown: bytes by which the log has grown since.
  func isBehind(done: Double, elapsed: Duration, grown: Int) -> Bool {
    done < max(elapsed / duration, Double(grown) / Double(max(1, logBytes)))
  }
}
