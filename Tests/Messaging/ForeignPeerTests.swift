import Glibc
import Messaging
import Operations
import Testing

@Suite(.enabled(if: PythonPeer.interpreter != nil, "no Python with pyzmq: set RACHA_TEST_PYTHON"), .timeLimit(.minutes(2)))
struct ForeignPeerTests {
  private static let serve: @Sendable (Request) async -> Reply = { request in
    request.header.operation == "test.echo"
      ? .test(request, body: request.body) : Reply(id: request.header.id, Failure(RequestFailure.unknownOperation))
  }

  private func header(_ operation: String = "test.echo", _ caller: Caller = .service(.gateway)) -> String {
    let header = Request.test(operation, id: "r1", within: 60_000, caller: caller).header
    return String(decoding: header.json, as: UTF8.self)
  }

  @Test("A plain REQ socket is served")
  func plainRequest() async throws {
    let junction = try Wiring.sockets.make()
    let server = try junction.bus(.social, serving: Self.serve)
    let lines = try await PythonPeer.run("req.py", "ipc://\(junction.folder?.path ?? "")/social.requests", header(), #"{"a":1}"#)
    #expect(lines == [#"{"id":"r1","status":200}"#, #"{"a":1}"#])
    await server.stop()
  }

  @Test("A bus survives malformed frames, an unknown operation, 100 MB and a peer that never reads")
  func faults() async throws {
    let junction = try Wiring.sockets.make()
    let server = try junction.bus(.social, serving: Self.serve)
    let lines = try await PythonPeer.run("faults.py", "ipc://\(junction.folder?.path ?? "")/social.requests", header())
    let published = Dictionary(lines.map { (String($0.prefix { $0 != "\t" }), $0) }, uniquingKeysWith: { first, _ in first })
    #expect(published["no JSON"]?.contains(#""code":"invalid_json""#) == true)
    #expect(published["no body"]?.contains(#""code":"bad_request""#) == true)
    #expect(published["unknown field"]?.contains(#""field":"extra","code":"unknown_field""#) == true)
    #expect(published["not UTF-8"]?.contains(#""code":"invalid_json""#) == true)
    #expect(published["too many frames"]?.contains(#""code":"bad_request""#) == true)
    #expect(published["unknown operation"]?.contains(#""code":"unknown_operation""#) == true)
    #expect(published["100 MB"] == "100 MB\tsilence")
    #expect(published["after all"] == "after all\t{}")
    let client = try junction.bus(.gateway)
    // What the peers left behind may still be worked off.
    var reply = try await client.bus.request(.test(body: [1]), to: .social)
    while reply.code == "overloaded" { reply = try await client.bus.request(.test(body: [1]), to: .social) }
    #expect(reply.body == [1])
    await client.stop()
    await server.stop()
  }

  @Test("A service that never reads costs its callers their deadline, and no memory")
  func deafServer() async throws {
    let folder = try TemporaryFolder()
    let end = try await PythonPeer.start("deaf_server.py", "ipc://\(folder.path)/social.requests")
    let client = try Junction(folder: folder, exchange: nil).bus(.gateway)
    // Until the connection stands, nobody is there.
    var isThere = false
    while !isThere {
      do throws(BusFailure) { _ = try await client.bus.request(.test(within: 500), to: .social) } catch {
        isThere = error == .timedOut
      }
    }
    let failures = await withTaskGroup(of: BusFailure?.self) { group in
      for _ in 0..<12_000 {
        group.addTask {
          do throws(BusFailure) {
            _ = try await client.bus.request(.test(body: Array(repeating: 32, count: 16_384), within: 1000), to: .social)
            return nil
          } catch {
            return error
          }
        }
      }
      return await group.reduce(into: [BusFailure?: Int]()) { $0[$1, default: 0] += 1 }
    }
    #expect(failures.keys.allSatisfy { $0 == .timedOut || $0 == .overloaded })
    #expect(failures.values.reduce(0, +) == 12_000)
    end()
    await client.stop()
  }

  // MARK: - CURVE

  private func network(_ entries: [AllowList.Entry], _ keys: CurveKeyPair, _ port: Int) -> Endpoints {
    .network(
      [.social: NetworkAddress(host: "127.0.0.1", port: port, interface: "127.0.0.1")],
      Curve(keys: keys, servers: [.social: keys.publicKey], allowed: AllowList(entries: entries)))
  }

  /// A port that is free, and the next as well.
  static func freePort() throws -> Int {
    while true {
      let sockets = [socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0), socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)]
      defer { for socket in sockets { close(socket) } }
      func bound(_ socket: CInt, _ port: UInt16) -> UInt16? {
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
        address.sin_port = port.bigEndian
        var length = socklen_t(MemoryLayout<sockaddr_in>.size)
        return withUnsafeMutablePointer(to: &address) { pointer in
          pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { address -> UInt16? in
            guard bind(socket, address, length) == 0, getsockname(socket, address, &length) == 0 else { return nil }
            return pointer.pointee.sin_port.bigEndian
          }
        }
      }
      if let first = bound(sockets[0], 0), first < 65_000, bound(sockets[1], first + 1) != nil { return Int(first) }
    }
  }

  @Test("Over TCP only known keys get in, each with its granted operations and under its own name")
  func curve() async throws {
    let (social, gateway, rewards) = try (CurveKeyPair.generate(), CurveKeyPair.generate(), CurveKeyPair.generate())
    let port = try Self.freePort()
    let served = Gate()
    let endpoints = network(
      [
        .init(key: gateway.publicKey, service: .gateway, operations: ["*"]),
        .init(key: rewards.publicKey, service: .rewards, operations: ["test.echo"]),
      ], social, port)
    let server = ZeroMQBus(.social, endpoints: endpoints, logger: .quiet)
    server.serve { request in
      await served.open()
      return .test(request, body: Array(request.header.operation.utf8))
    }
    try server.start()
    /// What is answered; for silence it listens that long.
    func ask(_ secret: String, _ operation: String, _ caller: Caller, milliseconds: Int = 30_000) async throws -> String {
      try await PythonPeer.run(
        "curve.py", "tcp://127.0.0.1:\(port)", social.publicKey.description, secret, header(operation, caller),
        String(milliseconds)
      ).joined()
    }
    let account = Caller(kind: .account, account: AccountID(), session: SessionID())
    #expect(try await ask("none", "test.echo", .service(.gateway), milliseconds: 1500) == "silence")
    #expect(try await ask("new", "test.echo", .service(.gateway), milliseconds: 1500) == "silence")
    #expect(try await ask(rewards.secretKey, "test.other", .service(.rewards)).contains(#""code":"forbidden""#))
    #expect(try await ask(rewards.secretKey, "test.echo", .service(.gateway)).contains(#""code":"forbidden""#))
    #expect(try await ask(rewards.secretKey, "test.echo", account).contains(#""code":"forbidden""#))
    #expect(try await ask(rewards.secretKey, "test.echo", Caller(kind: .anonymous)).contains(#""code":"forbidden""#))
    #expect(try await ask(rewards.secretKey, "test.echo", Caller(kind: .service)).contains(#""code":"forbidden""#))
    #expect(await !served.hasOpened)
    #expect(try await ask(rewards.secretKey, "test.echo", .service(.rewards)) == "test.echo")
    #expect(try await ask(gateway.secretKey, "test.other", account) == "test.other")
    // Events are for those who may fetch them.
    let publishing = Task {
      while !Task.isCancelled {
        server.announce(.heartbeat(LogHead(epoch: "e", number: 1)))
        await Task.yield()
      }
    }
    func subscribe(_ secret: String, milliseconds: Int) async throws -> String {
      try await PythonPeer.run(
        "curve.py", "tcp://127.0.0.1:\(port + 1)", social.publicKey.description, secret, "subscribe", String(milliseconds)
      ).joined()
    }
    #expect(try await subscribe(gateway.secretKey, milliseconds: 30_000).contains("heartbeat"))
    #expect(try await subscribe(rewards.secretKey, milliseconds: 1500) == "silence")
    publishing.cancel()
    await server.stop(within: .milliseconds(200))
  }

  @Test("Buses connect by CURVE: requests are answered, announcements received, and a wrong server key reaches nobody")
  func ownCurve() async throws {
    let (social, gateway) = try (CurveKeyPair.generate(), CurveKeyPair.generate())
    let port = try Self.freePort()
    let entries = [AllowList.Entry(key: gateway.publicKey, service: .gateway, operations: ["*"])]
    let server = ZeroMQBus(.social, endpoints: network(entries, social, port), logger: .quiet)
    server.serve(Self.serve)
    try server.start()
    func client(_ serverKey: CurvePublicKey) -> ZeroMQBus {
      let addresses = [ServiceName.social: NetworkAddress(host: "127.0.0.1", port: port)]
      let curve = Curve(keys: gateway, servers: [.social: serverKey], allowed: AllowList(entries: []))
      return ZeroMQBus(.gateway, endpoints: .network(addresses, curve), logger: .quiet)
    }
    let right = client(social.publicKey)
    try right.start()
    #expect(try await right.request(.test(body: [7]), to: .social).body == [7])
    let stream = right.announcements(of: .social)
    let publishing = Task {
      while !Task.isCancelled {
        server.announce(.heartbeat(LogHead(epoch: "e", number: 1)))
        await Task.yield()
      }
    }
    for await _ in stream { break }
    publishing.cancel()
    let wrong = client(gateway.publicKey)
    try wrong.start()
    await #expect(throws: BusFailure.unavailable) { try await wrong.request(.test(within: 700), to: .social) }
    await wrong.stop()
    await right.stop()
    await server.stop(within: .milliseconds(200))
  }
}
