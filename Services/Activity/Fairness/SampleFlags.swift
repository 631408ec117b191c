import ActivityContract

/// The flags of a sample, or of a day's movement of one kind.
struct SampleFlags: OptionSet, Hashable, Sendable {
  let rawValue: UInt8

  init(rawValue: UInt8) { self.rawValue = rawValue }

  init(_ flag: MovementFlag) { rawValue = 1 << flag.number }

  /// Those for which a whole day earns nothing.
  static let ofDays: SampleFlags = [SampleFlags(.tooMuch), SampleFlags(.sameSeries)]

  var list: [MovementFlag] { MovementFlag.allCases.filter { contains(SampleFlags($0)) } }
}

/// The flags of a day's movement of each kind.
struct DayFlags: Hashable, Sendable {
  /// A byte for each kind, as stores keep it.
  private(set) var rawValue: Int

  init(rawValue: Int = 0) { self.rawValue = rawValue }

  subscript(kind: MovementKind) -> SampleFlags {
    get { SampleFlags(rawValue: UInt8(truncatingIfNeeded: rawValue >> (kind.number * 8))) }
    set { rawValue = rawValue & ~(0xff << (kind.number * 8)) | Int(newValue.rawValue) << (kind.number * 8) }
  }
}

extension MovementFlag {
  /// The flag's bit. Stores keep it: never change one.
  fileprivate var number: Int {
    switch self {
    case .handTyped: 0
    case .inFuture: 1
    case .late: 2
    case .tooFast: 3
    case .tooMuch: 4
    case .sameSeries: 5
    }
  }
}

extension MovementKind {
  /// The kind as stores keep it: never change one.
  var number: Int {
    switch self {
    case .steps: 0
    case .walking: 1
    case .running: 2
    case .cycling: 3
    }
  }

  /// The kind of that number; the schema sees to it that there is one.
  init(number: Int) {
    self =
      switch number {
      case 0: .steps
      case 1: .walking
      case 2: .running
      default: .cycling
      }
  }

  /// How many of the whole numbers inside make one step or metre: steps are counted, distances are kept in millimetres, so that sums
  /// of them are exact.
  var scale: Int { self == .steps ? 1 : 1000 }
}
