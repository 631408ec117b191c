/// A log's request to a witness to cosign a checkpoint (c2sp.org/tlog-witness, “add-checkpoint”).
public struct WitnessRequest: Hashable, Sendable, CustomStringConvertible {
  /// The size of the checkpoint that the witness cosigned last.
  public let oldSize: Int
  public let consistency: ConsistencyProof
  public let note: SignedNote

  public init(oldSize: Int, consistency: ConsistencyProof, note: SignedNote) {
    self.oldSize = oldSize
    self.consistency = consistency
    self.note = note
  }

  /// Reads the body of a request.
  ///
  /// - Throws: ``LogFault/malformed(_:)``.
  public init(parsing bytes: some Collection<UInt8>) throws {
    let fault = LogFault.malformed(.witnessRequest)
    var lines = LineReader(bytes)
    let line = try lines.next(fault)
    guard line.starts(with: "old ".utf8), let oldSize = DecimalNumber.value(line.dropFirst(4)) else { throw fault }
    self.oldSize = oldSize
    consistency = ConsistencyProof(try lines.hashes(fault))
    note = try SignedNote(parsing: lines.rest)
  }

  public var description: String {
    "old \(oldSize)\n" + consistency.hashes.map { "\($0)\n" }.joined() + "\n" + note.description
  }
}
