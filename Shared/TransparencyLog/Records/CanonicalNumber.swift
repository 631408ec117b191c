/// Numbers as ECMAScript writes them (RFC 8785 §3.2.2.3): the fewest digits that read back as the same number.
enum CanonicalNumber {
  /// - Throws: ``LogFault/malformed(_:)`` for what is not finite.
  static func text(_ value: Double) throws -> String {
    guard value.isFinite else { throw LogFault.malformed(.json) }
    if value == 0 { return "0" }
    // The language's own text has the same digits, only other places for point and exponent.
    let (digits, exponent) = parts(value.magnitude)
    return (value < 0 ? "-" : "") + text(digits, exponent)
  }

  /// The digits, without zeroes at either end, and the power of ten of the place before the first one: 0.`digits` × 10^`exponent`.
  private static func parts(_ value: Double) -> (digits: [UInt8], exponent: Int) {
    let halves = value.description.utf8.split(separator: UInt8(ascii: "e"))
    let decimal = halves[0].split(separator: UInt8(ascii: "."), omittingEmptySubsequences: false)
    let whole = Array(decimal[0])
    var digits = whole + (decimal.count > 1 ? Array(decimal[1]) : [])
    var exponent = whole.count + (halves.count > 1 ? Int(String(halves[1]) ?? "") ?? 0 : 0)
    while digits.last == UInt8(ascii: "0") { digits.removeLast() }
    let zeroes = digits.prefix { $0 == UInt8(ascii: "0") }.count
    digits.removeFirst(zeroes)
    exponent -= zeroes
    return (digits, exponent)
  }

  /// `Number::toString` of ECMA-262, steps 6 to 10; `exponent` is its n.
  private static func text(_ digits: [UInt8], _ exponent: Int) -> String {
    let text = String(decoding: digits, as: UTF8.self)
    let count = digits.count
    switch exponent {
    case _ where count <= exponent && exponent <= 21: return text + String(repeating: "0", count: exponent - count)
    case 1...21: return String(text.prefix(exponent)) + "." + text.dropFirst(exponent)
    case -5...0: return "0." + String(repeating: "0", count: -exponent) + text
    default:
      let power = exponent - 1
      let mantissa = count == 1 ? text : String(text.prefix(1)) + "." + text.dropFirst()
      return mantissa + "e" + (power < 0 ? "-" : "+") + String(power.magnitude)
    }
  }
}
