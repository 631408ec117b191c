import Client
import Cluster
import Foundation
import GRDB
import GeneratedAccounts
import IdentityContract
import Operations
import SocialContract
import TransparencyLog

/// The register: leaves while tasks are confirmed and taken back, and a proof among very many leaves.
struct RegisterLoad {
  let cluster: RunningCluster
  let report: Report
  let first: People.Person
  let second: People.Person
  /// How many leaves the register is filled to.
  let leaves: Int
  let seconds: Int
  /// Puts the gateway under load by `wrk` with these options, and returns what that says.
  let load: ([String]) throws -> String

  /// So many that a task is confirmed long before it is taken back.
  private static let tasks = 640

  func measure() async throws {
    try await confirm()
    try await fill()
    try await prove()
  }

  /// All tasks are confirmed and then taken back, over and over; what counts are the leaves that a checkpoint covers.
  private func confirm() async throws {
    var tasks: [ID<SharedTask>] = []
    for number in 0..<Self.tasks {
      let input = CreateTask.Input(
        name: try TaskName(text: "Bench \(number)"), description: nil, participants: [second.account.username], dueDay: nil)
      tasks.append(try await first.client.call(CreateTask.self, input).id)
    }
    let script = cluster.home + "/confirm.lua"
    try confirmScript(tasks).write(toFile: script, atomically: true, encoding: .utf8)
    // The tasks are leaves, too.
    try await Task.sleep(for: .seconds(1))
    let before = try await size()
    let said = try load(["-s", script])
    // By then every leaf has to be covered.
    try await Task.sleep(for: .seconds(1))
    let added = try await size() - before
    report.raw("tasks confirmed and taken back: \(said); \(added) leaves")
    report.add(
      "leaves registered and covered while tasks are confirmed", "\(added / seconds)/s", target: "3,000/s",
      isReached: added / seconds >= 3_000)
  }

  private func confirmScript(_ tasks: [ID<SharedTask>]) -> String {
    """
    local ids = {\(tasks.map { "\"\($0)\"" }.joined(separator: ","))}
    local requests = {}
    function init()
      for _, method in ipairs({"POST", "DELETE"}) do
        for _, id in ipairs(ids) do
          requests[#requests + 1] = wrk.format(method, "/v1/tasks/" .. id .. "/completion",
            {["Authorization"] = "Bearer \(first.token)"})
        end
      end
    end
    local n = 0
    function request()
      n = n % #requests + 1
      return requests[n]
    end
    """
  }

  /// How many leaves the last checkpoint covers.
  private func size() async throws -> Int {
    let consistency = try await first.client.call(ProveRegisterConsistency.self, .init(from: 0))
    return consistency.to
  }

  /// Fills the store while its service is away: leaves without openings, and the tiles over them.
  private func fill() async throws {
    let start = ContinuousClock.now
    cluster.hold(.social)
    // The end of a process is waited for; there is nothing that reports it.
    while cluster.processID(.social) != 0 { try await Task.sleep(for: .milliseconds(5)) }
    var configuration = Configuration()
    configuration.prepareDatabase { try $0.execute(sql: "PRAGMA synchronous = OFF; PRAGMA cache_size = -500000") }
    let store = try DatabaseQueue(path: "\(cluster.home)/stores/social.sqlite", configuration: configuration)
    let leaves = leaves
    try await store.write { try RegisterLoad.fill($0, to: leaves) }
    try store.close()
    try cluster.release(.social)
    try await cluster.waitUntilReady()
    report.raw("a register of \(leaves) leaves written in \(Int((ContinuousClock.now - start).milliseconds)) ms")
  }

  private static func fill(_ database: Database, to leaves: Int) throws {
    let first = try Int.fetchOne(database, sql: "SELECT count(*) FROM register_leaves") ?? 0
    let leaf = try database.makeStatement(sql: "INSERT INTO register_leaves (number, entry) VALUES (?, ?)")
    for number in first..<max(first, leaves) {
      let entry = #"{"commitment":"\#(TreeHash.leaf([UInt8(number & 0xFF)]))","kind":"completionConfirmed","time":"\#(number)"}"#
      try leaf.execute(arguments: [number, entry])
    }
    try RegisterTree.make(in: database)
  }

  private func prove() async throws {
    let size = try await size()
    let waits = try await Waits { number in
      let index = number &* 7_919_999 % size
      let proof = try await first.client.callUntilDone(ProveRegisterInclusion.self, .init(number: index))
      let checkpoint = try Checkpoint(text: SignedNote(parsing: Array(proof.checkpoint.utf8)).text)
      let hashes = proof.hashes.compactMap { TreeHash(bytes: $0.bytes) }
      try InclusionProof(hashes).verify(.leaf(Array(proof.entry.utf8)), at: index, in: proof.size, root: checkpoint.root)
    }
    report.add(
      "an inclusion proof at \(size) leaves, p99", String(format: "%.1f ms", waits.p99), target: "5 ms", isReached: waits.p99 <= 5
    )
  }
}
