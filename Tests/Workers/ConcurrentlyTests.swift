import Foundation
import Operations
import Synchronization
import Testing

@testable import Workers

@Suite("Two things at the same time")
struct ConcurrentlyTests {
  private struct Fault: Error, Equatable { let name: String }

  @Test("Both run at the same time, and both results are returned", .timeLimit(.minutes(1)))
  func both() async {
    let (begun, signal) = AsyncStream<Void>.makeStream()
    let (answered, answer) = AsyncStream<Int>.makeStream()
    let results = await concurrently({
      signal.yield()
      for await number in answered { return number }
      return 0
    }) {
      for await _ in begun { break }
      answer.yield(7)
      return "second"
    }
    #expect(results == (7, "second"))
  }

  @Test("A failure of the second cancels the first, which has ended when it is thrown", .timeLimit(.minutes(1)))
  func secondFails() async {
    let hasEnded = Atomic(false)
    await #expect(throws: Fault(name: "second")) {
      try await concurrently({
        defer { hasEnded.store(true, ordering: .relaxed) }
        try await Task.sleep(for: .seconds(3600))
      }) { throw Fault(name: "second") }
    }
    let firstHasEnded = hasEnded.load(ordering: .relaxed)
    #expect(firstHasEnded)
  }

  @Test("A failure of the first is thrown when the second has ended")
  func firstFails() async {
    var hasEnded = false
    await #expect(throws: Fault(name: "first")) {
      try await concurrently({ throw Fault(name: "first") }) {
        await Task.yield()
        hasEnded = true
      }
    }
    #expect(hasEnded)
  }

  @Test("Cancelling the caller cancels both", .timeLimit(.minutes(1)))
  func cancelled() async {
    let task = Task {
      await concurrently({ (try? await Task.sleep(for: .seconds(3600))) == nil }) {
        (try? await Task.sleep(for: .seconds(3600))) == nil
      }
    }
    task.cancel()
    #expect(await task.value == (true, true))
  }

  @Test("No program uses async let, whose tasks may end the process")
  func source() throws {
    let root = URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()
    var looked = 0
    for folder in ["Services", "Shared"] {
      let files = FileManager.default.enumerator(at: root.appendingPathComponent(folder), includingPropertiesForKeys: nil)
      for case let file as URL in try #require(files) where file.pathExtension == "swift" {
        looked += 1
        for (number, line) in try String(contentsOf: file, encoding: .utf8).split(at: "\n").enumerated() {
          let isCode = line.contains("async let ") && !line.contains("//")
          #expect(!isCode, "\(file.path):\(number + 1): see Concurrently.swift")
        }
      }
    }
    #expect(looked > 1000)
  }
}
