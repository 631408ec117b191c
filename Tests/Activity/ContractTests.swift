import ActivityContract
import ActivityService
import InProcess
import Operations
import Testing

@Suite("The contract of activity")
struct ContractTests {
  let words = Words(Contract.activity.words)

  @Test("The contract of activity has words for every category, rule, end of an import and problem of a row")
  func texts() {
    let categories = ActivityCategory.allCases.map { "category.\($0.rawValue)" }
    let rules = [
      "not_for_goal", "not_for_goal_kind", "undone_by_progress", "done_by_limit", "not_for_schedule", "too_precise",
      "exactly_one", "ends_before",
      "starts_after_entries",
      "ends_before_entries", "holds_after_end", "limit_exceeded", "no_such_nth",
      "repeated_source", "unknown_source", "not_for_tie",
      "bytes_out_of_range", "beyond_end", "other_bytes", "not_hexadecimal",
      "not_when_deleted", "nothing_changed", "not_a_client_id",
    ].map { "field.\($0)" }
    let ends = ImportEnd.allCases.map { "reason.import_\($0.rawValue)" }
    let problems = ImportProblemReason.allCases.map { "importProblem.\($0.rawValue)" }
    let hints = ImportFormat.allCases.map { "importHint.\($0.rawValue)" }
    let kinds =
      Goal.Kind.allCases.flatMap { ["goalKind.\($0.rawValue)", "goalProgress.\($0.rawValue)"] }
      + Schedule.Kind.allCases.map { "scheduleKind.\($0.rawValue)" }
    #expect(Set(ends + problems + hints + kinds).subtracting(words.keys(.english)) == [])
    #expect(Set(categories + rules).subtracting(words.keys(.english)) == [])
  }

  @Test("The contract of activity names kinds of goals and schedules in the reader's language")
  func kinds() {
    #expect(
      words.text("field.not_for_goal_kind", .spanish, ["kind": .text("check")])
        == "Este campo no es para un hito que es un simple sí o no.")
    #expect(
      words.text("field.not_for_schedule", .spanish, ["kind": .text("daily")])
        == "Una frecuencia de tipo «todos los días» no tiene este campo.")
    #expect(
      words.text("field.not_for_goal_kind", .english, ["kind": .text("quantity")])
        == "This field is not for a goal that is an amount, such as 5 km.")
  }

  @Test("No message of the contract of activity contains the code of a kind of goal", arguments: Language.allCases)
  func codes(language: Language) {
    for key in words.keys(language) where key.hasPrefix("field.") || key.hasPrefix("failure.") {
      #expect(words.text(key, language, ["kind": .text("check")])?.contains("quantity") != true, "\(key)")
    }
  }
}
