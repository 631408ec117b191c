public import CCurl
import Synchronization

/// Says to a transfer through libcurl, from any thread, that it is to end.
public final class CancellationFlag: Sendable {
  private let flag = Atomic(false)

  public init() {}

  public var isCancelled: Bool { flag.load(ordering: .relaxed) }

  /// Ends the transfer within about a second, begun or not.
  public func cancel() { flag.store(true, ordering: .relaxed) }

  /// Has the transfer look at it. It must outlive the transfer.
  public func attach(to easy: UnsafeMutableRawPointer) -> CURLcode {
    racha_curl_set_progress(
      easy,
      { own, _, _, _, _ in
        guard let own else { return 1 }
        return Unmanaged<CancellationFlag>.fromOpaque(own).takeUnretainedValue().isCancelled ? 1 : 0
      }, Unmanaged.passUnretained(self).toOpaque())
  }
}
