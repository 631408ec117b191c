import ActivityContract
import Operations

#if canImport(Glibc)
  import Glibc
#else
  import Darwin
#endif

/// Reads tracks in GPX: each is an exercise, and each of its segments with times is a distance if the type is known (`GPXType`). Times are
/// in UTC (GPX 1.1); times without a zone are taken as the account's local times.
final class GPX: XMLRecordHandler {
  var records: [ImportedRecord] = []
  private(set) var isRecognized = false

  /// Names and times are short; the rest of longer texts is ignored.
  private static let maxText = 1024

  private enum Element { case gpx, track, segment, point, name, type, time, other }

  private var path: [Element] = []
  private var text: [UInt8] = []
  private var track: Track?
  private var segment: Segment?
  private var point: Point?
  /// The kind of movement for tracks that do not name one.
  private let movement: ExerciseKind?

  init(movement: ExerciseKind? = nil) { self.movement = movement }

  private struct Track {
    let line: Int
    var name: String?
    var kind: ExerciseKind
    var meters = 0.0
    var milliseconds: Int64 = 0
    var start: Time?
    var points = 0
    /// Whether any of its segments has a distance with times.
    var hasTimedDistance = false
  }

  private struct Segment {
    let line: Int
    var last: Place?
    var meters = 0.0
    var start: Time?
    var end: Time?
    var points = 0
  }

  private struct Time {
    let milliseconds: Int64
    let isLocal: Bool

    init?(_ text: TextBytes) {
      if let instant = TextValues.instant(text) {
        (milliseconds, isLocal) = (instant.milliseconds, false)
      } else if let local = TextValues.local(text) {
        (milliseconds, isLocal) = (local, true)
      } else {
        return nil
      }
    }
  }

  private struct Point {
    let line: Int
    let place: Place?
    var time: Time?
    var hasBadTime = false
  }

  func start(_ element: XMLStart, line: Int) {
    let kind = Self.element(element)
    if path.isEmpty { isRecognized = kind == .gpx }
    let parent = path.last
    path.append(kind)
    text.removeAll(keepingCapacity: true)
    switch (kind, parent) {
    case (.track, .gpx): track = Track(line: line, kind: movement ?? .other)
    case (.segment, .track): segment = Segment(line: line)
    case (.point, .segment): point = Point(line: line, place: Place(element))
    default: break
    }
  }

  func text(_ bytes: TextBytes) {
    guard let last = path.last, last == .name || last == .type || last == .time else { return }
    text.append(contentsOf: bytes.prefix(Self.maxText - min(text.count, Self.maxText)))
  }

  func end(_ name: XMLStart.Name, line: Int) {
    guard let element = path.popLast() else { return }
    switch (element, path.last) {
    case (.name, .track): track?.name = Self.name(text)
    case (.type, .track):
      if let kind = GPXType.kind(String(decoding: text, as: UTF8.self)) { track?.kind = kind }
    case (.time, .point):
      let time = text.withUnsafeBufferPointer { Time($0) }
      // The start of 1970 or an earlier time counts as missing: programs without a clock write such times.
      point?.time = time.flatMap { $0.milliseconds > 0 ? $0 : nil }
      point?.hasBadTime = time == nil
    case (.point, .segment): finishPoint()
    case (.segment, .track): finishSegment()
    case (.track, .gpx): finishTrack()
    default: break
    }
    text.removeAll(keepingCapacity: true)
  }

  private static func element(_ element: XMLStart) -> Element {
    if element.isNamed("trkpt") { return .point }
    if element.isNamed("time") { return .time }
    if element.isNamed("trkseg") { return .segment }
    if element.isNamed("trk") { return .track }
    if element.isNamed("name") { return .name }
    if element.isNamed("type") { return .type }
    return element.isNamed("gpx") ? .gpx : .other
  }

  private static func name(_ text: [UInt8]) -> String? {
    TextValues.shortened(String(decoding: text, as: UTF8.self), 64)
  }

