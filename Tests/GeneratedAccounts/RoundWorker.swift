public import Client
public import Cluster
import Foundation
import IdentityContract
import Operations

/// Somebody in a round.
public struct RoundSeat: Sendable {
  let client: GatewayClient
  let id: AccountID
  let username: Username

  public init(_ member: Member, _ client: GatewayClient) {
    self.client = client.authorized(member.accessToken)
    id = member.account.id
    username = member.account.username
  }
}

/// Who plays rounds of calls: accounts of one copy of the templates, and those who are there once.
public struct RoundWorker: Sendable {
  /// Friends, of whom the first follows the second; neither is in a team.
  let ana: RoundSeat
  let ben: RoundSeat
  /// Whom neither knows.
  let cora: RoundSeat
  /// Who never calls.
  let dan: RoundSeat
  /// Signed in as nobody.
  let anybody: GatewayClient
  let administrator: GatewayClient
  let shop: GatewayClient
  let cast: GrowthCast
  let bus: ClusterBus
  let mails: MailFolder
  /// Another for each worker and round.
  let name: String
  let timings: OperationTimings

  /// Which accounts of a copy the seats are.
  public static let seats = [0, 1, 3, 4]

  /// - Parameter members: those of ``seats``.
  public init(
    _ members: [Member], cast: GrowthCast, through client: GatewayClient, _ bus: ClusterBus, home: String, name: String,
    timings: OperationTimings
  ) {
    let seats = members.map { RoundSeat($0, client) }
    (ana, ben, cora, dan) = (seats[0], seats[1], seats[2], seats[3])
    anybody = client
    administrator = client.authorized(cast.administratorToken)
    shop = client.authorized(cast.shop.accessToken)
    self.cast = cast
    self.bus = bus
    mails = MailFolder(home: home)
    self.name = name
    self.timings = timings
  }

  /// Logs so many in, each with accounts of a copy of its own; few at a time, as passwords are hashed.
  public static func signedIn(
    _ count: Int, _ cluster: RunningCluster, _ cast: GrowthCast, through client: GatewayClient, _ bus: ClusterBus
  ) async throws -> [RoundWorker] {
    try await withThrowingTaskGroup(of: [(Int, RoundWorker)].self) { group in
      for first in 0..<min(4, count) {
        group.addTask {
          var workers: [(Int, RoundWorker)] = []
          for copy in stride(from: first + 1, through: count, by: 4) {
            var members: [Member] = []
            for number in seats {
              members.append(try await cluster.signIn(AccountTemplates.username(copy: copy, number: number)))
            }
            let worker = RoundWorker(
              members, cast: cast, through: client, bus, home: cluster.home, name: "\(copy)", timings: OperationTimings())
            workers.append((copy, worker))
          }
          return workers
        }
      }
      return try await group.reduce(into: []) { $0 += $1 }.sorted { $0.0 < $1.0 }.map(\.1)
    }
  }

  /// The same in another round.
  public func named(_ name: String, _ timings: OperationTimings) -> RoundWorker {
    RoundWorker(self, name, timings)
  }

  private init(_ other: RoundWorker, _ name: String, _ timings: OperationTimings) {
    (ana, ben, cora, dan) = (other.ana, other.ben, other.cora, other.dan)
    (anybody, administrator, shop) = (other.anybody, other.administrator, other.shop)
    (cast, mails, bus) = (other.cast, other.mails, other.bus)
    self.name = name
    self.timings = timings
  }

  /// A call was not answered as it should be, which is noted: the rest of the round makes no sense.
  struct Ended: Error {}

  /// Calls an operation and notes how long that took.
  ///
  /// - Throws: ``Ended``.
  @discardableResult
  func call<O: Operations.Operation>(_: O.Type, _ input: O.Input, by client: GatewayClient) async throws -> O.Output {
    let prepared = try PreparedCall<O>(input)
    return try await timed(O.spec.name) { try await client.call(prepared) }
  }

  /// Calls an operation as a service does, likewise.
  @discardableResult
  func ask<O: Operations.Operation>(_ operation: O.Type, _ input: O.Input, as service: ServiceName) async throws -> O.Output {
    try await timed(O.spec.name) { try await bus.ask(operation, input, as: service) }
  }

  private func timed<T>(_ operation: String, _ body: () async throws -> T) async throws -> T {
    let end = ContinuousClock.now + .seconds(30)
    while true {
      do {
        let start = ContinuousClock.now
        let output = try await body()
        let elapsed = (ContinuousClock.now - start).components
        timings.add(operation, Double(elapsed.seconds) * 1000 + Double(elapsed.attoseconds) / 1e15)
        return output
      } catch let problem as GatewayClient.Problem where problem.code == RequestFailure.overloaded.rawValue && .now < end {
        // Pictures and passwords wait in a short queue; who finds it full is to try again in a moment.
        timings.refuse(operation)
        try await Task.sleep(for: .milliseconds(50))
      } catch {
        timings.fail(operation, "\(error)")
        throw Ended()
      }
    }
  }

  @discardableResult
  func ana<O: Operations.Operation>(_ operation: O.Type, _ input: O.Input) async throws -> O.Output {
    try await call(operation, input, by: ana.client)
  }

  @discardableResult
  func ben<O: Operations.Operation>(_ operation: O.Type, _ input: O.Input) async throws -> O.Output {
    try await call(operation, input, by: ben.client)
  }

  @discardableResult
  func cora<O: Operations.Operation>(_ operation: O.Type, _ input: O.Input) async throws -> O.Output {
    try await call(operation, input, by: cora.client)
  }

  @discardableResult
  func administrator<O: Operations.Operation>(_ operation: O.Type, _ input: O.Input) async throws -> O.Output {
    try await call(operation, input, by: administrator)
  }

  @discardableResult
  func shop<O: Operations.Operation>(_ operation: O.Type, _ input: O.Input) async throws -> O.Output {
    try await call(operation, input, by: shop)
  }

  @discardableResult
  func anybody<O: Operations.Operation>(_ operation: O.Type, _ input: O.Input) async throws -> O.Output {
    try await call(operation, input, by: anybody)
  }

  /// A day by its distance from today.
  func day(_ days: Int) -> LocalDay { LocalDay.utc.advanced(by: days) }

  /// The token of a mail to that address that has a link with that text, and not one of the earlier tokens; waited for.
  func token(to email: String, _ link: String, after earlier: Set<String> = []) async throws -> String {
    let end = ContinuousClock.now + .seconds(20)
    while ContinuousClock.now < end {
      let tokens = try mails.mails(to: email).filter { $0.text.contains(link) }.compactMap(\.token)
      if let token = tokens.first(where: { !earlier.contains($0) }) { return token }
      // Files inform nobody of their arrival.
      try await Task.sleep(for: .milliseconds(10))
    }
    timings.fail(LinkMail.name, "no mail with \(link)")
    throw Ended()
  }

  /// Under what name a mail that did not come is noted.
  enum LinkMail { static let name = "a mailed link" }
}
