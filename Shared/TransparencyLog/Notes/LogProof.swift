/// Proof that an entry is in a log, in one text that is checked offline: the `.tlog-proof` file (c2sp.org/tlog-proof).
public struct LogProof: Hashable, Sendable, CustomStringConvertible {
  /// Additional data for the reader, which nothing vouches for.
  public let extra: [UInt8]?
  /// Which entry, from 0.
  public let index: Int
  public let inclusion: InclusionProof
  /// The checkpoint of the tree that has it.
  public let note: SignedNote

  public init(extra: [UInt8]? = nil, index: Int, inclusion: InclusionProof, note: SignedNote) {
    self.extra = extra
    self.index = index
    self.inclusion = inclusion
    self.note = note
  }

  /// Reads a `.tlog-proof` file.
  ///
  /// - Throws: ``LogFault/malformed(_:)``.
  public init(parsing bytes: some Collection<UInt8>) throws {
    let fault = LogFault.malformed(.proof)
    var lines = LineReader(bytes)
    guard try lines.next(fault) == Self.header else { throw fault }
    var line = try lines.next(fault)
    if line.starts(with: "extra ".utf8) {
      guard let extra = Base64.bytes(line.dropFirst(6)) else { throw fault }
      self.extra = extra
      line = try lines.next(fault)
    } else {
      extra = nil
    }
    guard line.starts(with: "index ".utf8), let index = DecimalNumber.value(line.dropFirst(6)) else { throw fault }
    self.index = index
    inclusion = InclusionProof(try lines.hashes(fault))
    note = try SignedNote(parsing: lines.rest)
  }

  private static let header = Array("c2sp.org/tlog-proof@v1".utf8)

  public var description: String {
    let extra = extra.map { "extra \(Base64.text($0))\n" } ?? ""
    let hashes = inclusion.hashes.map { "\($0)\n" }.joined()
    return "c2sp.org/tlog-proof@v1\n\(extra)index \(index)\n\(hashes)\n\(note)"
  }

  /// Checks the whole proof offline: origin, signature, and the path from the entry to the root.
  ///
  /// - Parameters:
  ///   - entry: the leaf's bytes.
  ///   - origin: the origin of the log.
  ///   - keys: the keys of the log.
  /// - Returns: the checkpoint.
  /// - Throws: ``LogFault``.
  @discardableResult
  public func verify(_ entry: [UInt8], origin: String, by keys: [VerifierKey]) throws -> Checkpoint {
    let checkpoint = try Checkpoint(text: note.text)
    guard KeyName.isSame(checkpoint.origin, origin) else { throw LogFault.notSigned }
    try note.verify(by: keys)
    try inclusion.verify(.leaf(entry), at: index, in: checkpoint.size, root: checkpoint.root)
    return checkpoint
  }
}
