import Foundation
import Glibc
import Messaging
import Operations
import Testing

/// A port of this machine at which nothing answers and nothing refuses, as behind a network that drops all in silence: the queue of
/// a listening socket that takes no connection is full, and the kernel drops who knocks.
private struct SilentPort {
  let port: Int
  private let sockets: [CInt]

  init(_ port: Int) throws {
    self.port = port
    var address = sockaddr_in()
    address.sin_family = sa_family_t(AF_INET)
    address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
    address.sin_port = UInt16(port).bigEndian
    let listener = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
    // More than the queue holds.
    let knocking = (0..<8).map { _ in socket(AF_INET, Int32(SOCK_STREAM.rawValue | SOCK_NONBLOCK.rawValue), 0) }
    sockets = [listener] + knocking
    var one: CInt = 1
    setsockopt(listener, SOL_SOCKET, SO_REUSEADDR, &one, 4)
    let isListening = withUnsafePointer(to: &address) { pointer in
      pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { address in
        guard bind(listener, address, socklen_t(MemoryLayout<sockaddr_in>.size)) == 0, listen(listener, 0) == 0 else {
          return false
        }
        for socket in knocking { _ = connect(socket, address, socklen_t(MemoryLayout<sockaddr_in>.size)) }
        return true
      }
    }
    try #require(isListening)
  }

  /// The ports from which someone knocks and gets no answer: state 02 of the kernel's table is SYN_SENT.
  func knocking() throws -> Set<String> {
    let remote = String(format: "0100007F:%04X", port)
    // The bus' sockets are of IPv6, and show the address as mapped into it.
    let tables = try ["/proc/net/tcp", "/proc/net/tcp6"].map(Self.whole)
    return Set(
      tables.joined().split(separator: "\n").compactMap { line in
        let fields = line.split(separator: " ")
        return fields.count > 3 && fields[2].hasSuffix(remote) && fields[3] == "02" ? String(fields[1]) : nil
      })
  }

  /// The kernel gives such a table in pieces of a page: whoever takes a short one for the last sees the first sockets of a busy machine alone.
  private static func whole(_ path: String) throws -> String {
    let file = open(path, O_RDONLY)
    try #require(file >= 0)
    defer { Glibc.close(file) }
    var (bytes, buffer) = ([UInt8](), [UInt8](repeating: 0, count: 65_536))
    while case let count = read(file, &buffer, buffer.count), count > 0 { bytes += buffer[..<count] }
    return String(decoding: bytes, as: UTF8.self)
  }

  func close() { for socket in sockets { Glibc.close(socket) } }
}

@Suite("A network that silently drops everything", .timeLimit(.minutes(1)))
struct PartitionTests {
  @Test("A connection over a silent network is retried every other second, so that it works again soon")
  func connects() async throws {
    let (social, gateway) = try (CurveKeyPair.generate(), CurveKeyPair.generate())
    let silence = try SilentPort(try ForeignPeerTests.freePort())
    let own = try silence.knocking()
    try #require(!own.isEmpty, "the port is not silent")
    let addresses = [ServiceName.social: NetworkAddress(host: "127.0.0.1", port: silence.port, interface: "127.0.0.1")]
    let allowed = AllowList(entries: [AllowList.Entry(key: gateway.publicKey, service: .gateway, operations: ["*"])])
    let servers = [ServiceName.social: social.publicKey]
    let client = ZeroMQBus(
      .gateway, endpoints: .network(addresses, Curve(keys: gateway, servers: servers, allowed: allowed)), logger: .quiet)
    try client.start()
    await #expect(throws: BusFailure.unavailable) { try await client.request(.test(within: 100), to: .social) }
    // By the kernel's back-off it would be one attempt for over two minutes.
    var attempts: Set<String> = []
    let deadline = ContinuousClock.now + .seconds(30)
    while attempts.count < 2, ContinuousClock.now < deadline {
      attempts.formUnion(try silence.knocking().subtracting(own))
      // The kernel reports attempts only to those who ask.
      try await Task.sleep(for: .milliseconds(20))
    }
    #expect(attempts.count == 2)
    silence.close()
    let server = ZeroMQBus(
      .social, endpoints: .network(addresses, Curve(keys: social, servers: servers, allowed: allowed)), logger: .quiet)
    server.serve { .test($0, body: $0.body) }
    try server.start()
    var body: [UInt8]?
    while body == nil, ContinuousClock.now < deadline + .seconds(20) {
      do throws(BusFailure) { body = try await client.request(.test(body: [7], within: 2000), to: .social).body } catch {
        #expect(error == .unavailable)
      }
    }
    #expect(body == [7])
    await client.stop(within: .milliseconds(200))
    await server.stop(within: .milliseconds(200))
  }

  @Test(
    "A connection that falls silent is replaced: requests fail in time meanwhile, and are answered soon after",
    .enabled(if: PythonPeer.interpreter != nil))
  func established() async throws {
    let (social, gateway) = try (CurveKeyPair.generate(), CurveKeyPair.generate())
    let (near, far) = (try ForeignPeerTests.freePort(), try ForeignPeerTests.freePort())
    let silence = URL.temporaryDirectory.appending(path: "racha-silence-\(UInt32.random(in: .min ... .max))")
    let was = URL(filePath: silence.path + ".was")
    defer { for file in [silence, was] { try? FileManager.default.removeItem(at: file) } }
    let end = try await PythonPeer.start("silent_proxy.py", "\(near)", "\(far)", silence.path)
    defer { end() }
    func wiring(_ port: Int, _ keys: CurveKeyPair) -> Endpoints {
      let allowed = AllowList(entries: [AllowList.Entry(key: gateway.publicKey, service: .gateway, operations: ["*"])])
      return .network(
        [.social: NetworkAddress(host: "127.0.0.1", port: port, interface: "127.0.0.1")],
        Curve(keys: keys, servers: [.social: social.publicKey], allowed: allowed))
    }
    let server = ZeroMQBus(.social, endpoints: wiring(far, social), logger: .quiet)
    server.serve { .test($0, body: $0.body) }
    try server.start()
    let client = ZeroMQBus(.gateway, endpoints: wiring(near, gateway), logger: .quiet)
    try client.start()
    func answer(within limit: Duration) async throws -> [UInt8]? {
      let deadline = ContinuousClock.now + limit
      while ContinuousClock.now < deadline {
        do throws(BusFailure) { return try await client.request(.test(body: [7], within: 500), to: .social).body } catch {
          #expect(error == .unavailable || error == .timedOut)
        }
      }
      return nil
    }
    #expect(try await answer(within: .seconds(10)) == [7])
    try Data().write(to: silence)
    #expect(try await answer(within: .seconds(2)) == nil)
    // From here on new connections pass; those of before are dead, and nothing says so.
    try Data().write(to: was)
    try FileManager.default.removeItem(at: silence)
    #expect(try await answer(within: .seconds(30)) == [7])
    await client.stop(within: .milliseconds(200))
    await server.stop(within: .milliseconds(200))
  }
}
