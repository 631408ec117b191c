import ActivityContract

/// The default priority of sources that measured at the same time (MOVE-1): devices worn on the wrist come before those in a pocket or on a
/// table; typed input comes last.
enum SourcePriority: Int, Comparable {
  case watch, phone, other, handTyped

  /// Recognised by words in the names of program and device. A word of at least five letters may be part of a longer one: `iPhone14,3`.
  private static let words: [(SourcePriority, [String])] = [
    (.watch, ["watch", "band", "fitbit", "garmin", "polar", "suunto", "coros", "amazfit", "whoop", "oura", "ring", "withings"]),
    (.phone, ["phone", "pixel", "galaxy", "android", "redmi", "xperia", "mobiletrack"]),
  ]

  init(_ source: MovementSource) {
    if source.isHandTyped == true {
      self = .handTyped
      return
    }
    // The device is more specific than the program that collected its samples.
    for name in [source.device, source.source].compactMap(\.self) {
      let parts = name.lowercased().split { !$0.isLetter }
      for (priority, words) in SourcePriority.words
      where words.contains(where: { word in parts.contains { $0 == word || word.count >= 5 && $0.contains(word) } }) {
        self = priority
        return
      }
    }
    self = .other
  }

  static func < (left: SourcePriority, right: SourcePriority) -> Bool { left.rawValue < right.rawValue }
}

/// A source with its rank in the account's order, if it has one.
struct KnownSource: Hashable, Sendable {
  let number: Int64
  let source: MovementSource
  let position: Int?

  /// Sorted by the account's order, then the default order, then by name; never by order of arrival.
  static func sorted(_ sources: [KnownSource]) -> [KnownSource] {
    sources.map { (key: Key($0), source: $0) }.sorted { $0.key < $1.key }.map(\.source)
  }

  private struct Key: Comparable {
    let position: Int
    let priority: SourcePriority
    let source: String
    let device: String

    init(_ known: KnownSource) {
      position = known.position ?? .max
      priority = SourcePriority(known.source)
      source = known.source.source ?? ""
      device = known.source.device ?? ""
    }

    static func < (left: Key, right: Key) -> Bool {
      (left.position, left.priority, left.source, left.device) < (right.position, right.priority, right.source, right.device)
    }
  }
}
