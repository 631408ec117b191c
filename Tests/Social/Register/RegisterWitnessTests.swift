import BuiltPrograms
import Crypto
import Foundation
import InProcess
import Logging
import Operations
import ServiceKit
import SocialContract
import Storage
import Testing
import TransparencyLog
import Web

@testable import SocialService

@Suite("Witnesses of the register (TASK-9)", .timeLimit(.minutes(2)))
struct RegisterWitnessTests {
  /// Why a witness said neither key nor address.
  private struct NotRunning: Error {}

  /// A witness as others run it, `racha-admin register witness`, that watches one log.
  private final class RunningWitness {
    let url: String
    let key: VerifierKey
    private let process = Process()

    init(folder: String, watching log: VerifierKey) throws {
      process.executableURL = URL(filePath: BuiltProgram.path("racha-admin"))
      process.arguments = [
        "register", "witness", "--name", "witness.example/w1", "--folder", folder, "--log", log.description, "--port", "0",
      ]
      let output = Pipe()
      process.standardOutput = output
      try process.run()
      var said = ""
      while said.split(separator: "\n").count < 2 {
        let piece = output.fileHandleForReading.availableData
        guard !piece.isEmpty else { break }
        said += String(decoding: piece, as: UTF8.self)
      }
      let lines = said.split(separator: "\n").map(String.init)
      guard lines.count == 2 else { throw NotRunning() }
      key = try VerifierKey(lines[0])
      url = lines[1]
    }

    func stop() {
      process.terminate()
      process.waitUntilExit()
    }
  }

  private func run(
    _ home: String, _ witness: RunningWitness, leaves: Int, _ body: @escaping (ServicesInProcess) async throws -> Void
  ) async throws {
    let settings = ["racha.register.witnesses": "\(witness.url) \(witness.key)"]
    try await ServicesInProcess.running([{ Social.service($0) }], settings: settings, home: home) { services in
      try await services.store(of: .social).write { transaction in
        for _ in 0..<leaves { try RegisterStore.append(.completion(.confirmed, of: ID(), by: AccountID()), transaction) }
      }
      try await body(services)
    }
  }

  @Test("A witness cosigns only a growing register, also after a restart of both, and not one that was begun again")
  func cosigned() async throws {
    let folder = "/tmp/racha-in-register-\(UInt64.random(in: .min ... .max))"
    defer { try? FileManager.default.removeItem(atPath: folder) }
    let home = Home(path: "\(folder)/home")
    let seed = try home.secret("register")
    let log = try SigningKey(
      name: "127.0.0.1:8080/register", Curve25519.Signing.PrivateKey(rawRepresentation: seed)
    ).verifierKey
    var witness = try RunningWitness(folder: "\(folder)/witness", watching: log)
    try await run(home.path, witness, leaves: 300) { services in
      let note = try await services.registered(300, signers: 2).note
      #expect(try note.verify(by: [log, witness.key]) == [log, witness.key])
    }
    witness.stop()
    witness = try RunningWitness(folder: "\(folder)/witness", watching: log)
    defer { witness.stop() }
    try await run(home.path, witness, leaves: 50) { services in
      let checkpoint = try await services.registered(350, signers: 2).checkpoint
      #expect(checkpoint.size == 350)
    }
    for file in ["", "-wal", "-shm"] { try? FileManager.default.removeItem(atPath: "\(home.stores)/social.sqlite\(file)") }
    try await run(home.path, witness, leaves: 400) { services in
      _ = try await services.registered(400)
      let store = services.store(of: .social)
      let worker = RegisterWitnessWorker(
        store: store, witness: .init(url: witness.url, key: witness.key), logger: .init(label: "test"))
      await #expect(throws: RegisterWitnessRefusal.status(422)) { _ = try await worker.ask(knowing: 0) }
      let hash = SHA256.hash(data: Data("127.0.0.1:8080/register".utf8)).map {
        String($0 >> 4, radix: 16) + String($0 & 15, radix: 16)
      }
      let kept = try await WebRequest("\(witness.url)/\(hash.joined())/checkpoint").send()
      #expect(try Checkpoint(text: SignedNote(parsing: kept.body).text).size == 350)
    }
  }

  @Test("Invalid requests do not change a witness")
  func nonsense() async throws {
    let folder = "/tmp/racha-in-register-\(UInt64.random(in: .min ... .max))"
    defer { try? FileManager.default.removeItem(atPath: folder) }
    let log = try SigningKey(name: "racha.example/register", Curve25519.Signing.PrivateKey()).verifierKey
    let witness = try RunningWitness(folder: folder, watching: log)
    defer { witness.stop() }
    for body in [[], [0], Array("old 0\n\n".utf8), Array(repeating: UInt8(ascii: "a"), count: 100_000)] {
      #expect(try await WebRequest("\(witness.url)/add-checkpoint", posting: body).send().status == 400)
    }
    for path in ["", "/checkpoint", "/../checkpoint", "/witness/checkpoint", "/\(String(repeating: "0", count: 64))/checkpoint"] {
      #expect(try await WebRequest(witness.url + path).send().status == 404)
    }
  }

  @Test("A witness with unreadable memory cosigns nothing, and none starts while another one runs")
  func memory() async throws {
    let folder = "/tmp/racha-in-register-\(UInt64.random(in: .min ... .max))"
    defer { try? FileManager.default.removeItem(atPath: folder) }
    let key = try SigningKey(name: "racha.example/register", Curve25519.Signing.PrivateKey())
    let witness = try RunningWitness(folder: folder, watching: key.verifierKey)
    defer { witness.stop() }
    let note = try Checkpoint(origin: "racha.example/register", size: 1, root: .leaf([])).signed(by: [key])
    let request = Array(WitnessRequest(oldSize: 0, consistency: ConsistencyProof([]), note: note).description.utf8)
    let hash = SHA256.hash(data: Data("racha.example/register".utf8)).map {
      String($0 >> 4, radix: 16) + String($0 & 15, radix: 16)
    }
    let file = "\(folder)/\(hash.joined())"
    // A folder is nothing that can be read, whoever asks.
    try FileManager.default.createDirectory(atPath: file, withIntermediateDirectories: false)
    #expect(try await WebRequest("\(witness.url)/add-checkpoint", posting: request).send().status == 500)
    try FileManager.default.removeItem(atPath: file)
    #expect(try await WebRequest("\(witness.url)/add-checkpoint", posting: request).send().status == 200)
    #expect(throws: NotRunning.self) { try RunningWitness(folder: folder, watching: key.verifierKey).stop() }
  }

  @Test(
    "Settings that are not witnesses are refused by name",
    arguments: [
      "http://127.0.0.1:1", "ftp://a b", "http://a b",
      "http://a example.com/foo+530d903a+AekyeRrm56hApGFkyQR4ZCbV54Id2LKaANYcrnKv3U2k",
    ])
  func settings(_ value: String) {
    let settings = Settings([RegisterWitnesses.setting: value])
    #expect(RegisterWitnesses(settings).all.isEmpty)
    #expect(throws: Settings.Invalid.self) { try settings.check() }
  }
}
