public import CCurl
import Synchronization

/// Tells a transfer through libcurl, from any thread, to end.
public final class CancellationFlag: Sendable {
  private let flag = Atomic(false)

  public init() {}

  public var isCancelled: Bool { flag.load(ordering: .relaxed) }

  /// Ends the transfer within about a second, whether it has begun or not.
  public func cancel() { flag.store(true, ordering: .relaxed) }

  /// Makes the transfer check the flag, which must outlive it.
  public func attach(to easy: UnsafeMutableRawPointer) -> CURLcode {
    racha_curl_set_progress(
      easy,
      { own, _, _, _, _ in
        guard let own else { return 1 }
        return Unmanaged<CancellationFlag>.fromOpaque(own).takeUnretainedValue().isCancelled ? 1 : 0
      }, Unmanaged.passUnretained(self).toOpaque())
  }
}
