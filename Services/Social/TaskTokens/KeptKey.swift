import Crypto
import Foundation
import ServiceKit
import Synchronization

/// A key in the home's folder of keys, made and read when it is first needed.
final class KeptKey: Sendable {
  private let home: Home
  private let name: String
  private let kept = Mutex<SymmetricKey?>(nil)

  init(_ name: String, in home: Home) {
    self.name = name
    self.home = home
  }

  /// The key.
  ///
  /// - Throws: where it can neither be read nor made.
  func callAsFunction() throws -> SymmetricKey {
    try kept.withLock { kept in
      if let kept { return kept }
      let key = SymmetricKey(data: try home.secret(name))
      kept = key
      return key
    }
  }
}
