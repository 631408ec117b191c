public import ActivityContract
import Operations

extension GeneratedHistory {
  /// A way to look through the history.
  public struct NamedQuery: Sendable {
    /// What it looks for.
    public let name: String
    public let query: HistoryQuery
  }

  /// Every filter and their combinations.
  public var queries: [NamedQuery] {
    let near = HistoryQuery(latitude: GeneratedHistory.home.latitude, longitude: GeneratedHistory.home.longitude)
    let far = HistoryQuery(latitude: GeneratedHistory.away.latitude, longitude: GeneratedHistory.away.longitude)
    let some = HistoryQuery(activityIDs: Array(activities.prefix(5)))
    let many = HistoryQuery(activityIDs: Array(activities.suffix(50)))
    let early = HistoryQuery(from: days.lowerBound, to: days.lowerBound.advanced(by: days.count / 10))
    let all: [(String, [HistoryQuery])] = [
      ("all of mine", []),
      ("oldest days", [early]),
      ("5 activities", [some]),
      ("50 activities", [many]),
      ("frequent text", [.init(text: "RÍO")]),
      ("rare text", [.init(text: "xylo")]),
      ("text that is not there", [.init(text: "zzzz")]),
      ("two characters", [.init(text: "ru")]),
      ("two characters, not there", [.init(text: "zz")]),
      ("near home", [near]),
      ("near a rare place", [far]),
      ("nowhere near", [.init(latitude: 0, longitude: 0)]),
      ("near home, 5 activities", [near, some]),
      ("near home, 50 activities", [near, many]),
      ("near a rare place, 5 activities", [far, some]),
      ("near a rare place, 50 activities", [far, many]),
      ("near home, frequent text", [near, .init(text: "rain")]),
      ("near home, two characters", [near, .init(text: "ru")]),
      ("near a rare place, frequent text", [far, .init(text: "rain")]),
      ("near a rare place, rare text", [far, .init(text: "xylo")]),
      ("near a rare place, two characters", [far, .init(text: "ru")]),
      ("near a rare place, two characters, not there", [far, .init(text: "zz")]),
      ("5 activities, frequent text", [some, .init(text: "rain")]),
      ("5 activities, rare text", [some, .init(text: "xylo")]),
      ("5 activities, two characters, not there", [some, .init(text: "zz")]),
      ("50 activities, frequent text", [many, .init(text: "rain")]),
      ("50 activities, two characters, not there", [many, .init(text: "zz")]),
      ("near home, 5 activities, frequent text", [near, some, .init(text: "rain")]),
      ("near a rare place, 5 activities, frequent text", [far, some, .init(text: "rain")]),
      ("near a rare place, oldest days", [far, early]),
      ("everything", [near, some, early, .init(text: "rain")]),
    ]
    return all.map { name, parts in NamedQuery(name: name, query: parts.reduce(HistoryQuery()) { $0.narrowed(by: $1) }) }
  }
}

extension HistoryQuery {
  /// What either says; of what both say, the other's.
  fileprivate func narrowed(by other: HistoryQuery) -> HistoryQuery {
    HistoryQuery(
      activityIDs: other.activityIDs ?? activityIDs, text: other.text ?? text, latitude: other.latitude ?? latitude,
      longitude: other.longitude ?? longitude, from: other.from ?? from, to: other.to ?? to)
  }
}
