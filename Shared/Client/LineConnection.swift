import NIOCore
import NIOPosix
public import Operations
import Synchronization

/// One JSON-RPC 2.0 connection to the gateway's TCP port: many calls in flight, live events as they arrive.
///
///     let connection = try await LineConnection.open(host: "127.0.0.1", port: 8090)
///     try await connection.authenticate(accessToken)
///     let day = try await connection.call(ReadDay.self, .init(day: "today"))
public final class LineConnection: Sendable {
  /// A notification of the server: a live event.
  public struct Notification: Sendable {
    public let method: String
    public let params: JSON
  }

  /// The connection ended.
  public struct Closed: Error {}

  private struct State {
    var nextID = 1
    var waiting: [Int: CheckedContinuation<JSON, any Error>] = [:]
    var isClosed = false
  }

  private let state = Mutex(State())
  private let outbound: AsyncStream<[UInt8]>.Continuation
  /// Live events and other notifications, until the connection ends.
  public let notifications: AsyncStream<Notification>
  private let notify: AsyncStream<Notification>.Continuation

  private init(outbound: AsyncStream<[UInt8]>.Continuation) {
    self.outbound = outbound
    (notifications, notify) = AsyncStream.makeStream()
  }

  /// Connects. The connection lives until ``close()`` or until the server ends it.
  public static func open(host: String, port: Int) async throws -> LineConnection {
    let channel = try await ClientBootstrap(group: .singletonMultiThreadedEventLoopGroup)
      .channelOption(.tcpOption(.tcp_nodelay), value: 1)
      .connect(host: host, port: port) { channel in
        channel.eventLoop.makeCompletedFuture {
          try NIOAsyncChannel<ByteBuffer, ByteBuffer>(wrappingChannelSynchronously: channel)
        }
      }
    let (lines, outbound) = AsyncStream<[UInt8]>.makeStream()
    let connection = LineConnection(outbound: outbound)
    Task { await connection.run(channel, lines) }
    return connection
  }

  /// Ends the connection; waiting calls throw ``Closed``.
  public func close() { outbound.finish() }

  /// Authenticates the connection; needed once before calls for an account, and again with each new token.
  public func authenticate(_ accessToken: String, lastEventID: Int? = nil) async throws {
    var params: JSON = ["accessToken": .string(accessToken)]
    if let lastEventID { params["lastEventID"] = .integer(lastEventID) }
    _ = try await send("session.authenticate", params)
  }

  /// Calls an operation.
  ///
  /// - Throws: ``GatewayClient/Problem`` with what the gateway's error says, ``Closed`` if the connection ended before the answer.
  public func call<O: Operation>(_ operation: O.Type, _ input: O.Input) async throws -> O.Output {
    try O.Output.decode(try await send(O.spec.name, JSONTape(input.json).json).bytes, limits: JSONLimits(bytes: 16 << 20))
  }

  /// Sends a request with any method and params, and returns its result.
  public func send(_ method: String, _ params: JSON) async throws -> JSON {
    try await withCheckedThrowingContinuation { continuation in
      let id = state.withLock { state -> Int? in
        guard !state.isClosed else { return nil }
        defer { state.nextID += 1 }
        state.waiting[state.nextID] = continuation
        return state.nextID
      }
      guard let id else { return continuation.resume(throwing: Closed()) }
      let line: JSON = ["jsonrpc": "2.0", "id": .integer(id), "method": .string(method), "params": params]
      outbound.yield(line.bytes + [UInt8(ascii: "\n")])
    }
  }

  private func run(_ channel: NIOAsyncChannel<ByteBuffer, ByteBuffer>, _ lines: AsyncStream<[UInt8]>) async {
    do {
      try await channel.executeThenClose { inbound, outbound in
        try await withThrowingTaskGroup(of: Void.self) { group in
          group.addTask {
            for await line in lines { try await outbound.write(ByteBuffer(bytes: line)) }
          }
          group.addTask {
            var line: [UInt8] = []
            for try await part in inbound {
              for byte in part.readableBytesView {
                if byte == UInt8(ascii: "\n") {
                  try self.receive(line)
                  line.removeAll(keepingCapacity: true)
                } else {
                  line.append(byte)
                }
              }
            }
          }
          _ = try await group.next()
          group.cancelAll()
        }
      }
    } catch {
      // However it ended, whoever still waits gets the error below.
    }
    let waiting = state.withLock { state in
      state.isClosed = true
      defer { state.waiting = [:] }
      return state.waiting
    }
    for continuation in waiting.values { continuation.resume(throwing: Closed()) }
    notify.finish()
  }

  private func receive(_ line: [UInt8]) throws {
    let message = try JSONTape(line, limits: JSONLimits(bytes: 16 << 20)).json
    if case .integer(let id) = message["id"] {
      guard let continuation = state.withLock({ $0.waiting.removeValue(forKey: id) }) else { return }
      if let error = message["error"] {
        continuation.resume(throwing: GatewayClient.problem((error["data"] ?? error).bytes, status: 0, retryAfter: nil))
      } else {
        continuation.resume(returning: message["result"] ?? .null)
      }
    } else if case .string(let method) = message["method"] {
      notify.yield(Notification(method: method, params: message["params"] ?? .null))
    }
  }
}
