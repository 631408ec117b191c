import Crypto
import Foundation
import Glibc
import Operations
import Synchronization
import TransparencyLog

/// Cosigns what it is asked to, as long as each log has only grown: the state behind ``WitnessServer``.
///
/// The last checkpoint of each log is a file in a folder, written before its cosignature is handed out.
final class WitnessStore: Sendable {
  private let folder: String
  private let key: CosigningKey
  private let logs: [VerifierKey]
  private let lock = Mutex(())

  /// - Parameter logs: the keys of the logs that are watched; a log is called like its key, or so with a number behind it after a restore.
  /// - Throws: where another process has the folder: of two that do not know of each other, each could cosign another history.
  init(folder: String, key: CosigningKey, logs: [VerifierKey]) throws {
    self.folder = folder
    self.key = key
    self.logs = logs
    // Open, and so locked, until the process ends.
    let descriptor = open("\(folder)/lock", O_RDWR | O_CREAT | O_CLOEXEC, 0o600)
    guard descriptor >= 0, flock(descriptor, LOCK_EX | LOCK_NB) == 0 else {
      throw Refusal("\(folder) is used by another witness, or cannot be written")
    }
  }

  /// Answers a request to cosign.
  func cosign(_ body: [UInt8], at now: Instant) throws -> WitnessAnswer {
    try lock.withLock { _ in
      do {
        let (checkpoint, note) = try Witness.decide(body, keys: keys) { try self.last($0) }
        let cosignature = try key.cosign(note.text, at: Int(now.milliseconds / 1_000))
        let known = note.signatures.filter { signature in
          self.keys(checkpoint.origin)?.contains { $0.keyID == signature.keyID && $0.name == signature.name } == true
        }
        try keep(SignedNote(text: note.text, signatures: known + [cosignature]), of: checkpoint.origin)
        return WitnessAnswer(status: 200, body: cosignature.description)
      } catch let refusal as Witness.Refusal {
        guard case .otherSize(let size) = refusal else { return WitnessAnswer(status: refusal.status, body: "\(refusal)\n") }
        return WitnessAnswer(status: refusal.status, type: "text/x.tlog.size", body: "\(size)\n")
      }
    }
  }

  /// The last checkpoint of a log, by the hash of its origin.
  func checkpoint(_ hash: String) throws -> WitnessAnswer {
    guard hash.utf8.count == 64, hash.allSatisfy(\.isHexDigit),
      let note = try KeptFile.read("\(folder)/\(hash)")
    else { return WitnessAnswer(status: 404, body: "not found\n") }
    return WitnessAnswer(status: 200, body: String(decoding: note, as: UTF8.self))
  }

  private func keys(_ origin: String) -> [VerifierKey]? {
    let keys = logs.filter { origin == $0.name || origin.hasPrefix($0.name + "/") }
    return keys.isEmpty ? nil : keys
  }

  private func path(_ origin: String) -> String {
    let hash = SHA256.hash(data: Data(origin.utf8)).map { ($0 < 16 ? "0" : "") + String($0, radix: 16) }.joined()
    return "\(folder)/\(hash)"
  }

  private func last(_ origin: String) throws -> Checkpoint? {
    guard let note = try KeptFile.read(path(origin)) else { return nil }
    return try Checkpoint(text: SignedNote(parsing: note).text)
  }

  /// Written aside, flushed and renamed, so that no cosignature is out of which nothing is remembered.
  private func keep(_ note: SignedNote, of origin: String) throws {
    let (path, aside) = (path(origin), path(origin) + ".new")
    guard FileManager.default.createFile(atPath: aside, contents: Data(note.description.utf8)) else {
      throw Refusal("\(aside) cannot be written")
    }
    try flush(aside)
    guard rename(aside, path) == 0 else { throw Refusal("\(path) cannot be written") }
    try flush(folder)
  }

  private func flush(_ file: String) throws {
    let descriptor = open(file, O_RDONLY)
    defer { close(descriptor) }
    guard descriptor >= 0, fsync(descriptor) == 0 else { throw Refusal("\(file) cannot be written") }
  }
}

/// What a witness answers.
struct WitnessAnswer: Sendable {
  var status: Int
  var type = "text/plain; charset=utf-8"
  var body: String
}

/// Answers over HTTP/1.1, a request a connection, each on a thread of its own: for the few logs and monitors that speak with a witness.
struct WitnessServer: Sendable {
  /// Longer requests are refused.
  private static let maxBytes = 2 << 20
  /// More connections at a time wait.
  private static let maxConnections = 64
  private static let seconds = 10

  let store: WitnessStore

