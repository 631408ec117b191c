public import Operations

/// Why a store does not open or serve; for operators, never for clients.
public enum StoreFailure: Error, Hashable, Sendable, CustomStringConvertible {
  /// A newer version of the program has migrated the store.
  case newerVersion(found: Int, known: Int)
  /// A migration has another name than the one applied under its number.
  case otherHistory(number: Int, applied: String, known: String)
  /// Migrations are not numbered 1, 2, 3, ….
  case misnumbered(number: Int, expected: Int)
  /// Another process, or another part of this one, has the store open.
  case alreadyOpen(path: String)
  /// The file belongs to another service.
  case otherService(found: String, expected: ServiceName)
  /// A setting that durability depends on did not take effect.
  case setting(name: String, found: String, expected: String)
  /// The secret is shorter than 32 bytes.
  case weakSecret(bytes: Int)
  /// An event of another service was published.
  case foreignEvent(name: String, publisher: ServiceName)
  /// A published event is larger than subscribers accept.
  case largeEvent(name: String, bytes: Int)
  /// The file has become so large that deleted data cannot be removed from its pages any more.
  case tooManyPages(Int64)
  /// A copy did not pass SQLite's integrity check.
  case damagedCopy(findings: String)
  /// A file next to the store could not be used.
  case file(path: String, errno: Int32)

  public var description: String {
    switch self {
    case .newerVersion(let found, let known):
      "The store was written by a newer version of this program: its schema is number \(found), this program knows \(known). "
        + "Start the newer version, or restore a backup that is old enough."
    case .otherHistory(let number, let applied, let known):
      "The store's migration \(number) was '\(applied)', this program's is '\(known)': they are not of the same history."
    case .misnumbered(let number, let expected): "Migration \(number) stands where number \(expected) belongs."
    case .alreadyOpen(let path): "The store \(path) is open already: one process at a time."
    case .otherService(let found, let expected): "The store belongs to \(found), not to \(expected)."
    case .setting(let name, let found, let expected): "SQLite's \(name) is \(found) instead of \(expected)."
    case .weakSecret(let bytes): "The store's secret has \(bytes) bytes; it needs 32."
    case .foreignEvent(let name, let publisher): "The event \(name) is for \(publisher) to publish."
    case .largeEvent(let name, let bytes): "The event \(name) has \(bytes) bytes; nobody takes so many."
    case .tooManyPages(let pages):
      "The store has \(pages) pages: of 33,554,432 and more, what is deleted is not removed from the file. Divide the store."
    case .damagedCopy(let findings): "The copy is damaged: \(findings)"
    case .file(let path, let errno): "\(path): error \(errno) of the operating system."
    }
  }
}
