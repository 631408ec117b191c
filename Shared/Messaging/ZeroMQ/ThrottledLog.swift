import Logging
import Synchronization

/// Warnings about peers, at most one of each kind per second or per given pause: a peer that floods us must not flood the log as well.
final class ThrottledLog: Sendable {
  private let logger: Logger
  private let last = Mutex<[String: (at: Int64, suppressed: Int)]>([:])

  init(_ logger: Logger) { self.logger = logger }

  func warn(
    _ message: StaticString, every pause: Duration = .seconds(1), _ metadata: @autoclosure () -> Logger.Metadata = [:]
  ) {
    let key = message.description
    let now = Monotonic.now
    let suppressed: Int? = last.withLock { last in
      if let previous = last[key], now - previous.at < pause.inNanoseconds {
        last[key] = (previous.at, previous.suppressed + 1)
        return nil
      }
      defer { last[key] = (now, 0) }
      return last[key]?.suppressed ?? 0
    }
    guard let suppressed else { return }
    var metadata = metadata()
    if suppressed > 0 { metadata["suppressed"] = .stringConvertible(suppressed) }
    logger.warning("\(key)", metadata: metadata)
  }
}
