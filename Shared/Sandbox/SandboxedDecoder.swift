/// What reads the bytes of strangers by libraries in C: in a process of its own, which has no network, no files, no keys and bounded time
/// and memory. It is the same program, started anew.
///
/// A type that conforms is both ends' contract: its name is given to the started process, its bounds hold there, and requests and replies
/// are bytes that it makes sense of. To whoever asks, a reply is as much a stranger's as the bytes that were sent.
public protocol SandboxedDecoder: SendableMetatype {
  /// Names it among the decoders of its program.
  static var name: String { get }
  static var bounds: DecoderBounds { get }

  /// Called before the process is closed in: what libraries load at first use, tables of encodings for one, cannot be loaded later.
  static func prepare()

  /// - Parameter file: a descriptor of the file that was given at the start; nil where none was.
  init(file: Int32?)

  /// Answers one request. Whatever it cannot answer may end the process.
  func reply(to request: [UInt8]) -> [UInt8]
}

/// What a decoder's process may take.
public struct DecoderBounds: Hashable, Sendable {
  /// Addresses beyond those that the program takes when it has started, in bytes.
  public let maxMemoryBytes: Int
  /// Time of the processor in the whole life of the process, in seconds.
  public let maxProcessorSeconds: Int
  /// One request, and one reply.
  public let maxRequestBytes: Int
  public let maxReplyBytes: Int

  /// The bounds from their parts.
  public init(maxMemoryBytes: Int, maxProcessorSeconds: Int, maxRequestBytes: Int, maxReplyBytes: Int) {
    self.maxMemoryBytes = maxMemoryBytes
    self.maxProcessorSeconds = maxProcessorSeconds
    self.maxRequestBytes = maxRequestBytes
    self.maxReplyBytes = maxReplyBytes
  }
}

/// Why a decoder gave no reply.
public enum DecoderFault: Error, Hashable, Sendable {
  /// It could not be started or not be confined: not the fault of a single file.
  case notStarted(String)
  /// Its process ended: what it was given ended it, or somebody else did.
  case died(DecoderExit)
  /// It took longer than it may, and was ended.
  case timedOut
  /// ``DecoderProcess/end()`` was called.
  case ended
  /// Its reply is larger than it may be, or none that whoever asked makes sense of.
  case malformed
}

extension DecoderFault {
  /// Whether another process may do better: somebody may have ended this one, even while it started.
  public var mayBeOfProcess: Bool {
    switch self {
    case .died, .notStarted: true
    case .timedOut, .ended, .malformed: false
    }
  }
}

/// How a process ended.
public enum DecoderExit: Hashable, Sendable {
  /// By itself, with that status.
  case status(Int32)
  /// By that signal: SIGSYS (31) for what is forbidden to it, SIGKILL (9) and SIGXCPU (24) for too long a life.
  case signal(Int32)
}
