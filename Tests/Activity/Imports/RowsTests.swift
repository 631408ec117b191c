import ActivityContract
import ImportFormats
import Operations
import Testing

@Suite("Files of comma-separated values")
struct RowsTests {
  static let fitbit = "Id,ActivityHour,Time,StepTotal\n"
  static let days = "Date,Distance (m),Step count,Cycling duration (ms),Walking duration (ms),Running duration (ms)\n"
  static let times = "Start time,End time,Distance (m),Step count,Walking duration (ms)\n"

  @Test("CSV files are read by RFC 4180: quotes, doubled quotes, breaks within, CRLF, no break at the end, a byte-order mark")
  func quotes() throws {
    let text =
      "\u{FEFF}Name,Question,FrequencyNumerator,FrequencyDenominator\r\n\"Read, \"\"well\"\"\",\"two\r\nlines\",1,1\r\n\r\nPlain,,3,7"
    let (records, fault) = try TemporaryFile("Habits.csv", text).read()
    #expect(fault == nil && records.faults.isEmpty)
    #expect(records.habits.map(\.title) == ["Read, \"well\"", "Plain"])
    #expect(records.habits.map(\.frequency) == [.daily, .timesAWeek(3)])
    #expect(records.map(\.line) == [2, 5])
  }

  @Test("CSV files' bad rows are problems with their lines: quotes, missing fields, bytes that are no text; the rest is read")
  func badRows() throws {
    var bytes = Array(
      (Self.fitbit + "1,3/12/2016 0:00,x,1\n1,\"3/12\"x,x,2\n1,3/12/2016 2:00,3\n1,3/12/2016 3:00,x\"y,4\n").utf8)
    bytes += [0x31, 0x2C, 0xFF, 0xFE, 0x2C, 0x78, 0x2C, 0x35, 0x0A] + Array("1,3/12/2016 5:00,x,6\n".utf8)
    let (records, fault) = try TemporaryFile("a.csv", bytes).read()
    #expect(fault == nil && records.samples.map(\.amount) == [1, 6])
    #expect(records.faults == ["3 badRow", "4 badRow", "5 badRow", "6 badRow"])
  }

