import ActivityContract
import ActivityService
import InProcess
import Operations
import Testing

@Suite("The plannable days, from 1970-01-01 to 2199-12-31")
struct PlannableDayTests {
  /// The faults that an operation finds in a body, each as `field rule minimum maximum`.
  private static func faults<O: Operations.Operation>(_ operation: O.Type, _ body: String) -> [String] {
    let problems: [FieldProblem]
    do throws(Failure) {
      // A form is handed on together with what is wrong with it.
      problems = (try O.Input.decode(Array(body.utf8)) as? any Form)?.found.with([]) ?? []
    } catch {
      problems = error.fields
    }
    return problems.map {
      "\($0.field) \($0.code) \($0.parameters["min"] ?? .text("-")) \($0.parameters["max"] ?? .text("-"))"
    }
  }

  private static func fault(_ field: String) -> String {
    "\(field) out_of_range \(Parameter.text("1970-01-01")) \(Parameter.text("2199-12-31"))"
  }

  private static let activity = "\"activityID\":\"\(ActivityID.placeholder)\""

  /// Every operation that takes days, with its fields that name them and what else it asks for.
  private static let operations: [(any Operations.Operation.Type, [String], String)] = [
    (GetDay.self, ["day"], ""), (GetCalendar.self, ["day"], activity), (GetSeries.self, ["day"], activity),
    (CreateEntry.self, ["day"], "\(activity),\"isDone\":true"), (RecordEntry.self, ["day"], "\(activity),\"isDone\":true"),
    (IncrementEntry.self, ["day"], "\(activity),\"amount\":1"),
    (GetEntry.self, ["day"], activity), (UpdateEntry.self, ["day"], activity), (DeleteEntry.self, ["day"], activity),
    (UndoEntry.self, ["day"], activity), (ListEntryChanges.self, ["day"], activity),
    (DeleteEntryChanges.self, ["day"], activity), (PutEntryPhoto.self, ["day"], "\(activity),\"content\":\"AA==\""),
    (GetEntryPhoto.self, ["day"], activity), (DeleteEntryPhoto.self, ["day"], activity), (CreateSkip.self, ["day"], activity),
    (DeleteSkip.self, ["day"], activity), (CreatePause.self, ["firstDay", "lastDay"], activity),
    (UpdatePause.self, ["firstDay", "lastDay"], "\(activity),\"pauseID\":\"\(PauseID.placeholder)\""),
    (
      CreateActivity.self, ["startDay", "endDay"],
      #""title":"Walk","category":"fitness","goal":{"kind":"check"},"schedule":{"kind":"daily"}"#
    ),
    (UpdateActivity.self, ["startDay", "endDay"], activity), (ListHistory.self, ["from", "to"], ""),
    (ListHistoryPoints.self, ["from", "to"], ""), (ListMovementDays.self, ["from", "to"], ""),
  ]

  @Test("Operations accept only days from 1970-01-01 to 2199-12-31, and name field, rule and bounds otherwise")
  func everywhere() {
    for (operation, fields, others) in PlannableDayTests.operations {
      for day in ["1969-12-31", "0001-01-01", "2200-01-01", "9999-12-31"] {
        let days = fields.map { "\"\($0)\":\"\(day)\"" } + [others].filter { !$0.isEmpty }
        let faults = PlannableDayTests.faults(operation, "{\(days.joined(separator: ","))}")
        #expect(faults == fields.map(PlannableDayTests.fault), "\(operation) \(day)")
      }
      for day in ["1970-01-01", "2199-12-31"] {
        let days = fields.map { "\"\($0)\":\"\(day)\"" } + [others].filter { !$0.isEmpty }
        #expect(PlannableDayTests.faults(operation, "{\(days.joined(separator: ","))}") == [], "\(operation) \(day)")
      }
    }
  }

  @Test("The check of plannable days covers every client operation with a day among its fields")
  func complete() {
    func hasDay<O: Operations.Operation>(_ operation: O.Type) -> Bool {
      var schemas = Schemas()
      _ = schemas.reference(to: O.Input.self)
      guard let schema = schemas.components.first(where: { $0.name == O.Input.schemaName })?.schema,
        case .object(let properties) = schema["properties"]
      else { return false }
      return properties.contains { ["day", "from", "to"].contains($0.name) || $0.name.hasSuffix("Day") }
    }
    let withDays = Contract.activity.operations.filter { $0.spec.route != nil && hasDay($0) }.map { $0.spec.name }
    #expect(Set(withDays) == Set(PlannableDayTests.operations.map { $0.0.spec.name }))
  }

  @Test("The list of a month outside 1970 to 2199 is refused; the first and the last day are shown")
  func lists() async throws {
    try await ServicesInProcess.running([{ Activities.service($0) }]) { services in
      let ana = try await services.register()
      _ = try await ana.makeActivity(schedule: .timesAWeek(3), startDay: "1970-01-01")
      for text in ["1970-01-01", "1970-01", "2199-12-31", "2199-12"] {
        #expect(try await ana.send(GetDay.self, .init(day: ListedDay(text: text))).activities.count == 1, "\(text)")
      }
      for text in ["2200-01", "1969-12", "9999-12"] {
        #expect(throws: FieldRule("out_of_range", ["min": .text("1970-01-01"), "max": .text("2199-12-31")])) {
          try ListedDay(text: text)
        }
      }
      #expect(throws: FieldRule("not_a_day_or_month")) { try ListedDay(text: "2199-13") }
    }
  }
}
