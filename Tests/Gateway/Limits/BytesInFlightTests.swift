import IdentityContract
import Operations
import ServiceKit
import Testing

@testable import GatewayService

@Suite("Bytes in flight", .timeLimit(.minutes(1)))
struct BytesInFlightTests {
  private static func bytes(_ all: Int, perAddress: Int) -> BytesInFlight {
    var limits = GatewayConfiguration.Limits()
    limits.bytesInFlight = all
    limits.bytesInFlightPerAddress = perAddress
    return BytesInFlight(limits)
  }

  @Test("Bytes in flight beyond each connection's allowance are counted, bounded in total and for each address, and released")
  func counts() {
    let bytes = Self.bytes(200_000, perAddress: 100_000)
    let first = HeldBytes(bytes, .v6(1))
    #expect(first.change(.requests, by: HeldBytes.uncounted) && bytes.total == 0)
    #expect(first.change(.answers, by: 80_000) && (80_000...100_000).contains(bytes.total))
    #expect(!first.change(.requests, by: 40_000), "beyond what the address may")
    #expect(first.count(.requests) == HeldBytes.uncounted, "what is refused is not counted")
    let sibling = HeldBytes(bytes, .v6(1))
    #expect(!sibling.change(.requests, by: 60_000) && sibling.change(.requests, by: 10_000))
    let second = HeldBytes(bytes, .v6(2))
    #expect(second.change(.requests, by: 90_000))
    #expect(!HeldBytes(bytes, .v6(3)).change(.requests, by: 90_000), "beyond what there is")
    #expect(!HeldBytes(bytes, nil).change(.requests, by: 90_000))
    #expect(HeldBytes(bytes, .v6(3)).change(.requests, by: 90_000, isForced: true))
    first.release(.answers, 80_000)
    #expect(first.set(.line, to: 60_000) && first.set(.line, to: 50_000) && first.set(.line, to: 0))
    #expect(HeldBytes(bytes, .v6(3)).change(.requests, by: 90_000), "what is no more is given back")
    #expect(bytes.total < 100_000)
    // Who turns out to be another counts as that one.
    second.move(to: .v6(4))
    #expect(!HeldBytes(bytes, .v6(4)).change(.requests, by: 60_000) && HeldBytes(bytes, .v6(2)).change(.requests, by: 60_000))
  }

  @Test("Large pending bodies make only large requests from the same address fail")
  func bodies() async throws {
    let bus = FakeBus()
    let gate = Gate()
    bus.answer(.social) { request in
      let input = try Echo.Input.decode(request.body)
      if input.text == "hold" { await gate.wait() }
      return Reply(request, input)
    }
    try await RunningGateway.with(bus: bus, change: { $0.limits.bytesInFlightPerAddress = 2_400_000 }) { gateway in
      func large(_ text: String) -> String {
        let body = #"{"text":"\#(text)"}"# + String(repeating: " ", count: 1_000_000)
        return
          "PUT /v1/echo HTTP/1.1\r\nHost: a\r\nContent-Type: application/json\r\nContent-Length: \(body.utf8.count)\r\n\r\n\(body)"
      }
      let holding = try await RawConnection(port: gateway.httpPort)
      try await holding.send(large("hold"))
      await gate.waitFor(1)
      let refused = try await RawConnection(port: gateway.httpPort)
      try await refused.send(large("a"))
      let response = try await refused.receiveResponse()
      #expect(response.status == 503 && response.fields["retry-after"] == "5" && response.fields["connection"] == "close")
      #expect(try response.json["code"] == "overloaded")
      #expect(try await refused.receiveAll() == "")
      // A line that has ended, and one that has not.
      for end in ["\n", ""] {
        let line = try await RawConnection(port: gateway.tcpPort)
        try await line.send(String(repeating: " ", count: 1_000_000) + end)
        #expect(try await line.receiveLine()["error"]?["data"]?["code"] == "overloaded")
        #expect(try await line.receiveAll() == "")
      }
      #expect(try await gateway.http("PUT", "/v1/echo", [:], #"{"text":"a"}"#).status == 200)
      let elsewhere = try await RawConnection(port: gateway.httpPort, from: "127.0.0.2")
      try await elsewhere.send(large("a"))
      #expect(try await elsewhere.receiveResponse().status == 200)
      // The one that was taken is answered like any other, and gives back its room.
      await gate.open()
      #expect(try await holding.receiveResponse().status == 200)
      for _ in 0..<3 {
        try await holding.send(large("a"))
        #expect(try await holding.receiveResponse().status == 200)
      }
    }
  }

