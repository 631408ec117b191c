import ActivityContract
import ImportFormats
import Operations
import Testing

@Suite("GPX")
struct GPXTests {
  private func track(_ inside: String) -> String {
    "\u{FEFF}<?xml version=\"1.0\" encoding=\"utf-8\"?>\n<gpx version=\"1.1\"><trk>\n\(inside)\n</trk></gpx>"
  }

  private func point(_ latitude: String, _ longitude: String, _ time: String? = nil) -> String {
    "<trkpt lat=\"\(latitude)\" lon=\"\(longitude)\"><ele>3</ele>\(time.map { "<time>\($0)</time>" } ?? "")</trkpt>\n"
  }

  @Test("GPX gives distance and duration of a track over its segments, and a distance for each segment of a known kind")
  func segments() throws {
    let text = track(
      "<name>Ríos &amp; lagos</name><type>Running</type>"
        + "<trkseg>\(point("0", "0", "2026-11-20T08:00:00Z"))\(point("0", "1", "2026-11-20T08:10:00.5Z"))</trkseg>"
        + "<trkseg></trkseg>"
        + "<trkseg>\(point("0", "10", "2026-11-20T09:00:00Z"))\(point("0", "11", "2026-11-20T09:05:00Z"))</trkseg>")
    let file = try TemporaryFile("ana.gpx", text)
    #expect(try file.file.format() == .gpx)
    let (records, fault) = try file.read()
    #expect(fault == nil && records.faults.isEmpty)
    // A degree of the equator, on a sphere of the earth's mean radius.
    let degree = 111_195.0797
    #expect(records.samples.map(\.kind) == [.runningDistance, .runningDistance])
    #expect(records.samples.allSatisfy { abs(Double($0.amount) / 1000 - degree) < 0.01 })
    let exercise = try #require(records.exercises.first)
    #expect(exercise.name == "Ríos & lagos" && exercise.kind == .running && exercise.durationSeconds == 900)
    #expect(abs((exercise.distanceMeters ?? 0) - 2 * degree) < 0.01)
  }

  @Test("GPX rounds a track's distance to the millimetre, as its segments'")
  func rounded() throws {
    let text = track(
      "<type>run</type><trkseg>\(point("1", "1.00001", "2026-11-20T08:00:00Z"))\(point("1", "1.02", "2026-11-20T08:10:00Z"))</trkseg>"
    )
    let (records, _) = try TemporaryFile("a.gpx", text).read()
    let exercise = try #require(records.exercises.first)
    #expect(exercise.distanceMillimetres == records.samples.first?.amount)
    let meters = try #require(exercise.distanceMeters)
    #expect((meters * 1000).rounded() / 1000 == meters && (2222...2224).contains(meters))
  }

  @Test("GPX is right over the date line and at the pole")
  func edges() throws {
    let text = track(
      "<trkseg>\(point("0", "179.5"))\(point("0", "-179.5"))</trkseg><trkseg>\(point("89.5", "0"))\(point("89.5", "180"))</trkseg>"
    )
    let (records, _) = try TemporaryFile("a.gpx", text).read()
    #expect(abs((records.exercises.first?.distanceMeters ?? 0) - 2 * 111_195.0797) < 0.1)
  }

  @Test("GPX without times gives a distance and no day: the segment is a problem, the track has no duration")
  func timeless() throws {
    let text = track("<trkseg>\(point("1", "1"))\(point("1", "2"))</trkseg>")
    let (records, _) = try TemporaryFile("a.gpx", text).read()
    #expect(records.faults == ["3 withoutTime"] && records.samples.isEmpty)
    #expect(records.exercises.count == 1 && records.exercises[0].durationSeconds == nil && records.exercises[0].start == nil)
  }

  @Test("GPX takes times of 1970's first moment, which programs without a clock write, for none")
  func clockless() throws {
    let zero = "1970-01-01T00:00:00Z"
    let text = track("<type>run</type><trkseg>\(point("1", "1", zero))\(point("1", "2", zero))</trkseg>")
    let (records, _) = try TemporaryFile("a.gpx", text).read()
    #expect(records.faults == ["3 withoutTime"] && records.samples.isEmpty && records.exercises.map(\.start) == [nil])
  }

  @Test("GPX has bad points, each with its line, and the rest is measured")
  func badPoints() throws {
    let text = track(
      "<type>hiking</type><trkseg>\n\(point("1", "1", "2026-11-20T08:00:00Z"))\(point("91", "1", "2026-11-20T08:01:00Z"))"
        + "\(point("1", "x", "2026-11-20T08:01:00Z"))\(point("1", "1.5", "soon"))\(point("1", "1.5", "2026-11-20T07:00:00Z"))"
        + "\(point("1", "2", "2026-11-20T08:02:00Z"))</trkseg>")
    let (records, _) = try TemporaryFile("a.gpx", text).read()
    #expect(records.faults == ["5 badPlace", "6 badPlace", "7 badTime", "8 timeBackwards"])
    #expect(records.samples.map(\.kind) == [.walkingDistance])
    #expect(records.samples.map(\.amount).allSatisfy { abs($0 - 111_178_146) < 2000 })
  }

  @Test("GPX of no known kind adds to no total: it may be a drive")
  func drive() throws {
    let text = track(
      "<trkseg>\(point("0", "0", "2026-11-20T08:00:00Z"))\(point("0", "1", "2026-11-20T08:10:00Z"))</trkseg>")
    let (records, _) = try TemporaryFile("a.gpx", text).read()
    #expect(records.samples.isEmpty && records.exercises.map(\.kind) == [.other])
  }
}
