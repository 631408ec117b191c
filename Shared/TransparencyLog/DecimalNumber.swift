/// Sizes and numbers as the specifications write them: ASCII digits without leading zeroes.
enum DecimalNumber {
  /// The number; nil for anything else, and beyond what an `Int` holds.
  static func value(_ text: some Collection<UInt8>) -> Int? {
    guard let first = text.first, text.count == 1 || first != UInt8(ascii: "0"), text.count <= 19 else { return nil }
    guard text.allSatisfy({ UInt8(ascii: "0")...UInt8(ascii: "9") ~= $0 }) else { return nil }
    return Int(String(decoding: text, as: UTF8.self))
  }
}
