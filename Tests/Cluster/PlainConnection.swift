import Foundation
public import Operations

/// A connection of plain sockets, which can come from any address of this machine: the gateway counts what an address may do.
public struct PlainConnection: ~Copyable {
  public struct Answer: Sendable {
    public let status: Int
    public let body: String
    /// From the first byte sent to the last received.
    public let duration: Duration
  }

  public struct Broken: Error {
    public let call: String
    public let code: Int32
  }

  private let descriptor: Int32

  /// - Parameters:
  ///   - address: where it comes from, an IPv4 address of this machine such as any of 127.0.0.0/8.
  ///   - port: at 127.0.0.1.
  public init(from address: String, to port: Int) throws {
    descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
    guard descriptor >= 0 else { throw Broken(call: "socket", code: errno) }
    try PlainConnection.at(address, 0) { pointer, length in
      guard bind(descriptor, pointer, length) == 0 else { throw Broken(call: "bind", code: errno) }
    }
    try PlainConnection.at("127.0.0.1", port) { pointer, length in
      guard connect(descriptor, pointer, length) == 0 else { throw Broken(call: "connect", code: errno) }
    }
    var on: Int32 = 1
    setsockopt(descriptor, Int32(IPPROTO_TCP), TCP_NODELAY, &on, socklen_t(MemoryLayout<Int32>.size))
  }

  deinit { close(descriptor) }

  private static func at(_ host: String, _ port: Int, _ body: (UnsafePointer<sockaddr>, socklen_t) throws -> Void) throws {
    var address = sockaddr_in()
    address.sin_family = sa_family_t(AF_INET)
    address.sin_port = in_port_t(port).bigEndian
    guard inet_pton(AF_INET, host, &address.sin_addr) == 1 else { throw Broken(call: "inet_pton", code: errno) }
    try withUnsafePointer(to: &address) { pointer in
      try pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { try body($0, socklen_t(MemoryLayout<sockaddr_in>.size)) }
    }
  }

  /// Sends a document and waits for the whole answer.
  public func post(_ path: String, _ body: some Document, token: String? = nil) throws -> Answer {
    let json = body.json
    let authorization = token.map { "Authorization: Bearer \($0)\r\n" } ?? ""
    let head =
      "POST \(path) HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n\(authorization)Content-Length: \(json.count)\r\n\r\n"
    let start = ContinuousClock.now
    try send(Array(head.utf8) + json)
    var answer = ""
    while true {
      if let (status, body) = PlainConnection.parse(answer) {
        return Answer(status: status, body: body, duration: ContinuousClock.now - start)
      }
      answer += try receive()
    }
  }

  private func send(_ bytes: [UInt8]) throws {
    var sent = 0
    while sent < bytes.count {
      let count = bytes[sent...].withUnsafeBytes {
        Foundation.send(descriptor, $0.baseAddress, $0.count, Int32(MSG_NOSIGNAL))
      }
      guard count > 0 else { throw Broken(call: "send", code: errno) }
      sent += count
    }
  }

  private func receive() throws -> String {
    let bytes = try [UInt8](unsafeUninitializedCapacity: 16_384) { buffer, count in
      let received = recv(descriptor, buffer.baseAddress, buffer.count, 0)
      guard received > 0 else { throw Broken(call: "recv", code: errno) }
      count = received
    }
    return String(decoding: bytes, as: UTF8.self)
  }

  /// Status and body once both have arrived; answers here are ASCII with a `Content-Length`, or have no body.
  private static func parse(_ answer: String) -> (status: Int, body: String)? {
    guard let end = answer.firstRange(of: "\r\n\r\n") else { return nil }
    let head = answer[..<end.lowerBound]
    let body = answer[end.upperBound...]
    let length = head.firstMatch(of: /(?i)\r\ncontent-length: (\d+)/).flatMap { Int($0.1) } ?? 0
    guard body.utf8.count >= length, let status = head.split(separator: " ").dropFirst().first.flatMap({ Int($0) }) else {
      return nil
    }
    return (status, String(body))
  }
}
