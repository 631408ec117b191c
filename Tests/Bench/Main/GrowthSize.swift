import ActivityContract
import AsyncHTTPClient
import Client
import Cluster
import Foundation
import GRDB
import GeneratedAccounts
import IdentityContract
import NotificationsContract
import Operations
import RewardsContract
import SocialContract

#if canImport(Glibc)
  import Glibc
#endif

/// A cluster with so many accounts, and what everything costs there.
struct GrowthSize {
  let cluster: RunningCluster
  private let accounts: Int
  private let templates: AccountTemplates
  private let cast: GrowthCast
  private var figures = GrowthFigures()
  /// How many of the figures were reported.
  private var said = (singles: 0, raw: 0)

  /// Who plays rounds, and how many of them at the same time.
  private static let (workers, connections) = (88, 64)
  /// How rounds are played.
  private enum Way: String {
    /// One after the other, on one connection.
    case alone
    /// By 64 at the same time.
    case together
    /// One after the other, while subscribers read snapshots.
    case beside

    /// How many rounds are played, by how many at the same time, and from which worker on. Those that accounts play once are played by others
    /// in each way.
    func plan(_ frequency: OperationRound.Frequency) -> (rounds: Int, atOnce: Int, first: Int) {
      switch (self, frequency) {
      case (.alone, .often): (120, 1, 0)
      case (.alone, .once): (16, 1, 0)
      case (.alone, .seldom): (8, 1, 0)
      case (.together, .often): (256, connections, 0)
      case (.together, .once): (connections, connections, 16)
      case (.together, .seldom): (6, 3, 0)
      case (.beside, .often): (60, 1, 0)
      case (.beside, .once): (8, 1, 80)
      case (.beside, .seldom): (3, 1, 0)
      }
    }
  }

  /// Starts it and makes the accounts that are copied.
  init(accounts: Int, settings: [String: String]) async throws {
    self.accounts = accounts
    cluster = try RunningCluster(settings: settings)
    do {
      try await cluster.start()
      cast = try await GrowthCast(cluster)
      templates = try await AccountTemplates(cluster, offers: cast)
    } catch {
      cluster.stop()
      throw error
    }
  }

  private var copies: Int { max(Self.workers + 1, accounts / AccountTemplates.count - 1) }

  /// Where a stage breaks down after the services were ready, what was measured before it counts, and the report says so.
  func measure(without: Set<GrowthStage>) async throws -> GrowthFigures {
    var size = self
    try await size.fill()
    size.say("stores are filled")
    try await size.start()
    size.say("services are ready")
    do {
      try await size.measureStages(without)
    } catch {
      size.figures.add("stages that broke down", 1, "stage", atMost: 0)
      size.figures.raw.append("broke down: \(error)")
      size.say("broke down")
    }
    for stage in GrowthStage.allCases where without.contains(stage) { size.figures.raw.append("left out: \(stage.rawValue)") }
    return size.figures
  }

  private mutating func measureStages(_ without: Set<GrowthStage>) async throws {
    if !without.contains(.calls) {
      try await play()
      say("operations are called")
    }
    if !without.contains(.backup) {
      try await backUp()
      try addMemory("through a backup")
      say("stores are backed up")
    }
    if !without.contains(.deletion) {
      try await delete()
      try addMemory("through deletions")
      say("accounts are deleted")
    }
    if !without.contains(.emptyStores) {
      try await startEmpty()
      say("services have begun with empty stores")
    }
    try addMemory("to the end")
  }

  /// Reports a stage that is over and its figures: a size may take an hour, and what was measured stays known where a later stage fails.
  private mutating func say(_ text: String) {
    let new = figures.singles[said.singles...].map { "  \($0.name): \($0.text)" } + figures.raw[said.raw...].map { "  \($0)" }
    said = (figures.singles.count, figures.raw.count)
    let lines = ["growth, \(accounts) accounts: \(text)"] + new
    FileHandle.standardError.write(Data((lines.joined(separator: "\n") + "\n").utf8))
  }

  // MARK: - Filling

