import Crypto
import Foundation
import Operations
import RewardsContract
import ServiceKit
import Synchronization

/// Keyed hashes for looking codes up, and signatures of the QR codes that replace them for a minute. The key is in the folder of keys, and
/// is read or created when first needed.
final class RedemptionKeys: Sendable {
  /// The prefix of a signed text, with the version of its format.
  static let mark = "RACHA1:"
  /// How long a presented code is valid.
  static let shownSeconds = 60
  private static let signatureBytes = 16

  private let home: Home
  private let kept = Mutex<SymmetricKey?>(nil)

  init(_ home: Home) { self.home = home }

  /// The hash by which a code is found: with the store alone, codes cannot be guessed by trial.
  func hash(of code: RedemptionCode) throws -> [UInt8] { try hash("code", Array(code.description.utf8)) }

  /// The content of a QR code for a redemption, valid for a minute from now.
  func present(_ redemption: RedemptionID, at now: Instant) throws -> PresentedCode {
    let end = now.adding(seconds: RedemptionKeys.shownSeconds)
    let content = redemption.bytes + withUnsafeBytes(of: end.milliseconds.bigEndian) { Array($0) }
    return PresentedCode(payload: RedemptionKeys.mark + Base64URL.encode(content + (try signature(content))), expiresAt: end)
  }

  /// The result of reading a presented code.
  enum Shown: Hashable {
    case redemption(RedemptionID)
    /// It was signed here, and has expired.
    case ended
    /// It was not signed here.
    case wrong
  }

  /// Reads a presented code; nil for text in any other form.
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
