import Foundation
public import Operations

/// A time zone that a user can choose: a region of the IANA database that this machine knows, such as `Europe/Madrid`, or UTC.
///
/// Only regions follow the law of a place. So these cannot be chosen: abbreviations (`PST`, `CET`), which ignore summer time, fixed offsets
/// (`GMT+3`, `Etc/GMT-3`), and names that the database keeps only for old programs (`EST5EDT`, `US/Eastern`, `Japan`). The choice is passed
/// on as a ``TimeZoneName``, and so are zones that accounts chose before this rule.
public struct ChosenTimeZone: TextValue {
  /// The first part of a region's name ("Theory and pragmatics of the tz code and data", section "Timezone identifiers").
  private static let areas: Set<Substring> = [
    "Africa", "America", "Antarctica", "Arctic", "Asia", "Atlantic", "Australia", "Europe", "Indian", "Pacific",
  ]
  /// UTC, as programs call it that ask the person for no region.
  private static let universal: Set<String> = ["UTC", "Etc/UTC"]

  public let name: TimeZoneName

  public init(text: String) throws(FieldRule) {
    name = try TimeZoneName(text: text)
    if ChosenTimeZone.universal.contains(text) { return }
    let parts = text.split(at: "/", maxSplits: 1)
    guard parts.count == 2, ChosenTimeZone.areas.contains(parts[0]), TimeZone(identifier: text)?.identifier == text else {
      throw FieldRule("unknown_time_zone")
    }
  }

  public var description: String { name.description }

  public static let placeholder = ChosenTimeZone(unchecked: .placeholder)
  public static let schema = TimeZoneName.schema

  private init(unchecked name: TimeZoneName) { self.name = name }
}
