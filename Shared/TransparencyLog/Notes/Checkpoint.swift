/// A log's statement about itself at a size: the text of a note (c2sp.org/tlog-checkpoint).
public struct Checkpoint: Hashable, Sendable {
  /// Which log: a URL without its scheme, by convention.
  public let origin: String
  /// How many leaves the tree has.
  public let size: Int
  public let root: TreeHash
  /// Further lines, with a meaning only for those who know them.
  public let extensions: [String]

  public init(origin: String, size: Int, root: TreeHash, extensions: [String] = []) {
    self.origin = origin
    self.size = size
    self.root = root
    self.extensions = extensions
  }

  /// Reads the text of a note.
  ///
  /// - Throws: ``LogFault/malformed(_:)``.
  public init(text: String) throws {
    let lines = text.utf8.split(separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false)
    guard lines.count >= 4, lines[lines.count - 1].isEmpty, lines.dropLast().allSatisfy({ !$0.isEmpty }),
      let size = DecimalNumber.value(lines[1]), let root = try? TreeHash(base64: lines[2])
    else { throw LogFault.malformed(.checkpoint) }
    origin = String(decoding: lines[0], as: UTF8.self)
    self.size = size
    self.root = root
    extensions = lines[3..<lines.count - 1].map { String(decoding: $0, as: UTF8.self) }
  }

  /// The text that is signed.
  public var text: String { ([origin, String(size), root.description] + extensions).map { $0 + "\n" }.joined() }

  /// The note, signed by each signer: by the old and the new key while a log changes its key.
  public func signed(by signers: [any NoteSigner]) throws -> SignedNote {
    let text = text
    return SignedNote(text: text, signatures: try signers.map { try $0.sign(text) })
  }
}
