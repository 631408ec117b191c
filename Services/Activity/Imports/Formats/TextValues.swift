import Operations

// Numbers and times as exports write them, parsed in place because there are millions of them.

typealias TextBytes = UnsafeBufferPointer<UInt8>

extension UnsafeBufferPointer<UInt8> {
  func says(_ text: StaticString) -> Bool {
    guard count == text.utf8CodeUnitCount, let baseAddress else { return text.utf8CodeUnitCount == count }
    for index in 0..<count where baseAddress[index] != text.utf8Start[index] { return false }
    return true
  }

  var string: String { String(decoding: self, as: UTF8.self) }
}

/// Reads a text from front to back.
struct TextScanner {
  private let text: TextBytes
  private(set) var position = 0

  init(_ text: TextBytes) { self.text = text }

  var isAtEnd: Bool { position == text.count }

  mutating func take(_ character: Unicode.Scalar) -> Bool {
    guard position < text.count, UInt32(text[position]) == character.value else { return false }
    position += 1
    return true
  }

  /// Exactly that many digits.
  mutating func digits(_ count: Int) -> Int? {
    guard text.count - position >= count else { return nil }
    var value = 0
    for index in position..<position + count {
      let digit = text[index] &- 0x30
      guard digit < 10 else { return nil }
      value = value * 10 + Int(digit)
    }
    position += count
    return value
  }

  /// As many digits as follow, up to a maximum.
  mutating func someDigits(maximum: Int) -> (value: Int, count: Int) {
    var (value, count) = (0, 0)
    while count < maximum, let digit = digits(1) { (value, count) = (value * 10 + digit, count + 1) }
    return (value, count)
  }

  /// `+0200`, `+02:00` or `Z`, in minutes.
  mutating func offset() -> Int? {
    if take("Z") { return 0 }
    let sign: Int
    if take("+") { sign = 1 } else if take("-") { sign = -1 } else { return nil }
    guard let hours = digits(2), hours < 24 else { return nil }
    _ = take(":")
    guard let minutes = digits(2), minutes < 60 else { return nil }
    return sign * (hours * 60 + minutes)
  }

  /// `HH:MM:SS` with or without a fraction, in milliseconds.
  mutating func time() -> Int64? {
    guard let hour = digits(2), hour < 24, take(":"), let minute = digits(2), minute < 60, take(":"), let second = digits(2),
      second < 60
    else { return nil }
    var milliseconds = Int64(hour * 3600 + minute * 60 + second) * 1000
    if take(".") {
      let (value, count) = someDigits(maximum: 3)
      guard count > 0 else { return nil }
      milliseconds += Int64(value * [0, 100, 10, 1][count])
      _ = someDigits(maximum: 12)
    }
    return milliseconds
  }

  /// `YYYY-MM-DD`.
  mutating func day() -> LocalDay? {
    guard let year = digits(4), take("-"), let month = digits(2), take("-"), let day = digits(2) else { return nil }
    return LocalDay(year: year, month: month, day: day)
  }

  /// A non-negative decimal number, with or without a fraction, times a million and rounded; nil without any digit. At most 12 digits
  /// before the point are read.
  mutating func millionths() -> Int? {
    let whole = someDigits(maximum: 12)
    var value = whole.value * 1_000_000
    var places = 0
    if take(".") {
      let fraction = someDigits(maximum: 7)
      places = fraction.count
      value += (fraction.value * [1, 1_000_000, 100_000, 10_000, 1000, 100, 10, 1][fraction.count] + 5) / 10
      _ = someDigits(maximum: 40)
    }
    return whole.count + places > 0 ? value : nil
  }
}

enum TextValues {
  /// `2016-11-20 17:57:19 -0700`, as Apple writes it, or `2016-05-27T10:08:47.8Z`, as in GPX.
  static func instant(_ text: TextBytes) -> Instant? {
    var scanner = TextScanner(text)
    guard let day = scanner.day(), scanner.take(" ") || scanner.take("T"), let time = scanner.time() else { return nil }
    _ = scanner.take(" ")
    guard let offset = scanner.offset(), scanner.isAtEnd else { return nil }
    return Instant(milliseconds: milliseconds(day) + time - Int64(offset) * 60_000)
  }

  /// `2016-05-27T10:08:47.8`, without a zone, in milliseconds since 1970.
  static func local(_ text: TextBytes) -> Int64? {
    var scanner = TextScanner(text)
    guard let day = scanner.day(), scanner.take(" ") || scanner.take("T"), let time = scanner.time(), scanner.isAtEnd else {
      return nil
    }
    return milliseconds(day) + time
  }

  /// The local midnight of a day, in milliseconds since 1970.
  static func milliseconds(_ day: LocalDay) -> Int64 { Int64(day.daysSinceEpoch) * 86_400_000 }

  /// A non-negative number in millionths. Rare forms such as `1.2e3` take a slower path.
  static func millionths(_ text: TextBytes) -> Int? {
    var scanner = TextScanner(text)
    if let value = scanner.millionths(), scanner.isAtEnd { return value }
    guard let number = Double(text.string), number >= 0, number < 1e12 else { return nil }
    return Int((number * 1_000_000).rounded())
  }

  /// Calls the body with a text's bytes.
  static func read<Value>(_ text: String, _ body: (TextBytes) -> Value) -> Value {
    var text = text
    return text.withUTF8(body)
  }

  /// A foreign text cut to a maximum number of characters, with spaces in place of control characters; nil if nothing visible is left. A
  /// character may have any number of combining marks, so the number of bytes is limited too.
  static func shortened(_ text: String, _ maximum: Int) -> String? {
    var short = text.trimmed.prefix(maximum)
    while short.utf8.count > maximum * ShortText.maxBytesPerCharacter { short.removeLast() }
    let plain = String(
      String.UnicodeScalarView(short.unicodeScalars.map { ShortText.hasControl(String($0)) ? " " : $0 }))
    return plain.isBlank ? nil : plain.trimmed
  }
}
