/// Units of length, with their conversion to millimetres.
enum LengthUnit {
  case kilometre, metre, centimetre, mile, yard, foot

  init?(_ text: TextBytes) {
    if text.says("km") {
      self = .kilometre
    } else if text.says("m") {
      self = .metre
    } else if text.says("mi") {
      self = .mile
    } else if text.says("ft") {
      self = .foot
    } else if text.says("yd") {
      self = .yard
    } else if text.says("cm") {
      self = .centimetre
    } else {
      return nil
    }
  }

  /// The unit's length in millimetres.
  private var length: Double {
    switch self {
    case .kilometre: 1_000_000
    case .metre: 1000
    case .centimetre: 10
    case .mile: 1_609_344
    case .yard: 914.4
    case .foot: 304.8
    }
  }

  /// So many millionths of the unit, rounded to the millimetre; nil where no person goes that far.
  func millimetres(_ millionths: Int) -> Int? { LengthUnit.millimetres(Double(millionths) * length / 1_000_000) }

  /// The same for a length in metres.
  static func millimetres(meters: Double) -> Int? { millimetres(meters * 1000) }

  private static func millimetres(_ length: Double) -> Int? {
    let rounded = length.rounded()
    return (0..<1e12).contains(rounded) ? Int(rounded) : nil
  }
}
