import Foundation

/// One label of a domain name.
enum DomainLabel {
  /// The label in lower-case ASCII, an international one as `xn--…`; nil if it is not one.
  static func ascii(_ text: String) -> String? {
    let folded = text.lowercased().precomposedStringWithCanonicalMapping
    let scalars = Array(folded.unicodeScalars)
    let isAllowed = scalars.allSatisfy { scalar in
      if scalar.isASCII { return scalar == "-" || ("a"..."z").contains(scalar) || ("0"..."9").contains(scalar) }
      switch scalar.properties.generalCategory {
      case .lowercaseLetter, .otherLetter, .modifierLetter, .nonspacingMark, .spacingMark, .decimalNumber: return true
      default: return false
      }
    }
    guard isAllowed, !folded.isEmpty, scalars.first != "-", scalars.last != "-" else { return nil }
    if scalars.allSatisfy(\.isASCII) { return folded.utf8.count <= 63 ? folded : nil }
    guard scalars.count <= 63, let encoded = Punycode.encode(scalars.map(\.value)) else { return nil }
    let label = "xn--" + encoded
    return label.utf8.count <= 63 ? label : nil
  }
}

/// Punycode's encoder (RFC 3492, section 6.3).
enum Punycode {
  static func encode(_ input: [UInt32]) -> String? {
    var output = input.filter { $0 < 0x80 }.map { UInt8(truncatingIfNeeded: $0) }
    let basic = output.count
    var handled = basic
    if basic > 0 { output.append(UInt8(ascii: "-")) }
    var code: UInt32 = 128
    var delta: UInt32 = 0
    var bias: UInt32 = 72
    while handled < input.count {
      guard let next = input.filter({ $0 >= code }).min() else { return nil }
      let (step, overflow) = (next - code).multipliedReportingOverflow(by: UInt32(handled + 1))
      let (sum, tooLarge) = delta.addingReportingOverflow(step)
      guard !overflow, !tooLarge else { return nil }
      delta = sum
      code = next
      for scalar in input {
        if scalar < code { delta += 1 }
        guard scalar == code else { continue }
        append(delta, bias: bias, to: &output)
        bias = adapt(delta, points: UInt32(handled + 1), isFirst: handled == basic)
        delta = 0
        handled += 1
      }
      delta += 1
      code += 1
    }
    return String(decoding: output, as: UTF8.self)
  }

  private static func append(_ delta: UInt32, bias: UInt32, to output: inout [UInt8]) {
    var rest = delta
    var k: UInt32 = 36
    while true {
      let threshold = k <= bias ? 1 : min(k - bias, 26)
      if rest < threshold { break }
      output.append(digit(threshold + (rest - threshold) % (36 - threshold)))
      rest = (rest - threshold) / (36 - threshold)
      k += 36
    }
    output.append(digit(rest))
  }

  private static func digit(_ value: UInt32) -> UInt8 { UInt8(truncatingIfNeeded: value < 26 ? 0x61 + value : 0x30 + value - 26) }

  private static func adapt(_ delta: UInt32, points: UInt32, isFirst: Bool) -> UInt32 {
    var delta = isFirst ? delta / 700 : delta / 2
    delta += delta / points
    var k: UInt32 = 0
    while delta > 455 {
      delta /= 35
      k += 36
    }
    return k + 36 * delta / (delta + 38)
  }
}
