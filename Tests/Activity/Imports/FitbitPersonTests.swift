import ActivityContract
import ActivityService
import ImportFormats
import InProcess
import Operations
import Testing

@Suite("Choosing the person of a Fitbit file")
struct FitbitPersonTests {
  private static func rows(_ people: [String]) -> String {
    RowsTests.fitbit + people.enumerated().map { "\($1),3/12/2016 \($0 % 24):00,x,10\n" }.joined()
  }

  @Test("A Fitbit file without rows of the requested person fails, names the field, and lists the persons that it has")
  func unknown() async throws {
    try await ServicesInProcess.running([{ Activities.service($0) }]) { services in
      for (language, text) in [
        (Language.english, "the field 'person' names 1503960367, of whom it has no row; it has rows of 1503960366, 1624580081"),
        (
          .spanish, "el campo «person» nombra a 1503960367, de quien no tiene ninguna fila; tiene filas de 1503960366, 1624580081"
        ),
      ] {
        let ana = try await services.register(language: language)
        let file = Self.rows(["1503960366", "1503960366", "1624580081", "1503960366"]) + "bad row\n"
        let done = try await ana.importFile("hours.csv", file, person: "1503960367")
        #expect(done.state == .failed && done.reason == .unknownPerson && done.reasonText == text)
        #expect(done.people == ["1503960366", "1624580081"] && done.endedAt != nil)
        // What is wrong with single rows is said, too, and nothing breaks off.
        #expect(try await ana.problems(of: done.id) == ["6 badRow"])
        #expect(try await ana.steps() == 0)
        do {
          _ = try await ana.send(CompleteImport.self, .init(importID: done.id))
          Issue.record("it was completed again")
        } catch let failure as Failure {
          #expect(failure.code == "import_unusable" && failure.parameters["person"] == .text("1503960367"))
        }
        // Said rightly, also with blanks around it, they are taken.
        let again = try await ana.importFile("hours.csv", file, person: " 1624580081 ")
        #expect(again.state == .done && again.counts.accepted == 1 && again.people == nil)
      }
    }
  }

  @Test("The first twenty persons of a Fitbit file are named, each once and shortened, with a note if there are more")
  func many() async throws {
    let long = String(repeating: "x", count: 5000)
    for (count, isCut) in [(20, false), (21, true), (3000, true)] {
      let people = [long] + (1..<count).map { "person \($0)" }
      try await ServicesInProcess.running([{ Activities.service($0) }]) { services in
        let ana = try await services.register()
        let done = try await ana.importFile("hours.csv", Self.rows(people + people), person: "nobody")
        let named = [String(repeating: "x", count: 64)] + (1..<20).map { "person \($0)" }
        #expect(done.reason == .unknownPerson && done.people == named)
        #expect(done.reasonText?.hasSuffix(isCut ? "person 19, …" : "person 19") == true)
      }
    }
  }

  @Test("A Fitbit file without any rows is read without a fault")
  func empty() throws {
    let (records, fault) = try TemporaryFile("hours.csv", RowsTests.fitbit).read(person: "1")
    #expect(records.isEmpty && fault == nil)
  }

  @Test("A Fitbit file read on after a stop still knows the person from the rows before")
  func readOn() throws {
    let file = try TemporaryFile("hours.csv", Self.rows(["1", "2", "1", "3"]))
    let reader = try file.file.reader(.fitbitHours, person: "1")
    var count = 0
    while let records = try reader.next(maximum: 1) { count += records.count }
    #expect(count == 2)
  }
}
