public import ActivityContract
public import Operations

/// A record that a reader found in a file, with its position.
public struct ImportedRecord: Sendable {
  /// What was found.
  public enum Content: Sendable {
    case sample(ImportedSample)
    case exercise(FoundExercise)
    case habit(ImportedHabit)
    case mark(ImportedMark)
    /// A day on which a habit was excused.
    case skip(habit: String, LocalDay)
    /// A note of a habit on a day.
    case note(habit: String, LocalDay, String)
    /// The first day of a habit, before its checkmarks; `asLimit` applies if the habit turns out to be a limit.
    case beginning(habit: String, LocalDay?, asLimit: LocalDay)
    /// A record that cannot be imported as it is; the rest of the file can.
    case fault(ImportProblemReason)
  }

  /// The part of the file: an archive's entry or a database's table; nil for a file without parts.
  public let part: String?
  /// The line of text, from 1; the row's number in a database.
  public let line: Int
  public let content: Content

  init(part: String? = nil, line: Int, _ content: Content) {
    self.part = part
    self.line = line
    self.content = content
  }
}

/// The program and the device that measured, shared by all their samples.
public final class ImportedSource: Hashable, Sendable {
  /// The maximum length of a sample's source and device.
  private static let maxCharacters = 64

  public let name: String?
  public let device: String?
  /// A hash of the name only, which is part of a sample's id.
  let hash: UInt64

  init(name: String?, device: String? = nil) {
    self.name = name.flatMap { TextValues.shortened($0, Self.maxCharacters) }
    self.device = device.flatMap { TextValues.shortened($0, Self.maxCharacters) }
    var hash = ContentHash()
    hash.add(name ?? "")
    self.hash = hash.value
  }

  /// Recreates a source from its stored names.
  init(kept name: String?, device: String?, hash: UInt64) {
    self.name = name
    self.device = device
    self.hash = hash
  }

  public static func == (left: ImportedSource, right: ImportedSource) -> Bool {
    left === right || (left.name == right.name && left.device == right.device)
  }

  public func hash(into hasher: inout Hasher) {
    hasher.combine(name)
    hasher.combine(device)
  }
}

/// When something was measured, as precisely as the file says.
public enum ImportedSpan: Hashable, Sendable {
  case instants(Instant, Instant)
  /// Local times without a zone, in milliseconds since 1970: the account's zone applies.
  case local(Int64, Int64)
  /// A whole local day.
  case day(LocalDay)
}

/// A measurement of movement.
public struct ImportedSample: Sendable {
  /// What was measured, in steps or millimetres.
  public enum Kind: UInt8, Sendable {
    case steps, walkingDistance, runningDistance, cyclingDistance
  }

  public let kind: Kind
  public let span: ImportedSpan
  /// Steps, or millimetres.
  public let amount: Int
  public let source: ImportedSource
  /// Whether it was typed in by hand.
  public let isManual: Bool
  /// Whether it is the total of a calendar hour or day, which grows from one export to the next until that time is over: of several reports
  /// the largest counts, in whatever order they come.
  public var isTotal = false

  /// Identifies the sample by its content: the same record of the same file, or of a later export, has the same id. The id of a total does
  /// not depend on its amount.
  ///
  /// It begins with kind and time, so that samples in order of time are adjacent in the store.
  public var id: String { id(withAmount: !isTotal) }

  /// Orders reports with the same id: for totals the largest wins.
  public var version: Int? { isTotal ? amount : nil }

  /// The id that a total had before amounts were left out.
  var earlierID: String { id(withAmount: true) }

  private func id(withAmount hasAmount: Bool) -> String {
    var hash = ContentHash(source.hash)
    let start: Int64
    switch span {
    case .instants(let from, let to):
      start = from.milliseconds
      hash.add(to.milliseconds)
    case .local(let from, let to):
      start = from
      hash.add(to)
      hash.add(UInt8(1))
    case .day(let day):
      start = Int64(day.daysSinceEpoch) * 86_400_000
      hash.add(UInt8(2))
    }
    if hasAmount { hash.add(Int64(amount)) } else { hash.add(UInt8(3)) }
    return ContentHash.name(kind.rawValue, start, hash.value)
  }
}

