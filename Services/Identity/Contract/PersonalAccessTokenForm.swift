public import Operations

/// The form of a personal access token: `racha_pat_`, 30 random characters, and a checksum of 6.
///
/// By prefix and checksum, secret scanners find a token in a repository or a log, and distinguish it from similar texts, without a request.
/// The characters are base62; the checksum is the CRC-32 of the random ones, padded with zeros at the front.
public enum PersonalAccessTokenForm {
  public static let prefix = "racha_pat_"
  /// 178 bits.
  public static let randomCharacters = 30
  static let checkCharacters = 6
  private static let alphabet = Array("0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz".utf8)

  /// A new token's text.
  public static func make(using generator: inout some RandomNumberGenerator) -> String {
    let random = (0..<randomCharacters).map { _ in alphabet[Int.random(in: 0..<alphabet.count, using: &generator)] }
    return prefix + String(decoding: random + check(random), as: UTF8.self)
  }

  /// Whether the text has the form of a token, checksum included.
  public static func isMet(by text: String) -> Bool {
    guard text.begins(with: prefix) else { return false }
    let rest = Array(text.utf8.dropFirst(prefix.utf8.count))
    guard rest.count == randomCharacters + checkCharacters else { return false }
    return check(Array(rest.prefix(randomCharacters))) == Array(rest.suffix(checkCharacters))
      && rest.allSatisfy { alphabet.contains($0) }
  }

  /// The characters that check these.
  static func check(_ random: [UInt8]) -> [UInt8] {
    var rest = Int(CRC32.of(random))
    var characters: [UInt8] = []
    for _ in 0..<checkCharacters {
      characters.append(alphabet[rest % alphabet.count])
      rest /= alphabet.count
    }
    return characters.reversed()
  }
}

/// The checksum of ISO 3309 and RFC 1952, section 8.
enum CRC32 {
  static func of(_ bytes: [UInt8]) -> UInt32 {
    var crc: UInt32 = 0xFFFF_FFFF
    for byte in bytes {
      crc ^= UInt32(byte)
      for _ in 0..<8 { crc = crc & 1 == 1 ? crc >> 1 ^ 0xEDB8_8320 : crc >> 1 }
    }
    return ~crc
  }
}

/// The SHA-256 of a personal access token's text, in lower-case hexadecimal: identity stores it, and the gateway sends it instead of the
/// token.
public struct PersonalAccessTokenHash: TextValue {
  public let bytes: [UInt8]

  public init?(bytes: some Sequence<UInt8>) {
    let bytes = Array(bytes)
    guard bytes.count == 32 else { return nil }
    self.bytes = bytes
  }

  public init(text: String) throws(FieldRule) {
    let digits = text.utf8.compactMap { digit -> UInt8? in
      switch digit {
      case 0x30...0x39: digit - 0x30
      case 0x61...0x66: digit - 0x57
      default: nil
      }
    }
    guard digits.count == 64, text.utf8.count == 64 else { throw FieldRule("not_an_id") }
    bytes = stride(from: 0, to: 64, by: 2).map { digits[$0] << 4 | digits[$0 + 1] }
  }

  public var description: String {
    let digits = Array("0123456789abcdef".utf8)
    return String(decoding: bytes.flatMap { [digits[Int($0 >> 4)], digits[Int($0 & 15)]] }, as: UTF8.self)
  }

  public static let placeholder = PersonalAccessTokenHash(zeros: 32)
  public static let schema: JSON = ["type": "string", "pattern": "^[0-9a-f]{64}$"]

  private init(zeros: Int) { bytes = [UInt8](repeating: 0, count: zeros) }
}