  private func finishPoint() {
    defer { point = nil }
    guard let point, segment != nil else { return }
    guard let place = point.place else { return fault(.badPlace, point.line) }
    guard !point.hasBadTime else { return fault(.badTime, point.line) }
    if let time = point.time, let end = segment?.end {
      guard time.isLocal == end.isLocal else { return fault(.badTime, point.line) }
      guard time.milliseconds >= end.milliseconds else { return fault(.timeBackwards, point.line) }
    }
    if let last = segment?.last { segment?.meters += last.meters(to: place) }
    segment?.last = place
    segment?.points += 1
    if let time = point.time {
      if segment?.start == nil { segment?.start = time }
      segment?.end = time
    }
  }

  private func finishSegment() {
    defer { segment = nil }
    // An empty segment is ignored.
    guard let segment, segment.points > 0, var track else { return }
    track.points += segment.points
    track.meters += segment.meters
    if let start = segment.start, let end = segment.end {
      track.start = track.start ?? start
      track.milliseconds += end.milliseconds - start.milliseconds
      if segment.points > 1 { track.hasTimedDistance = track.hasTimedDistance || segment.meters > 0 }
      if let kind = Self.distance(track.kind), segment.points > 1 {
        if let millimetres = LengthUnit.millimetres(meters: segment.meters) {
          let sample = ImportedSample(
            kind: kind, span: Self.span(start, end), amount: millimetres, source: Self.source, isManual: false)
          records.append(ImportedRecord(line: segment.line, .sample(sample)))
        } else {
          fault(.outOfRange, segment.line)
        }
      }
    } else if segment.points > 1 {
      fault(.withoutTime, segment.line)
    }
    self.track = track
  }

  private func finishTrack() {
    defer { track = nil }
    guard let track else { return }
    let exercise = FoundExercise(
      kind: track.kind, name: track.name, start: track.start.map { Instant(milliseconds: $0.milliseconds) },
      isLocal: track.start?.isLocal == true,
      durationSeconds: track.start == nil ? nil : Int(track.milliseconds / 1000),
      distanceMillimetres: LengthUnit.millimetres(meters: track.meters))
    records.append(ImportedRecord(line: track.line, .exercise(exercise)))
    if track.kind == .other, movement == nil, track.hasTimedDistance { fault(.unknownMovement, track.line) }
  }

  private static func span(_ start: Time, _ end: Time) -> ImportedSpan {
    start.isLocal
      ? .local(start.milliseconds, end.milliseconds)
      : .instants(Instant(milliseconds: start.milliseconds), Instant(milliseconds: end.milliseconds))
  }

  private static let source = ImportedSource(name: "GPX")

  /// A track of unknown kind may be a drive: it is shown and listed as a problem, and adds to no total.
  private static func distance(_ kind: ExerciseKind) -> ImportedSample.Kind? {
    switch kind {
    case .walking: .walkingDistance
    case .running: .runningDistance
    case .cycling: .cyclingDistance
    case .other: nil
    }
  }

  private func fault(_ reason: ImportProblemReason, _ line: Int) { records.append(ImportedRecord(line: line, .fault(reason))) }
}

/// A point on the earth's surface, in radians.
struct Place: Hashable {
  let latitude: Double
  let longitude: Double

  /// The mean radius (IUGG), in metres.
  static let radius = 6_371_008.8

  init?(latitude: Double, longitude: Double) {
    guard (-90...90).contains(latitude), (-180...180).contains(longitude) else { return nil }
    self.latitude = latitude * .pi / 180
    self.longitude = longitude * .pi / 180
  }

  fileprivate init?(_ element: XMLStart) {
    guard let latitude = element.value("lat").flatMap({ Double($0.string) }),
      let longitude = element.value("lon").flatMap({ Double($0.string) })
    else { return nil }
    self.init(latitude: latitude, longitude: longitude)
  }

  /// The distance along the great circle by the haversine formula, which is accurate for near points too.
  func meters(to other: Place) -> Double {
    let (north, east) = (sin((other.latitude - latitude) / 2), sin((other.longitude - longitude) / 2))
    let square = north * north + cos(latitude) * cos(other.latitude) * east * east
    return 2 * Place.radius * asin(min(1, square.squareRoot()))
  }
}
