import ActivityContract
import ActivityService
import ImportFormats
import InProcess
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

  @Test("GPX distances are right across the date line and at the pole")
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

  @Test("GPX times of 1970-01-01, which programs without a clock write, count as missing")
  func clockless() throws {
    let zero = "1970-01-01T00:00:00Z"
    let text = track("<type>run</type><trkseg>\(point("1", "1", zero))\(point("1", "2", zero))</trkseg>")
    let (records, _) = try TemporaryFile("a.gpx", text).read()
    #expect(records.faults == ["3 withoutTime"] && records.samples.isEmpty && records.exercises.map(\.start) == [nil])
  }

  @Test("Bad points of a GPX track are listed with their lines, and the rest is measured")
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

  @Test("GPX of no known kind adds to no total, since it may be a drive")
  func drive() throws {
    let text = track(
      "<trkseg>\(point("0", "0", "2026-11-20T08:00:00Z"))\(point("0", "1", "2026-11-20T08:10:00Z"))</trkseg>")
    let (records, _) = try TemporaryFile("a.gpx", text).read()
    #expect(records.samples.isEmpty && records.exercises.map(\.kind) == [.other])
    #expect(records.faults == ["2 unknownMovement"])
  }

  @Test(
    "GPX types of many programs and languages are recognized: Strava's numbers, words, or none",
    arguments: [
      ("1", ExerciseKind.cycling), ("9", .running), ("10", .walking), ("4", .walking), ("16", .other), ("correr", .running),
      ("Ciclismo", .cycling), ("Caminata", .walking), ("Senderismo", .walking), ("corrida", .running), ("Caminhada", .walking),
      ("Vélo", .cycling), ("Course à pied", .running), ("Randonnée", .walking), ("Radfahren", .cycling), ("Laufen", .running),
      ("Wandern", .walking), ("trail_running", .running), ("road_biking", .cycling), ("E-Bike Ride", .cycling),
      ("Löpning", .running),
      ("サイクリング", .cycling), ("跑步", .running), ("徒步", .walking), ("бег", .running), ("ходьба", .walking), ("велосипед", .cycling),
      ("Motorcycling", .other), ("Skilanglauf", .other), ("Nordic Ski", .other), ("swimming", .other), ("driving", .other),
      ("", .other),
    ])
  func types(_ type: String, _ kind: ExerciseKind) throws {
    let text = track(
      "<type> \(type)\n</type><trkseg>\(point("0", "0", "2026-11-20T08:00:00Z"))\(point("0", "0.01", "2026-11-20T08:10:00Z"))</trkseg>"
    )
    let (records, _) = try TemporaryFile("a.gpx", text).read()
    #expect(records.exercises.map(\.kind) == [kind], "\(type)")
    #expect(records.samples.count == (kind == .other ? 0 : 1), "\(type)")
    // A distance that counts for nothing is said to.
    #expect(records.faults == (kind == .other ? ["2 unknownMovement"] : []), "\(type)")
  }

  @Test("GPX tracks without a type get the movement announced with the file; others keep their own")
  func movement() async throws {
    func track(_ type: String, _ longitude: String) -> String {
      "<trk>\(type)<trkseg>\(point("0", "0", "2026-11-20T08:00:00Z"))\(point("0", longitude, "2026-11-20T08:10:00Z"))</trkseg></trk>"
    }
    let bytes = Array(
      "<gpx>\(track("", "0.01"))\(track("<type>9</type>", "0.02"))\(track("<type>motor</type>", "0.3"))</gpx>".utf8)
    try await ServicesInProcess.running([{ Activities.service($0) }]) { services in
      let ana = try await services.register(timeZone: "UTC")
      #expect(try await ana.importFile("a.gpx", bytes).counts.rejected == 2)
      let done = try await ana.importFile("a.gpx", bytes, movement: .walking)
      #expect(done.state == .done && done.counts.rejected == 0)
      let day = try LocalDay(text: "2026-11-20")
      let found = try await ana.send(ListMovementDays.self, .init(from: day, to: day)).items
      #expect(found.map { $0.walkingMeters.rounded() } == [1112] && found.map { $0.runningMeters.rounded() } == [2224])
    }
  }

  @Test("GPX times without a time zone are read in the account's own")
  func localTimes() async throws {
    let text = track(
      "<type>run</type><trkseg>\(point("0", "0", "2026-11-20T23:30:00"))\(point("0", "0.01", "2026-11-20T23:40:00.5"))"
        + "\(point("0", "0.02", "2026-11-20T22:41:00Z"))</trkseg>")
    let (records, _) = try TemporaryFile("a.gpx", text).read()
    let midnight = Int64(try LocalDay(text: "2026-11-20").daysSinceEpoch) * 86_400_000
    #expect(records.samples.map(\.span) == [.local(midnight + 84_600_000, midnight + 85_200_500)])
    // One time with a zone among others is a slip.
    #expect(records.faults == ["5 badTime"])
    try await ServicesInProcess.running([{ Activities.service($0) }]) { services in
      let ana = try await services.register(timeZone: "Asia/Tokyo")
      let done = try await ana.importFile("a.gpx", text)
      #expect(done.counts.accepted == 2)
      let found = try await ana.send(ListImportedExercises.self, .init(importID: done.id)).items
      #expect(found.map(\.start?.description) == ["2026-11-20T14:30:00.000Z"] && found.map(\.durationSeconds) == [600])
      let day = try LocalDay(text: "2026-11-20")
      let days = try await ana.send(ListMovementDays.self, .init(from: day, to: day)).items
      #expect(days.map { ($0.runningMeters * 1000).rounded() } == [1_111_951])
      // The account has moved since: what was local then is known all the same.
      try await services.move(ana, to: "Europe/Madrid", receivedBy: .activity)
      #expect(try await ana.importFile("a.gpx", text).counts.accepted == 0)
    }
  }
}
