import CSandbox
import Foundation
import Glibc
import Metrics
import Synchronization

/// A decoder's process, as seen by the service that started it. It ends with this object, with the service, and on any fault.
///
/// Only one thread at a time may send requests. A request blocks, so it needs a thread that does nothing else. Any thread may end the
/// process.
public final class DecoderProcess: Sendable {
  /// How long the program may take until it serves.
  private static let startTime = Duration.seconds(20)

  private struct State {
    /// Nil once it was waited for: then the number may be another process's.
    var process: pid_t?
    var death: DecoderExit?
    var isEnded = false
  }

  private let state: Mutex<State>
  private let name: String
  private let connection: Int32
  private let bounds: DecoderBounds

  /// Starts the process.
  ///
  /// - Parameters:
  ///   - program: the executable, which calls ``DecoderProgram/runIfAsked(_:)`` first.
  ///   - file: a descriptor of the file that it may read, if there is one.
  /// - Throws: ``DecoderFault/notStarted(_:)``
  public init(
    _ decoder: any SandboxedDecoder.Type, program: String = DecoderProgram.own, file: Int32? = nil
  ) throws(DecoderFault) {
    guard DecoderProgram.isPossible else { throw .notStarted("this kernel has no filters of system calls") }
    name = decoder.name
    bounds = decoder.bounds
    var ends: [Int32] = [-1, -1]
    guard socketpair(AF_UNIX, Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue), 0, &ends) == 0 else {
      throw .notStarted("no connection: \(errno)")
    }
    connection = ends[0]
    let process: pid_t
    do throws(DecoderFault) {
      // Held open here, its end would hide that the process has ended.
      defer { close(ends[1]) }
      process = try Self.start(program, decoder.name, ends[1], file)
    } catch {
      close(ends[0])
      throw error
    }
    state = Mutex(State(process: process))
    do throws(DecoderFault) {
      guard try read(until: .now + Self.startTime).isEmpty else { throw .malformed }
    } catch {
      end()
      throw .notStarted("\(error)")
    }
  }

  deinit {
    end()
    _ = wait()
    close(connection)
  }

  private static func start(_ program: String, _ name: String, _ end: Int32, _ file: Int32?) throws(DecoderFault) -> pid_t {
    // Above those that the started process has, so that none is overwritten before it is copied.
    let connection = racha_raise(end)
    let file = file.map { racha_raise($0) }
    defer {
      for descriptor in [connection, file ?? -1] where descriptor >= 0 { close(descriptor) }
    }
    guard connection >= 0, (file ?? 0) >= 0 else { throw .notStarted("no descriptor: \(errno)") }
    let parent = getpid()
    let result = Starter.shared.run { () -> Result<pid_t, DecoderFault> in
      var process: pid_t = 0
      // In lists of processes it has its service's name, however it was started.
      let own = CommandLine.arguments.first ?? program
      let words: [String] = [
        program == DecoderProgram.own ? own : program, DecoderProgram.argument, name, "\(parent)",
      ]
      var arguments = words.map { strdup($0) }
      arguments.append(nil)
      defer { for argument in arguments { free(argument) } }
      let error = arguments.withUnsafeMutableBufferPointer {
        racha_start(program, $0.baseAddress, connection, file ?? -1, &process)
      }
      return error == 0 ? .success(process) : .failure(.notStarted("\(program): \(error)"))
    }
    return try result.get()
  }

  /// Sends a request and waits for its reply.
  ///
  /// - Parameter time: how long the reply may take before the process is ended.
  /// - Throws: ``DecoderFault``, after which the process is gone.
  public func request(_ bytes: [UInt8], within time: Duration) throws(DecoderFault) -> [UInt8] {
    do throws(DecoderFault) {
      let deadline = ContinuousClock.now + time
      guard bytes.count <= bounds.maxRequestBytes else { throw .malformed }
      try write(DecoderMessage.head(bytes.count) + bytes, until: deadline)
      return try read(until: deadline)
    } catch {
      kill()
      if error != .ended { Counter(label: "decoder_faults", dimensions: [("decoder", name)]).increment() }
      throw error
    }
  }

  /// Ends the process at once; a waiting request gets no reply.
  public func end() {
    state.withLock { $0.isEnded = true }
    kill()
  }

  /// The process's number, while it has one.
  public var processID: Int32? { state.withLock { $0.process } }

  private func kill() {
    state.withLock { state in if let process = state.process { _ = Glibc.kill(process, SIGKILL) } }
  }

  /// Waits for the end of a process that ends, so that its number is free.
  private func wait() -> DecoderFault {
    state.withLock { state in
      if let process = state.process {
        var status: Int32 = 0
        while waitpid(process, &status, 0) < 0, errno == EINTR {}
        state.process = nil
        let signal = status & 0x7F
        state.death = signal == 0 ? .status(status >> 8 & 0xFF) : .signal(signal)
      }
      if state.isEnded { return .ended }
      return .died(state.death ?? .status(0))
    }
  }

  // MARK: - The connection

  private func read(until deadline: ContinuousClock.Instant) throws(DecoderFault) -> [UInt8] {
    let count = DecoderMessage.count(try read(DecoderMessage.headBytes, until: deadline))
    guard count <= bounds.maxReplyBytes else { throw .malformed }
    return try read(count, until: deadline)
  }

  private func read(_ count: Int, until deadline: ContinuousClock.Instant) throws(DecoderFault) -> [UInt8] {
    var bytes = [UInt8](repeating: 0, count: count)
    var filled = 0
    while filled < count {
      let more = bytes.withUnsafeMutableBytes {
        recv(connection, $0.baseAddress?.advanced(by: filled), count - filled, Int32(MSG_DONTWAIT))
      }
      if more > 0 {
        filled += more
      } else {
        try go(on: more, POLLIN, until: deadline)
      }
    }
    return bytes
  }

  private func write(_ bytes: [UInt8], until deadline: ContinuousClock.Instant) throws(DecoderFault) {
    var written = 0
    while written < bytes.count {
      let more = bytes.withUnsafeBytes {
        send(
          connection, $0.baseAddress?.advanced(by: written), bytes.count - written,
          Int32(MSG_DONTWAIT | MSG_NOSIGNAL))
      }
      if more > 0 {
        written += more
      } else {
        try go(on: more, POLLOUT, until: deadline)
      }
    }
  }

  /// Waits where nothing came or went.
  private func go(on result: Int, _ events: Int32, until deadline: ContinuousClock.Instant) throws(DecoderFault) {
    if result < 0, errno == EINTR { return }
    guard result < 0, errno == EAGAIN || errno == EWOULDBLOCK else {
      // It has closed its end, by ending; a decoder does nothing else to it.
      kill()
      throw wait()
    }
    let left = deadline - ContinuousClock.now
    guard left > .zero else { throw .timedOut }
    var descriptor = pollfd(fd: connection, events: Int16(events), revents: 0)
    _ = poll(&descriptor, 1, Int32(min(left / .milliseconds(1) + 1, 1000)))
  }
}

/// Starts processes on a thread that is there as long as this process: one that is to end with its parent ends with the thread that
/// started it (`PR_SET_PDEATHSIG`, prctl(2)), and threads of pools come and go.
private final class Starter: Sendable {
  static let shared = Starter()

  private let jobs = Mutex<[@Sendable () -> Void]>([])
  private let waiting = DispatchSemaphore(value: 0)

  private init() {
    Thread.detachNewThread { [self] in
      while true {
        waiting.wait()
        jobs.withLock { $0.isEmpty ? nil : $0.removeFirst() }?()
      }
    }
  }

  func run<T: Sendable>(_ body: @escaping @Sendable () -> T) -> T {
    let result = Mutex<T?>(nil)
    let done = DispatchSemaphore(value: 0)
    jobs.withLock { jobs in
      jobs.append {
        let value = body()
        result.withLock { $0 = value }
        done.signal()
      }
    }
    waiting.signal()
    while true {
      done.wait()
      if let value = result.withLock({ $0 }) { return value }
    }
  }
}
