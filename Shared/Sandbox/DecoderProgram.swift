import CSandbox
import Foundation
import Glibc

/// The side of the process that is started as a decoder.
public enum DecoderProgram {
  /// The program that runs: what a service starts as its decoders.
  public static let own = "/proc/self/exe"

  /// The word behind which a decoder's name stands, then the process that it serves.
  static let argument = "--decoder"

  /// Whether decoders can be sandboxed here; otherwise none is started.
  public static var isPossible: Bool { racha_can_filter() != 0 }

  /// Serves as one of these decoders if the process was started as one, and does not return then. Called before anything else.
  public static func runIfAsked(_ decoders: [any SandboxedDecoder.Type]) {
    let arguments = CommandLine.arguments
    guard arguments.count == 4, arguments[1] == argument, let parent = Int32(arguments[3]) else { return }
    guard let decoder = decoders.first(where: { $0.name == arguments[2] }) else { exit(Status.unknown.rawValue) }
    run(decoder, of: parent)
  }

  /// The exit status of a process that never served.
  enum Status: Int32 {
    case unknown = 64
    case orphaned = 65
    case notLimited = 66
    case notClosedIn = 67
    case brokenConnection = 68
  }

  private static func run(_ type: any SandboxedDecoder.Type, of parent: Int32) -> Never {
    guard racha_end_with(parent) != 0 else { exit(Status.orphaned.rawValue) }
    type.prepare()
    let bounds = type.bounds
    guard let taken = addresses() else { exit(Status.notLimited.rawValue) }
    let hasFile = fcntl(racha_file, F_GETFD) >= 0
    guard racha_limit(UInt(taken + bounds.maxMemoryBytes), UInt(bounds.maxProcessorSeconds)) != 0 else {
      exit(Status.notLimited.rawValue)
    }
    guard racha_close_in() == 0 else { exit(Status.notClosedIn.rawValue) }
    let connection = Connection(racha_connection)
    let decoder = type.init(file: hasFile ? racha_file : nil)
    // Reports that it is ready.
    connection.write([])
    while let request = connection.read(max: bounds.maxRequestBytes) { connection.write(decoder.reply(to: request)) }
    exit(0)
  }

  /// The size of the process's address space in bytes, most of which are mapped files.
  private static func addresses() -> Int? {
    guard let text = FileManager.default.contents(atPath: "/proc/self/statm"),
      let pages = String(decoding: text, as: UTF8.self).split(separator: " ").first.flatMap({ Int($0) })
    else { return nil }
    return pages * Int(sysconf(Int32(_SC_PAGESIZE)))
  }

  /// Messages, each after its length; ends the process if the other side is gone.
  private struct Connection {
    private let descriptor: Int32

    init(_ descriptor: Int32) { self.descriptor = descriptor }

    /// Nil at the end of the connection.
    func read(max: Int) -> [UInt8]? {
      guard let head = bytes(DecoderMessage.headBytes) else { return nil }
      let count = DecoderMessage.count(head)
      guard count <= max, let body = bytes(count) else { exit(Status.brokenConnection.rawValue) }
      return body
    }

    private func bytes(_ count: Int) -> [UInt8]? {
      var bytes = [UInt8](repeating: 0, count: count)
      var filled = 0
      while filled < count {
        let more = bytes.withUnsafeMutableBytes { Glibc.read(descriptor, $0.baseAddress?.advanced(by: filled), count - filled) }
        if more < 0, errno == EINTR { continue }
        guard more > 0 else { return nil }
        filled += more
      }
      return bytes
    }

    func write(_ message: [UInt8]) {
      let bytes = DecoderMessage.head(message.count) + message
      var written = 0
      while written < bytes.count {
        let more = bytes.withUnsafeBytes {
          Glibc.write(descriptor, $0.baseAddress?.advanced(by: written), bytes.count - written)
        }
        if more < 0, errno == EINTR { continue }
        guard more > 0 else { exit(Status.brokenConnection.rawValue) }
        written += more
      }
    }
  }
}

/// How messages lie on the connection: behind their length in four bytes, the lowest first.
enum DecoderMessage {
  static let headBytes = 4

  static func head(_ count: Int) -> [UInt8] { (0..<headBytes).map { UInt8(truncatingIfNeeded: count >> ($0 * 8)) } }

  static func count(_ head: [UInt8]) -> Int { head.reversed().reduce(0) { $0 << 8 | Int($1) } }
}