/// An exercise that a program recorded, such as a track or a workout. It adds nothing to the totals: its distance is in the samples of the
/// same file, or, for a track, in those that come with it.
public struct FoundExercise: Sendable {
  public let kind: ExerciseKind
  public let name: String?
  /// Nil if the file has no times.
  public let start: Instant?
  /// Whether the start is a local time without a zone, stored as if in UTC: the account's zone applies.
  public var isLocal = false
  public let durationSeconds: Int?
  /// Rounded like the distances of samples.
  public let distanceMillimetres: Int?

  public var distanceMeters: Double? { distanceMillimetres.map { Double($0) / 1000 } }

  /// Identifies the exercise by its content.
  public var id: String {
    var hash = ContentHash()
    hash.add(name ?? "")
    hash.add(Int64(durationSeconds ?? -1))
    hash.add(Int64((distanceMeters ?? -1).rounded()))
    hash.add(kind.rawValue)
    if isLocal { hash.add(UInt8(1)) }
    return ContentHash.name(0, start?.milliseconds ?? 0, hash.value)
  }
}

/// A habit of another program.
public struct ImportedHabit: Sendable {
  /// How often it is due.
  public enum Frequency: Hashable, Sendable {
    case daily
    case everyDays(Int)
    case timesAWeek(Int)
  }

  /// Identifies the habit within the account: its name, and its number among habits with that name.
  public let key: String
  public let title: String
  public let reason: String?
  public let frequency: Frequency
  public let goal: Goal
  /// The first day with a record that says more than that nothing was done; nil if there is none.
  public let firstDay: LocalDay?
  public let isArchived: Bool
  /// The time of its reminder.
  public var reminder: ReminderTime?
}

/// A checkmark: what was done for a habit on a day.
public struct ImportedMark: Sendable {
  public enum Progress: Hashable, Sendable {
    case done
    case amount(Double)
  }

  /// The habit's key.
  public let habit: String
  public let day: LocalDay
  public let progress: Progress
}

/// A hash that is the same in every process and version: 64-bit FNV-1a (draft-eastlake-fnv-17). It tells records apart, but is not
/// collision-resistant: an account that creates collisions would only harm itself.
struct ContentHash {
  private(set) var value: UInt64

  init(_ seed: UInt64 = 0xCBF2_9CE4_8422_2325) { value = seed }

  mutating func add(_ byte: UInt8) { value = (value ^ UInt64(byte)) &* 0x100_0000_01B3 }

  mutating func add(_ number: Int64) {
    for shift in stride(from: 0, through: 56, by: 8) { add(UInt8(truncatingIfNeeded: number >> Int64(shift))) }
  }

  mutating func add(_ text: String) { for byte in text.utf8 { add(byte) } }

  /// The kind and the time in an id.
  static func parts(of name: String) -> (kind: UInt8, start: Int64)? {
    let text = Array(name.utf8)
    guard text.count == 29, text[0] >= 0x61, text[12] == UInt8(ascii: "-"),
      let start = Int64(String(decoding: text[1..<12], as: UTF8.self), radix: 16)
    else { return nil }
    return (text[0] - 0x61, start)
  }

  /// `<kind><time>-<hash>`, of 29 characters.
  static func name(_ kind: UInt8, _ start: Int64, _ hash: UInt64) -> String {
    String(unsafeUninitializedCapacity: 29) { text in
      func digit(_ value: UInt64) -> UInt8 {
        let value = UInt8(truncatingIfNeeded: value & 0xF)
        return value < 10 ? 0x30 + value : 0x57 + value
      }
      text[0] = 0x61 + kind
      for position in 0..<11 { text[1 + position] = digit(UInt64(bitPattern: start) >> UInt64((10 - position) * 4)) }
      text[12] = UInt8(ascii: "-")
      for position in 0..<16 { text[13 + position] = digit(hash >> UInt64((15 - position) * 4)) }
      return 29
    }
  }
}
