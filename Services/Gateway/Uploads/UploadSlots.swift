import ServiceKit
import Synchronization

/// The limit on concurrent uploads, each of which holds a chunk of its file: in total, and for each address.
final class UploadSlots: Sendable {
  private let counts: Mutex<AddressCounts>

  init(max: Int, maxPerAddress: Int) { counts = Mutex(AddressCounts(max: max, maxPerAddress: maxPerAddress)) }

  /// - Returns: whether there was one.
  func take(_ address: ClientAddress) -> Bool { counts.withLock { $0.take(1, address) } }

  func give(_ address: ClientAddress) { counts.withLock { $0.give(1, address) } }
}
