/// Why a log cannot be trusted, found by ``LogVerifier``: a sentence that names the fault.
public enum LogFinding: Error, Hashable, Sendable, CustomStringConvertible {
  /// No known key has signed, or its signature is of another text.
  case foreignKey
  case otherOrigin(String, known: String)
  /// Fewer leaves than in the last checkpoint seen.
  case rewound(size: Int, known: Int)
  /// As many leaves, and another root: two histories are shown.
  case forked(size: Int)
  /// The leaves covered by a checkpoint seen earlier have changed.
  case rewritten(size: Int)
  /// The entry is not the one whose hash the tree has.
  case entryChanged(number: Int)
  /// A tile does not follow from the leaves.
  case tileChanged(path: String)
  /// The root that was signed is not the one of the leaves.
  case otherRoot(size: Int)
  /// Data covered by the checkpoint is not served.
  case missing(path: String)
  /// A leaf says that the log goes on after a restore, at another position than its own.
  case badContinuation(number: Int)
  case unreadable(path: String)

  public var description: String {
    switch self {
    case .foreignKey: "The checkpoint is not signed by any key of the log that is known."
    case .otherOrigin(let origin, let known): "This is the log \(origin), and not \(known)."
    case .rewound(let size, let known):
      "The log was rewound: it has \(size) leaves, and had \(known) at the checkpoint that was seen last."
    case .forked(let size):
      "The log is forked: of the same \(size) leaves it has signed another root than that of the checkpoint that was seen last."
    case .rewritten(let size):
      "The log was rewritten: its first \(size) leaves are not those of the checkpoint that was seen last."
    case .entryChanged(let number): "The entry \(number) is not the one whose hash the tree has."
    case .tileChanged(let path): "The tile \(path) does not follow from the leaves."
    case .otherRoot(let size): "The root that was signed for \(size) leaves is not theirs."
    case .missing(let path): "\(path) is not handed out, although the checkpoint covers it."
    case .badContinuation(let number): "The leaf \(number) says that the log goes on after a restore, and names another position."
    case .unreadable(let path): "\(path) is not as its specification wants it."
    }
  }
}
