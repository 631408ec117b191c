import NIOCore
import NIOPosix
import Operations

/// A TCP connection that sends exactly what it is given and shows exactly what comes back.
final class RawConnection: Sendable {
  struct Response: Sendable {
    let status: Int
    /// Names in lower case; the last of several.
    let fields: [String: String]
    let body: String

    var json: JSON {
      get throws { try JSONTape(Array(body.utf8)).json }
    }
  }

  enum Problem: Error { case closed(received: String), malformed(String) }

  private let channel: any Channel
  private let received: ReceivedBytes

  /// - Parameters:
  ///   - from: where it comes from, an address of this machine such as any of 127.0.0.0/8.
  ///   - receiveBuffer: bytes that the kernel may hold for a connection that reads nothing.
  init(host: String = "127.0.0.1", port: Int, from own: String? = nil, receiveBuffer: Int? = nil) async throws {
    let received = ReceivedBytes()
    self.received = received
    var bootstrap = ClientBootstrap(group: MultiThreadedEventLoopGroup.singleton)
      .channelOption(.allowRemoteHalfClosure, value: true)
    if let receiveBuffer { bootstrap = bootstrap.channelOption(.socketOption(.so_rcvbuf), value: .init(receiveBuffer)) }
    if let own { bootstrap = bootstrap.bind(to: try SocketAddress(ipAddress: own, port: 0)) }
    channel =
      try await bootstrap
      .channelInitializer { channel in
        channel.eventLoop.makeCompletedFuture { try channel.pipeline.syncOperations.addHandler(Receiver(received)) }
      }
      .connect(host: host, port: port).get()
  }

  func send(_ bytes: [UInt8]) async throws { try await channel.writeAndFlush(ByteBuffer(bytes: bytes)).get() }

  func send(_ text: String) async throws { try await channel.writeAndFlush(ByteBuffer(string: text)).get() }

  func stopReading() async throws { try await channel.setOption(.autoRead, value: false).get() }

  func startReading() async throws { try await channel.setOption(.autoRead, value: true).get() }

  /// Everything up to and including that text.
  func receive(until end: String) async throws -> String {
    let end = Array(end.utf8)
    return try await received.take { bytes in
      guard bytes.count >= end.count else { return nil }
      return (0...bytes.count - end.count).first { bytes[$0..<$0 + end.count].elementsEqual(end) }.map { $0 + end.count }
    }
  }

  /// That many bytes.
  func receive(bytes count: Int) async throws -> String { try await received.take { $0.count >= count ? count : nil } }

  /// One line of JSON.
  func receiveLine() async throws -> JSON { try JSONTape(Array(try await receive(until: "\n").utf8)).json }

  /// Everything until the peer closes.
  func receiveAll() async throws -> String { try await received.rest() }

  /// One HTTP response with a Content-Length.
  func receiveResponse() async throws -> Response {
    let head = try await receive(until: "\r\n\r\n")
    var lines = head.split(separator: "\r\n")
    guard let status = Int(lines.removeFirst().split(separator: " ")[1]) else { throw Problem.malformed(head) }
    var fields: [String: String] = [:]
    for line in lines {
      guard let colon = line.firstIndex(of: ":") else { throw Problem.malformed(head) }
      fields[line[..<colon].lowercased()] = line[line.index(after: colon)...].drop { $0 == " " }.description
    }
    let body = try await receive(bytes: fields["content-length"].flatMap { Int($0) } ?? 0)
    return Response(status: status, fields: fields, body: body)
  }

  /// Sends no more, but goes on reading.
  func closeOutput() async throws { try await channel.close(mode: .output).get() }

  func close() async throws { try await channel.close().get() }
}

private actor ReceivedBytes {
  private var received: [UInt8] = []
  private var isClosed = false
  private var waiting: CheckedContinuation<Void, Never>?

  func arrived(_ bytes: [UInt8]) {
    received += bytes
    wake()
  }

  func closed() {
    isClosed = true
    wake()
  }

  /// - Parameter end: how many bytes to take, or nil if there are not enough yet.
  func take(_ end: ([UInt8]) -> Int?) async throws -> String {
    while true {
      if let count = end(received) {
        defer { received.removeFirst(count) }
        return String(decoding: received[..<count], as: UTF8.self)
      }
      guard !isClosed else { throw RawConnection.Problem.closed(received: String(decoding: received, as: UTF8.self)) }
      await withCheckedContinuation { waiting = $0 }
    }
  }

  func rest() async throws -> String {
    while !isClosed { await withCheckedContinuation { waiting = $0 } }
    return String(decoding: received, as: UTF8.self)
  }

  private func wake() {
    waiting?.resume()
    waiting = nil
  }
}

private final class Receiver: ChannelInboundHandler {
  typealias InboundIn = ByteBuffer

  private let continuation: AsyncStream<[UInt8]?>.Continuation

  init(_ received: ReceivedBytes) {
    let (stream, continuation) = AsyncStream.makeStream(of: [UInt8]?.self)
    self.continuation = continuation
    Task {
      for await bytes in stream {
        if let bytes { await received.arrived(bytes) } else { await received.closed() }
      }
      await received.closed()
    }
  }

  func channelRead(context: ChannelHandlerContext, data: NIOAny) {
    continuation.yield(Array(unwrapInboundIn(data).readableBytesView))
  }

  func userInboundEventTriggered(context: ChannelHandlerContext, event: Any) {
    if event as? ChannelEvent == .inputClosed { continuation.yield(nil) }
    context.fireUserInboundEventTriggered(event)
  }

  func channelInactive(context: ChannelHandlerContext) { continuation.finish() }

  func errorCaught(context: ChannelHandlerContext, error: any Error) { context.close(promise: nil) }
}
