import Logging
import NIOCore
import NIOPosix
import NIOSSL
import ServiceKit
import Synchronization

/// Asks the running gateway for `/livez` on its own HTTP port, as `gateway --health` does.
enum LivenessProbe {
  /// Why a gateway does not count as ready.
  enum Problem: Error, CustomStringConvertible {
    case noPort
    case noAnswer
    case closed
    case answer(String)

    var description: String {
      switch self {
      case .noPort: "the system chose the port, so nobody knows it"
      case .noAnswer: "no answer in time"
      case .closed: "closed the connection without an answer"
      case .answer(let line): "answered \(line)"
      }
    }
  }

  /// Answers `--health`: the gateway is asked at a port, since it answers nothing over the bus.
  ///
  /// - Parameter seconds: how long to wait for the answer.
  static func health(_ environment: ServiceEnvironment, seconds: Int) async throws -> ServiceHealth {
    let configuration = GatewayConfiguration(environment.settings)
    try environment.settings.check()
    do {
      try await ask(configuration, seconds: Int64(seconds))
      return .ready
    } catch {
      environment.logger.error("not healthy", metadata: ["error": "\(error)"])
      switch error {
      // One that has as many connections as it takes closes further ones, and hangs by no means.
      case Problem.closed, Problem.answer: return .notReady
      default: return .noAnswer
      }
    }
  }

  private static let request = "GET /livez HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n"

  /// Returns when the gateway of that configuration has answered 200.
  ///
  /// - Throws: ``Problem``, or what connecting ended in.
  private static func ask(_ configuration: GatewayConfiguration, seconds: Int64) async throws {
    guard configuration.http.port != 0 else { throw Problem.noPort }
    // Over the loopback, and nothing secret is said: whom the certificate names does not matter.
    let tls = try configuration.certificate.map { _ in
      var client = TLSConfiguration.makeClientConfiguration()
      client.certificateVerification = .none
      return try NIOSSLContext(configuration: client)
    }
    let channel = try await ClientBootstrap(group: MultiThreadedEventLoopGroup.singleton)
      .connectTimeout(.seconds(seconds))
      .connect(host: reachable(configuration.http.host), port: configuration.http.port) { channel in
        channel.eventLoop.makeCompletedFuture {
          if let tls {
            try channel.pipeline.syncOperations.addHandler(NIOSSLClientHandler(context: tls, serverHostname: nil))
          }
          return try NIOAsyncChannel<ByteBuffer, ByteBuffer>(wrappingChannelSynchronously: channel)
        }
      }
    let isLate = Atomic(false)
    let deadline = channel.channel.eventLoop.scheduleTask(in: .seconds(seconds)) {
      isLate.store(true, ordering: .releasing)
      channel.channel.close(promise: nil)
    }
    defer { deadline.cancel() }
    do {
      try await channel.executeThenClose { inbound, outbound in
        try await outbound.write(ByteBuffer(string: request))
        var received = ""
        for try await part in inbound {
          received += String(buffer: part)
          guard let end = received.firstIndex(where: \.isNewline) else { continue }
          guard received.hasPrefix("HTTP/1.1 200 ") else { throw Problem.answer(String(received[..<end])) }
          return
        }
        throw Problem.closed
      }
    } catch let problem as Problem {
      if case .closed = problem, isLate.load(ordering: .acquiring) { throw Problem.noAnswer }
      throw problem
    } catch {
      throw isLate.load(ordering: .acquiring) ? Problem.noAnswer : Problem.closed
    }
  }

  /// An address at which this machine reaches a listener: one at every address is at the loopback too.
  private static func reachable(_ host: String) -> String {
    switch host {
    case "0.0.0.0": "127.0.0.1"
    case "::": "::1"
    default: host
    }
  }
}
