import ServiceKit
import Testing

/// Tokens that look like those of mailed links and are none: parts of two genuine ones put together, too short, too long, and with one
/// bit changed.
func damagedTokens(_ one: String, _ other: String) throws -> [String] {
  let (one, other) = (try #require(Base64URL.decode(one)), try #require(Base64URL.decode(other)))
  var damaged = [Array(one[..<16] + other[16...]), Array(other[..<16] + one[16...]), Array(one.dropLast()), one + [0]]
  for index in stride(from: 0, to: one.count, by: 5) {
    var bytes = one
    bytes[index] ^= 1
    damaged.append(bytes)
  }
  return damaged.map { Base64URL.encode($0) }
}
