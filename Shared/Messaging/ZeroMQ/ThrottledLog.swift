import Logging
import Synchronization

/// Warnings about what peers do, at most one a second of each kind, or as seldom as it is asked for: a peer that floods us must not
/// flood the log as well.
final class ThrottledLog: Sendable {
  private let logger: Logger
  private let last = Mutex<[String: (at: Int64, unsaid: Int)]>([:])

  init(_ logger: Logger) { self.logger = logger }

  func warn(
    _ message: StaticString, every pause: Duration = .seconds(1), _ metadata: @autoclosure () -> Logger.Metadata = [:]
  ) {
    let key = message.description
    let now = Monotonic.now
    let unsaid: Int? = last.withLock { last in
      if let previous = last[key], now - previous.at < pause.inNanoseconds {
        last[key] = (previous.at, previous.unsaid + 1)
        return nil
      }
      defer { last[key] = (now, 0) }
      return last[key]?.unsaid ?? 0
    }
    guard let unsaid else { return }
    var metadata = metadata()
    if unsaid > 0 { metadata["unsaid"] = .stringConvertible(unsaid) }
    logger.warning("\(key)", metadata: metadata)
  }
}
