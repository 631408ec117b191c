import Operations
import ServiceKit
import SocialContract
import Testing

@testable import SocialService

@Suite("The rules of tasks")
struct TaskRulesTests {
  @Test("Only an open task can be changed", arguments: TaskState.allCases)
  func open(state: TaskState) {
    func code(_ body: () throws -> Void) -> String? {
      do {
        try body()
        return nil
      } catch {
        return Failure(error).code
      }
    }
    let codes = [TaskState.completed: "task_completed", .cancelled: "task_cancelled"]
    #expect(code { try TaskRules.expectOpen(state) } == codes[state])
    #expect(code { _ = try TaskRules.isCancelled(state) } == (state == .completed ? "task_completed" : nil))
    #expect(
      code { _ = try TaskCompletionRules.isChangedByConfirming(state, isConfirmed: false) }
        == (state == .cancelled ? "task_cancelled" : nil))
    #expect(code { _ = try TaskCompletionRules.isChangedByWithdrawing(state, isConfirmed: true) } == codes[state])
  }

  @Test(
    "A task's due day may be from the day before its creation until ten years later",
    arguments: [
      ("2026-11-20", true), ("2026-11-19", false), ("2026-11-21", true), ("2036-11-21", true), ("2036-11-22", false),
      ("9999-12-31", false), ("0001-01-01", false),
    ])
  func due(day: String, isAllowed: Bool) throws {
    let now = try Instant(text: "2026-11-21T00:00:00.000Z")
    let rule = TaskRules.brokenRule(ofDueDay: try LocalDay(text: day), createdAt: now, now: now)
    #expect((rule == nil) == isAllowed)
    if let rule { #expect(rule.code == "due_day_out_of_range") }
    #expect(TaskRules.brokenRule(ofDueDay: nil, createdAt: now, now: now) == nil)
    // One that is edited later may still begin where it did, and lies ten years ahead of then.
    let later = try Instant(text: "2027-11-21T23:59:59.000Z")
    #expect(TaskRules.brokenRule(ofDueDay: try LocalDay(text: "2026-11-20"), createdAt: now, now: later) == nil)
    #expect(TaskRules.brokenRule(ofDueDay: try LocalDay(text: "2037-11-20"), createdAt: now, now: later) == nil)
  }

  @Test("A task is completed when all participants have confirmed it, and never without participants")
  func completed() {
    #expect(TaskRules.isCompleted(participants: 1, confirmed: 1) && TaskRules.isCompleted(participants: 50, confirmed: 50))
    #expect(!TaskRules.isCompleted(participants: 2, confirmed: 1) && !TaskRules.isCompleted(participants: 0, confirmed: 0))
  }

  @Test("Reducing an account's bytes is always allowed, however full its space is")
  func space() throws {
    let rules = TaskRules(bytesPerAccount: 1 << 20)
    try rules.checkSpace(stored: 1 << 20, adding: -1)
    try rules.checkSpace(stored: (1 << 20) - 1, adding: 1)
    #expect(throws: Failure.self) { try rules.checkSpace(stored: 1 << 20, adding: 1) }
  }

  @Test(
    "A task's name has 1 to 100 characters on one line",
    arguments: [
      ("Paint", nil), ("", "empty"), (" \n", "empty"), ("two\nlines", "control_character"),
      (String(repeating: "ñ", count: 100), nil), (String(repeating: "x", count: 101), "too_long"),
      (String(repeating: "a" + String(repeating: "\u{0301}", count: 10), count: 100), "too_many_bytes"),
    ] as [(String, String?)])
  func names(text: String, rule: String?) {
    do throws(FieldRule) {
      _ = try TaskName(text: text)
      #expect(rule == nil)
    } catch {
      #expect(error.code == rule)
    }
  }

  @Test(
    "A task's description has up to 2,000 characters on any number of lines, and may be empty",
    arguments: [
      ("", nil), ("  ", nil), ("two\nlines\tand a tab", nil), (String(repeating: "x", count: 2000), nil),
      (String(repeating: "x", count: 2001), "too_long"), ("a\u{0000}", "control_character"),
    ] as [(String, String?)])
  func descriptions(text: String, rule: String?) {
    do throws(FieldRule) {
      _ = try TaskDescription(text: text)
      #expect(rule == nil)
    } catch {
      #expect(error.code == rule)
    }
  }
}
