import Foundation
import NIOCore
import NIOPosix
import Testing

@testable import GatewayService

/// Options of accepted sockets.
@Suite("Accepted sockets")
struct SocketOptionsTests {
  /// What the kernel says of an accepted socket.
  private struct Options: Sendable {
    var sendsAtOnce: SocketOptionValue
    var keepsAlive: SocketOptionValue
    var isTraced: SocketOptionValue
  }

  @Test("An accepted socket sends at once and detects lost peers, with options that need no privileges")
  func options() async throws {
    let server = try await ServerBootstrap(group: MultiThreadedEventLoopGroup.singleton)
      .childChannelOption(.tcpOption(.tcp_nodelay), value: 0)
      .bind(host: "127.0.0.1", port: 0) { channel in
        channel.eventLoop.makeCompletedFuture {
          try SocketOptions.set(channel, GatewayConfiguration.Limits())
          let options = try #require(channel.syncOptions)
          // SO_DEBUG has TCP_NODELAY's number, and only an administrator may set it.
          return Options(
            sendsAtOnce: try options.getOption(.tcpOption(.tcp_nodelay)),
            keepsAlive: try options.getOption(.socketOption(.so_keepalive)),
            isTraced: try options.getOption(.socketOption(.init(rawValue: SO_DEBUG))))
        }
      }
    let address = try #require(server.channel.localAddress)
    try await server.executeThenClose { accepted in
      let client = try await ClientBootstrap(group: MultiThreadedEventLoopGroup.singleton).connect(to: address).get()
      for try await options in accepted {
        #expect(options.sendsAtOnce != 0)
        #expect(options.keepsAlive != 0)
        #expect(options.isTraced == 0)
        break
      }
      try await client.close()
    }
  }
}
