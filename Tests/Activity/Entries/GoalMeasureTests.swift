import ActivityContract
import Operations
import Testing

@testable import ActivityService

@Suite("Goals and progress")
struct GoalMeasureTests {
  let litres = GoalMeasure(.quantity(1, unit: "litres"))
  let check = GoalMeasure(.check)
  let halfHour = GoalMeasure(.duration(seconds: 1800))
  let activity = ActivityID()

  @Test("Progress is exact: ten times a tenth is exactly one")
  func exactSums() throws {
    var progress = 0
    for _ in 0..<9 { progress = try litres.add(.init(activityID: activity, day: .today, amount: 0.1), to: progress) }
    #expect(!litres.isDone(progress, isOver: true))
    progress = try litres.add(.init(activityID: activity, day: .today, amount: 0.1), to: progress)
    #expect(litres.isDone(progress, isOver: false) && litres.amount(progress) == 1)
  }

  @Test("Progress never falls below 0, and is refused beyond a day's maximum")
  func bounds() throws {
    #expect(try litres.add(.init(activityID: activity, day: .today, amount: -5), to: 2000) == 0)
    #expect(try halfHour.add(.init(activityID: activity, day: .today, durationSeconds: -60), to: 30) == 0)
    let failure = #expect(throws: Failure.self) {
      try halfHour.add(.init(activityID: activity, day: .today, durationSeconds: 1), to: Amounts.maxSeconds)
    }
    #expect(failure?.fields.map(\.code) == ["out_of_range"])
  }

  @Test("Completing an activity reaches the goal, and lowers no progress beyond it")
  func completing() throws {
    let complete = RecordEntry.Input(activityID: activity, day: .today, isDone: true)
    #expect(try litres.set(0, to: complete) == 1000)
    #expect(try litres.set(2500, to: complete) == 2500)
    #expect(try halfHour.set(0, to: complete) == 1800)
    #expect(try check.set(0, to: complete) == 1)
    #expect(try check.set(1, to: .init(activityID: activity, day: .today, isDone: false)) == 0)
  }

  @Test("A field that does not fit the goal's kind is refused by name")
  func wrongField() {
    func field(_ body: () throws -> Int) -> String? {
      do {
        _ = try body()
        return nil
      } catch {
        return Failure(error).fields.first.map { "\($0.field) \($0.code)" }
      }
    }
    #expect(field { try check.set(0, to: .init(activityID: activity, day: .today, amount: 1)) } == "amount not_for_goal")
    #expect(
      field { try litres.set(0, to: .init(activityID: activity, day: .today, isDone: false)) } == "isDone undone_by_progress")
    #expect(
      field { try litres.set(0, to: .init(activityID: activity, day: .today, durationSeconds: 1)) }
        == "durationSeconds not_for_goal")
    #expect(
      field { try check.add(.init(activityID: activity, day: .today, durationSeconds: 1), to: 0) }
        == "durationSeconds not_for_goal")
  }

  @Test("Calling an amount or a time not done is refused, with a message in both languages")
  func undone() throws {
    let words = Words(Contract.activity.words)
    let rule = FieldRule("undone_by_progress", ["kind": .text("duration")])
    let hours = GoalMeasure(kind: .duration, target: 3600)
    #expect(throws: Failure.field("isDone", rule)) {
      try hours.set(60, to: .init(activityID: activity, day: .today, isDone: false))
    }
    #expect(
      words.text("field.undone_by_progress", .english, rule.parameters)
        == "The goal is a time, such as 30 minutes, so it cannot just be called not done.")
    #expect(
      words.text("field.undone_by_progress.suggestion", .spanish, rule.parameters)
        == "Indica cuánto duró. Si no hay nada, indica 0.")
  }

  @Test(
    "A goal whose fields do not fit each other is refused",
    arguments: [
      (#"{"kind":"check"}"#, []), (#"{"kind":"check","amount":1}"#, ["amount not_for_goal_kind"]),
      (#"{"kind":"quantity"}"#, ["amount required", "unit required"]),
      (#"{"kind":"quantity","amount":2.5,"unit":"l"}"#, []),
      (#"{"kind":"quantity","amount":0,"unit":"l"}"#, ["amount out_of_range"]),
      (#"{"kind":"quantity","amount":1.2345,"unit":"l"}"#, ["amount too_precise"]),
      (#"{"kind":"quantity","amount":1,"unit":""}"#, ["unit empty"]),
      (#"{"kind":"duration"}"#, ["durationSeconds required"]), (#"{"kind":"duration","durationSeconds":5400}"#, []),
      (#"{"kind":"duration","durationSeconds":0}"#, ["durationSeconds out_of_range"]),
      (#"{"kind":"duration","durationSeconds":60,"unit":"s"}"#, ["unit not_for_goal_kind"]),
    ])
  func goals(json: String, problems: [String]) {
    do {
      _ = try Goal.decode(Array(json.utf8))
      #expect(problems == [])
    } catch {
      #expect(error.fields.map { "\($0.field) \($0.code)" } == problems)
    }
  }

  @Test(
    "A day's state follows from goal and progress",
    arguments: [
      (1000, -1, DayState.done), (500, -1, .partly), (0, -1, .failed), (1000, 0, .done), (500, 0, .partly), (0, 0, .pending),
      (0, 1, .pending),
    ])
  func states(progress: Int, daysFromToday: Int, state: DayState) {
    let today = LocalDay(daysSinceEpoch: 20_000)
    let version = ActivityVersion(
      ActivityTerms(goal: litres.goal(unit: "litres"), schedule: .daily, startDay: .placeholder), from: .placeholder,
      anchor: .placeholder)
    let day = today.advanced(by: daysFromToday)
    var found: [DayState] = []
    Plan([version]).evaluate([DayProgress(day: day, progress: progress)], from: day, to: day, today: today) {
      found.append(DayState($0, week: nil))
    }
    #expect(found == [state])
  }
}
