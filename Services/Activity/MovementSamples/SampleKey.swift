import ActivityContract
import Operations

/// The position of a sample in its table: its account, kind and first local day, and a number within these.
///
/// So the samples of a day are adjacent, in an integer index that is fast to insert into.
struct SampleKey: Hashable, Sendable {
  private static let dayBits: Int64 = 17
  private static let numberBits: Int64 = 18

  /// The maximum number of samples of an account per kind and day, without deleted ones: three every four seconds. Where several sources
  /// measured at the same time, each batch counts all of them again, which must not keep others waiting.
  static let maximum: Int64 = 1 << 16

  /// The first day that a key can represent.
  static let firstDay = LocalDay(daysSinceEpoch: -1)

  let rawValue: Int64

  /// The first key of a day. Keys can represent 67 million accounts, and the days from 1969-12-31 to 2328.
  init(account: Int64, kind: MovementKind, day: LocalDay) {
    let days = Int64(day.daysSinceEpoch) + 1
    precondition(account < 1 << 26 && (0..<1 << SampleKey.dayBits).contains(days), "there is no key for such a sample")
    rawValue = ((account << 2 | Int64(kind.number)) << SampleKey.dayBits | days) << SampleKey.numberBits
  }

  /// The range of keys of a day: four times ``maximum``, since deleted samples and those that moved to another day leave theirs unused.
  var ofDay: Range<Int64> { rawValue..<rawValue + (1 << SampleKey.numberBits) }

  /// The first local day of the sample with a key.
  static func day(_ key: Int64) -> LocalDay {
    LocalDay(daysSinceEpoch: Int32(key >> numberBits & (1 << dayBits - 1)) - 1)
  }

  /// The kind of the sample with a key.
  static func kind(_ key: Int64) -> MovementKind { MovementKind(number: Int(key >> (numberBits + dayBits) & 3)) }
}
