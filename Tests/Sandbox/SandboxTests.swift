import BuiltPrograms
import Foundation
import Glibc
import Logging
import Testing

@testable import Sandbox

/// The contract of the probe's decoder, which does what it is asked to.
private struct Intruder: SandboxedDecoder {
  static let name = "intruder"
  static let bounds = DecoderBounds(
    maxMemoryBytes: 64 << 20, maxProcessorSeconds: 1, maxRequestBytes: 1 << 20, maxReplyBytes: 1 << 16)

  init(file: Int32?) {}
  static func prepare() {}
  func reply(to request: [UInt8]) -> [UInt8] { [] }
}

/// Whoever takes a decoder over by the bytes that it reads has a process that can compute, and nothing else.
@Suite("Compromised decoders", .timeLimit(.minutes(2)))
struct SandboxTests {
  private static let program = BuiltProgram.path("sandbox-probe")

  private static func start(file: Int32? = nil) throws -> DecoderProcess {
    try DecoderProcess(Intruder.self, program: program, file: file)
  }

  private static func ask(_ process: DecoderProcess, _ what: String, within time: Duration = .seconds(60)) throws -> String {
    String(decoding: try process.request(Array(what.utf8), within: time), as: UTF8.self)
  }

  @Test(
    "A compromised decoder can touch no file or limit, and survives trying",
    arguments: ["open a file", "make a file", "list a folder", "write to its file", "copy a descriptor", "raise its limits"])
  func refused(what: String) throws {
    let process = try Self.start()
    #expect(try Self.ask(process, what) == "refused")
    #expect(try Self.ask(process, "hello") == "hello")
    #expect(!FileManager.default.fileExists(atPath: "/tmp/racha-intruder"))
  }

  @Test(
    "A compromised decoder is ended when it tries to use the network, another process or its own code",
    arguments: ["reach the network", "reach a local socket", "start a program", "end its parent", "map code"])
  func ended(what: String) throws {
    let process = try Self.start()
    #expect(throws: DecoderFault.died(.signal(SIGSYS))) { try Self.ask(process, what) }
    #expect(process.processID == nil)
    // Nobody is asked who is gone.
    #expect(throws: DecoderFault.self) { try Self.ask(process, "hello") }
  }

  @Test("A decoder that uses too much memory or time is ended", arguments: ["take all memory", "take all time", "crash"])
  func bounded(what: String) throws {
    let process = try Self.start()
    do {
      Issue.record("\(try Self.ask(process, what))")
    } catch let fault as DecoderFault {
      guard case .died(.signal) = fault else { throw fault }
    }
  }

  @Test("A decoder has its connection and one file, and no other descriptor or environment of its parent")
  func surroundings() throws {
    let path = "/tmp/racha-sandbox-\(UInt64.random(in: .min ... .max))"
    defer { unlink(path) }
    try Data("what was sent".utf8).write(to: URL(fileURLWithPath: path))
    let file = open(path, O_RDONLY | O_CLOEXEC)
    // One that is not closed by itself when a program is started.
    let other = dup(file)
    defer {
      close(file)
      close(other)
    }
    setenv("RACHA_SECRET", "1", 1)
    let process = try Self.start(file: file)
    #expect(try Self.ask(process, "read its file") == "what was sent")
    #expect(try Self.ask(process, "environment") == "0")
    #expect(try Self.ask(process, "descriptors") == "0 1 2 3 4")
    #expect(try Self.ask(Self.start(), "descriptors") == "0 1 2 3")
  }

  @Test("A compromised decoder is ended if it does not answer in time, answers too much, or is no longer needed")
  func silent() async throws {
    let silent = try Self.start()
    #expect(throws: DecoderFault.timedOut) { try Self.ask(silent, "stay silent", within: .milliseconds(50)) }
    let talkative = try Self.start()
    #expect(throws: DecoderFault.malformed) { try Self.ask(talkative, "say too much") }
    let other = try Self.start()
    let asking = Task.detached { try Self.ask(other, "stay silent") }
    other.end()
    await #expect(throws: DecoderFault.ended) { try await asking.value }
  }

