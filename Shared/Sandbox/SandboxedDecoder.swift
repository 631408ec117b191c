/// Decodes untrusted bytes with C libraries, in a process of its own that has no network, no files, no keys, and limited time and memory.
/// The process runs the same program.
///
/// A conforming type is the contract of both ends: its name is given to the started process, its limits apply there, and requests and
/// replies are bytes that it understands. The caller must trust a reply as little as the bytes that it sent.
public protocol SandboxedDecoder: SendableMetatype {
  /// Identifies it among the decoders of its program.
  static var name: String { get }
  static var bounds: DecoderBounds { get }

  /// Called before the process is closed in: what libraries load at first use, tables of encodings for one, cannot be loaded later.
  static func prepare()

  /// - Parameter file: a descriptor of the file that was given at the start; nil where none was.
  init(file: Int32?)

  /// Answers one request. Whatever it cannot answer may end the process.
  func reply(to request: [UInt8]) -> [UInt8]
}

/// The limits of a decoder's process.
public struct DecoderBounds: Hashable, Sendable {
  /// Address space in bytes, in addition to what the program takes when it has started.
  public let maxMemoryBytes: Int
  /// Processor time over the whole life of the process, in seconds.
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
  /// It could not be started or confined: not the fault of a single file.
  case notStarted(String)
  /// Its process ended: because of its input, or ended from outside.
  case died(DecoderExit)
  /// It took longer than allowed, and was ended.
  case timedOut
  /// ``DecoderProcess/end()`` was called.
  case ended
  /// Its reply is larger than allowed, or cannot be decoded.
  case malformed
}

extension DecoderFault {
  /// Whether another process may succeed: this one may have been ended from outside, even while it started.
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
