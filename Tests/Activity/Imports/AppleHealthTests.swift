import ActivityContract
import ImportFormats
import Operations
import Testing

@Suite("Apple Health's export.xml")
struct AppleHealthTests {
  /// As Apple writes it, with its document type.
  static func export(_ records: String) -> String {
    """
    <?xml version="1.0" encoding="UTF-8"?>
    <!DOCTYPE HealthData [
    <!-- HealthKit Export Version: 11 -->
    <!ELEMENT HealthData (ExportDate,Me,(Record|Correlation|Workout)*)>
    <!ATTLIST HealthData
      locale CDATA #REQUIRED
    >
    <!ELEMENT Record (MetadataEntry*)>
    <!ATTLIST Record type CDATA #REQUIRED unit CDATA #IMPLIED value CDATA #IMPLIED>
    ]>
    <HealthData locale="en_US">
     <ExportDate value="2026-11-21 10:36:11 +0100"/>
    \(records)
    </HealthData>
    """
  }

  static func record(
    _ type: String, _ unit: String, _ value: String, _ start: String = "2026-11-20 10:00:00 +0100",
    _ end: String = "2026-11-20 10:10:00 +0100", source: String = "Ana’s iPhone", within: String = ""
  ) -> String {
    let device = "&lt;&lt;HKDevice: 0x282a45810&gt;, name:iPhone, manufacturer:Apple, hardware:iPhone15,2, software:17.1&gt;"
    return """
       <Record type="HKQuantityTypeIdentifier\(type)" sourceName="\(source)" sourceVersion="17.1" device="\(device)" unit="\(unit)" \
      creationDate="2026-11-20 10:11:00 +0100" startDate="\(start)" endDate="\(end)" value="\(value)">\(within)</Record>
      """
  }

  @Test("An export of Apple Health gives steps and distances with units, times, source, device, and what was typed in")
  func records() throws {
    let typed = "<MetadataEntry key=\"HKWasUserEntered\" value=\"1\"/>"
    let text = Self.export(
      [
        Self.record("StepCount", "count", "1204"), Self.record("StepCount", "count", "7", within: typed),
        Self.record("DistanceWalkingRunning", "km", "0.8124"), Self.record("DistanceWalkingRunning", "mi", "0.5"),
        Self.record("DistanceCycling", "m", "12.3456"), Self.record("HeartRate", "count/min", "60"),
      ].joined(separator: "\n"))
    let file = try TemporaryFile("export.xml", text)
    #expect(try file.file.format() == .appleHealth)
    let (records, fault) = try file.read()
    #expect(fault == nil && records.faults.isEmpty)
    let samples = records.samples
    #expect(samples.map(\.kind) == [.steps, .steps, .walkingDistance, .walkingDistance, .cyclingDistance])
    #expect(samples.map(\.amount) == [1204, 7, 812_400, 804_672, 12_346])
    #expect(samples.map(\.isManual) == [false, true, false, false, false])
    #expect(samples.allSatisfy { $0.source.name == "Ana’s iPhone" && $0.source.device == "iPhone15,2" })
    let start = try Instant(text: "2026-11-20T09:00:00Z")
    #expect(samples[0].span == .instants(start, start.adding(seconds: 600)))
    #expect(records.map(\.line) == Array(13...17))
  }

