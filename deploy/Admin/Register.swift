import ArgumentParser
import Foundation
import Operations
import SocialContract
import TransparencyLog
import Web

/// Watches the register of a cluster, from wherever that is: what it needs is public.
struct Register: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "register", abstract: "Tools to watch a register, an append-only log.",
    subcommands: [VerifyRegister.self, WitnessRegister.self])
}

/// Verifies a register by its tiles alone.
struct VerifyRegister: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "verify",
    abstract: "Verify that a register is signed, that every leaf is in its tree, and that it has only grown since the last time.",
    discussion: """
      Exits with 0 if all is well, with 1 and a sentence if the register cannot be trusted, and with 2 if that could not be determined.
      """)

  @Argument(help: "The register's address, such as https://racha.example/register.") var url: String
  @Option(
    help: """
      A file with the keys and the checkpoint of the last time, or a single checkpoint, such as the one in a notification; it is written if \
      all is well.
      """)
  var checkpoint: String?
  @Option(
    help: "A key of the register (a verifier key of c2sp.org/signed-note); by default, at first, the keys that it lists itself."
  )
  var key: [String] = []

  func run() async throws {
    do {
      let report = try await verify()
      for continuation in report.continuations { print(continuation) }
      print(
        "\(report.memory.checkpoint.origin): \(report.memory.checkpoint.size) leaves, \(report.added) of them new; all is well.")
    } catch let finding as LogFinding {
      Self.say("\(finding)")
      throw ExitCode(1)
    } catch {
      Self.say(Admin.words(error))
      throw ExitCode(2)
    }
  }

  private func verify() async throws -> LogVerifier.Report {
    let address = RegisterAddress(url)
    var given = try key.map { try VerifierKey($0) }
    let kept = try checkpoint.flatMap { try KeptFile.read($0) }
    var memory = kept.flatMap { try? LogMemory(parsing: $0) }
    // What the register says of its keys is believed only by who has nothing else to go by: later it could be anybody's.
    if memory == nil, given.isEmpty { given = try await address.keys() }
    if memory == nil, let kept { memory = try Self.memory(ofNote: kept, given) }
    let report = try await LogVerifier(fetch: address.fetch).verify(since: memory, keys: given)
    if let checkpoint { try Data(report.memory.description.utf8).write(to: URL(filePath: checkpoint), options: .atomic) }
    return report
  }

  /// A checkpoint that was kept alone.
  private static func memory(ofNote kept: [UInt8], _ keys: [VerifierKey]) throws -> LogMemory {
    do {
      return try LogMemory(note: try SignedNote(parsing: kept), keys: keys)
    } catch LogFault.notSigned, LogFault.signatureFails {
      throw LogFinding.foreignKey
    } catch {
      throw Refusal("the checkpoint file is damaged: \(error)")
    }
  }

  private static func say(_ sentence: String) { FileHandle.standardError.write(Data("\(sentence)\n".utf8)) }
}

/// Where a register lies, and how it is read there.
struct RegisterAddress: Sendable {
  private let prefix: String

  init(_ url: String) { prefix = url.hasSuffix("/") ? String(url.dropLast()) : url }

  /// How long the same is asked for again where too much is asked: longer than a budget of calls takes to come back.
  private static let patience = Duration.seconds(120)

  /// What lies at a path; nil where there is nothing. Where too much is asked, it is asked again when it may be.
  @Sendable func fetch(_ path: String) async throws -> [UInt8]? {
    let start = ContinuousClock.now
    while true {
      // No bundle of entries is longer.
      let answer = try await WebRequest("\(prefix)/\(path)", maxBytes: Tile.fullWidth * (2 + EntryBundle.maxEntryBytes)).send()
      switch answer.status {
      case 200: return answer.body
      case 404: return nil
      case 429, 503:
        guard ContinuousClock.now - start < Self.patience else { fallthrough }
        try await Task.sleep(for: .seconds(1))
      default: throw Refusal("\(prefix)/\(path) was answered with \(answer.status)")
      }
    }
  }

  /// The keys that the register says itself.
  func keys() async throws -> [VerifierKey] {
    guard let body = try await fetch("keys") else { throw Refusal("\(prefix) says no keys") }
    return try ListRegisterKeys.Output.decode(body).keys.map { try VerifierKey($0) }
  }
}
