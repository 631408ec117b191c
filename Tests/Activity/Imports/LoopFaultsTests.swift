import ActivityContract
import ActivityService
import ImportFormats
import InProcess
import Operations
import Testing

@Suite("Exports of Loop Habit Tracker besides entries and habits (MOVE-3)")
struct LoopFaultsTests {
  private static let habits =
    LoopTests.columns
    + "001,\"Read, write\",YES_NO,,,1,1,#F,,,,false\n002,Water,NUMERICAL,,,1,1,#F,l,AT_LEAST,2,false\n"
    + "003,Coffee,NUMERICAL,,,1,1,#F,cups,AT_MOST,2,false\n"
  /// As Loop writes it: the names as they are, a comma behind each.
  private static let marks =
    "Date,Read, write,Water,Coffee,\n2026-11-20,YES_MANUAL,1500,NO,\n2026-11-19,SKIP,SKIP,1000,\n2026-11-18,YES_MANUAL,NO,NO,\n"
    + "2026-11-17,UNKNOWN,UNKNOWN,UNKNOWN,\n"

  private static func archive(_ others: [(name: String, bytes: [UInt8])] = []) throws -> [UInt8] {
    try Zip.archive(
      [("Habits.csv", Array(habits.utf8))] + others + [("Checkmarks.csv", Array(marks.utf8)), ("Scores.csv", [0x31])])
  }