  /// Listens until the process ends.
  ///
  /// - Parameter port: 0 for any; it is printed.
  func run(host: String, port: UInt16, ready: (UInt16) -> Void) throws {
    signal(SIGPIPE, SIG_IGN)
    let listener = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
    var yes: Int32 = 1
    setsockopt(listener, SOL_SOCKET, SO_REUSEADDR, &yes, socklen_t(MemoryLayout<Int32>.size))
    var address = sockaddr_in()
    address.sin_family = sa_family_t(AF_INET)
    address.sin_port = port.bigEndian
    guard inet_pton(AF_INET, host, &address.sin_addr) == 1 else { throw Refusal("\(host) is no IPv4 address") }
    var length = socklen_t(MemoryLayout<sockaddr_in>.size)
    let isListening = withUnsafeMutablePointer(to: &address) { pointer in
      pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
        bind(listener, $0, length) == 0 && listen(listener, 64) == 0 && getsockname(listener, $0, &length) == 0
      }
    }
    guard isListening else { throw Refusal("\(host):\(port) cannot be listened at") }
    ready(UInt16(bigEndian: address.sin_port))
    let room = DispatchSemaphore(value: Self.maxConnections)
    while true {
      room.wait()
      let connection = accept(listener, nil, nil)
      guard connection >= 0 else {
        room.signal()
        continue
      }
      Thread.detachNewThread {
        serve(connection)
        close(connection)
        room.signal()
      }
    }
  }

  private func serve(_ connection: Int32) {
    var limit = timeval(tv_sec: Self.seconds, tv_usec: 0)
    for option in [SO_RCVTIMEO, SO_SNDTIMEO] {
      setsockopt(connection, SOL_SOCKET, option, &limit, socklen_t(MemoryLayout<timeval>.size))
    }
    let answer: WitnessAnswer
    do {
      answer = try read(connection).map(respond) ?? WitnessAnswer(status: 400, body: "not understood\n")
    } catch {
      answer = WitnessAnswer(status: 500, body: "not cosigned\n")
    }
    let head =
      "HTTP/1.1 \(answer.status) \(Self.reason(answer.status))\r\nContent-Type: \(answer.type)\r\n"
      + "Content-Length: \(answer.body.utf8.count)\r\nConnection: close\r\n\r\n"
    send(Array((head + answer.body).utf8), to: connection)
  }

  private func respond(_ request: (line: [Substring], body: [UInt8])) throws -> WitnessAnswer {
    guard request.line.count == 3 else { return WitnessAnswer(status: 400, body: "not understood\n") }
    let path = request.line[1].split(separator: "/")
    switch (request.line[0], path.count, path.last) {
    case ("POST", 1, "add-checkpoint"): return try store.cosign(request.body, at: .now)
    case ("GET", 2, "checkpoint"): return try store.checkpoint(String(path[0]))
    default: return WitnessAnswer(status: 404, body: "not found\n")
    }
  }

  /// Reads a request; nil for what is none, is too long or does not come.
  private func read(_ connection: Int32) -> (line: [Substring], body: [UInt8])? {
    var bytes: [UInt8] = []
    var piece = [UInt8](repeating: 0, count: 16_384)
    let end = Array("\r\n\r\n".utf8)
    let deadline = ContinuousClock.now + .seconds(Self.seconds)
    while ContinuousClock.now < deadline, bytes.count <= Self.maxBytes {
      if let head = bytes.firstRange(of: end) {
        let lines = String(decoding: bytes[..<head.lowerBound], as: UTF8.self).split(separator: "\r\n")
        let field = lines.dropFirst().first { $0.lowercased().hasPrefix("content-length:") }
        let length = field.map { Int($0.dropFirst(15).trimmingCharacters(in: .whitespaces)) } ?? 0
        guard let length, 0...Self.maxBytes ~= length, let line = lines.first else { return nil }
        let body = bytes[head.upperBound...]
        if body.count >= length { return (line.split(separator: " "), Array(body.prefix(length))) }
      }
      let count = recv(connection, &piece, piece.count, 0)
      guard count > 0 else { return nil }
      bytes += piece[..<count]
    }
    return nil
  }

  private func send(_ bytes: [UInt8], to connection: Int32) {
    var rest = bytes[...]
    while !rest.isEmpty {
      let count = rest.withUnsafeBytes { Glibc.send(connection, $0.baseAddress, $0.count, 0) }
      guard count > 0 else { return }
      rest = rest.dropFirst(count)
    }
  }

  private static func reason(_ status: Int) -> String {
    switch status {
    case 200: "OK"
    case 403: "Forbidden"
    case 404: "Not Found"
    case 409: "Conflict"
    case 422: "Unprocessable Entity"
    case 500: "Internal Server Error"
    default: "Bad Request"
    }
  }
}
