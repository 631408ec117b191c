import Crypto
import Testing
import TransparencyLog

@Suite("Cosigning by a witness")
struct WitnessTests {
  private func note(_ log: Operator, _ size: Int) throws -> (checkpoint: Checkpoint, note: SignedNote) {
    var tree = TiledTree()
    for entry in log.entries.prefix(size) { tree.append(entry) }
    let checkpoint = Checkpoint(origin: log.origin, size: size, root: tree.edge.root)
    return (checkpoint, try checkpoint.signed(by: [log.key]))
  }

  private func request(_ log: Operator, from old: Int, to size: Int) throws -> WitnessRequest {
    var tree = TiledTree()
    for entry in log.entries { tree.append(entry) }
    let proof = try ConsistencyProof(from: old, to: size, reading: tree.reader(log.entries.count))
    return WitnessRequest(oldSize: old, consistency: proof, note: try note(log, size).note)
  }

  private func answer(_ log: Operator, _ request: WitnessRequest, last: Checkpoint?) throws -> Witness.Refusal? {
    do {
      _ = try Witness.decide(
        Array(request.description.utf8), keys: { $0 == log.origin ? [log.key.verifierKey] : nil }, last: { _ in last })
      return nil
    } catch let refusal as Witness.Refusal {
      return refusal
    }
  }

  @Test(
    "A consistent checkpoint is cosigned, starting from nothing; other sizes, forks, foreign keys and nonsense are refused")
  func rules() throws {
    let log = Operator(300)
    let last = try note(log, 200).checkpoint
    #expect(try answer(log, request(log, from: 0, to: 200), last: nil) == nil)
    #expect(try answer(log, request(log, from: 200, to: 300), last: last) == nil)
    #expect(try answer(log, request(log, from: 200, to: 200), last: last) == nil)
    #expect(try answer(log, request(log, from: 0, to: 300), last: last) == .otherSize(200))
    #expect(try answer(log, request(log, from: 100, to: 150), last: last) == .otherSize(200))
    var fork = log
    fork.entries[3][0] ^= 1
    #expect(try answer(log, request(fork, from: 200, to: 300), last: last) == .inconsistent)
    #expect(try answer(log, request(fork, from: 200, to: 200), last: last) == .inconsistent)
    var foreign = log
    foreign.key = try SigningKey(name: log.origin, Curve25519.Signing.PrivateKey())
    #expect(try answer(log, request(foreign, from: 200, to: 300), last: last) == .notSigned)
    var unknown = log
    unknown.origin = "other.example"
    #expect(try answer(log, request(unknown, from: 200, to: 300), last: last) == .unknownOrigin)
    let old = WitnessRequest(oldSize: 301, consistency: ConsistencyProof([]), note: try note(log, 300).note)
    #expect(try answer(log, old, last: last) == .badRequest)
    let extra = WitnessRequest(oldSize: 0, consistency: ConsistencyProof([.empty]), note: try note(log, 300).note)
    #expect(try answer(log, extra, last: nil) == .inconsistent)
    let noTree = try Checkpoint(origin: log.origin, size: 0, root: .leaf([])).signed(by: [log.key])
    #expect(
      try answer(log, WitnessRequest(oldSize: 0, consistency: ConsistencyProof([]), note: noTree), last: nil) == .inconsistent)
    #expect(throws: Witness.Refusal.badRequest) { try Witness.decide([1, 2, 3], keys: { _ in nil }, last: { _ in nil }) }
    for refusal in [Witness.Refusal.otherSize(1), .inconsistent, .notSigned, .unknownOrigin, .badRequest] {
      #expect([409, 422, 403, 404, 400].contains(refusal.status))
    }
  }
}
