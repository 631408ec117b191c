import ActivityContract
import Client
import Cluster
import IdentityContract
import Operations
import RewardsContract
import SocialContract
import Testing

/// The six over TCP with CURVE, as the compose file spreads them: with the keys and the allow-list that `racha keys` makes.
@Suite("A bus over TCP with the launcher's keys", .serialized)
struct TCPBusTests {
  private static func started() async throws -> RunningCluster {
    var settings: [String: String] = [:]
    for service in ServiceName.allCases where service != .gateway {
      settings["RACHA_BUS_ENDPOINTS_\(service.rawValue.uppercased())"] = "tcp://127.0.0.1:\(try RunningCluster.freePair())"
    }
    let cluster = try RunningCluster(settings: settings) { service, home in
      [
        "RACHA_BUS_CURVE_SECRET_KEY_FILE": "\(home)/bus/\(service.rawValue).key",
        "RACHA_BUS_CURVE_ALLOW_LIST_FILE": "\(home)/bus/allow-list.json",
      ]
    }
    try cluster.administer("keys", "\(cluster.home)/bus")
    try await cluster.start()
    return cluster
  }

  @Test("A bus over TCP carries the services' requests and events: mails, friends, coins, withdrawn consents")
  func mainJob() async throws {
    let cluster = try await Self.started()
    defer { cluster.stop() }
    // No midnight falls between two of the steps.
    let ana = try await cluster.join("ana", password: "Rio-7-lento", timeZone: NoonZone().name)
    let ben = try await cluster.join("ben", password: "Rio-7-lento")
    let request = try await ana.client.call(SendFriendRequest.self, .init(username: ben.account.username))
    _ = try await ben.client.call(AcceptFriendRequest.self, .init(friendRequestID: request.id))
    let now = Instant.now
    func walk(_ id: String) -> RecordMovementSamples.Input {
      .init(samples: [
        MovementSample(id: id, start: now.adding(seconds: -1800), end: now, steps: 3456, source: "watch")
      ])
    }
    _ = try await ana.client.call(RecordMovementSamples.self, walk("a"))
    var coins = 0
    // Rewards receives the steps by an event; its balance is what shows that.
    while coins == 0, Instant.now < now.adding(seconds: 20) {
      coins = try await ana.client.call(GetBalance.self, Empty()).coins
      try await Task.sleep(for: .milliseconds(20))
    }
    #expect(coins == 34)

    _ = try await ana.client.call(UpdateSettings.self, .init(consents: .set(.init(activityData: false))))
    let refusal = await #expect(throws: GatewayClient.Problem.self) {
      try await ana.client.call(RecordMovementSamples.self, walk("b"))
    }
    #expect(refusal?.code == RequestFailure.consentRequired.rawValue)
    #expect(!cluster.log(.identity).contains("not known everywhere"))
    for service in ServiceName.allCases { #expect(!cluster.log(service).contains("\"level\":\"error\""), "\(service)") }
  }
}
