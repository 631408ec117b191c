/// Why a document of a log is refused, or a proof does not hold.
public enum LogFault: Error, Hashable, Sendable, CustomStringConvertible {
  /// A document that is not valid by its specification.
  case malformed(Document)
  /// An entry or a size that the tree does not have.
  case outOfRange
  /// A proof that does not lead to the root.
  case proofFails
  /// A trusted key's signature that is not of this text.
  case signatureFails(name: String)
  /// No signature of any trusted key.
  case notSigned
  /// A tile that could not be read.
  case tileMissing(path: String)

  /// The kinds of documents.
  public enum Document: String, Hashable, Sendable {
    case hash, note, verifierKey = "verifier key", checkpoint, proof, witnessRequest = "request to a witness"
    case tile, tilePath = "path of a tile", entryBundle = "bundle of entries", entry, edge = "right edge", json = "JSON"
    case memory = "memory of a log"
  }

  public var description: String {
    switch self {
    case .malformed(let document): "The \(document.rawValue) is malformed."
    case .outOfRange: "The tree has no such entry or size."
    case .proofFails: "The proof does not lead to the root of the tree."
    case .signatureFails(let name): "The signature of \(name) is not of this text."
    case .notSigned: "No key that is trusted has signed."
    case .tileMissing(let path): "The tile \(path) is missing."
    }
  }
}