  @Test("Bad records of an Apple Health export are listed with line and reason, and the rest is read")
  func bad() throws {
    let good = Self.record("StepCount", "count", "1")
    let text = Self.export(
      [
        good, Self.record("StepCount", "count", "many"), Self.record("StepCount", "count", "-5"),
        Self.record("StepCount", "parsecs", "5"), Self.record("DistanceCycling", "light-years", "5"),
        Self.record("StepCount", "count", "5", "yesterday"),
        "<Record type=\"HKQuantityTypeIdentifierStepCount\" unit=\"count\"/>",
        good,
      ].joined(separator: "\n"))
    let (records, fault) = try TemporaryFile("export.xml", text).read()
    #expect(fault == nil && records.samples.count == 2)
    #expect(
      records.faults == ["14 badNumber", "15 badNumber", "16 badUnit", "17 badUnit", "18 badTime", "19 badTime"])
  }

  @Test("An export of Apple Health gives workouts of both generations of exports, and no sample for what a correlation repeats")
  func workouts() throws {
    let text = Self.export(
      """
      <Workout workoutActivityType="HKWorkoutActivityTypeRunning" duration="5.19" durationUnit="min" totalDistance="0.5" \
      totalDistanceUnit="mi" startDate="2016-11-14 07:25:41 -0700" endDate="2016-11-14 07:30:52 -0700"/>
      <Workout workoutActivityType="HKWorkoutActivityTypeCycling" duration="60" durationUnit="min" \
      startDate="2026-11-14 07:00:00 +0000" endDate="2026-11-14 08:00:00 +0000">
      <WorkoutStatistics type="HKQuantityTypeIdentifierActiveEnergyBurned" sum="300" unit="kcal"/>
      <WorkoutStatistics type="HKQuantityTypeIdentifierDistanceCycling" sum="21.5" unit="km"/></Workout>
      <Correlation type="HKCorrelationTypeIdentifierFood">\(Self.record("StepCount", "count", "9"))</Correlation>
      """)
    let (records, _) = try TemporaryFile("export.xml", text).read()
    #expect(records.samples.isEmpty)
    #expect(records.exercises.map(\.kind) == [.running, .cycling])
    #expect(records.exercises.map(\.durationSeconds) == [311, 3600])
    #expect(records.exercises.map(\.distanceMeters) == [804.672, 21_500])
  }

  @Test("Distances of Apple Health are read to millionths of the unit and kept to the millimetre, of workouts as of records")
  func distances() throws {
    for (value, unit, meters) in [
      ("0.4972046", "mi", 800.174), ("5.1234567", "km", 5123.457), ("12.3456", "m", 12.346), ("1000.5", "ft", 304.952),
      ("0.0005", "m", 0.001), ("0.0004", "m", 0), ("1e3", "yd", 914.4),
    ] {
      let text = Self.export(
        """
        \(Self.record("DistanceCycling", unit, value))
        <Workout workoutActivityType="HKWorkoutActivityTypeCycling" totalDistance="\(value)" totalDistanceUnit="\(unit)" \
        startDate="2026-11-14 07:25:41 -0700" endDate="2026-11-14 07:30:52 -0700"/>
        <Workout workoutActivityType="HKWorkoutActivityTypeCycling" startDate="2026-11-14 07:25:41 -0700" \
        endDate="2026-11-14 07:30:52 -0700">
        <WorkoutStatistics type="HKQuantityTypeIdentifierDistanceCycling" sum="\(value)" unit="\(unit)"/></Workout>
        """)
      let (records, _) = try TemporaryFile("export.xml", text).read()
      #expect(records.exercises.map(\.distanceMeters) == [meters, meters], "\(value) \(unit)")
      #expect(records.samples.map { Double($0.amount) / 1000 } == [meters], "\(value) \(unit)")
    }
  }

  @Test("A workout of Apple Health that ends before it starts, or has no time, is a problem, whatever duration it says")
  func backwards() throws {
    func workout(_ attributes: String) -> String {
      "<Workout workoutActivityType=\"HKWorkoutActivityTypeRunning\" \(attributes)/>"
    }
    let (start, end) = ("startDate=\"2026-11-14 08:00:00 +0000\"", "endDate=\"2026-11-14 07:00:00 +0000\"")
    let text = Self.export(
      [
        workout("\(start) \(end)"), workout("duration=\"5\" durationUnit=\"min\" \(start) \(end)"),
        workout("duration=\"-5\" durationUnit=\"min\" \(start) \(end)"), workout(end),
        workout("duration=\"1e11\" \(start)"), workout("duration=\"5\" \(start)"),
      ].joined(separator: "\n"))
    let (records, fault) = try TemporaryFile("export.xml", text).read()
    #expect(fault == nil && records.exercises.map(\.durationSeconds) == [300])
    #expect(records.faults == ["13 endsBeforeStart", "14 endsBeforeStart", "15 endsBeforeStart", "16 badTime", "17 badTime"])
  }

  @Test("An export of Apple Health with declared entities is refused: a billion laughs, a file from outside, a parameter entity")
  func entities() throws {
    for declaration in [
      "<!ENTITY lol \"lol\"><!ENTITY lol2 \"&lol;&lol;&lol;\">", "<!ENTITY secret SYSTEM \"file:///etc/passwd\">",
      "<!ENTITY % outside SYSTEM \"http://127.0.0.1:9/x.dtd\"> %outside;",
    ] {
      let text = """
        <?xml version="1.0"?>
        <!DOCTYPE HealthData [ \(declaration) ]>
        <HealthData><Record type="&lol2;&secret;"/></HealthData>
        """
      #expect(try TemporaryFile("export.xml", text).read().fault == .unsafe)
    }
  }

  @Test("An Apple Health export is read without an external document type, and an undeclared entity damages it")
  func outside() throws {
    let dtd = "<!DOCTYPE HealthData SYSTEM \"http://127.0.0.1:9/x.dtd\">"
    let good = "\(dtd)<HealthData>\(Self.record("StepCount", "count", "3"))</HealthData>"
    #expect(try TemporaryFile("export.xml", good).read().records.samples.map(\.amount) == [3])
    let bad = "<HealthData>\(Self.record("StepCount", "count", "3"))\(Self.record("StepCount", "count", "&lol;"))</HealthData>"
    let (records, fault) = try TemporaryFile("export.xml", bad).read()
    #expect(fault == .damaged && records.samples.map(\.amount) == [3])
  }

  @Test("An Apple Health export with excessive nesting or attributes is refused")
  func depth() throws {
    let deep = "<HealthData>" + String(repeating: "<a>", count: 100_000)
    #expect(try TemporaryFile("export.xml", deep).read().fault == .unsafe)
    let wide = "<HealthData><a \((0..<5000).map { "a\($0)=\"\"" }.joined(separator: " "))/></HealthData>"
    #expect(try TemporaryFile("export.xml", wide).read().fault == .unsafe)
  }

  @Test("A truncated Apple Health export is reported as damaged, and everything before the cut is read")
  func cutOff() throws {
    let whole = Array(Self.export((1...50).map { Self.record("StepCount", "count", "\($0)") }.joined(separator: "\n")).utf8)
    for length in stride(from: whole.count - 20, to: 1000, by: -977) {
      let (records, fault) = try TemporaryFile("export.xml", Array(whole.prefix(length))).read()
      #expect(fault == .damaged)
      #expect(records.samples.map(\.amount) == (0..<records.samples.count).map { $0 + 1 })
    }
  }

  @Test("Samples of Apple Health are named by their content: the same in each export, and different for others")
  func ids() throws {
    let text = Self.export(
      [
        Self.record("StepCount", "count", "5"), Self.record("StepCount", "count", "6"),
        Self.record("StepCount", "count", "5", source: "Watch"), Self.record("DistanceCycling", "m", "0.005"),
        Self.record("StepCount", "count", "5", "2026-11-20 10:00:01 +0100"),
        Self.record("StepCount", "count", "5", "2026-11-20 10:00:00 +0100", "2026-11-20 10:10:01 +0100"),
      ].joined(separator: "\n"))
    let ids = try TemporaryFile("export.xml", text).read().records.samples.map(\.id)
    #expect(Set(ids).count == 6 && ids.allSatisfy { $0.count == 29 })
    // An id that changed would double everything that was imported before.
    #expect(ids[0] == "a1a1f82f1e80-f4f13470ed8cfbf9")
    // The same moment written in another zone.
    let moved = Self.export(
      Self.record("StepCount", "count", "5", "2026-11-20 09:00:00 +0000", "2026-11-20 09:10:00 +0000"))
    #expect(try TemporaryFile("export.xml", moved).read().records.samples.map(\.id) == [ids[0]])
  }
}
