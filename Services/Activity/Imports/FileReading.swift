import ActivityContract
import Dispatch
import ImportFormats
import Operations
import Sandbox
import Synchronization

/// A file that a decoder process reads. A thread of its own waits for the process, since megabytes may pass before the next record.
///
/// Cancelling a task that waits ends the process, whatever it is doing.
actor FileReading {
  /// The request was not carried out, because its task was cancelled.
  struct Stopped: Error {}

  private final class Thread: SerialExecutor {
    private let queue = DispatchQueue(label: "racha.imports.reading")

    func enqueue(_ job: consuming ExecutorJob) {
      let job = UnownedJob(job)
      queue.async { job.runSynchronously(on: self.asUnownedSerialExecutor()) }
    }
  }

  private struct State {
    var decoded: DecodedImport?
    var isStopped = false
  }

  private nonisolated let thread = Thread()
  private nonisolated let state = Mutex(State())
  private let path: String
  private let name: String
  private let program: String
  /// The same open file each time, even if its name is changed or removed.
  private var file: FileContents?

  nonisolated var unownedExecutor: UnownedSerialExecutor { thread.asUnownedSerialExecutor() }

  /// - Parameters:
  ///   - name: of the file where it came from.
  ///   - program: see `DecoderProcess`.
  init(_ path: String, name: String, program: String) {
    self.path = path
    self.name = name
    self.program = program
  }

  deinit { state.withLock { $0.decoded?.end() } }

  /// The SHA-256 of the whole file, in hexadecimal.
  func sha256() throws -> String { try ImportSpool.sha256(path) }

  /// Detects the file's format from its content. Where the process dies, another one tries once more.
  ///
  /// - Throws: ``Stopped``, `DecoderFault`
  func format() async throws -> Result<ImportFormat, FormatFault> {
    try await unlessStopped { decoded throws(DecoderFault) in
      do throws(DecoderFault) {
        return try decoded().format()
      } catch {
        guard error.mayBeOfProcess else { throw error }
        return try decoded().format()
      }
    }
  }

  /// Begins to read as what the file is.
  ///
  /// - Parameters:
  ///   - person: whose rows are taken, of a file with several people's.
  ///   - movement: how somebody moved on tracks that do not say so.
  ///   - position: how many records are ignored.
  /// - Throws: ``Stopped``, `DecoderFault`
  func open(
    _ format: ImportFormat, person: String?, movement: ExerciseKind?, from position: Int
  ) async throws -> Result<Void, FormatFault> {
    try await unlessStopped { decoded throws(DecoderFault) in
      try decoded().open(format, person: person, movement: movement, from: position)
    }
  }

  /// Reads the next records.
  ///
  /// - Throws: ``Stopped``, `DecoderFault`
  func next(maximum: Int) async throws -> DecodedImport.Slice {
    try await unlessStopped { decoded throws(DecoderFault) in
      guard let known = self.state.withLock({ $0.decoded }) else { throw .ended }
      return try known.next(maximum: maximum)
    }
  }

  /// - Parameter body: gets what starts a process, instead of the one there was.
  private func unlessStopped<Value: Sendable>(
    _ body: (() throws(DecoderFault) -> DecodedImport) throws(DecoderFault) -> Value
  ) async throws -> Value {
    try await withTaskCancellationHandler {
      do throws(DecoderFault) {
        return try body { () throws(DecoderFault) in try self.start() }
      } catch {
        guard error != .ended else { throw Stopped() }
        throw error
      }
    } onCancel: {
      stop()
    }
  }

  private nonisolated func stop() {
    state.withLock { state in
      state.isStopped = true
      state.decoded?.end()
    }
  }

  private func start() throws(DecoderFault) -> DecodedImport {
    let contents: FileContents
    if let file {
      contents = file
    } else {
      do throws(FormatFault) { contents = try FileContents(path: path) } catch { throw .notStarted("the file cannot be opened") }
      file = contents
    }
    guard !state.withLock({ $0.isStopped }) else { throw .ended }
    let decoded = try DecodedImport(contents, name: name, program: program)
    let isStopped = state.withLock { state in
      state.decoded = decoded
      return state.isStopped
    }
    guard !isStopped else {
      decoded.end()
      throw .ended
    }
    return decoded
  }
}
