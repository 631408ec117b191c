/// A text with the signatures of those who answer for it (c2sp.org/signed-note).
public struct SignedNote: Hashable, Sendable, CustomStringConvertible {
  /// Longer notes are refused.
  public static let maxBytes = 1_000_000
  /// More signatures are refused; the specification wants 16 at least.
  public static let maxSignatures = 100

  /// With its last newline.
  public let text: String
  public var signatures: [NoteSignature]

  /// - Parameter text: ends with a newline.
  public init(text: String, signatures: [NoteSignature]) {
    self.text = text
    self.signatures = signatures
  }

  /// Reads a note.
  ///
  /// - Throws: ``LogFault/malformed(_:)``.
  public init(parsing bytes: some Collection<UInt8>) throws {
    let newline = UInt8(ascii: "\n")
    let bytes = bytes.count <= Self.maxBytes ? Array(bytes) : []
    guard bytes.last == newline, bytes.allSatisfy({ $0 >= 0x20 || $0 == newline }),
      let blank = bytes.indices.dropLast().last(where: { bytes[$0] == newline && bytes[$0 + 1] == newline }),
      let text = String(validating: bytes[...blank], as: UTF8.self)
    else { throw LogFault.malformed(.note) }
    let lines = bytes[(blank + 2)...].dropLast().split(separator: newline, omittingEmptySubsequences: false)
    guard 1...Self.maxSignatures ~= lines.count else { throw LogFault.malformed(.note) }
    self.text = text
    signatures = try lines.map(NoteSignature.init)
  }

  /// Checks the signatures of known keys. Those of other keys are ignored, so that keys can change, and witnesses can sign alongside the
  /// log.
  ///
  /// - Parameters:
  ///   - keys: the keys that the reader trusts.
  ///   - algorithms: the algorithms that the reader can check; a key of another one signs nothing.
  /// - Returns: the keys that signed, at least one.
  /// - Throws: ``LogFault/signatureFails(name:)`` if a known key's signature is not of this text, ``LogFault/notSigned``.
  @discardableResult
  public func verify(
    by keys: [VerifierKey], algorithms: [any NoteAlgorithm.Type] = NoteAlgorithms.standard
  ) throws -> [VerifierKey] {
    var signers: [VerifierKey] = []
    for signature in signatures {
      for key in keys where key.keyID == signature.keyID && KeyName.isSame(key.name, signature.name) {
        guard let algorithm = algorithms.first(where: { $0.type == key.type }) else { continue }
        guard algorithm.isValid(signature.bytes, of: text, by: key) else { throw LogFault.signatureFails(name: key.name) }
        if !signers.contains(key) { signers.append(key) }
      }
    }
    guard !signers.isEmpty else { throw LogFault.notSigned }
    return signers
  }

  /// The note as it is sent and kept.
  public var description: String { text + "\n" + signatures.map(\.description).joined() }
}