  @Test("Loop's table with a comma in a habit's name is read if the habits are known, skipped days included")
  func commas() throws {
    let (records, fault) = try TemporaryFile("Loop.zip", try Self.archive()).read()
    #expect(fault == nil && records.faults.isEmpty)
    #expect(records.habits.map(\.key) == ["Read, write#1", "Water#1", "Coffee#1"])
    #expect(
      records.marks.map { "\($0.habit) \($0.day) \($0.progress)" } == [
        "Read, write#1 2026-11-20 done", "Water#1 2026-11-20 amount(1.5)", "Coffee#1 2026-11-19 amount(1.0)",
        "Read, write#1 2026-11-18 done",
      ])
    #expect(records.skips == ["Read, write#1 2026-11-19", "Water#1 2026-11-19"])
    // A limit is kept by doing nothing, so it begins with the first day of which anything is known.
    #expect(records.habits.map { $0.firstDay?.description } == ["2026-11-18", "2026-11-19", "2026-11-18"])
  }

  @Test("Loop's habits' own folders are read, with their notes, and the table of all for the habits that have none")
  func folders() throws {
    let own =
      "Date,Value,Notes\n2026-11-20,YES_MANUAL,\n2026-11-19,SKIP,\"ill, in bed\"\n2026-11-18,YES_MANUAL,\n2026-11-16,NO,no time\n"
    let bytes = try Self.archive([
      ("001 Read write/Scores.csv", [0x31]), ("001 Read write/Checkmarks.csv", Array(own.utf8)),
    ])
    let (records, fault) = try TemporaryFile("Loop.zip", bytes).read()
    #expect(fault == nil && records.faults.isEmpty)
    #expect(records.marks.count == 4 && Set(records.marks.map(\.habit)).count == 3)
    #expect(records.notes == ["Read, write#1 2026-11-19 ill, in bed", "Read, write#1 2026-11-16 no time"])
    #expect(records.skips == ["Read, write#1 2026-11-19", "Water#1 2026-11-19"])
    #expect(records.habits[0].firstDay?.description == "2026-11-16")
    #expect(Set(records.compactMap(\.part)) == ["Habits.csv", "001 Read write/Checkmarks.csv", "Checkmarks.csv"])
  }

  @Test("Loop's table alone is read if blanks separate its columns, and refused if commas or the habit are ambiguous")
  func alone() throws {
    let (records, _) = try TemporaryFile("Checkmarks.csv", Self.marks).read()
    #expect(records.faults.isEmpty && records.marks.count == 4 && records.skips.count == 2)
    let narrow = Self.marks.replacing("Read, write", with: "Read,write")
    #expect(try TemporaryFile("Checkmarks.csv", narrow).read().fault == .ambiguousNames)
    let own = "Date,Value,Notes\n2026-11-20,YES_MANUAL,\n2026-11-19,SKIP,ill\n"
    #expect(try TemporaryFile("Checkmarks.csv", own).read().fault == .habitMissing)
  }

  private static let inserted = """
    INSERT INTO Habits (id, archived, freq_den, freq_num, name, position, type, target_type, target_value, unit, reminder_hour,
      reminder_min, reminder_days)
    VALUES (1, 0, 1, 1, 'Read', 1, 0, 0, 0, '', 7, 30, 127), (2, 0, 7, 1, 'Run', 2, 1, 0, 20, 'km', 18, 5, 3),
      (3, 0, 1, 1, 'Coffee', 3, 1, 1, 2, 'cups', NULL, NULL, 0)
    """

  @Test("Loop's backup gives reminders, notes, skipped days and a limit's first day, and says what of a habit Racha cannot hold")
  func backup() throws {
    let day = Int64(try LocalDay(text: "2026-11-01").daysSinceEpoch) * 86_400_000
    func at(_ days: Int64) -> Int64 { day + days * 86_400_000 }
    let bytes = try LoopTests.database(
      LoopTests.habits, LoopTests.repetitions, Self.inserted,
      """
      INSERT INTO Repetitions (id, habit, timestamp, value, notes) VALUES (1, 1, \(at(1)), 2, 'chapter 3'), (2, 1, \(at(2)), 3, ''),
        (3, 2, \(at(2)), 3, NULL), (4, 3, \(at(0)), 0, ''), (5, 3, \(at(3)), 1000, ''), (6, 1, \(at(3)), 0, 'a note that is longer than 20'),
        (7, 2, \(at(3)), 5500, ''), (8, 3, \(at(-1)), -1, '')
      """)
    let (records, fault) = try TemporaryFile("a.db", bytes).read()
    #expect(fault == nil)
    #expect(records.habits.map { $0.reminder?.description } == ["07:30", "18:05", nil])
    #expect(records.habits.map { $0.firstDay?.description } == ["2026-11-02", "2026-11-03", "2026-11-01"])
    #expect(records.faults == ["2 goalOfSeveralDays", "2 reminderOfSomeDays", "6 noteCut"])
    #expect(records.skips == ["Read#1 2026-11-03", "Run#1 2026-11-03"])
    #expect(records.notes == ["Read#1 2026-11-02 chapter 3", "Read#1 2026-11-04 a note that is longe"])
    #expect(records.marks.map(\.progress) == [.done, .amount(1), .amount(5.5)])
  }

  @Test("Ten days in a row of which five were skipped are one unbroken streak, and importing them again changes nothing")
  func service() async throws {
    try await ServicesInProcess.running([{ Activities.service($0) }]) { services in
      let ana = try await services.register(timeZone: "UTC")
      let today = try LocalDay(text: "2026-11-21")
      let rows = (0..<10).map { "\(today.advanced(by: -$0)),\($0 % 2 == 0 ? "YES_MANUAL" : "SKIP"),\($0 == 1 ? "ill" : "")\n" }
      let bytes = try Zip.archive([
        ("Habits.csv", Array((LoopTests.columns + "001,\"Read, write\",YES_NO,,,1,1,#F,,,,false\n").utf8)),
        ("001 Read write/Checkmarks.csv", Array(("Date,Value,Notes\n" + rows.joined()).utf8)),
        ("Checkmarks.csv", Array("Date,Read, write,\n".utf8)),
      ])
      let done = try await ana.importFile("Loop.zip", bytes)
      #expect(done.state == .done && done.counts.rejected == 0 && done.counts.accepted == 12)
      let activity = try #require(try await ana.send(ListActivities.self, .init()).items.first?.activity)
      let streak = try await ana.send(GetActivity.self, .init(activityID: activity.id)).streak
      #expect(streak == Streak(current: 5, longest: 5))
      let again = try await ana.importFile("Loop.zip", bytes)
      #expect(again.counts.accepted == 0 && again.counts.repeated == 12 && again.counts.rejected == 0)
      _ = try await ana.send(DeleteSkip.self, .init(activityID: activity.id, day: .day(today.advanced(by: -1))))
      let entry = try await ana.send(GetEntry.self, .init(activityID: activity.id, day: .day(today.advanced(by: -1))))
      #expect(entry.comment == "ill")
      // A comment of the account's own stays.
      #expect(try await ana.importFile("Loop.zip", bytes).counts.accepted == 1)
    }
  }
}

extension [ImportedRecord] {
  /// The days that are skipped, as `habit day`.
  fileprivate var skips: [String] {
    compactMap { if case .skip(let habit, let day) = $0.content { "\(habit) \(day)" } else { nil } }
  }

  /// The notes, as `habit day text`.
  fileprivate var notes: [String] {
    compactMap { if case .note(let habit, let day, let text) = $0.content { "\(habit) \(day) \(text)" } else { nil } }
  }
}
