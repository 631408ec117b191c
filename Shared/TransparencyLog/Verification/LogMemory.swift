/// What a monitor of a log remembers between two visits: its keys, the last verified checkpoint, the log's former names, and roots of
/// earlier sizes, by which a restore to before the checkpoint still cannot change older leaves.
///
/// The file form is lines of verifier keys, lines `name <origin>` and `root <size> <root>`, an empty line, and the checkpoint as a signed
/// note.
public struct LogMemory: Hashable, Sendable, CustomStringConvertible {
  /// The root of the log's first leaves.
  public struct SizedRoot: Hashable, Sendable {
    public let size: Int
    public let root: TreeHash

    public init(size: Int, root: TreeHash) {
      self.size = size
      self.root = root
    }
  }

  public var keys: [VerifierKey]
  public var note: SignedNote
  public var checkpoint: Checkpoint
  /// The log's names before the checkpoint's, from the first.
  public var formerOrigins: [String]
  /// Roots of smaller sizes, smallest first.
  public var earlier: [SizedRoot]

  public init(
    keys: [VerifierKey], note: SignedNote, checkpoint: Checkpoint, formerOrigins: [String] = [], earlier: [SizedRoot] = []
  ) {
    self.keys = keys
    self.note = note
    self.checkpoint = checkpoint
    self.formerOrigins = formerOrigins
    self.earlier = earlier
  }

  /// Memory of a single checkpoint, as from a notification.
  ///
  /// - Throws: ``LogFault``, also where none of the keys has signed it.
  public init(note: SignedNote, keys: [VerifierKey]) throws {
    let checkpoint = try Checkpoint(text: note.text)
    self.init(keys: try note.verify(by: keys), note: note, checkpoint: checkpoint)
  }

  /// Reads such a file, whose note one of its keys must have signed.
  ///
  /// - Throws: ``LogFault``.
  public init(parsing bytes: some Collection<UInt8>) throws {
    let fault = LogFault.malformed(.memory)
    var lines = LineReader(bytes)
    var (keys, names, roots) = ([VerifierKey](), [String](), [SizedRoot]())
    while true {
      let line = try lines.next(fault)
      if line.isEmpty { break }
      if line.starts(with: Self.name) {
        guard let name = String(validating: line.dropFirst(Self.name.count), as: UTF8.self) else { throw fault }
        names.append(name)
      } else if line.starts(with: Self.root) {
        let parts = line.dropFirst(Self.root.count).split(separator: UInt8(ascii: " "), omittingEmptySubsequences: false)
        guard parts.count == 2, let size = DecimalNumber.value(parts[0]), let root = try? TreeHash(base64: parts[1]) else {
          throw fault
        }
        roots.append(SizedRoot(size: size, root: root))
      } else {
        keys.append(try VerifierKey(String(decoding: line, as: UTF8.self)))
      }
    }
    let note = try SignedNote(parsing: lines.rest)
    try note.verify(by: keys)
    self.init(
      keys: keys, note: note, checkpoint: try Checkpoint(text: note.text), formerOrigins: names, earlier: roots)
  }

  private static let name = Array("name ".utf8)
  private static let root = Array("root ".utf8)

  public var description: String {
    keys.map { "\($0)\n" }.joined() + formerOrigins.map { "name \($0)\n" }.joined()
      + earlier.map { "root \($0.size) \($0.root)\n" }.joined() + "\n" + note.description
  }

  /// All names that the log has had, from the first to the checkpoint's.
  var origins: [String] { formerOrigins + [checkpoint.origin] }

  /// All roots that are known, the checkpoint's last.
  var roots: [SizedRoot] { earlier + [SizedRoot(size: checkpoint.size, root: checkpoint.root)] }

  /// The sizes whose roots are remembered with a checkpoint: so few that they fit into lines of a file, and so dense towards its end that
  /// of a log that lost its last leaves all is compared but about twice as many before them.
  static func earlierSizes(of size: Int) -> Set<Int> {
    var sizes: Set<Int> = []
    for level in 0..<Int.bitWidth - 1 {
      let last = (size >> level) << level
      guard last > 0 else { break }
      sizes.formUnion([last, last - (1 << level)])
    }
    return sizes.subtracting([0, size])
  }
}
