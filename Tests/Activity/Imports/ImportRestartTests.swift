import ActivityContract
import BuiltPrograms
import Foundation
import ImportFormats
import InProcess
import Operations
import ServiceKit
import Storage
import Testing

@testable import ActivityService

@Suite("Imports that are stopped")
struct ImportRestartTests {
  /// A file of many batches, with bad records among the good.
  private static func export(_ records: Int) -> (text: String, steps: Int, bad: Int) {
    var (lines, steps, bad): ([String], Int, Int) = ([], 0, 0)
    let start = 1_700_000_000
    for index in 0..<records {
      if index % 97 == 5 {
        lines.append(AppleHealthTests.record("StepCount", "count", "?"))
        bad += 1
      } else {
        let from = Instant(milliseconds: Int64(start + index * 600) * 1000).description.prefix(19).replacing("T", with: " ")
        let to = Instant(milliseconds: Int64(start + index * 600 + 590) * 1000).description.prefix(19).replacing("T", with: " ")
        lines.append(AppleHealthTests.record("StepCount", "count", "\(index % 500)", "\(from) +0000", "\(to) +0000"))
        steps += index % 500
      }
    }
    return (AppleHealthTests.export(lines.joined(separator: "\n")), steps, bad)
  }

  @Test("Imports stopped at any record continue as if they had never been stopped")
  func everyPosition() throws {
    let file = try TemporaryFile("export.xml", Self.export(300).text)
    let all = try file.read().records.map(Self.text)
    for position in 0...300 {
      let reader = try file.file.reader(.appleHealth, person: nil)
      var rest: [String] = []
      var skipped = 0
      while let records = try reader.next(maximum: 1 + position % 50) {
        let some = records.dropFirst(min(position - skipped, records.count))
        skipped += records.count - some.count
        rest += some.map(Self.text)
      }
      #expect(rest == Array(all.dropFirst(position)))
    }
  }

  private static func text(_ record: ImportedRecord) -> String {
    if case .sample(let sample) = record.content { "\(record.line) \(sample.id)" } else { "\(record.line) \(record.content)" }
  }

  @Test("Imports stopped between any two transactions, again and again, lose nothing and import nothing twice")
  func stops() async throws {
    let (text, steps, bad) = Self.export(600)
    let bytes = Array(text.utf8)
    try await ServicesInProcess.running([{ Activities.service($0) }]) { services in
      let ana = try await services.register()
      let store = services.store(of: .activity)
      let spool = ImportSpool(services.home, program: BuiltProgram.activity)
      let made = try await ana.upload("export.xml", bytes, chunk: 500_000)
      // Without the signal the service's own runner does not look: the test is the reader, and stops when it likes.
      try await store.write { try ImportStore.accept(made.id, as: .appleHealth, $0) }
      var random = SystemRandomNumberGenerator()
      var stops = 0
      while let row = try await store.read({ try ImportStore.next(in: $0) }) {
        let run = try #require(ImportRun(row, store, spool, AccountCalendars(), FairnessRules(Settings([:]))))
        let left = Int.random(in: 0...3, using: &random)
        let reading = Task {
          try await run.run(StopAfter(left).beat)
        }
        do {
          try await reading.value
        } catch is CancellationError {
          stops += 1
        }
        if stops > 60 { break }
      }
      let done = try await ana.end(of: made.id)
      #expect(done.state == .done && stops > 0)
      #expect(done.counts.accepted == 600 - bad && done.counts.repeated == 0 && done.counts.rejected == bad)
      #expect(try await ana.steps(from: "2023-11-01", days: 400) == steps)
    }
  }
}
