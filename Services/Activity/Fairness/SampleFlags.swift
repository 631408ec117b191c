import ActivityContract

/// The flags of a sample, or of a day's movement of one kind.
struct SampleFlags: OptionSet, Hashable, Sendable {
  let rawValue: UInt8

  init(rawValue: UInt8) { self.rawValue = rawValue }

  init(_ flag: MovementFlag) { rawValue = 1 << flag.number }

  /// The flags with which a whole day earns nothing.
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
  /// The flag's bit. It is stored: never change one.
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
  /// The kind's number in stores: never change one.
  var number: Int {
    switch self {
    case .steps: 0
    case .walking: 1
    case .running: 2
    case .cycling: 3
    }
  }

  /// The kind with that number; the schema ensures that there is one.
  init(number: Int) {
    self =
      switch number {
      case 0: .steps
      case 1: .walking
      case 2: .running
      default: .cycling
      }
  }

  /// The number of stored units per step or metre: distances are stored in millimetres, so that sums are exact.
  var scale: Int { self == .steps ? 1 : 1000 }
}
