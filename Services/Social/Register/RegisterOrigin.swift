import Operations
import ServiceKit
import SocialContract
import Storage
import TransparencyLog

/// What the log is called: by convention the URL below which it is served, without its scheme (c2sp.org/tlog-tiles, “Parameters”).
enum RegisterOrigin {
  /// The name of a new log, from the setting `racha.publicUrl`. The log then keeps it.
  static func first(_ settings: Settings) -> String {
    let port = settings.int("racha.http.port", default: 8080, in: 0...65535)
    return name(of: settings.string("racha.publicUrl", default: "http://127.0.0.1:\(port)"))
  }

  /// Names a new log, and renames the log after the store was restored from a backup. In the second case a leaf is added, with the last
  /// known checkpoint of the former log and the time span that is unknown.
  ///
  /// - Parameters:
  ///   - origin: the name of a new log.
  ///   - epoch: the store's epoch.
  /// - Returns: the log's name.
  static func begin(_ origin: String, epoch: String, _ transaction: Transaction) throws -> String {
    guard let known = try RegisterTileStore.origin(transaction.database) else {
      try RegisterTileStore.name(.init(position: 1, name: origin, epoch: epoch), transaction)
      return origin
    }
    guard known.epoch != epoch else { return known.name }
    let first = try RegisterTileStore.firstOrigin(transaction.database) ?? origin
    let next = RegisterTileStore.Origin(
      position: known.position + 1, name: "\(first)/\(part(known.position + 1, epoch))", epoch: epoch)
    try goOn(after: known.name, transaction)
    try RegisterTileStore.name(next, transaction)
    return next.name
  }

  /// What tells a log from all others that went on from a copy, also from the same one: a number for people, and the end of the epoch's id.
  private static func part(_ position: Int, _ epoch: String) -> String { "\(position)-\(epoch.suffix(8))" }

  private static func goOn(after origin: String, _ transaction: Transaction) throws {
    let (database, now) = (transaction.database, transaction.now)
    let last = try RegisterTileStore.last(database)
    let previous = try last.map { try Checkpoint(text: SignedNote(parsing: Array($0.note.utf8)).text) }
    let continuation = LogContinuation(
      time: now.description, previous: previous ?? Checkpoint(origin: origin, size: 0, root: .empty),
      restoredSize: try RegisterStore.leafCount(database), unknownFrom: (last?.at ?? now).description,
      unknownUntil: now.description)
    _ = try RegisterStore.append(try continuation.entry, in: database)
  }

  /// Without scheme, slashes at the end, and what the name of a key cannot have.
  static func name(of url: String) -> String {
    var rest = Array(url.unicodeScalars)
    for scheme in ["https://", "http://"] where url.begins(with: scheme) { rest.removeFirst(scheme.unicodeScalars.count) }
    rest.removeAll { $0 == "+" || $0.value < 0x20 || $0.properties.isWhitespace }
    while rest.last == "/" { rest.removeLast() }
    return String(String.UnicodeScalarView(rest)) + "/register"
  }
}
