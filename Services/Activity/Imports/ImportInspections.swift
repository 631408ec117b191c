import ActivityContract
import ImportFormats
import Operations
import Sandbox
import Storage
import Synchronization
import Workers

/// Detects the formats of files that have arrived: each file once, however often its import is completed; a few at a time, with accounts in
/// turn. The result is stored with the import even if no caller waits for it any more.
final class ImportInspections: Sendable {
  private let gate = FairGate(ImportLimits.inspections)
  private let running = Mutex<[ImportID: Task<Void, any Error>]>([:])

  /// Waits until the import has its format, or has ended.
  ///
  /// - Throws: `overloaded`, if too many wait.
  func inspect(_ row: ImportRow, _ spool: ImportSpool, _ store: Store) async throws {
    let task = running.withLock { running in
      if let task = running[row.id] { return task }
      let task = Task {
        defer { self.running.withLock { $0[row.id] = nil } }
        do {
          try await ImportWatch.unlessEnded(row.id, store) {
            try await self.gate.run(for: row.account) { try await Self.look(row.id, spool, store) }
          }
        } catch is ImportWatch.Ended {
          // The operation that ended the import has recorded the reason.
        }
      }
      running[row.id] = task
      return task
    }
    try await task.value
  }

  private static func look(_ id: ImportID, _ spool: ImportSpool, _ store: Store) async throws {
    // Another task may have detected the format since the row was read.
    guard let row = try await store.read({ try ImportStore.find(id, in: $0) }), row.state == .uploading, row.format == nil else {
      return
    }
    switch try await format(of: row, spool) {
    case .success(let format) where refusal(format, row) == nil:
      try await store.write { try ImportStore.note(format, of: id, $0) }
    case .success(let format): try await end(row, because: refusal(format, row) ?? .otherFormat, spool, store)
    case .failure(let fault): try await end(row, because: ImportEnd(fault), spool, store)
    }
  }

  private static func format(of row: ImportRow, _ spool: ImportSpool) async throws -> Result<ImportFormat, FormatFault> {
    do {
      return try await spool.reading(of: row).format()
    } catch is FileReading.Stopped {
      throw CancellationError()
    } catch let fault as DecoderFault {
      // A file that kills its reader twice, or occupies it for a minute, is no export of any program.
      guard fault.isOfFile else { throw Failure(RequestFailure.overloaded, retryAfterSeconds: 5) }
      return .failure(.damaged)
    }
  }

  private static func end(_ row: ImportRow, because reason: ImportEnd, _ spool: ImportSpool, _ store: Store) async throws {
    try await store.write { try ImportStore.end(row.id, .failed, $0, because: reason) }
    try await spool.remove(row.id, of: row.account)
  }

  /// The conflict between the detected format and the format that the file's owner or its name states; nil for none.
  private static func refusal(_ format: ImportFormat, _ row: ImportRow) -> ImportEnd? {
    if let said = row.saidFormat, said != format { return .otherFormat }
    guard let ending = ending(of: row.name), !format.endings.contains(ending) else { return nil }
    return .otherName
  }

  /// The extension of a name: the letters and digits after its last dot. Nil where that is a number (`2026.11.20`), or no extension at all
  /// (`to km 12.5, and back`).
  private static func ending(of name: String) -> String? {
    let name = name.trimmed
    guard let dot = name.lastIndex(of: ".") else { return nil }
    let ending = name[name.index(after: dot)...].lowercased()
    guard ending.contains(where: { !$0.isNumber }), ending.allSatisfy({ $0.isLetter || $0.isNumber }) else { return nil }
    return ending
  }
}

extension ImportFormat {
  /// The usual extensions of such files.
  fileprivate var endings: Set<String> {
    switch self {
    case .appleHealth: ["xml"]
    case .appleHealthZip, .loopZip: ["zip"]
    case .takeout: ["zip", "tgz", "gz"]
    case .fitbitStepsJSON: ["json"]
    case .gpx: ["gpx", "xml"]
    case .loopDatabase: ["db", "sqlite", "sqlite3"]
    case .fitbitHours, .fitbitSteps, .googleFitDays, .googleFitDay, .loopHabits, .loopCheckmarks: ["csv"]
    }
  }
}
