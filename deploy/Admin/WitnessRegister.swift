import ArgumentParser
import Crypto
import Foundation
import ServiceKit
import TransparencyLog

/// Runs a witness: somebody other than who runs the register, who cosigns its checkpoints as long as it only grows.
struct WitnessRegister: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "witness",
    abstract: "Cosign the checkpoints of registers, as long as they only grow (c2sp.org/tlog-witness).",
    discussion: "The first line that it prints is its own key, the second one its address.")

  @Option(help: "The name of the witness, such as witness.example/ana.") var name: String
  @Option(help: "The folder for its key and the last checkpoints, created if it is missing.") var folder: String
  @Option(help: "The key of a register that it watches (a verifier key).") var log: [String]
  @Option(help: "The address at which it listens.") var host = "127.0.0.1"
  @Option(help: "The port; 0 for any.") var port: UInt16 = 0

  func run() async throws {
    do {
      let seed = try Home(path: folder).secret("witness")
      let key = try CosigningKey(name: name, Curve25519.Signing.PrivateKey(rawRepresentation: seed))
      let store = try WitnessStore(folder: folder, key: key, logs: try log.map { try VerifierKey($0) })
      try WitnessServer(store: store).run(host: host, port: port) { port in
        // Whoever started it reads the lines at once.
        FileHandle.standardOutput.write(Data("\(key.verifierKey)\nhttp://\(host):\(port)\n".utf8))
      }
    } catch {
      throw Refusal(Admin.words(error))
    }
  }
}
