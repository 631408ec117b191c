import CZeroMQ
import Glibc
import Operations
import Synchronization

/// A request on its way to the thread that owns the sockets.
struct OutgoingRequest: Sendable {
  /// Identifies the request on this bus: unlike the header's id, no two in flight share it, and it is never reused.
  let tag: UInt64
  let service: ServiceName
  /// Without the time left, see ``RequestHeader/stamp(_:left:sent:)``.
  let header: [UInt8]
  let body: [UInt8]
  /// On the monotonic clock, in nanoseconds.
  let deadline: Int64
  let continuation: CheckedContinuation<Result<RawReply, BusFailure>, Never>

  var bytes: Int { header.count + body.count }
}

/// A reply as it arrived; its header is read by the task that waits for it.
struct RawReply: Sendable {
  let header: [UInt8]
  let body: [UInt8]
}

/// A reply on its way out.
struct OutgoingReply: Sendable {
  /// The frames up to and including the empty one, returned as they came: they are the return path.
  let envelope: [[UInt8]]
  /// What the request counted against ``BusLimits/handledBytes``.
  let requestBytes: Int
  /// Nil for a request whose caller no longer waits: then nothing is sent.
  let message: RawReply?
}

/// What tasks ask of the thread that owns the sockets.
enum Command: Sendable {
  case request(OutgoingRequest)
  case cancel(tag: UInt64)
  case reply(OutgoingReply)
  case announce([UInt8], body: [UInt8])
  /// A step of a handler, see ``BusExecutor``.
  case run(UnownedJob)
  case subscribe(ServiceName, reader: UInt64, AsyncStream<Announcement>.Continuation)
  case unsubscribe(ServiceName, reader: UInt64)
  case stop(deadline: Int64)
}

/// The bounded queue into the thread that owns the sockets, and the eventfd that wakes it.
///
/// The thread takes all commands in one go; only the first command after it went to sleep pays for a system call.
final class CommandQueue: Sendable {
  private struct State {
    var commands: [Command] = []
    var requestsInFlight = 0
    var queuedBytes = 0
    var announcements = 0
    var isAsleep = false
    var isOpen = false
  }

  private let limits: BusLimits
  private let state = Mutex(State())
  /// Readable when there is a command and the owner sleeps.
  let descriptor: CInt

  init(limits: BusLimits) {
    self.limits = limits
    descriptor = eventfd(0, CInt(EFD_CLOEXEC | EFD_NONBLOCK))
    precondition(descriptor >= 0, "no file descriptor left for the bus")
  }

  deinit { close(descriptor) }

  /// Accepts commands from now on; before that, requests are refused.
  func open() { state.withLock { $0.isOpen = true } }

  /// Hands a request over, or returns why not.
  func submit(_ request: OutgoingRequest) -> BusFailure? {
    let (refusal, wakes) = state.withLock { state -> (BusFailure?, Bool) in
      guard state.isOpen else { return (.unavailable, false) }
      guard state.requestsInFlight < limits.requestsInFlight, state.queuedBytes + request.bytes <= limits.queuedBytes else {
        return (.overloaded, false)
      }
      state.requestsInFlight += 1
      state.queuedBytes += request.bytes
      return (nil, CommandQueue.append(.request(request), to: &state))
    }
    if wakes { wake() }
    return refusal
  }

  /// Hands over an announcement unless too many wait.
  func announce(_ header: [UInt8], body: [UInt8]) -> Bool {
    let (taken, wakes) = state.withLock { state -> (Bool, Bool) in
      guard state.isOpen, state.announcements < limits.announcements else { return (false, false) }
      state.announcements += 1
      return (true, CommandQueue.append(.announce(header, body: body), to: &state))
    }
    if wakes { wake() }
    return taken
  }

  /// Hands over a command that is limited elsewhere: at most one reply or cancellation per request. False once the bus is closed.
  @discardableResult
  func push(_ command: Command) -> Bool {
    let (taken, wakes) = state.withLock { state -> (Bool, Bool) in
      guard state.isOpen else { return (false, false) }
      return (true, CommandQueue.append(command, to: &state))
    }
    if wakes { wake() }
    return taken
  }

  private static func append(_ command: Command, to state: inout State) -> Bool {
    state.commands.append(command)
    defer { state.isAsleep = false }
    return state.isAsleep
  }

  private func wake() {
    var one: UInt64 = 1
    // Fails only if the counter is full, and then the thread is being woken anyway.
    _ = write(descriptor, &one, 8)
  }

  // MARK: - The owner's side

  /// Takes all commands, leaving the given (empty) array instead, and settles what was answered or sent since.
  func drain(into commands: inout [Command], answered: Int, sentBytes: Int) {
    state.withLock { state in
      state.requestsInFlight -= answered
      state.queuedBytes -= sentBytes
      state.announcements = 0
      state.isAsleep = false
      swap(&state.commands, &commands)
    }
  }

  /// Whether the owner may sleep: no command has arrived, and the next one wakes it.
  func fallAsleep(answered: Int, sentBytes: Int) -> Bool {
    state.withLock { state in
      guard state.commands.isEmpty else { return false }
      state.requestsInFlight -= answered
      state.queuedBytes -= sentBytes
      state.isAsleep = true
      return true
    }
  }

  /// Resets the wake-up.
  func clear() {
    var count: UInt64 = 0
    _ = read(descriptor, &count, 8)
  }

  /// Refuses everything from now on, and returns the commands still in the queue.
  func shut() -> [Command] {
    state.withLock { state in
      state.isOpen = false
      defer { state.commands = [] }
      return state.commands
    }
  }
}
