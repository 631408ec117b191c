import Logging
import NIOCore
import NIOPosix
import NIOSSL
public import ServiceKit

/// Asks the running gateway for `/livez` on its own HTTP port, as `gateway --health` does.
public enum LivenessProbe {
  /// Why a gateway does not count as alive.
  enum Problem: Error, CustomStringConvertible {
    case noPort
    case noAnswer
    case answer(String)

    var description: String {
      switch self {
      case .noPort: "the system chose the port, so nobody knows it"
      case .noAnswer: "no answer in time"
      case .answer(let line): "answered \(line)"
      }
    }
  }

  /// Answers `--health`: the gateway has no place on the bus to be asked at, but a port.
  public static func isAlive(_ environment: ServiceEnvironment) async throws -> Bool {
    let configuration = GatewayConfiguration(environment.settings)
    try environment.settings.check()
    do {
      try await ask(configuration)
      return true
    } catch {
      environment.logger.error("not healthy", metadata: ["error": "\(error)"])
      return false
    }
  }

  private static let request = "GET /livez HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n"

  /// Returns when the gateway of that configuration has answered 200.
  ///
  /// - Throws: ``Problem``, or what connecting ended in.
  private static func ask(_ configuration: GatewayConfiguration, seconds: Int64 = 2) async throws {
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
    let deadline = channel.channel.eventLoop.scheduleTask(in: .seconds(seconds)) { channel.channel.close(promise: nil) }
    defer { deadline.cancel() }
    try await channel.executeThenClose { inbound, outbound in
      try await outbound.write(ByteBuffer(string: request))
      var received = ""
      for try await part in inbound {
        received += String(buffer: part)
        guard let end = received.firstIndex(where: \.isNewline) else { continue }
        guard received.hasPrefix("HTTP/1.1 200 ") else { throw Problem.answer(String(received[..<end])) }
        return
      }
      throw Problem.noAnswer
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
