public import ActivityContract
public import Operations

/// Something that a reader found in a file, and where.
public struct ImportedRecord: Sendable {
  /// What was found.
  public enum Content: Sendable {
    case sample(ImportedSample)
    case exercise(FoundExercise)
    case habit(ImportedHabit)
    case mark(ImportedMark)
    /// A day on which a habit was excused.
    case skip(habit: String, LocalDay)
    /// What was noted on a day of a habit.
    case note(habit: String, LocalDay, String)
    /// The first day of a habit, before its marks: `asLimit` where it turns out to be a limit.
    case beginning(habit: String, LocalDay?, asLimit: LocalDay)
    /// A record that cannot be taken as it is; the rest of the file can.
    case fault(ImportProblemReason)
  }

  /// The part of the file: an archive's entry or a database's table; nil where the file has but one.
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

/// The program and the device that measured, shared by all samples of theirs.
public final class ImportedSource: Hashable, Sendable {
  /// As many as a sample's may have.
  private static let maxCharacters = 64

  public let name: String?
  public let device: String?
  /// Of the name alone: what a sample's id is made of.
  let hash: UInt64

  init(name: String?, device: String? = nil) {
    self.name = name.flatMap { TextValues.shortened($0, Self.maxCharacters) }
    self.device = device.flatMap { TextValues.shortened($0, Self.maxCharacters) }
    var hash = ContentHash()
    hash.add(name ?? "")
    self.hash = hash.value
  }

  /// The same as it was made elsewhere, of names that are kept as they are.
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

/// When something was measured, as exactly as the file says.
public enum ImportedSpan: Hashable, Sendable {
  case instants(Instant, Instant)
  /// Local times without a zone, in milliseconds after 1970-01-01's start: the account's zone decides.
  case local(Int64, Int64)
  /// A whole local day.
  case day(LocalDay)
}

/// A measure of movement.
public struct ImportedSample: Sendable {
  /// What was measured, and in what it is counted: steps, or millimetres.
  public enum Kind: UInt8, Sendable {
    case steps, walkingDistance, runningDistance, cyclingDistance
  }

  public let kind: Kind
  public let span: ImportedSpan
  /// Steps, or millimetres.
  public let amount: Int
  public let source: ImportedSource
  /// Typed in by hand.
  public let isManual: Bool
  /// Whether it is all that there was in a stretch of time by the calendar, an hour or a day, which grows from one export to the next
  /// until the stretch is over: of several reports the largest counts, in whichever order they come.
  public var isTotal = false

  /// Names the sample by its content: the same record of the same file, or of a later export, has the same id. A total is the same
  /// whatever it has come to.
  ///
  /// It begins with kind and time, so that samples that come in the order of time lie side by side in the store.
  public var id: String { id(withAmount: !isTotal) }

  /// Which report of its id is the last: of totals the largest.
  public var version: Int? { isTotal ? amount : nil }

  /// How a total was named before amounts were left out.
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

/// An exercise that a program recorded from start to end: a track, a workout. It adds nothing to the totals: its distance is in the
/// samples of the same file, or, for a track, in those that come with it.
public struct FoundExercise: Sendable {
  public let kind: ExerciseKind
  public let name: String?
  /// Nil where the file has no times.
  public let start: Instant?
  /// Whether the start is a local time without a zone, as if it were UTC's: the account's zone decides.
  public var isLocal = false
  public let durationSeconds: Int?
  /// Rounded as the distances of samples are.
  public let distanceMillimetres: Int?

  public var distanceMeters: Double? { distanceMillimetres.map { Double($0) / 1000 } }

  /// Names the exercise by its content.
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

  /// Names it within the account: its name, and which of that name it is.
  public let key: String
  public let title: String
  public let reason: String?
  public let frequency: Frequency
  public let goal: Goal
  /// The first day of which the other program knows anything but that nothing was done; nil where there is none.
  public let firstDay: LocalDay?
  public let isArchived: Bool
  /// When one is reminded of it.
  public var reminder: ReminderTime?
}

/// What was done of a habit on a day.
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

/// A hash that is the same in every process and version: FNV-1a of 64 bits (draft-eastlake-fnv-17). It keeps records apart, it does not
/// keep anybody from making two that agree, which would harm none but their own account.
struct ContentHash {
  private(set) var value: UInt64

  init(_ seed: UInt64 = 0xCBF2_9CE4_8422_2325) { value = seed }

  mutating func add(_ byte: UInt8) { value = (value ^ UInt64(byte)) &* 0x100_0000_01B3 }

  mutating func add(_ number: Int64) {
    for shift in stride(from: 0, through: 56, by: 8) { add(UInt8(truncatingIfNeeded: number >> Int64(shift))) }
  }

  mutating func add(_ text: String) { for byte in text.utf8 { add(byte) } }

  /// The kind and the time of a name.
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
