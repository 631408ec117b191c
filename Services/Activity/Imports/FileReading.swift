import ActivityContract
import Dispatch
import ImportFormats
import Operations

/// A reader at work, on a thread of its own: megabytes of a file may go by before there is a record in it.
actor FileReading {
  /// What was read, and how far the reading has come.
  struct Slice: Sendable {
    /// Nil at the end of the file.
    let records: [ImportedRecord]?
    /// Why it ended, if it did before the end of the file.
    let fault: FormatFault?
    let line: Int
    let consumed: Int64
  }

  private nonisolated let thread = ImportThread()
  private let file: ImportFile
  private let format: ImportFormat
  private let person: String?
  /// Records that were dealt with before.
  private var toSkip: Int
  private var reader: (any ImportReader)?

  nonisolated var unownedExecutor: UnownedSerialExecutor { thread.asUnownedSerialExecutor() }

  /// - Parameter position: how many records are passed over.
  init(_ file: ImportFile, _ format: ImportFormat, person: String?, from position: Int) {
    self.file = file
    self.format = format
    self.person = person
    toSkip = position
  }

  /// The SHA-256 of the whole file, in hexadecimal.
  func sha256() throws -> String { try ImportSpool.sha256(file.path) }

  /// Reads on. Where the task is cancelled before it has come to anything new, the slice is empty, or ends with
  /// ``FormatFault/stopped``.
  func next(most: Int) -> Slice {
    do throws(FormatFault) {
      return try read(most)
    } catch {
      // A reader that was interrupted takes its file for a damaged one.
      let fault = Task.isCancelled ? .stopped : error
      return Slice(records: nil, fault: fault, line: reader?.line ?? 0, consumed: reader?.consumed ?? 0)
    }
  }

  private func read(_ most: Int) throws(FormatFault) -> Slice {
    let reader: any ImportReader
    if let known = self.reader {
      reader = known
    } else {
      reader = try file.reader(format, person: person)
      self.reader = reader
    }
    while true {
      // Passing over what was dealt with before can take long.
      if toSkip > 0, Task.isCancelled { return Slice(records: [], fault: nil, line: reader.line, consumed: reader.consumed) }
      let records = try reader.next(most: most)
      guard let records, toSkip > 0 else {
        return Slice(records: records, fault: nil, line: reader.line, consumed: reader.consumed)
      }
      let rest = records.dropFirst(toSkip)
      toSkip -= records.count - rest.count
      if !rest.isEmpty { return Slice(records: Array(rest), fault: nil, line: reader.line, consumed: reader.consumed) }
    }
  }
}

/// Looks what a file is, on a thread of its own.
actor FileInspection {
  private nonisolated let thread = ImportThread()

  nonisolated var unownedExecutor: UnownedSerialExecutor { thread.asUnownedSerialExecutor() }

  /// Ends soon where the task is cancelled, with any fault.
  func format(of file: ImportFile) throws(FormatFault) -> ImportFormat { try file.format() }
}

/// A thread for what takes long with one file.
private final class ImportThread: SerialExecutor {
  private let queue = DispatchQueue(label: "racha.imports.reading")

  func enqueue(_ job: consuming ExecutorJob) {
    let job = UnownedJob(job)
    queue.async { job.runSynchronously(on: self.asUnownedSerialExecutor()) }
  }
}