  private mutating func fill() async throws {
    for service in ServiceName.allCases { cluster.hold(service) }
    // The end of a process is waited for; there is nothing that reports it.
    while ServiceName.allCases.contains(where: { cluster.processID($0) != 0 }) { try await Task.sleep(for: .milliseconds(5)) }
    let start = ContinuousClock.now
    let generated = try GeneratedAccounts(home: cluster.home, madeIn: templates.milliseconds, copies: copies)
    let seconds = try await generated.fill()
    let heavyStart = ContinuousClock.now
    let friends = try HeavyAccounts(cast).fill(home: cluster.home)
    let heavySeconds = (ContinuousClock.now - heavyStart).milliseconds / 1000
    // Whoever plays logs in on a first device.
    try generated.forgetDevices(ofCopies: 1...Self.workers + 1)
    // So that no first commit has to wait until gigabytes of this are on the disk.
    sync()
    let elapsed = (ContinuousClock.now - start).milliseconds / 1000
    figures.add("filled in", elapsed, "s", atMost: accounts <= 1_000_000 ? 900 : nil)
    figures.add("friends of an account with a thousand times as much", Double(friends), "accounts")
    figures.raw.append(
      "\(GrowthCast.heavyCount) accounts with a thousand times as much: filled in \(String(format: "%.1f", heavySeconds)) s")
    for service in GeneratedAccounts.services {
      let bytes = try sizeOfStore(service)
      figures.add("store of \(service) for an account", Double(bytes) / Double(accounts) / 1024, "KiB")
      figures.raw.append(
        "\(service): \(bytes / 1_000_000) MB, filled in \(String(format: "%.1f", seconds[service] ?? 0)) s")
    }
  }

  private func sizeOfStore(_ service: ServiceName) throws -> Int {
    let attributes = try FileManager.default.attributesOfItem(atPath: store(service))
    return (attributes[.size] as? NSNumber)?.intValue ?? 0
  }

  private func store(_ service: ServiceName) -> String { "\(cluster.home)/stores/\(service.rawValue).sqlite" }

  // MARK: - Starting

  private mutating func start() async throws {
    let started = ContinuousClock.now
    for service in ServiceName.allCases { try cluster.release(service) }
    let bus = try ClusterBus(home: cluster.home)
    let ready = try await ServiceProbe(bus: bus).whenReady(GeneratedAccounts.services, since: started)
    await bus.stop()
    try await cluster.waitUntilReady(seconds: 600)
    figures.add("gateway ready", (ContinuousClock.now - started).milliseconds, "ms", atMost: 1000)
    for service in GeneratedAccounts.services {
      figures.add("\(service) ready with its store", ready[service]?.milliseconds ?? .nan, "ms", atMost: 1000)
    }
  }

  /// The peak since each process has started.
  private mutating func addMemory(_ when: String, of services: [ServiceName] = ServiceName.allCases) throws {
    for service in services {
      let status = try String(contentsOfFile: "/proc/\(cluster.processID(service))/status", encoding: .utf8)
      let line = status.split(separator: "\n").first { $0.hasPrefix("VmHWM:") }
      let kilobytes = line?.split(whereSeparator: \.isWhitespace).dropFirst().first.flatMap { Double($0) } ?? .nan
      figures.add("most memory of \(service), \(when)", kilobytes / 1024, "MB", atMost: 100)
    }
  }

  // MARK: - Calls

  private mutating func play() async throws {
    var configuration = HTTPClient.Configuration()
    configuration.connectionPool.concurrentHTTP1ConnectionsPerHostSoftLimit = Self.workers
    let http = HTTPClient(configuration: configuration)
    let bus = try ClusterBus(home: cluster.home)
    do {
      try await play(GatewayClient(url: cluster.url, http: http, timeoutSeconds: 60), bus)
    } catch {
      try await http.shutdown()
      throw error
    }
    await bus.stop()
    try await http.shutdown()
    try addMemory("with all calls")
  }

