public import Operations

extension FeatureContract {
  static let quietHours = FeatureContract(operations: [GetQuietHours.self, SetQuietHours.self, ClearQuietHours.self])
}

/// A time of day by the clocks where an account is: `22:00`.
public struct QuietTime: TextValue, Comparable {
  /// Minutes after midnight, 0 to 1439.
  public let minutes: Int

  /// The time so many minutes after midnight; nil for a number outside a day.
  public init?(minutes: Int) {
    guard (0..<1440).contains(minutes) else { return nil }
    self.minutes = minutes
  }

  public init(text: String) throws(FieldRule) {
    let digits = text.utf8.map { Int($0) - 0x30 }
    guard digits.count == 5, text.utf8.dropFirst(2).first == UInt8(ascii: ":"),
      [0, 1, 3, 4].allSatisfy({ (0...9).contains(digits[$0]) }),
      case let (hour, minute) = (digits[0] * 10 + digits[1], digits[3] * 10 + digits[4]), hour < 24, minute < 60
    else { throw FieldRule("not_a_quiet_time") }
    minutes = hour * 60 + minute
  }

  public var description: String {
    func two(_ number: Int) -> String { number < 10 ? "0\(number)" : "\(number)" }
    return "\(two(minutes / 60)):\(two(minutes % 60))"
  }

  public static func < (left: Self, right: Self) -> Bool { left.minutes < right.minutes }

  public static let placeholder = QuietTime(trusted: 0)

  public static let schema: JSON = [
    "type": "string", "pattern": "^([01][0-9]|2[0-3]):[0-5][0-9]$", "examples": ["22:00"],
  ]

  private init(trusted minutes: Int) { self.minutes = minutes }
}

/// The hours of each day in which an account is left in peace (NOT-4).
public struct QuietHours: Document, Hashable {
  public var startsAt: QuietTime
  public var endsAt: QuietTime

  public init(startsAt: QuietTime, endsAt: QuietTime) {
    self.startsAt = startsAt
    self.endsAt = endsAt
  }

  public static let notes: Notes = [
    "startsAt": "When they start, in the account's local time.",
    "endsAt": "When they end; if that is earlier in the day, on the next day.",
  ]

  public func check(_ fields: inout FieldChecks) {
    if fields.areRight("startsAt", "endsAt") { fields.expect(startsAt != endsAt, "endsAt", FieldRule("same_quiet_time")) }
  }
}

/// The quiet hours of an account, and whether they last now.
public struct QuietHoursState: Document, Hashable {
  /// Absent where the account has no quiet hours.
  public var quietHours: QuietHours?
  /// When those that last now end; absent outside.
  public var quietUntil: Instant?

  public init(quietHours: QuietHours?, quietUntil: Instant?) {
    self.quietHours = quietHours
    self.quietUntil = quietUntil
  }

  public static let notes: Notes = [
    "quietHours": "The quiet hours; absent if there are none.",
    "quietUntil": "When the present quiet hours end; absent outside of them.",
  ]
}

/// Reads an account's quiet hours (NOT-4).
public enum GetQuietHours: AccountOperation {
  public typealias Input = Empty
  public typealias Output = QuietHoursState

  public static let spec = OperationSpec(
    "quietHours.get", of: .notifications, .get("/v1/quiet-hours"), by: .account, effect: .read, requirements: ["NOT-4"],
    "Returns the caller's quiet hours.")
}

/// Sets an account's quiet hours, the same each day (NOT-4).
///
/// During them only urgent notifications, security above all, are mailed or pushed; the others are held and sent together when they end.
/// The inbox is filled as usual. The hours follow the account's current time zone.
public enum SetQuietHours: AccountOperation {
  public typealias Input = QuietHours
  public typealias Output = QuietHoursState

  public static let spec = OperationSpec(
    "quietHours.set", of: .notifications, .put("/v1/quiet-hours"), by: .account, effect: .write, requirements: ["NOT-4"],
    "Sets the caller's quiet hours: e-mails and pushes wait until they end, unless urgent.")
}

/// Ends an account's having quiet hours (NOT-4): what waits comes now.
public enum ClearQuietHours: AccountOperation {
  public typealias Input = Empty
  public typealias Output = QuietHoursState

  public static let spec = OperationSpec(
    "quietHours.clear", of: .notifications, .delete("/v1/quiet-hours"), by: .account, effect: .write, requirements: ["NOT-4"],
    "Removes the caller's quiet hours; what waits is sent now.")
}
