import Dispatch
public import Logging
import Synchronization

/// A decoder's process that is kept for the next request. It is started for a request, restarted if it died, and ended when idle for a
/// while, so that an idle service has none.
///
/// Only one thread at a time may send requests.
public final class KeptDecoder: Sendable {
  /// How long the process is kept without a request.
  static let idleTime = Duration.seconds(30)
  /// Requests after which the process is restarted, far below what its processor time allows.
  static let maxRequests = 200

  private struct State {
    var process: DecoderProcess?
    var requests = 0
    var isWatched = false
    var lastUse = ContinuousClock.now
  }

  private let decoder: any SandboxedDecoder.Type
  private let program: String
  private let logger: Logger
  private let state = Mutex(State())

  /// - Parameter program: see ``DecoderProcess``.
  public init(_ decoder: any SandboxedDecoder.Type, program: String = DecoderProgram.own, logger: Logger) {
    self.decoder = decoder
    self.program = program
    self.logger = logger
  }

  /// The process that is kept.
  var processID: Int32? { state.withLock { $0.process?.processID } }

  deinit { state.withLock { $0.process?.end() } }

  /// Sends a request and waits for its reply. If the process dies meanwhile, the request is retried once in a new one: something else may
  /// have ended the first.
  ///
  /// - Parameter read: decodes the reply; if it cannot, the process is not used again.
  /// - Throws: ``DecoderFault``
  public func request<Reply>(
    _ bytes: [UInt8], within time: Duration, _ read: ([UInt8]) throws(DecoderFault) -> Reply
  ) throws(DecoderFault) -> Reply {
    do throws(DecoderFault) {
      return try once(bytes, time, read)
    } catch {
      guard error.mayBeOfProcess else { throw error }
      return try once(bytes, time, read)
    }
  }

  private func once<Reply>(
    _ bytes: [UInt8], _ time: Duration, _ read: ([UInt8]) throws(DecoderFault) -> Reply
  ) throws(DecoderFault) -> Reply {
    let kept = state.withLock { state in
      defer { (state.process, state.lastUse) = (nil, .now) }
      return state.process
    }
    do throws(DecoderFault) {
      let process: DecoderProcess
      if let kept { process = kept } else { process = try DecoderProcess(decoder, program: program) }
      // Any error that is thrown ends the process.
      let reply = try read(try process.request(bytes, within: time))
      keep(process, isNew: kept == nil)
      return reply
    } catch {
      logger.warning("a decoder gave no reply", metadata: ["decoder": .string(decoder.name), "fault": "\(error)"])
      throw error
    }
  }

  private func keep(_ process: DecoderProcess, isNew: Bool) {
    let isToWatch = state.withLock { state in
      state.requests = isNew ? 1 : state.requests + 1
      state.lastUse = .now
      guard state.requests < Self.maxRequests else { return false }
      state.process = process
      defer { state.isWatched = true }
      return !state.isWatched
    }
    if isToWatch { watch(for: Self.idleTime) }
  }

  /// Ends the process if it was idle for that long, and checks again later otherwise.
  private func watch(for time: Duration) {
    let delay = DispatchTimeInterval.milliseconds(Int(time / .milliseconds(1)))
    DispatchQueue.global().asyncAfter(deadline: .now() + delay) { [weak self] in
      guard let self else { return }
      let idle: DecoderProcess?
      let rest: Duration
      (idle, rest) = state.withLock { state in
        let rest = state.lastUse + Self.idleTime - .now
        guard rest <= .zero || state.process == nil else { return (nil, rest) }
        defer { (state.process, state.isWatched) = (nil, false) }
        return (state.process, .zero)
      }
      if rest > .zero { watch(for: rest) }
      _ = idle
    }
  }
}