  private mutating func play(_ client: GatewayClient, _ bus: ClusterBus) async throws {
    let cast = try await cast.signedIn(cluster)
    try await HeavyAccounts(cast).work(client)
    let start = ContinuousClock.now
    let workers = try await RoundWorker.signedIn(Self.workers, cluster, cast, through: client, bus)
    figures.raw.append("signed in after \(Int((ContinuousClock.now - start).milliseconds)) ms")
    figures.add("alone", try await rounds(workers, .alone))
    figures.add("under \(Self.connections) connections", try await rounds(workers, .together))
    figures.add("of accounts with a thousand times as much", try await heavyRounds(client, bus))
    let reading = Task { try await SnapshotReader(bus: bus).readAgainAndAgain() }
    // By now their sessions' access tokens may have expired.
    let again = try await RoundWorker.signedIn(Self.workers, cluster, try await self.cast.signedIn(cluster), through: client, bus)
    let beside = try await rounds(again, .beside)
    reading.cancel()
    figures.raw.append("snapshots read meanwhile: \(try await reading.value) pages")
    figures.add("next to a snapshot", beside)
  }

  /// Plays all rounds, each by one worker after the other.
  private func rounds(_ workers: [RoundWorker], _ way: Way) async throws -> OperationTimings {
    let timings = OperationTimings()
    for round in OperationRound.all {
      let plan = way.plan(round.frequency)
      try await withThrowingTaskGroup(of: Void.self) { group in
        for index in 0..<plan.atOnce {
          group.addTask {
            for number in stride(from: index, to: plan.rounds, by: plan.atOnce) {
              // Those who play at the same time have an account each; whoever plays alone takes another each time.
              let worker = workers[(plan.first + (plan.atOnce == 1 ? number : index)) % workers.count]
              try await round(worker.named("\(way)-\(number)", timings))
            }
          }
        }
        try await group.waitForAll()
      }
    }
    return timings
  }

  /// How often accounts with a thousand times as much play all rounds, by turns: a friend is challenged fifty times a day at most, and three
  /// times in a round.
  private static let heavyTurns = 15 * GrowthCast.heavyCount

  private func heavyRounds(_ client: GatewayClient, _ bus: ClusterBus) async throws -> OperationTimings {
    let timings = OperationTimings()
    var workers: [RoundWorker] = []
    var signedInAt = ContinuousClock.now
    for number in 0..<Self.heavyTurns {
      if workers.isEmpty || ContinuousClock.now - signedInAt > Self.renewal {
        workers = try await HeavyAccounts(try await cast.signedIn(cluster)).workers(cluster, through: client, bus)
        signedInAt = .now
      }
      let worker = workers[number % workers.count].named("heavy-\(number)", timings)
      try await HeavyAccounts.play(worker, isFirst: number < workers.count)
    }
    return timings
  }

  // MARK: - Backups, deletions

  /// How often those who call for long sign in again: before their access tokens expire.
  private static let renewal = Duration.seconds(300)

  private mutating func backUp() async throws {
    let cast = try await cast.signedIn(cluster)
    let bus = try ClusterBus(home: cluster.home)
    var workers = try await RoundWorker.signedIn(1, cluster, cast, through: cluster.client, bus)
    var signedInAt = ContinuousClock.now
    let folder = "\(cluster.home)/backup"
    let (cluster, timings) = (cluster, OperationTimings())
    let start = ContinuousClock.now
    let isOver = Flag()
    let copying = Task.detached {
      defer { isOver.raise() }
      try cluster.administer("backup", folder)
      return (ContinuousClock.now - start).milliseconds / 1000
    }
    var number = 0
    while !isOver.isRaised {
      if ContinuousClock.now - signedInAt > Self.renewal {
        workers = try await RoundWorker.signedIn(1, cluster, try await self.cast.signedIn(cluster), through: cluster.client, bus)
        signedInAt = .now
      }
      try await workers[0].named("backup-\(number)", timings).writeEverywhere()
      number += 1
    }
    figures.add("backup", try await copying.value, "s")
    await bus.stop()
    // One of the calls finds what to write.
    let waits = timings.all.filter { $0.key != ListActivities.spec.name }.values.flatMap(\.times).sorted()
    if let longest = waits.last {
      figures.add("p99 of writes during a backup", waits[waits.count * 99 / 100], "ms", atMost: 50)
      figures.add("longest write during a backup", longest, "ms")
      figures.raw.append("\(waits.count) writes during a backup")
    }
    var failures = 0
    for (operation, calls) in timings.all where !calls.failures.isEmpty {
      failures += calls.failures.values.reduce(0, +)
      figures.raw.append("during a backup \(operation) was answered \(calls.failures)")
    }
    figures.add("calls during a backup that were answered otherwise", Double(failures), "calls", atMost: 0)
    let files = try FileManager.default.contentsOfDirectory(atPath: folder)
    let bytes = try files.reduce(0) { sum, name in
      sum + ((try FileManager.default.attributesOfItem(atPath: "\(folder)/\(name)")[.size] as? NSNumber)?.intValue ?? 0)
    }
    figures.add("size of a backup for an account", Double(bytes) / Double(accounts) / 1024, "KiB")
    try FileManager.default.removeItem(atPath: folder)
  }

