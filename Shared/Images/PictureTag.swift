import Crypto

extension Picture {
  /// Identifies exactly these bytes: the first half of their SHA-256 in hexadecimal digits.
  public var tag: String {
    SHA256.hash(data: bytes).prefix(16).map { String($0 >> 4, radix: 16) + String($0 & 0xF, radix: 16) }.joined()
  }
}