  @Test(
    "Unread answers make other requests of the same address fail, and a client that reads again gets everything")
  func answers() async throws {
    let bus = FakeBus()
    // More than the kernel's buffers hold.
    let text = String(repeating: "x", count: 3_000_000)
    bus.answer(.social) { Reply($0, Thing(id: "7", title: text)) }
    try await RunningGateway.with(bus: bus, change: { $0.limits.bytesInFlightPerAddress = 4_000_000 }) { gateway in
      let token = try gateway.bearer().map { "\($0): \($1)\r\n" }.joined()
      let request = "GET /v1/things/7 HTTP/1.1\r\nHost: a\r\n\(token)\r\n"
      let unread = try await RawConnection(port: gateway.httpPort)
      try await unread.stopReading()
      try await unread.send(request + request + request)
      var statuses: [Int] = []
      while statuses.last != 503 {
        let other = try await RawConnection(port: gateway.httpPort)
        try await other.send(request)
        let response = try await other.receiveResponse()
        statuses.append(response.status)
        if response.status == 503 { #expect(response.fields["retry-after"] == "5" && response.fields["connection"] == nil) }
        try await other.close()
      }
      try await unread.startReading()
      let first = try await unread.receiveResponse()
      #expect(first.status == 200 && first.body.utf8.count > 3_000_000)
      for _ in 0..<2 { _ = try await unread.receiveResponse() }
      #expect(try await gateway.http("GET", "/v1/things/7", gateway.bearer()).status == 200)
    }
  }

  @Test("Bytes in flight of a shared document count once: no reader uses up another's room")
  func documents() async throws {
    try await RunningGateway.with(
      contracts: [.trial, .identity],
      change: {
        $0.limits.bytesInFlightPerAddress = 3_000_000
        $0.rates.address[.read] = .init(1_000_000, per: 60)
      }
    ) { gateway in
      let document = try await gateway.http("GET", "/openapi.json").body
      let unread = try await withThrowingTaskGroup(of: RawConnection.self) { tasks in
        for _ in 0..<30 {
          tasks.addTask {
            let connection = try await RawConnection(port: gateway.httpPort, receiveBuffer: 4096)
            try await connection.stopReading()
            try await connection.send(String(repeating: "GET /openapi.json HTTP/1.1\r\nHost: a\r\n\r\n", count: 60))
            return connection
          }
        }
        return try await tasks.reduce(into: []) { $0.append($1) }
      }
      // Far more than there is room for, were the answer on each connection a copy.
      #expect(document.utf8.count * 30 > 2 * 3_000_000)
      let reader = try await RawConnection(port: gateway.httpPort)
      for _ in 0..<20 {
        try await reader.send("GET /openapi.json HTTP/1.1\r\nHost: a\r\n\r\nGET /livez HTTP/1.1\r\nHost: a\r\n\r\n")
        #expect(try await reader.receiveResponse().body == document)
        #expect(try await reader.receiveResponse().status == 200)
      }
      for connection in unread { try await connection.close() }
    }
  }

  @Test("The bounds of bytes in flight are configurable, with room for at least one body")
  func settings() throws {
    let few = Settings([
      "racha.limits.bodyBytes": "2097152", "racha.limits.bytesInFlight": "1000000000",
      "racha.limits.bytesInFlightPerAddress": "4194304",
    ])
    #expect(GatewayConfiguration(few).limits.bytesInFlight == 1_000_000_000)
    #expect(throws: Settings.Invalid.self) { try few.check() }
    let enough = Settings(["racha.limits.bytesInFlightPerAddress": "4194304", "racha.health.networks": "10.0.0.0/8"])
    let configuration = GatewayConfiguration(enough)
    try enough.check()
    #expect(configuration.limits.bytesInFlightPerAddress == 4_194_304)
    #expect(configuration.healthNetworks == [IPNetwork("10.0.0.0/8")])
    #expect(GatewayConfiguration(Settings([:])).healthNetworks == [IPNetwork("127.0.0.0/8"), IPNetwork("::1/128")])
  }

  @Test("Waiting live messages that exceed the bytes in flight end their stream")
  func live() {
    let hub = LiveHub(queue: 256)
    let bytes = Self.bytes(200_000, perAddress: 100_000)
    let account = AccountID()
    let held = HeldBytes(bytes, .v6(1))
    let slow = hub.subscribe(account, held)
    let other = hub.subscribe(AccountID(), HeldBytes(bytes, .v6(1)))
    for number in 1...20 {
      hub.deliver(LiveMessage(account: account, number: number, payload: [UInt8](repeating: 0x20, count: 10_000)))
    }
    #expect(slow.end == .tooSlow && other.end == nil && held.count(.live) == 0 && bytes.total == 0)
    let quick = hub.subscribe(account, held)
    for number in 1...200 {
      let message = LiveMessage(account: account, number: number, payload: [UInt8](repeating: 0x20, count: 10_000))
      hub.deliver(message)
      quick.give(message)
    }
    #expect(quick.end == nil && held.count(.live) == 0)
  }
}
