import ActivityContract
import ActivityService
import BuiltPrograms
import Foundation
import ImportFormats
import InProcess
import Operations
import Sampling
import Testing

@Suite("Files that are slow to identify", .timeLimit(.minutes(2)))
struct ImportInspectionTests {
  /// White space that could be an export, again and again, with so much noise that it is no bomb.
  private static let zip = Result {
    var generator = SeededGenerator(3)
    let noise = (0..<128).flatMap { _ in withUnsafeBytes(of: generator.next(), Array.init) }
    let entry = [UInt8](repeating: 0x20, count: 1 << 16) + noise
    return try Zip.archive((0..<150).map { ("\($0).xml", entry) })
  }

  @Test("A file that is slow to identify is read once however often it is completed, while other accounts' files are imported")
  func once() async throws {
    let zip = try Self.zip.get()
    try await ServicesInProcess.running([{ Activities.service($0) }]) { services in
      let (ana, ben) = (try await services.register(), try await services.register())
      @Sendable func complete(_ made: Import) async throws -> String {
        do {
          _ = try await ana.send(CompleteImport.self, .init(importID: made.id))
          return "taken"
        } catch let failure as Failure {
          return failure.parameters["reason"]?.description ?? failure.code
        }
      }
      let first = try await ana.upload("a.zip", zip, chunk: UploadImportChunk.Input.maxBytes)
      var start = ContinuousClock.now
      #expect(try await complete(first) == "import_noExport")
      let one = ContinuousClock.now - start
      // One after the other, as they are an account's: the last waits for all of them, however fast this machine is.
      var others: [Import] = []
      for _ in 0..<3 { others.append(try await ana.upload("a.zip", zip, chunk: UploadImportChunk.Input.maxBytes)) }
      start = ContinuousClock.now
      try await withThrowingTaskGroup(of: (answer: String, end: ContinuousClock.Instant).self) { group in
        for other in others {
          for _ in 0..<12 { group.addTask { (try await complete(other), ContinuousClock.now) } }
        }
        let done = try await ben.importFile("small.csv", RowsTests.fitbit + "1,3/12/2016 0:00,x,7\n")
        let end = ContinuousClock.now
        #expect(done.state == .done)
        var last = end
        for try await completion in group {
          #expect(completion.answer == "import_noExport")
          last = max(last, completion.end)
        }
        #expect(end < last)
      }
      let forty = ContinuousClock.now - start
      #expect(forty < one * 12, "\(forty), \(one)")
    }
  }

  @Test(
    "Cancelling a file that is slow to identify ends the decoder and answers the waiting caller within a second")
  func cancelled() async throws {
    let zip = try Self.zip.get()
    try await ServicesInProcess.running([{ Activities.service($0) }]) { services in
      let ana = try await services.register()
      let made = try await ana.upload("a.zip", zip, chunk: UploadImportChunk.Input.maxBytes)
      let before = BuiltProgram.decoders()
      async let answer = ana.failure(CompleteImport.self, .init(importID: made.id))
      var decoders: Set<Int32> = []
      while decoders.isEmpty {
        decoders = BuiltProgram.decoders().subtracting(before)
        await Task.yield()
      }
      let start = ContinuousClock.now
      _ = try await ana.send(CancelImport.self, .init(importID: made.id))
      #expect(try await answer == "import_not_uploading")
      let time = ContinuousClock.now - start
      #expect(time < .seconds(1), "\(time)")
      #expect(BuiltProgram.decoders().isDisjoint(with: decoders))
      #expect(try await ana.areFilesGone(from: services.home))
      #expect(try await ana.send(GetImport.self, .init(importID: made.id)).state == .cancelled)
    }
  }

  @Test("An archive is identified by no more than a thousand entries, which together unpack to a bounded size")
  func bounds() throws {
    for (count, fault) in [(1000, FormatFault.noExport), (1001, .tooLarge)] {
      let many = try Zip.archive((0..<count).map { ("\($0).xml", [0x20, 0x20]) }, options: "zip:compression=store")
      #expect(throws: fault) { try TemporaryFile("a.zip", many).file.format() }
    }
    // Each for itself is so small that how much it swells does not matter.
    let blank = [UInt8](repeating: 0x20, count: 1 << 20)
    let bomb = try Zip.archive((0..<24).map { ("\($0).bin", blank) }, isStreamed: true)
    #expect(throws: FormatFault.tooLarge) { try TemporaryFile("a.zip", bomb).file.format() }
  }
}
