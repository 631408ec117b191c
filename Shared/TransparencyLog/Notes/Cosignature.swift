/// A witness's statement by `cosignature/v1`: that at this time the largest consistent tree it had seen of the log was this one
/// (c2sp.org/tlog-cosignature, “Ed25519 signed message”).
public enum Cosignature: NoteAlgorithm {
  public static let type: UInt8 = 0x04

  public static func isValid(_ signature: [UInt8], of text: String, by key: VerifierKey) -> Bool {
    guard signature.count == 8 + 64, let time = time(of: signature) else { return false }
    return Ed25519Note.isValid(Array(signature.dropFirst(8)), of: message(text, time), by: key)
  }

  /// When it was made, in seconds since the epoch; nil for what is no such signature.
  public static func time(of signature: [UInt8]) -> Int? {
    guard signature.count >= 8 else { return nil }
    return Int(exactly: signature.prefix(8).reduce(UInt64(0)) { $0 << 8 | UInt64($1) })
  }

  static func message(_ text: String, _ time: Int) -> [UInt8] { Array("cosignature/v1\ntime \(time)\n\(text)".utf8) }
}