  @Test("A compromised decoder may end by itself with any status, and leaves no process behind")
  func exits() throws {
    let process = try Self.start()
    let id = try #require(process.processID)
    #expect(throws: DecoderFault.died(.status(7))) { try Self.ask(process, "end") }
    #expect(kill(id, 0) == -1 && errno == ESRCH)
    #expect(throws: DecoderFault.self) { _ = try DecoderProcess(Intruder.self, program: "/nowhere/at/all") }
    // One that ends before it is ready is not waited for.
    do throws(DecoderFault) {
      _ = try DecoderProcess(Intruder.self, program: "/bin/true")
      Issue.record("it cannot be ready")
    } catch {
      guard case .notStarted(let reason) = error else { throw error }
      #expect(reason.contains("died"))
    }
  }

  @Test("A compromised decoder ends with its service, however that ends")
  func orphans() async throws {
    let parent = Process()
    let output = Pipe()
    parent.executableURL = URL(fileURLWithPath: Self.program)
    parent.standardOutput = output
    try parent.run()
    let line = String(decoding: output.fileHandleForReading.availableData, as: UTF8.self)
    let decoder = try #require(Int32(line.trimmingCharacters(in: .newlines)))
    #expect(kill(decoder, 0) == 0)
    defer { if isRunning(decoder) { kill(decoder, SIGKILL) } }
    // By then it is at what it was asked for, which never ends: it does not notice the end of its connection.
    let deadline = ContinuousClock.now + .seconds(20)
    while let seconds = processorSeconds(decoder), seconds < 0.15, ContinuousClock.now < deadline { await Task.yield() }
    kill(parent.processIdentifier, SIGKILL)
    parent.waitUntilExit()
    // Whoever adopts it takes its end notice at some time; until then it is there as one that has ended.
    while isRunning(decoder), ContinuousClock.now < deadline { await Task.yield() }
    #expect(!isRunning(decoder))
  }

  /// The time of the processor that the process has taken (proc(5)); nil once it is gone.
  private func processorSeconds(_ process: Int32) -> Double? {
    guard let status = FileManager.default.contents(atPath: "/proc/\(process)/stat") else { return nil }
    let fields = String(decoding: status, as: UTF8.self).split(separator: " ")
    guard fields.count > 14, let user = Double(fields[13]), let system = Double(fields[14]) else { return nil }
    return (user + system) / Double(sysconf(Int32(_SC_CLK_TCK)))
  }

  private func isRunning(_ process: Int32) -> Bool {
    guard let status = FileManager.default.contents(atPath: "/proc/\(process)/stat") else { return false }
    return !String(decoding: status, as: UTF8.self).contains(") Z ")
  }

  @Test("A decoder kept for later requests is restarted if it has died, and a request survives one such death")
  func kept() throws {
    let decoder = KeptDecoder(
      Intruder.self, program: Self.program, logger: Logger(label: "test") { _ in SwiftLogNoOpLogHandler() })
    func ask(_ what: String) throws -> String {
      try decoder.request(Array(what.utf8), within: .seconds(60)) { reply in String(decoding: reply, as: UTF8.self) }
    }
    #expect(try ask("hello") == "hello")
    let first = try #require(decoder.processID)
    #expect(try ask("hello") == "hello" && decoder.processID == first)
    kill(first, SIGKILL)
    #expect(try ask("hello") == "hello")
    let second = try #require(decoder.processID)
    #expect(second != first)
    // What ends two of them ends no more.
    #expect(throws: DecoderFault.died(.signal(SIGSYS))) { try ask("reach the network") }
    #expect(decoder.processID == nil)
    #expect(try ask("hello") == "hello")
  }
}
