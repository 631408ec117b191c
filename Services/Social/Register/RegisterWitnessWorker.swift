import Logging
import Operations
import ServiceKit
import ServiceLifecycle
import SocialContract
import Storage
import TransparencyLog
import Web

/// Asks a witness repeatedly to cosign the last checkpoint, and stores its cosignature with the log's signatures. An unavailable or
/// refusing witness delays nothing.
struct RegisterWitnessWorker: Service {
  let store: Store
  let witness: RegisterWitnesses.One
  let logger: Logger

  private static let pause = Duration.seconds(1)
  private static let pauseAfterFailure = Duration.seconds(30)

  func run() async throws {
    try await cancelWhenGracefulShutdown {
      // The size that the witness last cosigned; the witness corrects it if it is wrong.
      var known = 0
      while !Task.isCancelled {
        do {
          known = try await ask(knowing: known)
          try await Task.sleep(for: Self.pause)
        } catch let failure as WebRequest.Unreachable {
          logger.warning(
            "a witness cannot be reached", metadata: ["witness": .string(witness.key.name), "reason": .string(failure.reason)])
          try await Task.sleep(for: Self.pauseAfterFailure)
        } catch let refusal as RegisterWitnessRefusal {
          logger.error(
            "a witness did not cosign", metadata: ["witness": .string(witness.key.name), "reason": .string("\(refusal)")])
          try await Task.sleep(for: Self.pauseAfterFailure)
        }
      }
    }
  }

  /// Asks for a cosignature of the last checkpoint, unless it has one.
  ///
  /// - Returns: the size that the witness knows then.
  func ask(knowing size: Int) async throws -> Int {
    guard let last = try await store.read({ try RegisterTileStore.last($0) }) else { return size }
    let note = try SignedNote(parsing: Array(last.note.utf8))
    guard !note.signatures.contains(where: { $0.keyID == witness.key.keyID && $0.name == witness.key.name }) else { return size }
    var old = min(size, last.size)
    for _ in 0..<2 {
      let answer = try await WebRequest(
        "\(witness.url)/add-checkpoint", posting: Array(try await request(from: old, last, note).description.utf8),
        maxBytes: 100_000
      ).send()
      switch answer.status {
      case 200:
        try await keep(answer.body, note, of: last)
        return last.size
      case 409:
        let text = String(decoding: answer.body, as: UTF8.self)
        guard let said = Int(text.prefix { $0 != "\n" }), 0...last.size ~= said else {
          throw RegisterWitnessRefusal.hasAnotherSize(text)
        }
        old = said
      default: throw RegisterWitnessRefusal.status(answer.status)
      }
    }
    return old
  }

  private func request(from old: Int, _ last: RegisterTileStore.Signed, _ note: SignedNote) async throws -> WitnessRequest {
    let proof = try await store.read { database in
      try ConsistencyProof(from: old, to: last.size, reading: RegisterTileStore.tree(of: last.size, in: database))
    }
    return WitnessRequest(oldSize: old, consistency: proof, note: note)
  }

  /// Keeps the witness's cosignature, if it is one of this checkpoint.
  private func keep(_ lines: [UInt8], _ note: SignedNote, of last: RegisterTileStore.Signed) async throws {
    let said = try? SignedNote(parsing: Array((note.text + "\n").utf8) + lines)
    let own = (said?.signatures ?? []).filter { $0.keyID == witness.key.keyID && $0.name == witness.key.name }
    guard let cosignature = own.first,
      (try? SignedNote(text: note.text, signatures: [cosignature]).verify(by: [witness.key])) != nil
    else { throw RegisterWitnessRefusal.noCosignature }
    try await store.write { try RegisterTileStore.add(cosignature.description, to: last, $0) }
  }
}

/// Why a witness is of no use at the moment.
enum RegisterWitnessRefusal: Error, Hashable {
  case status(Int)
  case hasAnotherSize(String)
  case noCosignature
}
