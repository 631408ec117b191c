/// A signature line of a note: the signer, its key, and the algorithm's output (c2sp.org/signed-note, “Signatures”).
public struct NoteSignature: Hashable, Sendable, CustomStringConvertible {
  public let name: String
  /// The first four bytes of the key's hash: an identifier, no protection.
  public let keyID: UInt32
  public let bytes: [UInt8]

  public init(name: String, keyID: UInt32, bytes: [UInt8]) {
    self.name = name
    self.keyID = keyID
    self.bytes = bytes
  }

  private static let prefix = Array("— ".utf8)

  /// Reads a line, without its newline.
  ///
  /// - Throws: ``LogFault/malformed(_:)``.
  init(line: some Collection<UInt8>) throws {
    let parts = Array(line).dropFirst(Self.prefix.count).split(
      separator: UInt8(ascii: " "), omittingEmptySubsequences: false)
    guard line.starts(with: Self.prefix), parts.count == 2, let name = String(validating: parts[0], as: UTF8.self),
      KeyName.isValid(name), let bytes = Base64.bytes(parts[1]), bytes.count > 4
    else { throw LogFault.malformed(.note) }
    self.name = name
    keyID = bytes.prefix(4).reduce(0) { $0 << 8 | UInt32($1) }
    self.bytes = Array(bytes.dropFirst(4))
  }

  /// The line with its newline.
  public var description: String { "— \(name) \(Base64.text(keyID.bigEndianBytes + bytes))\n" }
}

extension FixedWidthInteger {
  /// Its bytes, the highest first.
  var bigEndianBytes: [UInt8] { withUnsafeBytes(of: bigEndian) { Array($0) } }
}
