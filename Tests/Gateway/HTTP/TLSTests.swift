import Foundation
import NIOCore
import NIOPosix
import NIOSSL
import Operations
import ServiceKit
import Testing

@testable import GatewayService

@Suite("TLS")
struct TLSTests {
  static let openssl = FileManager.default.isExecutableFile(atPath: "/usr/bin/openssl")

  @Test(
    "Both ports speak TLS 1.2 or later with the certificate that the settings name",
    .enabled(if: openssl, "needs /usr/bin/openssl"))
  func encrypts() async throws {
    let folder = FileManager.default.temporaryDirectory.appendingPathComponent("racha-tls-\(ID<TLSTests>().description)")
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(at: folder) }
    let chain = folder.appendingPathComponent("chain.pem").path
    let key = folder.appendingPathComponent("key.pem").path
    try Self.makeCertificate(chain: chain, key: key)
    try await RunningGateway.with(
      bus: RPCTests.bus(), change: { $0.certificate = .init(chainFile: chain, keyFile: key) }
    ) { gateway in
      let http = try await Self.exchange(
        gateway.httpPort, chain, "GET /livez HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n")
      #expect(http.hasPrefix("HTTP/1.1 200"))
      #expect(http.contains("Strict-Transport-Security"))
      let line = try await Self.exchange(
        gateway.tcpPort, chain, #"{"jsonrpc":"2.0","method":"things.echo","params":{"text":"a"},"id":1}"# + "\n")
      #expect(line.contains(#""result":{"text":"a"}"#))
    }
  }

  @Test(
    "An invalid certificate, or a key of another certificate, stops the start and names its setting",
    .enabled(if: openssl, "needs /usr/bin/openssl"))
  func faults() throws {
    let folder = FileManager.default.temporaryDirectory.appendingPathComponent("racha-tls-\(ID<TLSTests>().description)")
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(at: folder) }
    let paths = ["chain", "key", "other", "otherKey"].map { folder.appendingPathComponent($0).path }
    try Self.makeCertificate(chain: paths[0], key: paths[1])
    try Self.makeCertificate(chain: paths[2], key: paths[3])
    func refused(_ chain: String, _ key: String) -> [String] {
      let settings = Settings(["racha.tls.certificateFile": chain, "racha.tls.keyFile": key])
      _ = GatewayConfiguration(settings)
      do {
        try settings.check()
        return []
      } catch {
        return (error as? Settings.Invalid)?.problems.map(\.key) ?? ["\(error)"]
      }
    }
    #expect(refused(paths[0], paths[1]) == [])
    #expect(refused("/nowhere", paths[1]) == ["racha.tls.certificateFile"])
    #expect(refused(paths[1], paths[1]) == ["racha.tls.certificateFile"])
    #expect(refused(paths[0], "/nowhere") == ["racha.tls.keyFile"])
    #expect(refused(paths[0], paths[0]) == ["racha.tls.keyFile"])
    #expect(refused(paths[0], paths[3]) == ["racha.tls.keyFile"])
  }

  private static func makeCertificate(chain: String, key: String) throws {
    let process = Process()
    process.executableURL = URL(fileURLWithPath: "/usr/bin/openssl")
    process.arguments = [
      "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes", "-days", "1", "-subj",
      "/CN=localhost",
      "-addext", "subjectAltName=DNS:localhost", "-keyout", key, "-out", chain,
    ]
    process.standardError = FileHandle.nullDevice
    try process.run()
    process.waitUntilExit()
    try #require(process.terminationStatus == 0)
  }

  /// Sends the text over TLS and returns what comes back until the first pause after an answer.
  private static func exchange(_ port: Int, _ root: String, _ text: String) async throws -> String {
    var configuration = TLSConfiguration.makeClientConfiguration()
    configuration.trustRoots = .file(root)
    let context = try NIOSSLContext(configuration: configuration)
    let channel = try await ClientBootstrap(group: MultiThreadedEventLoopGroup.singleton).connect(host: "127.0.0.1", port: port) {
      channel in
      channel.eventLoop.makeCompletedFuture {
        try channel.pipeline.syncOperations.addHandler(NIOSSLClientHandler(context: context, serverHostname: "localhost"))
        return try NIOAsyncChannel<ByteBuffer, ByteBuffer>(wrappingChannelSynchronously: channel)
      }
    }
    return try await channel.executeThenClose { inbound, outbound in
      try await outbound.write(ByteBuffer(string: text))
      var received = ""
      for try await part in inbound {
        received += String(buffer: part)
        if received.hasSuffix("}\n") || received.hasSuffix("}") { break }
      }
      return received
    }
  }
}
