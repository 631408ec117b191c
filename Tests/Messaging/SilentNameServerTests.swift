import Glibc
import Messaging
import Operations
import Synchronization
import Testing

/// A name server that never answers about one host.
private enum SilentNameServer {
  static let host = "silent.test"
  static let isSilent = Atomic(true)
  static let questions = Atomic(0)
}

/// Where libzmq looks up the name of a host: what a program defines itself goes before what the C library has.
@_cdecl("getaddrinfo")
public func lookUp(
  _ host: UnsafePointer<CChar>?, _ service: UnsafePointer<CChar>?, _ hints: UnsafeRawPointer?, _ found: UnsafeMutableRawPointer?
) -> CInt {
  typealias LookUp =
    @convention(c) (UnsafePointer<CChar>?, UnsafePointer<CChar>?, UnsafeRawPointer?, UnsafeMutableRawPointer?) -> CInt
  if let host, String(cString: host) == SilentNameServer.host {
    SilentNameServer.questions.add(1, ordering: .relaxed)
    while SilentNameServer.isSilent.load(ordering: .relaxed) { usleep(10_000) }
    return EAI_NONAME
  }
  // RTLD_NEXT, which is no constant for Swift.
  guard let next = dlsym(UnsafeMutableRawPointer(bitPattern: -1), "getaddrinfo") else { return EAI_SYSTEM }
  return unsafeBitCast(next, to: LookUp.self)(host, service, hints, found)
}

@Suite("A name server that does not answer for one service", .timeLimit(.minutes(1)))
struct SilentNameServerTests {
  @Test("A name server silent about one service delays no other, and the bus's stop by no more than its limit")
  func silence() async throws {
    let (social, identity, gateway) = try (CurveKeyPair.generate(), CurveKeyPair.generate(), CurveKeyPair.generate())
    let allowed = AllowList(entries: [AllowList.Entry(key: gateway.publicKey, service: .gateway, operations: ["*"])])
    let servers = [ServiceName.social: social.publicKey, .identity: identity.publicKey]
    let addresses = [
      ServiceName.social: NetworkAddress(host: "127.0.0.1", port: try ForeignPeerTests.freePort(), interface: "127.0.0.1"),
      .identity: NetworkAddress(host: SilentNameServer.host, port: 7000),
    ]
    let server = ZeroMQBus(
      .social, endpoints: .network(addresses, Curve(keys: social, servers: servers, allowed: allowed)), logger: .quiet)
    server.serve { .test($0, body: $0.body) }
    try server.start()
    let client = ZeroMQBus(
      .gateway, endpoints: .network(addresses, Curve(keys: gateway, servers: servers, allowed: allowed)), logger: .quiet)
    try client.start()
    defer { SilentNameServer.isSilent.store(false, ordering: .relaxed) }

    await #expect(throws: BusFailure.unavailable) { try await client.request(.test(within: 300), to: .identity) }
    #expect(SilentNameServer.questions.load(ordering: .relaxed) > 0)
    #expect(try await client.request(.test(body: [7], within: 1000), to: .social).body == [7])
    let begun = ContinuousClock.now
    await client.stop(within: .zero)
    #expect(begun.duration(to: .now) < .seconds(3))
    await server.stop(within: .milliseconds(200))
  }
}