  @Test("CSV files of Fitbit give each hour in local time, in both of its clocks, of one person")
  func fitbitHours() throws {
    let text =
      Self.fitbit
      + "7,3/12/2016 0:00,x,10\n7,3/12/2016 13:00,x,20\n7,3/12/2016 12:00:00 AM,x,30\n7,3/12/2016 1:00:00 PM,x,40\n8,3/12/2016 0:00,x,50\n7,3/32/2016 0:00,x,60\n7,3/12/2016 24:00,x,60\n7,3/12/2016 1:00,x,1e3\n"
    let file = try TemporaryFile("hourlySteps_merged.csv", text)
    #expect(try file.file.format() == .fitbitHours)
    let (records, _) = try file.read()
    let midnight = Int64(try LocalDay(text: "2016-03-12").daysSinceEpoch) * 86_400_000
    let hour: Int64 = 3_600_000
    #expect(
      records.samples.map(\.span) == [0, 13, 0, 13].map { .local(midnight + $0 * hour, midnight + ($0 + 1) * hour) })
    #expect(records.faults == ["6 otherPerson", "7 badTime", "8 badTime", "9 badNumber"])
    let (other, _) = try file.read(person: "8")
    #expect(other.samples.map(\.amount) == [50] && other.faults.isEmpty)
  }

  @Test("CSV files of Google Fit's days give steps, and distances where it is said how they were covered")
  func fitDays() throws {
    let text =
      Self.days
      + "2017-01-01,1200.5,1000,,60000,\n2017-01-02,9000.0,,60000,,\n2017-01-03,800,,,,60000\n2017-01-04,50000,,,,\n2017-01-05,5,5,60000,60000,\n2017-02-30,1,1,,,\n2017-01-06,,-1,,,\n"
    let file = try TemporaryFile("Daily Summaries.csv", text)
    #expect(try file.file.format() == .googleFitDays)
    let (records, _) = try file.read()
    #expect(records.samples.map(\.kind) == [.steps, .walkingDistance, .cyclingDistance, .runningDistance, .steps])
    #expect(records.samples.map(\.amount) == [1000, 1_200_500, 9_000_000, 800_000, 5])
    #expect(records.faults == ["5 unknownMovement", "6 mixedMovement", "7 badTime", "8 badNumber"])
  }

  @Test("CSV files of one day of Google Fit need the day in their name, and separate the two hours of a clock change")
  func fitDay() throws {
    let text =
      Self.times
      + "02:45:00.000+11:00,02:00:00.000+10:00,,1,\n02:00:00.000+10:00,02:15:00.000+10:00,,2,\n23:45:00.000+10:00,00:00:00.000+10:00,,3,\n"
    #expect(try TemporaryFile("steps.csv", text).read().fault == .dayMissing)
    let (records, _) = try TemporaryFile("2017-04-02.csv", text).read()
    #expect(records.samples.filter { $0.kind == .steps }.map(\.amount) == [1, 2, 3])
    let expected = [
      ("2017-04-01T15:45:00Z", "2017-04-01T16:00:00Z"), ("2017-04-01T16:00:00Z", "2017-04-01T16:15:00Z"),
      ("2017-04-02T13:45:00Z", "2017-04-02T14:00:00Z"),
    ]
    #expect(
      records.samples.filter { $0.kind == .steps }.map(\.span)
        == (try expected.map { .instants(try Instant(text: $0.0), try Instant(text: $0.1)) }))
  }

  @Test("CSV files of one day of Google Fit report every quarter of an hour, and missing ones as zero")
  func blankQuarters() throws {
    let text = """
      Start time,End time,Distance (m),Step count,Walking duration (ms),Running duration (ms),Cycling duration (ms)
      00:00:00.000Z,00:15:00.000Z,,,,,
      00:15:00.000Z,00:30:00.000Z,100.5,150,60000,,
      00:30:00.000Z,00:45:00.000Z,5000,,,,
      00:45:00.000Z,01:00:00.000Z,700,20,60000,60000,
      01:00:00.000Z,01:15:00.000Z,900,,60000,,60000
      01:15:00.000Z,01:30:00.000Z,,x,,,60000

      """
    let (records, _) = try TemporaryFile("2017-04-02.csv", text).read()
    func amounts(_ kind: ImportedSample.Kind) -> [Int: Int] {
      Dictionary(
        uniqueKeysWithValues: records.compactMap { record -> (Int, Int)? in
          guard case .sample(let sample) = record.content, sample.kind == kind else { return nil }
          return (record.line, sample.amount)
        })
    }
    #expect(amounts(.steps) == [2: 0, 3: 150, 4: 0, 5: 20, 6: 0])
    // A drive was no walk; what was covered by foot and by wheel is nobody's.
    #expect(amounts(.walkingDistance) == [2: 0, 3: 100_500, 4: 0, 5: 700_000, 7: 0])
    #expect(amounts(.runningDistance) == [2: 0, 3: 0, 4: 0, 6: 0, 7: 0])
    #expect(amounts(.cyclingDistance) == [2: 0, 3: 0, 4: 0, 5: 0, 7: 0])
    #expect(records.faults == ["6 mixedMovement", "7 badNumber"])
    // In the summary of all days a blank may be a day before there was anything to measure with.
    let days = try TemporaryFile("Daily Summaries.csv", Self.days + "2017-04-02,,,,,\n").read()
    #expect(days.records.isEmpty)
  }

  @Test(
    "CSV files that are not exports are refused",
    arguments: [
      "", "\n\n", "Date,Open,Close\n2020-01-01,1.5,2\n", "a,b\n1,2\n", "hello", "\"", "Date,A\n2020-01-01,0.2557\n",
      "{\"samples\":[]}", "\u{0}\u{1}\u{2}",
    ])
  func others(_ text: String) throws {
    #expect(try TemporaryFile("a.csv", text).read().fault == .unrecognized)
  }

  @Test("CSV files with millions of empty lines are read like any other")
  func emptyLines() throws {
    let text = Self.fitbit + String(repeating: "\n", count: 1_000_000) + "1,3/12/2016 0:00,x,7\n"
    let (records, fault) = try TemporaryFile("a.csv", text).read()
    #expect(fault == nil && records.samples.map(\.amount) == [7] && records.map(\.line) == [1_000_002])
  }

  @Test("CSV files with excessively long fields are damaged")
  func longRow() throws {
    let text = Self.fitbit + "1,3/12/2016 0:00,x,7\n1,\"" + String(repeating: "x", count: 2 << 20)
    let (records, fault) = try TemporaryFile("a.csv", text).read()
    #expect(fault == .damaged && records.samples.map(\.amount) == [7])
  }
}
