/// What whoever watches a log remembers of it between two visits: its keys and the last checkpoint that was verified. As a file it is
/// lines of verifier keys, an empty line, and the checkpoint as a signed note.
public struct LogMemory: Hashable, Sendable, CustomStringConvertible {
  public var keys: [VerifierKey]
  public var note: SignedNote
  public var checkpoint: Checkpoint

  public init(keys: [VerifierKey], note: SignedNote, checkpoint: Checkpoint) {
    self.keys = keys
    self.note = note
    self.checkpoint = checkpoint
  }

  /// Reads such a file, whose note one of its keys must have signed.
  ///
  /// - Throws: ``LogFault``.
  public init(parsing bytes: some Collection<UInt8>) throws {
    var lines = LineReader(bytes)
    var keys: [VerifierKey] = []
    while true {
      let line = try lines.next(.malformed(.memory))
      if line.isEmpty { break }
      keys.append(try VerifierKey(String(decoding: line, as: UTF8.self)))
    }
    let note = try SignedNote(parsing: lines.rest)
    try note.verify(by: keys)
    self.init(keys: keys, note: note, checkpoint: try Checkpoint(text: note.text))
  }

  public var description: String { keys.map { "\($0)\n" }.joined() + "\n" + note.description }
}
