import Crypto
import Foundation
import Operations
import RewardsContract
import ServiceKit
import Synchronization

/// The keyed hashes by which codes are found, and the signatures of what is shown in their place for a minute. Their key lies in the folder of
/// keys, and is read or made when it is first needed.
final class RedemptionKeys: Sendable {
  /// What stands before a signed text, with the version of its form.
  static let mark = "RACHA1:"
  /// How long what is shown is valid.
  static let shownSeconds = 60
  private static let signatureBytes = 16

  private let home: Home
  private let kept = Mutex<SymmetricKey?>(nil)

  init(_ home: Home) { self.home = home }

  /// By what a code is found: whoever has the store alone cannot try codes on it.
  func hash(of code: RedemptionCode) throws -> [UInt8] { try hash("code", Array(code.description.utf8)) }

  /// What is shown for a redemption from now on, for a minute.
  func present(_ redemption: RedemptionID, at now: Instant) throws -> PresentedCode {
    let end = now.adding(seconds: RedemptionKeys.shownSeconds)
    let content = redemption.bytes + withUnsafeBytes(of: end.milliseconds.bigEndian) { Array($0) }
    return PresentedCode(payload: RedemptionKeys.mark + Base64URL.encode(content + (try signature(content))), endsAt: end)
  }

  /// What was shown.
  enum Shown: Hashable {
    case redemption(RedemptionID)
    /// It was signed here, and its minute is over.
    case ended
    /// It was not signed here.
    case wrong
  }

  /// Reads what was shown, if it has the form of it; nil for any other text.
  func read(_ text: String, at now: Instant) throws -> Shown? {
    guard text.hasPrefix(RedemptionKeys.mark) else { return nil }
    guard let bytes = Base64URL.decode(text.dropFirst(RedemptionKeys.mark.count)),
      bytes.count == 24 + RedemptionKeys.signatureBytes, let redemption = RedemptionID(bytes: bytes[..<16])
    else { return .wrong }
    let content = Array(bytes[..<24])
    var difference: UInt8 = 0
    for (one, other) in zip(try signature(content), bytes[24...]) { difference |= one ^ other }
    guard difference == 0 else { return .wrong }
    let end = Instant(milliseconds: content[16...].reduce(0) { $0 << 8 | Int64($1) })
    return now < end ? .redemption(redemption) : .ended
  }

  private func signature(_ content: [UInt8]) throws -> [UInt8] {
    Array(try hash("presentation", content).prefix(RedemptionKeys.signatureBytes))
  }

  private func hash(_ purpose: String, _ content: [UInt8]) throws -> [UInt8] {
    let key = try kept.withLock { kept in
      if let kept { return kept }
      let key = SymmetricKey(data: try home.secret("redemption-codes"))
      kept = key
      return key
    }
    return Array(HMAC<SHA256>.authenticationCode(for: Array(purpose.utf8) + [0] + content, using: key))
  }
}