  /// How long a deletion is waited for.
  private static let longestDeletion = Duration.seconds(900)

  private mutating func delete() async throws {
    var logins = [(name: "an account", login: AccountTemplates.username(copy: Self.workers + 1, number: 2))]
    for (index, login) in GrowthCast.heavyLogins.enumerated() {
      logins.append((name: "account \(index + 1) with a thousand times as much", login: login))
    }
    for (name, login) in logins {
      let member = try await cluster.signIn(login)
      let start = ContinuousClock.now
      let token = try await member.client.call(
        DeleteAccount.self, .init(password: .init(text: GrowthCast.password))
      ).token
      var state = try await cluster.client.call(GetAccountDeletion.self, .init(token: token))
      var confirmed: [ServiceName: Double] = [:]
      while state.erasedAt == nil, ContinuousClock.now - start < Self.longestDeletion {
        try await Task.sleep(for: .milliseconds(5))
        state = try await cluster.client.call(GetAccountDeletion.self, .init(token: token))
        for erasure in state.services where confirmed[erasure.service] == nil {
          confirmed[erasure.service] = (ContinuousClock.now - start).milliseconds / 1000
        }
      }
      let services = confirmed.sorted { $0.value < $1.value }.map { "\($0.key) after \(String(format: "%.1f", $0.value)) s" }
      figures.raw.append("\(name) is deleted: \(services.joined(separator: ", "))")
      guard state.erasedAt != nil else {
        figures.raw.append("\(name) was not deleted everywhere within \(Self.longestDeletion)")
        continue
      }
      figures.add("\(name) deleted everywhere", (ContinuousClock.now - start).milliseconds, "ms")
    }
  }

  // MARK: - Empty stores

  /// Lets each service begin with an empty store, out of what the others publish, and gives it its own back.
  private mutating func startEmpty() async throws {
    let bus = try ClusterBus(home: cluster.home)
    let probe = ServiceProbe(bus: bus)
    for service in GeneratedAccounts.services.reversed() {
      try await put(service, aside: true)
      let start = ContinuousClock.now
      try cluster.release(service)
      let ready = try await probe.whenReady([service], since: start)
      let (milliseconds, events) = (ready[service]?.milliseconds ?? .nan, ready[service]?.events ?? 0)
      figures.add("\(service) ready with an empty store", milliseconds, "ms")
      figures.raw.append("\(service) took in \(events) events, \(Int(Double(events) * 1000 / max(milliseconds, 1))) a second")
      try addMemory("with an empty store", of: [service])
      say("\(service) has begun with an empty store")
      try await put(service, aside: false)
      try cluster.release(service)
      // The others begin again with its state, since its log is another one once more; they may take as long as they advance.
      _ = try await probe.whenReady(GeneratedAccounts.services, since: .now)
      try await cluster.waitUntilReady(seconds: 60)
    }
    await bus.stop()
  }

  private func put(_ service: ServiceName, aside: Bool) async throws {
    cluster.hold(service)
    // The end of a process is waited for; there is nothing that reports it.
    while cluster.processID(service) != 0 { try await Task.sleep(for: .milliseconds(5)) }
    let (path, kept) = (store(service), "\(cluster.home)/\(service.rawValue)-kept")
    for suffix in ["", "-wal", "-shm"] {
      if !aside, FileManager.default.fileExists(atPath: path + suffix) {
        try FileManager.default.removeItem(atPath: path + suffix)
      }
      let (from, to) = aside ? (path, kept) : (kept, path)
      if FileManager.default.fileExists(atPath: from + suffix) {
        try FileManager.default.moveItem(atPath: from + suffix, toPath: to + suffix)
      }
    }
  }
}
